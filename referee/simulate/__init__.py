"""Many simulated hands, card by card: the players, the figures, and charts of them."""
