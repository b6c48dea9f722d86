"""Read tapes: whole evenings as timed scripts with one gesture per line. play.py plays them.

    table nna target=60 bonus=10        preset, options, stations=N (8); agreement=false: without an agreement first
    names Anna Ben Max Lea              the players at the stations

    +0.4   1,2,3 tap                    one after the other; tap 3: three times
    +1     2+3 hold                     both at once; hold 2.1: so many seconds
    +90    2 call                       a press; down and up are its halves
    +0.5   4 count 3 28                 LEFT 3, LAKE 28: taps, and a hold after each field
    +1     knob choose Start            push, turn to the line that begins so, push
    +1     knob timeout                 also push [SECONDS], turn STEPS
    +5     power off 720                the device is back after so many seconds
    +30    wait
           is COUNTING                  the phase; play.py has the other conditions

A line begins so many seconds after the end of the line before (`+1`), or at an instant of the evening (`1:02:30`).
Text after a # is a comment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from referee.core.model.table import Setup
from referee.core.units import MS, S

HERE = Path(__file__).parent
WIRED = 8
SEAT_VERBS = {"tap": 1, "hold": 1, "press": 1, "call": 0, "down": 0, "up": 0, "mash": 1, "count": 3}
"""Verb -> maximum number of arguments."""
KNOB_VERBS = {"push": 1, "turn": 1, "choose": 9, "timeout": 0}


class TapeError(ValueError):
    """An invalid line: which one, and what is allowed."""


@dataclass(frozen=True)
class Line:
    """One gesture, or with `who` "is" one condition.

    wait_ns: after the end of the line before; at_ns: since the evening began; one of them is None. together: all at
    once, else one after the other.
    """

    number: int
    who: tuple[str, ...]
    verb: str
    words: tuple[str, ...] = ()
    wait_ns: int | None = None
    at_ns: int | None = None
    together: bool = False

    @property
    def told(self) -> bool:
        """Return whether this is a condition."""
        return self.who == ("is",)


@dataclass(frozen=True)
class Tape:
    """An evening: its players, their game, and their gestures."""

    name: str
    setup: Setup
    lines: tuple[Line, ...]


def names() -> list[str]:
    """Return the names of all tapes."""
    return sorted(path.stem for path in HERE.glob("*.tape"))


@cache
def wired_names() -> tuple[str, ...]:
    """Return the tapes of tables with only wired buttons, as in the rig: other seats are on pods."""
    return tuple(name for name in names() if len(read(name).setup.stations) <= WIRED)


@cache
def read(name: str) -> Tape:
    """Return the tape of that name, from this folder."""
    return parse(name, (HERE / f"{name}.tape").read_text(encoding="utf-8"))


def parse(name: str, text: str) -> Tape:
    """Parse a tape; raise TapeError for the first invalid line."""
    rows = [(number, row.partition("#")[0].split()) for number, row in enumerate(text.splitlines(), 1)]
    rows = [(number, words) for number, words in rows if words]
    head = {words[0]: (number, words[1:]) for number, words in rows[:2] if words[0] in ("table", "names")}
    if "table" not in head:
        raise TapeError(f"{name}: a tape begins with table PRESET [OPTION=VALUE ...]")
    setup = _setup(name, *head["table"], head.get("names", (0, []))[1])
    return Tape(name, setup, tuple(_line(name, number, words, setup) for number, words in rows[len(head) :]))


PEOPLE_NS = 1000 * MS
"""Maximum time of people before a gesture after `cut`.

It is longer than every guard, and short enough that a device that shows something late is still answered in time.
"""
DEVICE_NS = 20 * S
"""Maximum time that the device takes for a vote, an offered contest or a closing list. Anything longer is play."""


def cut(tape: Tape) -> Tape:
    """Return the evening without the waiting for people, for a real device.

    The hand's clock is not checked.
    """
    lines = (line for line in tape.lines if not (line.told and line.verb == "clock"))
    return replace(tape, lines=tuple(_hurried(line) for line in lines))


def _hurried(line: Line) -> Line:
    if line.told or line.wait_ns is None or (line.verb == "wait" and line.wait_ns <= DEVICE_NS):
        return line
    return replace(line, wait_ns=min(line.wait_ns, PEOPLE_NS))


def _setup(name: str, number: int, words: list[str], people: list[str]) -> Setup:
    options: dict[str, Any] = {}
    for word in words[1:]:
        key, equals, value = word.partition("=")
        if not equals:
            raise TapeError(f"{name}, line {number}: {word!r} is no OPTION=VALUE")
        options[key] = {"true": True, "false": False}.get(value, int(value) if value.isdecimal() else value)
    stations = tuple(str(n) for n in range(1, options.pop("stations", 8) + 1))
    agreement = bool(options.pop("agreement", True))
    names = tuple(zip(stations, people, strict=False))
    return Setup(words[0], tuple(options.items()), stations, names, agreement=agreement)


def _line(name: str, number: int, words: list[str], setup: Setup) -> Line:
    def wrong(what: str) -> TapeError:
        return TapeError(f"{name}, line {number}: {what}")

    if words[0] == "is":
        if len(words) < 2:
            raise wrong("is what?")
        return Line(number, ("is",), words[1], tuple(words[2:]))
    try:
        wait_ns, at_ns = _instant(words[0])
    except ValueError:
        raise wrong(f"{words[0]!r} is no time: +SECONDS, M:SS or H:MM:SS") from None
    if words[1:] == ["wait"]:
        return Line(number, (), "wait", (), wait_ns, at_ns)
    if len(words) < 3:
        raise wrong("who does what?")
    who, verb, rest = words[1], words[2], tuple(words[3:])
    if who == "power":
        if verb != "off" or len(rest) != 1 or not rest[0].isdecimal():
            raise wrong("power can only be off, for so many seconds")
        return Line(number, ("power",), verb, rest, wait_ns, at_ns)
    people = tuple(_people(who))
    if unknown := [each for each in people if each not in (*setup.stations, "knob")]:
        raise wrong(f"{unknown[0]!r} is none of {', '.join(setup.stations)}, knob, power")
    verbs = KNOB_VERBS if people == ("knob",) else SEAT_VERBS
    if verb not in verbs or len(rest) > verbs[verb]:
        raise wrong(f"{' '.join(words[2:])!r} is none of {', '.join(verbs)}, with its arguments")
    return Line(number, people, verb, rest, wait_ns, at_ns, "+" in who)


def _people(who: str) -> Iterator[str]:
    yield from who.replace("+", ",").split(",")


def _instant(word: str) -> tuple[int | None, int | None]:
    if word.startswith("+"):
        return ns(word[1:]), None
    seconds = Fraction(0)
    for part in word.split(":"):
        seconds = seconds * 60 + Fraction(part)
    if ":" not in word:
        raise ValueError(word)
    return None, int(seconds * S)


def ns(seconds: str) -> int:
    """Return a tape's seconds in ns."""
    return int(Fraction(seconds) * S)
