"""Slap (Snap, Slapjack, Egyptian Ratscrew, Halli Galli): a claim that all answer once, judged in play.py."""

from referee.core.games.slap.play import GAME

documents, game = GAME.documents, GAME.game
