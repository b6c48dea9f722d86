"""The games, a folder or file each. registry.py has one line per game."""
