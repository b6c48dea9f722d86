"""Card games: packs, positions, legal moves and their effects."""
