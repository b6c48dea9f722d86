"""The games, one file each, and their registry."""
