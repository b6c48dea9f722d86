"""Nertz and its cousins: one set of verbs, many sets of numbers.

options.py says what can be set, rules.py which presets there are, scoring.py what a hand and a match come to, and
document.py reads a match document of the family.
"""
