"""CHECK and OFF: what a screen reader says, and its sentences."""

from __future__ import annotations

from referee.core.phases.device import CheckScreen, OffScreen
from referee.language.speech import say
from referee.language.words import sentence

CHECK = sentence("check")
CHECK_MISSING = sentence("check.missing", "numbers")
CHECK_ALL = sentence("check.all")
CHECK_RIGHT = sentence("check.right", "count")
CHECK_LEFT = sentence("check.left", "count")
CHECK_DONE = sentence("check.done")
OFF = sentence("off", "s")


def _check(screen: CheckScreen) -> list[str]:
    missing = [str(number) for number, pressed in screen.seats if not pressed]
    heard = CHECK_MISSING(numbers=say.list_speech(missing)) if missing else CHECK_ALL()
    turned = CHECK_RIGHT if screen.turned > 0 else CHECK_LEFT
    way = [turned(count=abs(screen.turned))] if screen.turned else []
    return [CHECK(), heard, *way, CHECK_DONE()]


def _off(screen: OffScreen) -> list[str]:
    return [OFF(s=say.span_text(screen.unplug_s))]


SPEECH: say.Speech = {CheckScreen: _check, OffScreen: _off}
