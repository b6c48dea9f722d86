"""Speech for READY."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.model.view import ReadyScreen
from referee.language import say
from referee.language.words import sentence


def _ready(screen: ReadyScreen) -> Iterator[str]:
    if screen.let_go:
        yield sentence("ready.let_go", who=say.name_of(screen.let_go))
        return
    yield sentence("ready.hand" if screen.target is None else "ready.hand_to", hand=screen.hand, target=screen.target)
    yield from map(say.own_sentence, screen.notes)
    yield sentence("ready.tap" if screen.waiting else "ready.all", who=say.names_of(screen.waiting))
    yield say.scores_text(screen.lines)


SPEECH: say.Speech = {ReadyScreen: _ready}
