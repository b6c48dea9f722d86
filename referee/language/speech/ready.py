"""READY: what a screen reader says, and its sentences."""

from __future__ import annotations

from referee.core.model.view import ReadyScreen
from referee.language.speech import say
from referee.language.words import sentence

READY_LET_GO = sentence("ready.let_go", "who")
READY_HAND = sentence("ready.hand", "hand").or_round()
READY_HAND_TO = sentence("ready.hand_to", "hand", "target").or_round()
READY_TAP = sentence("ready.tap", "who")
READY_ALL = sentence("ready.all")


def _ready(screen: ReadyScreen) -> list[str]:
    if screen.let_go:
        return [READY_LET_GO(who=say.name_of(screen.let_go))]
    to = screen.target is not None
    return [
        READY_HAND_TO(hand=screen.hand, target=screen.target) if to else READY_HAND(hand=screen.hand),
        *(say.message_speech(note) for note in screen.notes),
        READY_TAP(who=say.names_of(screen.waiting)) if screen.waiting else READY_ALL(),
        say.scores_text(screen.lines),
    ]


SPEECH: say.Speech = {ReadyScreen: _ready}
