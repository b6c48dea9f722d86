"""PLAYING: what a screen reader says, and its sentences."""

from __future__ import annotations

from referee.core.model.view import PlayingScreen
from referee.language.speech import say
from referee.language.words import sentence

PLAYING_HAND = sentence("playing.hand", "hand").or_round()
PLAYING_HAND_TO = sentence("playing.hand_to", "hand", "target").or_round()


def _playing(screen: PlayingScreen) -> list[str]:
    to = screen.target is not None
    hand = PLAYING_HAND_TO(hand=screen.hand, target=screen.target) if to else PLAYING_HAND(hand=screen.hand)
    return [hand, say.scores_text(screen.lines)]


SPEECH: say.Speech = {PlayingScreen: _playing}
