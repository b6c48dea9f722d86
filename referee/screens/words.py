"""Every word that the screens say, with the most characters it may have on its place (8, 16 or 21).

A word is called to get it in the language that is spoken, with its values: `HAND(hand=5)`. A limit counts the text with
the longest values that a match can produce, which stand beside it as `widest`; too long a word fails at import, and too
long a translation when the catalogues are made (tests/screens/catalogues.py). The limit is the message's context there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import ClassVar

LARGE, MIDDLE, SMALL = 8, 16, 21  # characters of 16x32, 8x16 and 6x8 across 128 pixels

ENGLISH = "en"


def _english(context: str, message: str) -> str:
    return message


_translate: ContextVar[Callable[[str, str], str]] = ContextVar("translate", default=_english)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Within it, words are in that language."""
    token = _translate.set(_translation(language))
    try:
        yield
    finally:
        _translate.reset(token)


def _translation(language: str) -> Callable[[str, str], str]:
    if language == ENGLISH:
        return _english
    from referee.screens.catalogue import catalogue

    return catalogue(language).pgettext


class Word:
    """One message and its limit in characters."""

    every: ClassVar[list[Word]] = []

    def __init__(self, message: str, limit: int, **widest: object) -> None:
        self.message, self.limit, self.widest = message, limit, widest
        if len(message.format(**widest)) > limit:
            raise ValueError(f"screen word {message!r} has more than {limit} characters with {widest or 'no values'}")
        self.every.append(self)

    def __call__(self, **values: object) -> str:
        return _translate.get()(str(self.limit), self.message).format(**values)


CANNOT_START = Word("CANNOT START", MIDDLE)

# LOBBY
TO_TARGET = Word("{preset} to {target}", 14, preset="NNA150", target=999)
TEAMS = Word("{count} teams", 7, count=8)
TEAM = Word("{count} team", 7, count=1)
TAP_TO_JOIN = Word("TAP TO JOIN", MIDDLE)
HOLD_TWO = Word("hold two: a pair", SMALL)
PRESS_EACH = Word("PRESS EACH", 14)
PUSH_DONE = Word("push: done", SMALL)
TURN_FOR_NAME = Word("turn: your name", SMALL)

# READY, PLAYING
HAND_SMALL = Word("HAND {hand}", 12, hand=9999)
HAND_LARGE = Word("HAND {hand}", LARGE, hand=99)
TARGET = Word("to {target}", 8, target=9999)
DEAL = Word("DEAL", LARGE)
WAIT_FOR = Word("wait:", 6)
TAP_WHEN_READY = Word("TAP WHEN READY", MIDDLE)
ALL_READY = Word("ALL READY", MIDDLE)
ANY_PRESS_WAITS = Word("any press: wait", SMALL)
GO_ON = Word("GOING ON", MIDDLE)
TIME_OUT_HINT = Word("push 0.3s: time out", SMALL)
WAIT = Word("WAIT", LARGE)
TAP_AGAIN = Word("tap again when ready", SMALL)
BUTTON_DOWN = Word("BUTTON {number} DOWN", MIDDLE, number=8)
LET_GO = Word("LET GO", LARGE)
OTHER_BUTTON = Word("push: other button", SMALL)
WITHOUT_IT = Word("hand goes on without", SMALL)

# OFF
OFF = Word("OFF", LARGE)
PULL_PLUG = Word("PULL THE PLUG", MIDDLE)
PLUG_WHEN = Word("in {n} seconds", SMALL, n=15)

# CALLED
STOP = Word("STOP", 7)
NERTZ = Word("NERTZ!", 10)
WITHIN = Word("within {ms} ms", 14, ms="0.5")
SHOW_PILE = Word("show your pile", 15)
ALONE = Word("no other press", MIDDLE)
TIE = Word("TIE", LARGE)
TURN_PHOTO = Word("turn: photo", 12)
TOO_CLOSE = Word("too close to measure", SMALL)
LATE = Word("LATE {who} {s} s", SMALL, who="1An", s="-59.999")
SECONDS = Word("{s} s", 8, s="999.99")
PHOTO = Word("PHOTO", 7)
TIE_BAND = Word("tie band {ms}ms", 14, ms="0.5")

# VOTE
TAP_YES = Word("tap yes", 10)
HOLD_NO = Word("hold no", 11)
YES = Word("y", 1)
NO = Word("n", 1)

# TURNS
KNOCKED = Word("{who} KNOCKED", 13, who="8Wi")
TO_GO = Word("{count} to go", 8, count=8)
KNOCK_FROM = Word("knock from {value}", 14, value=30)
TURN_TO = Word("push: turn to {who}", SMALL, who="8WWWWWW")
TAP_DONE = Word("tap done, hold knock", SMALL)
OWN_DISCARD = Word("own discard: allowed", SMALL)
TAP_DONE_LAST = Word("tap: done", SMALL)
ASKED = {"KNOCK?": Word("KNOCK?", LARGE), "31?": Word("31?", LARGE)}
HOLD_ON = Word("hold: next", 13)
HAS_31 = Word("31!", 12)
TAP_NONE = Word("tap: none   hold: 31?", SMALL)

# STUCK, BURN
PILE_EMPTY = Word("PILE EMPTY?", MIDDLE)
CALL_NOW = Word("CALL NOW", LARGE)
PRESS_CALLS = Word("press = call", 15)
SEARCH_TWICE = Word("SEARCH TWICE", MIDDLE)
SEARCH_ONCE = Word("SEARCH ONCE", MIDDLE)
SO_MANY_OF = Word("{done} OF {all}", LARGE, done=8, all=8)
TAP_NOTHING = Word("tap: nothing", SMALL)
HOLD_CAN_PLAY = Word("hold: I can play", SMALL)
BURN_COUNT = Word("BURN {count}", 9, count=9)
NO_PLAY_YET = Word("no play yet", 12)
BURN_HOW = {
    "stream": Word("top card to bottom", SMALL),
    "reserve": Word("Nertz card: to bottom", SMALL),
    "waste": Word("flip, top to bottom", SMALL),
    "stock": Word("stock on waste, flip", SMALL),
}

# COUNT, SHEET, STANDINGS, OVER
DONE = Word("ok", 2)
TAP_HOLD = Word("tap+1 hold>", 11)
TAP_HOLD_ALONE = Word("tap: +1   hold: next", SMALL)
FIX_TURN = Word("HAND {hand} turn: other", SMALL, hand=99)
FIX_SAVE = Word("HAND {hand} push: save", SMALL, hand=99)
TURN_PUSH = Word("turn: +1  push: next", SMALL)
MATCH_OVER = Word("MATCH OVER", 12)
HANDS = Word("{count} hands", 9, count=99)
HAND_ONE = Word("{count} hand", 9, count=1)
TAP_REMATCH = Word("tap: rematch", SMALL)

# POWER BACK, menu
POWER_OFF = Word("POWER WAS OFF", 14)
AWAY_S = Word("{n} s", 6, n=59)
AWAY_MIN = Word("{n} min", 6, n=59)
AWAY_H = Word("{n} h", 6, n=99)
AWAY_DAYS = Word("{n} d", 6, n=9999)
PLAYED = Word("{clock} played", MIDDLE, clock="9:59:59")
TAP_GO_ON = Word("tap: go on", 14)
