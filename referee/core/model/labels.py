"""Labels of players and teams, and the lamps of a question.

Shared screens and games use both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from referee.core.messages import Msg, Part, msg
from referee.core.model import lamps
from referee.core.model.lamps import Shown
from referee.core.model.registry import game_of
from referee.core.model.state import GUARD_NS
from referee.core.model.table import SEATS, Table, Team, seats_of
from referee.core.model.view import ClockLine, Label, TeamLine
from referee.core.names import BACKS, back_name
from referee.core.units import MS, US
from referee.core.values import by_identity


def number(table: Table, station: str) -> int:
    """Return the number on the cap of this station's button."""
    return int(station) if station in SEATS else table.setup.stations.index(station) + 1


def numbers_text(numbers: Iterable[int]) -> str:
    """Format seat numbers compactly.

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
"""Clock error above which the screens show a warning.

Such an error can make a clear verdict doubtful.
"""
FINE_NS = 100 * US
"""Step in which clock error bounds are shown, so that the last digit does not flicker."""


def coarse_ns(bound_ns: int) -> int:
    """Round an error bound in ns up to a multiple of `FINE_NS` (0.1 ms)."""
    return -(-bound_ns // FINE_NS) * FINE_NS


def clock_banner(lines: Iterable[ClockLine]) -> Msg | None:
    """Return the warning about the least accurate clock; None if all are accurate enough."""
    known = [(line.bound_ns, line.numbers) for line in lines if line.bound_ns is not None and line.numbers]
    bound_ns, seats = max(known, default=(0, ()))
    return msg("toast.clock", seats=seats, ms=-(-bound_ns // MS)) if bound_ns > LOOSE_NS else None


def seat_label(table: Table, station: str) -> Label:
    """Return a seat's label: its number and its player's name.

    A player without a name is called after the colour of the seat's card backs ("Red"), in the table's language.
    """
    seat = table.seat(station)
    name = seat.name if seat and seat.name else deck_backs(table, station)[0]
    return Label((number(table, station),), back_name(name, table.setup.language))


def deck_backs(table: Table, station: str) -> tuple[str, ...]:
    """Return the English names of all colours of card backs; the seat's own colour is first."""
    backs = BACKS["en"]
    first = table.setup.stations.index(station) % len(backs)
    return backs[first:] + backs[:first]


def team_label(table: Table, team: Team) -> Label:
    """Return a team's label: the numbers of its seats, and the name at its first seat."""
    return Label(tuple(number(table, s) for s in team.stations), seat_label(table, team.stations[0]).name)


def label_of(table: Table, team_id: str) -> Label:
    """Return the label of the team with this id. Raises KeyError if there is none."""
    return _labels_at(table)[team_id]


@by_identity(16)
def _labels_at(table: Table) -> Mapping[str, Label]:
    """Return the label of every team.

    Cached, because every view of the same table asks for them.
    """
    return {team.id: team_label(table, team) for team in table.teams}


def team_lines(table: Table, *, ranked: bool = False) -> tuple[TeamLine, ...]:
    """Return the teams with totals and places, in seat order or (ranked) best first."""
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
    """Return all teams' stations in seat order, but none that sits out or is muted (ignored)."""
    return tuple(seats_of(table, tuple(team.id for team in table.teams)))


def answer_lamps(stations: Iterable[str], answered: Iterable[str], asked_at_ns: int) -> Shown:
    """Return the lamps of these stations, whose players must answer a question.

    A lamp blinks slowly until the station has answered; then it is lit steadily. The blinking begins `GUARD_NS` after
    the question appeared (`asked_at_ns`), because earlier answers do not count.
    """
    done = frozenset(answered)
    since = asked_at_ns + GUARD_NS
    return {s: (lamps.STEADY, 0) if s in done else (lamps.SLOW, since) for s in stations}


def seat_line(table: Table, station: str) -> Msg:
    """Return a seat as a menu line, e.g. "1 Anna"."""
    return said("item.seat", seat_label(table, station))


def menu_line(table: Table, team_id: str) -> Msg:
    """Return a team as a menu line, e.g. "1 Anna"."""
    return said("item.seat", label_of(table, team_id))


def said(key: str, label: Label, **values: Part) -> Msg:
    """Return message `key` with `values`; `seat` (first number) and `name` come from the label."""
    return msg(key, seat=label.numbers[0], name=label.name, **values)
