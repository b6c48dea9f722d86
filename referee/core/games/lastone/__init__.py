"""Last one (Spoons, Pig, Irish Snap): all press, and who presses last loses; see play.py."""
