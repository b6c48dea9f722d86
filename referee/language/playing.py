"""PLAYING as speech."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.model.view import PlayingScreen
from referee.language import say
from referee.language.words import sentence


def _playing(screen: PlayingScreen) -> Iterator[str]:
    key = "playing.hand" if screen.target is None else "playing.hand_to"
    yield sentence(key, hand=screen.hand, target=screen.target)
    yield say.scores_text(screen.lines)


SPEECH: say.Speech = {PlayingScreen: _playing}
