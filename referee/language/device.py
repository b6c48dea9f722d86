"""Speech for the test of the buttons, and for switching off."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.phases.device import CheckScreen, OffScreen
from referee.language import say
from referee.language.words import sentence


def _check(screen: CheckScreen) -> Iterator[str]:
    missing = [str(number) for number, pressed in screen.seats if not pressed]
    yield sentence("check")
    yield sentence("check.missing" if missing else "check.all", numbers=say.list_speech(missing))
    if screen.turned:
        yield sentence("check.right" if screen.turned > 0 else "check.left", count=abs(screen.turned))
    yield sentence("check.done")


def _off(screen: OffScreen) -> Iterator[str]:
    yield sentence("off", s=say.span_text(screen.unplug_s))


SPEECH: say.Speech = {CheckScreen: _check, OffScreen: _off}
