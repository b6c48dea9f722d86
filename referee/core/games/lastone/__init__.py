"""Last one (Spoons, Pig, Irish Snap): all press, and the last press loses; see play.py."""
