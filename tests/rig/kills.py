"""Draw the places where the daemon dies in the evenings, by a seed, so that every phase of the tapes occurs.

Deaths are between two gestures, after which people play to the tape's end; within a call, between its press and the
verdict; and, as an evening's last event, in the middle of any gesture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Self

from referee.core.units import MS
from tests.core.sitting import Sitting
from tests.tapes.kill import in_the_middle
from tests.tapes.play import Play
from tests.tapes.tape import Tape, cut, parse, read, wired_names

A_TAPE = 5
"""Maximum deaths per evening: each takes as long as the daemon's start."""
CALL_NS = (20 * MS, 50 * MS)
"""Time after the press of a call: its verdict takes 30 ms, and an emulated daemon needs more to write it."""
GESTURE_NS = (0, 60 * MS)
AT_ONCE_NS = 250 * MS
"""Gestures that follow sooner belong to those before."""


@dataclass(frozen=True)
class Plan:
    """A tape and where the daemon dies in it; see evening.RigPlay.

    plug: the `power off` lines at which the whole machine loses power; begin: the line after which people go on. text:
    the tape itself, if it is not one of tests/tapes.
    """

    tape: str
    kills: dict[int, int | None] = field(default_factory=dict)
    last: tuple[int, int, int] | None = None
    plug: tuple[int, ...] = ()
    begin: int = 0
    text: str = ""

    @property
    def score(self) -> Tape:
        """Return the tape with the waiting for people cut out."""
        return cut(parse(self.tape, self.text) if self.text else read(self.tape))

    @property
    def deaths(self) -> int:
        """Return the number of deaths."""
        return len(self.kills) + (self.last is not None)


@dataclass(frozen=True)
class Place:
    """A gesture of a tape, and the phase in which it begins.

    `between`: nothing is in progress, and people can go on afterwards. `call`: it is a call. `moves`: its presses and
    releases.
    """

    line: int
    phase: str
    between: bool
    call: bool
    moves: int


class Counting(Sitting):
    """Counts presses and releases, and does not check the pictures: the tapes' own tests do."""

    moves = 0

    def edges(self, *rows: tuple[str, bool, int]) -> Self:
        self.moves += 1
        return super().edges(*rows)

    def _look_until(self, until_ns: int) -> None:
        pass


def places(name: str) -> tuple[Place, ...]:
    """Return every gesture of a tape."""
    return played(name)[0]


@cache
def played(name: str) -> tuple[tuple[Place, ...], object]:
    """Return every gesture of a tape, and the evening's result."""
    play = Play(cut(read(name)))
    play.table = Counting(play.tape.setup)
    return tuple(_places(play, play.table)), play.story()


def _places(play: Play, table: Counting) -> Iterator[Place]:
    for line in play.tape.lines:
        before, moves = table.engine.state, table.moves
        play.run([line])
        if not line.told and line.verb != "off":
            between = not in_the_middle(before) and (line.wait_ns is None or line.wait_ns >= AT_ONCE_NS)
            call = between and line.verb == "call" and table.phase == "VERDICT"
            yield Place(line.number, before.phase.name, between, call, table.moves - moves)


def all_phases() -> set[str]:
    """Return the phases in which a daemon that plays the tapes can die."""
    return {"CALLED"} | {place.phase for name in wired_names() for place in places(name) if place.between}


def drawn(seed: str, count: int, among: Sequence[str], wanted: set[str]) -> list[Plan]:
    """Return evenings with at least `count` deaths, more if the `wanted` phases need them.

    It uses as few evenings as the random draw allows.
    """
    dice = Random(seed)
    tapes = dice.sample(list(among), len(among))
    plans: list[Plan] = []
    missing = set(wanted)
    while tapes and (missing or sum(plan.deaths for plan in plans) < count):
        rarest = min(missing, key=_tapes_with, default="")
        tapes.sort(key=lambda name: (rarest not in _phases(name), -len(missing & _phases(name))))
        plan = _evening(dice, tapes.pop(0), missing)
        missing -= {place.phase for place in places(plan.tape) if plan.kills.get(place.line, 0) is None}
        missing -= {"CALLED"} if any(plan.kills.values()) else set()
        plans.append(plan)
    return plans


@cache
def _phases(name: str) -> set[str]:
    calls = {"CALLED"} if any(place.call for place in places(name)) else set()
    return calls | {place.phase for place in places(name) if place.between}


def _tapes_with(phase: str) -> tuple[int, str]:
    return sum(phase in _phases(name) for name in wired_names()), phase


def _evening(dice: Random, name: str, missing: set[str]) -> Plan:
    """Draw deaths of one evening: missing phases first, then any."""
    found = dice.sample(places(name), len(places(name)))
    kills: dict[int, int | None] = {}
    for call in [place for place in found if place.call][: 2 if "CALLED" in missing else 0]:
        kills[call.line] = dice.randint(*CALL_NS)
    between = [place for place in found if place.between and place.line not in kills]
    rarest_first = sorted(missing & {place.phase for place in between}, key=_tapes_with)
    for phase in rarest_first[: A_TAPE - len(kills)]:
        kills[next(place.line for place in between if place.phase == phase)] = None
    for place in between[: max(A_TAPE - len(kills), 0)]:
        kills[place.line] = None
    return Plan(name, kills)


def some(seed: str, among: Sequence[str], count: int) -> list[str]:
    """Draw `count` of these tapes, or all if there are fewer."""
    return Random(seed).sample(list(among), min(count, len(among)))


def ending(seed: str, name: str) -> Plan:
    """Return an evening that ends with a death in the middle of a gesture."""
    dice = Random(f"{seed} {name}")
    place = dice.choice([place for place in places(name) if place.moves])
    return Plan(name, {}, (place.line, dice.randint(1, place.moves), dice.randint(*GESTURE_NS)))
