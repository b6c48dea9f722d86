"""Card games card by card: packs, positions, legal moves and their effects."""
