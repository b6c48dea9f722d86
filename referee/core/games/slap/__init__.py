"""Slap (Snap, Slapjack, Egyptian Ratscrew, Halli Galli): claims that all judge; see play.py."""
