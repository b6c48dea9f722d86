"""Drivers: hardware to edge rows, views to light and sound. They have no game logic."""
