"""The games, a folder or file each; registry.py has one line for each of them."""
