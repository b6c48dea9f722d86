"""Slap (Snap, Slapjack, Egyptian Ratscrew, Halli Galli): claims judged by all; see play.py."""
