"""The referee at the card table's rim: fair calls, clocks, counts and scores."""

__version__ = "0.1.0"
