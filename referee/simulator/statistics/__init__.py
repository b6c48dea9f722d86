"""Many hands, card by card: the players, the statistics, and charts."""
