"""Nertz and related games: the same actions with different numbers.

options.py defines the options, rules.py the presets, scoring.py the scores of hands and matches; document.py reads
match documents of these games, and play.py is the game at the table.
"""
