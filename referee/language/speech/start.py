"""The beats before a hand, and what stops them: what a screen reader says, and its sentences."""

from __future__ import annotations

from referee.core.model.view import CountdownScreen, WaitScreen
from referee.language.speech import say
from referee.language.words import sentence

COUNTDOWN_START = sentence("countdown.start")
COUNTDOWN_RESUME = sentence("countdown.resume")
WAIT = sentence("wait", "who", "count")
WAIT_TAP = sentence("wait.tap", "who")
WAIT_LET_GO = sentence("wait.let_go", "who")
WAIT_KNOB = sentence("wait.knob")


def _countdown(screen: CountdownScreen) -> list[str]:
    if screen.word is not None:
        return [say.as_sentence(say.message_speech(screen.word))]
    return [COUNTDOWN_RESUME() if screen.resuming else COUNTDOWN_START()]


def _wait(screen: WaitScreen) -> list[str]:
    if screen.by_knob:
        return [WAIT_KNOB()]
    if not screen.labels:
        return [WAIT_LET_GO(who=say.names_of(screen.held))] if screen.held else []
    who = say.names_of(screen.labels)
    return [WAIT(who=who, count=len(screen.labels)), WAIT_TAP(who=who)]


SPEECH: say.Speech = {CountdownScreen: _countdown, WaitScreen: _wait}
