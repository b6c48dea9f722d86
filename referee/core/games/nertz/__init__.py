"""Nertz and related games: the same actions with different numbers.

options.py defines the options, rules.py the presets, scoring.py the scores of hands and matches; document.py reads
the family's match documents, and play.py is the family at the table.
"""
