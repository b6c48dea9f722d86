"""31 (Scat, Ride the Bus, Quebec): turns, a knock, and lives, places in a bus or points.

rules.py defines the options and presets, scoring.py the values of cards and the results of hands; document.py reads
match documents, and play.py is the game at the table.
"""
