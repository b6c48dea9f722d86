"""Speech for the knob's menu, and for POWER BACK."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.messages import Msg, with_values
from referee.core.model.view import MenuScreen, PowerBackScreen
from referee.core.units import S
from referee.language import say
from referee.language.numbers import less_than
from referee.language.words import sentence


def _menu(screen: MenuScreen) -> Iterator[str]:
    yield say.own_sentence(screen.title)
    if screen.cursor < len(screen.items):
        yield from _line(screen)
    else:
        yield sentence("menu.empty")
    if screen.waiting:
        yield sentence("waiting", who=say.names_of(screen.waiting))


def _line(screen: MenuScreen) -> Iterator[str]:
    """Yield the chosen line of the menu, its explanation, and what the knob does on this line."""
    line = screen.items[screen.cursor]
    if screen.value is not None and isinstance(line, Msg):
        line = with_values(line, choice=screen.value)
    yield sentence("menu.line", line=say.own_sentence(line), at=screen.cursor + 1, all=len(screen.items))
    yield say.own_sentence(screen.about)
    yield sentence("menu.choose" if screen.value is None else "menu.value")


def _power_back(screen: PowerBackScreen) -> Iterator[str]:
    if screen.away_s is None:
        yield sentence("power_back.unknown")
    else:
        number, size_s = less_than(screen.away_s)
        yield sentence("power_back", away=say.span_text(number * size_s))
    played_s = (screen.played_ns or 0) // S
    clock = say.span_text(played_s)
    key = "power_back.played" if played_s else "power_back.hand"
    yield sentence(key, hand=screen.hand, phase=say.phase_name(screen.phase), clock=clock)
    yield sentence("power_back.tap_who" if screen.waiting else "power_back.tap", who=say.names_of(screen.waiting))


SPEECH: say.Speech = {MenuScreen: _menu, PowerBackScreen: _power_back}
