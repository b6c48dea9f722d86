"""Speech for the countdown before a hand, and for a stopped one."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.model.view import CountdownScreen, WaitScreen
from referee.language import say
from referee.language.words import sentence


def _countdown(screen: CountdownScreen) -> Iterator[str]:
    if screen.word is not None:
        text = say.message_speech(screen.word)
        yield f"{text}!" if text.isdigit() else say.as_sentence(text)  # in German, "3." is "third"
    else:
        yield sentence("countdown.resume" if screen.resuming else "countdown.start")


def _wait(screen: WaitScreen) -> Iterator[str]:
    who = say.names_of(screen.labels)
    if screen.by_knob:
        yield sentence("wait.knob")
    elif who:
        yield sentence("wait", who=who, count=len(screen.labels))
        yield sentence("wait.tap", who=who)
    elif screen.held:
        yield sentence("wait.let_go", who=say.names_of(screen.held))


SPEECH: say.Speech = {CountdownScreen: _countdown, WaitScreen: _wait}
