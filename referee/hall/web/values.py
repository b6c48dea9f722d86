"""Texts and values for templates and printouts: tiles of live tables, pairings, standings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from referee.core.names import fold
from referee.core.values import Value
from referee.hall.access import ROLES
from referee.hall.formats import CRITERIA, standings
from referee.hall.model import (
    MOST_SEATS,
    Event,
    Outcome,
    Seats,
    Standing,
)
from referee.hall.web.site import Live
from referee.language.numbers import score_text
from referee.language.say import phase_name
from referee.language.words import reader_name, text_at


class Line(Value):
    """A team on a tile or in a pairing. place: "" if it is unknown. first: whether it leads."""

    name: str
    points: str = ""
    place: str = ""
    first: bool = False


class Tile(Value):
    """A live table: its name, phase, hand, teams and last verdict.

    online: whether it is connected.
    """

    table: str
    phase: str = ""
    hand: str = ""
    lines: tuple[Line, ...] = ()
    verdict: str = ""
    online: bool = False


def tile(table: str, live: Live) -> Tile:
    """Return the tile of a table."""
    shown, verdict = live.shown, live.verdict
    if shown is None:
        return Tile(table, online=live.online)
    leads = len({team.place for team in shown.teams}) > 1  # false before the first hand
    lines = tuple(
        Line(
            reader_name(team.name),
            team.text or score_text(team.total),
            str(team.place) if leads else "",
            leads and team.place == 1,
        )
        for team in sorted(shown.teams, key=lambda team: team.place)
    )
    hand = hall_text("hand", number=shown.hand) if shown.hand else ""
    return Tile(table, phase_name(shown.phase), hand, lines, verdict.words if verdict else "", live.online)


def table_order(name: str) -> tuple[str, int, str]:
    """Return the key that sorts "table-2" before "table-10"."""
    head = name.rstrip("0123456789")
    return head, int(name[len(head) :] or 0), name


class Pairing(Value):
    """A table of a round: its entries, and points and places if it is done.

    reason: why the result was entered by hand; "" if it was not.
    """

    table: str
    lines: tuple[Line, ...]
    entries: tuple[int, ...]
    done: bool
    reason: str = ""


def pairings(event: Event, round_: int) -> list[Pairing]:
    """Return the tables of a round."""
    drawn = event.rounds[round_ - 1] if 0 < round_ <= event.round else ()
    return [pairing(event, seats) for seats in sorted(drawn, key=lambda seats: table_order(seats.table))]


def pairing(event: Event, seats: Seats) -> Pairing:
    """Return a table of a round, by place if it has a result."""
    outcome = event.outcome(seats.round, seats.table)
    lines = [_line(event, number, outcome) for number in seats.entries]
    lines.sort(key=lambda line: (not line.place, int(line.place or 0)))
    reason = outcome.reason if outcome else ""
    return Pairing(seats.table, tuple(lines), seats.entries, outcome is not None, reason)


def _line(event: Event, number: int, outcome: Outcome | None) -> Line:
    if outcome is None or number not in outcome.places:
        return Line(name_of(event, number))
    place = outcome.places[number]
    return Line(name_of(event, number), score_text(outcome.points[number]), str(place), place == 1)


def name_of(event: Event, number: int) -> str:
    """Return an entry's name in the current language."""
    entry = event.entry(number)
    return reader_name(entry.name) if entry else str(number)


class Seat(Value):
    """A player in the list by name.

    table: "" for a bye. found: whether the name was searched for.
    """

    name: str
    table: str
    found: bool = False


def seats_by_name(event: Event, round_: int, sought: str = "") -> list[Seat]:
    """Return all players of a round by name.

    Names that contain `sought` come first and are marked.
    """
    return sorted(_seats(event, round_, fold(sought)), key=lambda seat: (not seat.found, fold(seat.name)))


def _seats(event: Event, round_: int, sought: str) -> Iterator[Seat]:
    if not 0 < round_ <= event.round:
        return
    places = [(number, seats.table) for seats in event.rounds[round_ - 1] for number in seats.entries]
    for number, table in places + [(number, "") for number in event.byes[round_ - 1]]:
        entry = event.entry(number)
        for name in entry.names if entry else ():
            yield Seat(name, table, bool(sought) and sought in fold(name))


class Ranked(Value):
    """A line of the standings. values: of the criteria, as texts. out: whether the entry is out."""

    place: str
    name: str
    played: str
    values: tuple[str, ...]
    out: bool


class Table(Value):
    """The standings: the criteria's names in their order, and a line for each entry."""

    criteria: tuple[str, ...]
    lines: tuple[Ranked, ...]


def ranking(event: Event) -> Table:
    """Return the standings of an event."""
    names = [name for name in CRITERIA[event.format.kind] if name != "lot"]
    criteria = tuple(hall_text(f"by.{name}") for name in names)
    return Table(criteria, tuple(_ranked(event, one, names) for one in standings(event)))


def _ranked(event: Event, one: Standing, names: Sequence[str]) -> Ranked:
    """Return a line of the standings. `out`: eliminated or dropped out."""
    entry = event.entry(one.entry)
    lost = event.format.kind == "elimination" and not one.through
    out = lost or (entry is not None and entry.until is not None)
    values = tuple(_value(name, one.values[name]) for name in names)
    return Ranked(str(one.place), name_of(event, one.entry), str(one.played), values, out)


def _value(name: str, value: Fraction) -> str:
    if name != "place":
        return score_text(value)
    return str(MOST_SEATS + 1 - value) if value else ""


def hall_text(key: str, **values: object) -> str:
    """Return a text of the hall's pages.

    >>> hall_text("round", number=3)
    'Round 3'
    """
    return text_at("hall", key, **values)


def table_title(name: str) -> str:
    """Return a table's title: "Table 3" for the name "3"; other names are unchanged."""
    return hall_text("table", name=name) if name.isdigit() else name


def login_title(name: str) -> str:
    """Return the name of a person who may log in; the first director has only the role's name."""
    return hall_text("role.director") if name == ROLES[-1] else name
