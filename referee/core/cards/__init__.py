"""The cards themselves: packs, positions, every legal move and what it makes of a position."""
