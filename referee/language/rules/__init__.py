"""The rulebook and the options of games in words."""
