"""Who is who, as people read it, and which lamp asks whom: what the shared screens and a game's own ones stand on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from referee.core.messages import Msg, Part, msg
from referee.core.model import lamps
from referee.core.model.lamps import Pattern
from referee.core.model.phase import GUARD_NS
from referee.core.model.registry import game_of
from referee.core.model.table import SEATS, Table, Team, seats_of
from referee.core.model.view import ClockLine, Label, TeamLine
from referee.core.names import BACKS, back_name
from referee.core.units import MS, US
from referee.core.values import SameObjects

Times = list[int]
"""Instants at which a part of the view changes by time alone; those that have passed are ignored."""
Shown = dict[str, tuple[Pattern, int]]
"""Station -> its pattern and since when; a station that is left out is dark."""


def number(table: Table, station: str) -> int:
    """The number engraved on the cap."""
    return int(station) if station in SEATS else table.setup.stations.index(station) + 1


def numbers_text(numbers: Iterable[int]) -> str:
    """Seat numbers in as few characters as they need.

    >>> numbers_text([1, 2, 3, 4, 6, 8]), numbers_text([7, 8])
    ('1-4,6,8', '7,8')
    """
    runs: list[list[int]] = []
    for one in sorted(numbers):
        if runs and runs[-1][-1] == one - 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs)


LOOSE_NS = 5 * MS
"""A clock that is known no better than this may make a verdict grey that need not be: the table is told."""
FINE_NS = 100 * US
"""Bounds are told in steps of this: nobody wants to see the last digit dance."""


def coarse_ns(bound_ns: int) -> int:
    """The bound in whole steps, never less than it is."""
    return -(-bound_ns // FINE_NS) * FINE_NS


def clock_banner(lines: Iterable[ClockLine]) -> Msg | None:
    """What a table is told of its loosest clock, if that is loose."""
    known = [(line.bound_ns, line.numbers) for line in lines if line.bound_ns is not None and line.numbers]
    bound_ns, seats = max(known, default=(0, ()))
    return msg("toast.clock", seats=seats, ms=-(-bound_ns // MS)) if bound_ns > LOOSE_NS else None


def seat_label(table: Table, station: str) -> Label:
    """One seat as people read it; one whom nobody has named by its deck back, as the table's language calls it."""
    seat = table.seat(station)
    name = seat.name if seat and seat.name else deck_backs(table, station)[0]
    return Label((number(table, station),), back_name(name, table.setup.language))


def deck_backs(table: Table, station: str) -> tuple[str, ...]:
    """The deck backs as they are stored, beginning with that seat's own."""
    backs = BACKS["en"]
    first = table.setup.stations.index(station) % len(backs)
    return backs[first:] + backs[:first]


def team_label(table: Table, team: Team) -> Label:
    """A team as people read it: its numbers, its first seat's name."""
    return Label(tuple(number(table, s) for s in team.stations), seat_label(table, team.stations[0]).name)


def label_of(table: Table, team_id: str) -> Label:
    """The label of the team with that id; KeyError where there is none."""
    return _labels_at(SameObjects((table,)))[team_id]


@lru_cache(maxsize=16)
def _labels_at(of: SameObjects[Table]) -> Mapping[str, Label]:
    """Of every team: every view asks for them, and the table is the same one meanwhile."""
    (table,) = of
    return {team.id: team_label(table, team) for team in table.teams}


def team_lines(table: Table, *, ranked: bool = False) -> tuple[TeamLine, ...]:
    """The teams with totals and places: in seat order, or best first."""
    game = game_of(table)
    lines = [
        TeamLine(
            label_of(table, p.team),
            p.total,
            p.place,
            p.shared,
            p.delta,
            p.corrected,
            p.shown,
            p.told,
            game.tells_gain,
        )
        for p in game.standings(table)
    ]
    return tuple(sorted(lines, key=lambda line: line.place) if ranked else lines)


def labels(table: Table, stations: Iterable[str]) -> tuple[Label, ...]:
    return tuple(seat_label(table, station) for station in stations)


def everyone(table: Table) -> tuple[str, ...]:
    """Every station of this match, team by team in seat order."""
    return tuple(seats_of(table, tuple(team.id for team in table.teams)))


def answer_lamps(stations: Iterable[str], answered: Iterable[str], asked_at_ns: int) -> Shown:
    """Blinking from the moment an answer is accepted; steady where it was given."""
    done = frozenset(answered)
    since = asked_at_ns + GUARD_NS
    return {s: (lamps.STEADY, 0) if s in done else (lamps.SLOW, since) for s in stations}


def seat_line(table: Table, station: str) -> Msg:
    """A seat as a line of the knob's list, e.g. "1 Anna"."""
    return said("item.seat", seat_label(table, station))


def menu_line(table: Table, team_id: str) -> Msg:
    """A team as a line of the knob's list, e.g. "1 Anna"."""
    return said("item.seat", label_of(table, team_id))


def said(key: str, label: Label, **values: Part) -> Msg:
    """A message about who that is: it is given the `seat` and the `name`, and these values."""
    return msg(key, seat=label.numbers[0], name=label.name, **values)
