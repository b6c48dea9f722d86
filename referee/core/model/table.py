"""Who sits at a table and what is settled there: the setup, seats, teams, sealed hands.

Frozen values, and the small questions one may ask of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from referee.core.model.usual import PRESET
from referee.core.presses.arbiter import Verdict
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from referee.core.values import Document, Json, Value, replace

SEATS = tuple(str(number) for number in range(1, 13))
"""Every seat that a table can have: eight are wired, the others hang on pods."""


class Setup(Value, tag="setup"):
    """The table as configured: which game, which stations, how long a hold is. Journaled whole as `Opened.setup`."""

    preset: str = PRESET
    options: tuple[tuple[str, object], ...] = ()
    stations: tuple[str, ...] = ("1", "2", "3", "4", "5", "6", "7", "8")
    names: tuple[tuple[str, str], ...] = ()
    hold_ns: int = 800 * MS
    max_err_ns: int = 10 * MS
    latency_ns: int = 0
    lockout_ns: int = 2 * S
    language: str = "en"
    volume_percent: int = 100
    brightness_percent: int = 100
    remote: tuple[str, ...] = ()
    """Stations whose rows come over a link and may be as late as `latency_ns`; a wired one's never are."""
    agreement: bool = False
    """Whether the table agrees on what it plays: before its first hand, and for every change."""
    device: ClassVar[tuple[str, ...]] = ("volume_percent", "language", "hold_ns", "brightness_percent")
    """What is set of the device itself, whatever match is played on it."""

    def lag_ns(self, station: str) -> int:
        """How late a row of that station may be and still be counted on."""
        return self.latency_ns if station in self.remote else 0

    def document(self) -> Document:
        """The same as plain JSON values."""
        known: Document = {name: getattr(self, name) for name in self.__struct_fields__}
        pairs = {"options": dict(self.options), "names": dict(self.names)}
        return known | pairs | {"stations": list(self.stations), "remote": list(self.remote)}

    @staticmethod
    def from_document(doc: Mapping[str, Json]) -> Setup:
        """The inverse of `document`; keys that are missing keep their defaults. ValueError for one that is unknown."""
        values = dict(doc)
        if strange := values.keys() - {*Setup.__struct_fields__}:
            raise ValueError(f"{', '.join(sorted(strange))} is no part of a setup that this referee knows")
        for name in ("options", "names"):
            if name in values:
                values[name] = tuple(values[name].items())
        for name in ("stations", "remote"):
            if name in values:
                values[name] = tuple(values[name])
        return Setup(**values)


class Seat(Value, tag="seat"):
    """One station at the table; name None while nobody sits there; partner is the other station of a pair."""

    station: str
    name: str | None = None
    partner: str | None = None


class Team(Value, tag="team"):
    """One or two seats. The id is its lowest station and never changes in a match."""

    id: str
    stations: tuple[str, ...]


class Adjustment(Value, tag="adjustment"):
    """Points that the table gave a team, or took: after so many hands, and why (a key, or words of its own)."""

    after: int
    team: str
    points: Fraction
    reason: str = ""


class TimeOutTaken(Value, tag="time_out_taken"):
    """A time out on record: in which hand (from 1), whose ("": nobody's), and why (a key)."""

    hand: int
    team: str
    why: str


class CallEvidence(Value, tag="call_evidence"):
    """What was recorded round a call, for its photo finish. hand: which one it was made in, from 0."""

    hand: int
    verdict: Verdict
    evidence: tuple[Edge, ...] = ()


class HandStory(Value, tag="hand_story"):
    """How a hand came into the book: the event that put it there, how long cards moved, the verdict on its call."""

    seq: int
    played_ns: int | None = None
    verdict: Verdict | None = None


class Table(Value, tag="table"):
    """What changes once in a while: the seats, the teams of this match and its sealed hands."""

    setup: Setup
    seats: tuple[Seat, ...]
    teams: tuple[Team, ...] = ()
    hands: tuple[Any, ...] = ()  # Any: results of whatever kind the game has, the oldest first
    absent: frozenset[str] = frozenset()  # stations that sit out
    muted: frozenset[str] = frozenset()  # stations that call, answer and block nothing
    unexplained: tuple[str, ...] = ()  # stations whose false call nobody has admitted, once for each
    joined: tuple[tuple[str, Fraction], ...] = ()  # newcomers' teams and where they started
    ended: bool = False  # the table has ended the match by its own will
    own: tuple[tuple[str, int], ...] = ()  # what a game keeps of a match, or of the hand at hand, beside its hands
    adjustments: tuple[Adjustment, ...] = ()  # points by the table's will, in the order in which they were given
    timeouts: tuple[TimeOutTaken, ...] = ()  # those whose cause the table has said
    teaching: bool = False  # the coming hand is explained line by line
    holding: tuple[tuple[str, str], ...] = ()  # (team, station): who of a pair has said to hold the reserve
    calls: tuple[CallEvidence, ...] = ()  # of this match, in their order; those of the hand at hand, too
    agreed: tuple[tuple[str, int | float | str | bool], ...] = ()  # the rules that all have agreed on
    agreed_by: tuple[str, ...] = ()  # the stations whose players were there
    corrections: tuple[tuple[int, str], ...] = ()  # (hand, from 1; a key): why past hands were counted otherwise
    match: str = ""  # the id of the match under way or over; "" before one
    begun: int = 0  # the number of the event with which it began
    stories: tuple[HandStory, ...] = ()  # one for each of `hands` (`match/past.py`)

    def seat(self, station: str) -> Seat | None:
        """The seat of that station, None for the knob or an unknown one."""
        return next((seat for seat in self.seats if seat.station == station), None)

    def team_of(self, station: str) -> Team | None:
        """The team that the station speaks for; None for a bystander's, a muted one, and one that sits out."""
        silent = self.absent | self.muted
        return next((team for team in self.teams if station in team.stations and station not in silent), None)

    def booked_calls(self) -> Table:
        """The same without calls of hands that are not in the book: one that is dealt again had none."""
        return replace(self, calls=tuple(call for call in self.calls if call.hand < len(self.hands)))

    def with_seat(self, seat: Seat) -> Table:
        """The same table with that seat changed."""
        return replace(self, seats=tuple(seat if s.station == seat.station else s for s in self.seats))


def sitting(table: Table, playing: tuple[str, ...]) -> Iterator[str]:
    """The stations of the teams in `playing` that do not sit out, in seat order."""
    teams = {team.id: team for team in table.teams}
    for id_ in playing:
        yield from (station for station in teams[id_].stations if station not in table.absent)


def seats_of(table: Table, playing: tuple[str, ...]) -> Iterator[str]:
    """The stations that are asked and heard: of the teams in `playing`, who do not sit out and are not muted."""
    return (station for station in sitting(table, playing) if station not in table.muted)


def teams_heard(table: Table, playing: tuple[str, ...]) -> tuple[str, ...]:
    """The teams in `playing` that have a button which is heard."""
    return tuple(team for team in playing if any(seats_of(table, (team,))))
