"""Last one (Spoons, Pig, Irish Snap): all press, and the last press loses; see play.py."""

from referee.core.games.lastone.play import GAME

documents, game = GAME.documents, GAME.game
