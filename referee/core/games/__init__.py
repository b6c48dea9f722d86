"""The games, each in a folder or file. model/registry.py has one line per game."""
