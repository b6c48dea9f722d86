"""The knob's list and POWER BACK: what a screen reader says, and its sentences."""

from __future__ import annotations

from referee.core.messages import Msg, with_values
from referee.core.model.view import MenuScreen, PowerBackScreen
from referee.core.units import S
from referee.language.numbers import less_than
from referee.language.speech import say
from referee.language.words import sentence

WAITING = sentence("waiting", "who")
MENU_LINE = sentence("menu.line", "line", "at", "all")
MENU_CHOOSE = sentence("menu.choose")
MENU_VALUE = sentence("menu.value")
MENU_EMPTY = sentence("menu.empty")
POWER_BACK = sentence("power_back", "away")
POWER_BACK_UNKNOWN = sentence("power_back.unknown")
POWER_BACK_HAND = sentence("power_back.hand", "hand", "phase").or_round()
POWER_BACK_PLAYED = sentence("power_back.played", "hand", "phase", "clock").or_round()
POWER_BACK_TAP = sentence("power_back.tap")
POWER_BACK_TAP_WHO = sentence("power_back.tap_who", "who")


def _menu(screen: MenuScreen) -> list[str]:
    title = say.own_sentence(screen.title)
    waiting = [WAITING(who=say.names_of(screen.waiting))] if screen.waiting else []
    if screen.cursor >= len(screen.items):
        return [title, MENU_EMPTY(), *waiting]
    line = screen.items[screen.cursor]
    if screen.value is not None and isinstance(line, Msg):
        line = with_values(line, choice=screen.value)
    at = MENU_LINE(line=say.own_sentence(line), at=screen.cursor + 1, all=len(screen.items))
    about = [say.own_sentence(screen.about)] if screen.about else []
    return [title, at, *about, MENU_CHOOSE() if screen.value is None else MENU_VALUE(), *waiting]


def _power_back(screen: PowerBackScreen) -> list[str]:
    phase = say.phase_name(screen.phase)
    hand = POWER_BACK_HAND(hand=screen.hand, phase=phase)
    if screen.played_ns is not None:
        hand = POWER_BACK_PLAYED(hand=screen.hand, phase=phase, clock=say.span_text(screen.played_ns // S))
    return [
        POWER_BACK_UNKNOWN() if screen.away_s is None else POWER_BACK(away=_less_than(screen.away_s)),
        hand,
        POWER_BACK_TAP_WHO(who=say.names_of(screen.waiting)) if screen.waiting else POWER_BACK_TAP(),
    ]


def _less_than(away_s: int) -> str:
    number, size_s = less_than(away_s)
    return say.span_text(number * size_s)


SPEECH: say.Speech = {MenuScreen: _menu, PowerBackScreen: _power_back}
