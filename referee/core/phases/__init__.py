"""The phases that all games share, one file each, with their transitions."""
