"""Edges to presses, presses to a verdict."""
