"""Slap (Snap, Slapjack, Egyptian Ratscrew, Halli Galli): claims that all judge; see play.py."""

from referee.core.games.slap.play import GAME

documents, game = GAME.documents, GAME.game
