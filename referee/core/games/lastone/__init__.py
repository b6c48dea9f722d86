"""Last one (Spoons, Pig, Irish Snap): all press, and whoever presses last loses the hand; judged in play.py."""

from referee.core.games.lastone.play import GAME

documents, game = GAME.documents, GAME.game
