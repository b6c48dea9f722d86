"""The table: setup, seats, teams and sealed hands.

All values are frozen, with a few simple queries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, ClassVar

from referee.core.model.usual import PRESET
from referee.core.presses.arbiter import AGE_NS, Verdict
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from referee.core.values import Document, Json, Value, replace

SEATS = tuple(str(number) for number in range(1, 13))
"""Every possible seat: eight are wired, the others are on pods."""


PHONE_LAG_NS = 400 * MS
"""Maximum delay of a touch's row from a phone, in ns.

A touch that takes longer is late evidence.
"""


class Setup(Value, tag="setup"):
    """The table's configuration: preset, options, stations, hold time and other settings.

    The event `Opened` records all of it in the journal.
    """

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
    voice: str = "off"
    """What is said aloud: "off", "verdicts" or "all"."""
    remote: tuple[str, ...] = ()
    """Stations whose rows arrive over a link, up to `latency_ns` late.

    Rows of wired stations are never late.
    """
    age_ns: int | None = AGE_NS
    """How far back a press's claim is believed (presses/arbiter.py); None in evenings of older releases."""
    draws_shares: bool = True
    """Whether a draw says which tied callers get half a point more; False in evenings of older releases."""
    agreement: bool = False
    """Whether players must agree on the rules before the first hand, and on every change."""
    device: ClassVar[tuple[str, ...]] = ("volume_percent", "voice", "language", "hold_ns", "brightness_percent")
    """Settings of the device itself, independent of the match."""

    def lag_ns(self, station: str) -> int:
        """Return the maximum delay in ns of rows from this button: 0 if wired, more if on a pod."""
        return self.latency_ns if station in self.remote else 0

    def document(self) -> Document:
        """Return the setup as plain JSON values."""
        known: Document = {name: getattr(self, name) for name in self.__struct_fields__}
        pairs = {"options": dict(self.options), "names": dict(self.names)}
        return known | pairs | {"stations": list(self.stations), "remote": list(self.remote)}

    @staticmethod
    def from_document(doc: Mapping[str, Json]) -> Setup:
        """Read a setup; missing keys keep their defaults, but `age_ns` is None, `draws_shares` False.

        Raises ValueError for an unknown key.
        """
        values = {"age_ns": None, "draws_shares": False, **doc}
        if strange := values.keys() - {*Setup.__struct_fields__}:
            raise ValueError(f"{', '.join(sorted(strange))} is no setting that this release knows")
        for name in ("options", "names"):
            if name in values:
                values[name] = tuple(values[name].items())
        for name in ("stations", "remote"):
            if name in values:
                values[name] = tuple(values[name])
        return Setup(**values)


class Seat(Value, tag="seat"):
    """A station at the table.

    name: None if the seat is free. partner: the station of the partner; None without one. head_start_s: by how many
    seconds the player starts later than the others.
    """

    station: str
    name: str | None = None
    partner: str | None = None
    head_start_s: int = 0


class Team(Value, tag="team"):
    """One player, or two partners. The id is the lowest station; it is fixed during a match."""

    id: str
    stations: tuple[str, ...]


class Adjustment(Value, tag="adjustment"):
    """Points that the players gave to or deducted from a team, after this number of hands.

    reason: a key, or free text.
    """

    after: int
    team: str
    points: Fraction
    reason: str = ""


def points_given(adjustments: Iterable[Adjustment], *after: int) -> dict[str, Fraction]:
    """Return team -> points that the players gave it after one of these hands (0: at the start)."""
    given: dict[str, Fraction] = {}
    for one in adjustments:
        if one.after in after:
            given[one.team] = given.get(one.team, Fraction(0)) + one.points
    return given


class TimeOutTaken(Value, tag="time_out_taken"):
    """A recorded timeout: its hand (from 1), its team ("" for none), and its reason (a key)."""

    hand: int
    team: str
    why: str


class CallEvidence(Value, tag="call_evidence"):
    """The edges (changes of contacts) recorded around a call, for its photo finish.

    hand: the hand of the call, from 0.
    """

    hand: int
    verdict: Verdict
    evidence: tuple[Edge, ...] = ()


class HandStory(Value, tag="hand_story"):
    """What is recorded of a hand besides its result.

    seq: the number of the event that recorded the hand. verdict: the verdict on the call that ended the hand.
    head_starts: (station, s) of the players who started later than the others. counted_s: the local wall clock when
    the hand was recorded, in s; 0 if the clock could not be trusted.
    """

    seq: int
    played_ns: int | None = None
    verdict: Verdict | None = None
    head_starts: tuple[tuple[str, int], ...] = ()
    counted_s: int = 0


UnsavedFix = tuple[int, tuple[tuple[str, tuple[int, ...]], ...]]
"""A correction that is not saved: the hand, from 0, and each team's values."""


class Table(Value, tag="table"):
    """The part of the state that changes rarely: setup, seats, teams and hands of this match."""

    setup: Setup
    seats: tuple[Seat, ...]
    teams: tuple[Team, ...] = ()
    hands: tuple[Any, ...] = ()  # Any: the game's own results, the oldest first
    absent: frozenset[str] = frozenset()  # stations that sit out
    muted: frozenset[str] = frozenset()  # stations whose presses are ignored
    unexplained: tuple[str, ...] = ()  # stations with a false call that was not admitted, once per call
    joined: tuple[tuple[str, Fraction], ...] = ()  # teams that joined during the match, and their starting totals
    ended: bool = False  # whether the table ended the match
    own: tuple[tuple[str, int], ...] = ()  # further values that a game keeps for a match or for the current hand
    adjustments: tuple[Adjustment, ...] = ()  # points given by the table, in order
    timeouts: tuple[TimeOutTaken, ...] = ()  # timeouts whose cause was recorded
    teaching: bool = False  # whether the coming hand is explained line by line
    holding: tuple[tuple[str, str], ...] = ()  # (team, station): which partner of a pair holds the reserve
    calls: tuple[CallEvidence, ...] = ()  # of this match, in order; includes the current hand
    agreed: tuple[tuple[str, int | float | str | bool], ...] = ()  # the rules that everybody agreed on
    agreed_by: tuple[str, ...] = ()  # the stations of the players who agreed
    corrections: tuple[tuple[int, str], ...] = ()  # (hand, from 1; text key): why past hands were corrected
    match: str = ""  # the id of the current or finished match; "" before one
    begun: int = 0  # the number of the event with which it began
    stories: tuple[HandStory, ...] = ()  # one for each hand of `hands` (`match/past.py`)
    home_by_s: int = 0  # when the table wants to be home, in s of the local wall clock; 0: not said
    phone_buttons: tuple[str, ...] = ()  # stations whose button is on a phone's screen
    old_calls: tuple[tuple[str, int], ...] = ()  # (station, hand): presses that were too old to count as claimed
    unsaved_fix: UnsavedFix | None = None  # a correction that has closed before it was saved

    def lag_ns(self, station: str) -> int:
        """Return the maximum delay of this station's rows, in ns."""
        return max(self.setup.lag_ns(station), PHONE_LAG_NS if station in self.phone_buttons else 0)

    def seat(self, station: str) -> Seat | None:
        """Return the seat of this station, None for the knob or an unknown station."""
        return next((seat for seat in self.seats if seat.station == station), None)

    def own_seat(self, station: str) -> Seat:
        """Return the seat of this station. Raises KeyError for the knob or an unknown station."""
        return {seat.station: seat for seat in self.seats}[station]

    def team_of(self, station: str) -> Team | None:
        """Return the station's team; None if the station has none, sits out or is muted (ignored)."""
        silent = self.absent | self.muted
        return next((team for team in self.teams if station in team.stations and station not in silent), None)

    def booked_calls(self) -> Table:
        """Return the table with only the calls of recorded hands; a hand dealt again has no record."""
        return replace(self, calls=tuple(call for call in self.calls if call.hand < len(self.hands)))

    def with_seat(self, seat: Seat) -> Table:
        """Return the table with this seat changed."""
        return replace(self, seats=tuple(seat if s.station == seat.station else s for s in self.seats))


def sitting(table: Table, playing: tuple[str, ...]) -> Iterator[str]:
    """Yield the stations of the teams in `playing`, without those that sit out."""
    teams = {team.id: team for team in table.teams}
    for id_ in playing:
        yield from (station for station in teams[id_].stations if station not in table.absent)


def seats_of(table: Table, playing: tuple[str, ...]) -> Iterator[str]:
    """Return the stations of the teams in `playing`; none that sits out or is muted (ignored)."""
    return (station for station in sitting(table, playing) if station not in table.muted)


def teams_heard(table: Table, playing: tuple[str, ...]) -> tuple[str, ...]:
    """Return the teams in `playing` with at least one button that can be used.

    A muted button cannot be used, nor the button of a player who sits out.
    """
    return tuple(team for team in playing if any(seats_of(table, (team,))))
