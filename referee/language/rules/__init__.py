"""The rulebook and the games' options in words."""
