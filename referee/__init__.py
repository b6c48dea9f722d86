"""Referee for card tables: fair calls, clocks, counts and scores."""

__version__ = "0.1.0"
