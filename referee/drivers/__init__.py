"""Drivers: hardware signals become edge rows, views become light and sound. No game logic."""
