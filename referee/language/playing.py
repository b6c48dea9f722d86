"""Speech for PLAYING."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.model.view import PlayingScreen
from referee.language import say
from referee.language.words import sentence


def _playing(screen: PlayingScreen) -> Iterator[str]:
    key = "playing.hand" if screen.target is None else "playing.hand_to"
    yield sentence(key, hand=screen.hand, target=screen.target)
    if screen.later:
        who = say.names_of(screen.later)
        yield sentence("playing.later" if screen.later_s else "playing.own_go", who=who)  # no countdown
    yield say.scores_text(screen.lines)


SPEECH: say.Speech = {PlayingScreen: _playing}
