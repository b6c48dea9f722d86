"""An event in a hall: entries, rounds, outcomes, and the decisions that they follow from.

Theory of operation. An event is stored as its decisions, one JSON line each, in the order in which they were made.
`decide.fold` computes the `Event` from them. A draw is stored with its result and its seed, so reading it again needs
no chance. Undo appends a decision as well. Nothing is removed, except a name that a person wants forgotten.

Rounds count from 1. Decisions count from 1 in the order in which they are stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

import msgspec

from referee.core.values import Value, field

MOST_ENTRIES = 1000
MOST_ROUNDS = 200
MOST_SEATS = 8
"""Maximum entries at a table."""
MOST_TEXT = 200
"""Maximum characters of a reason, of an event's name, and of the name of a person who decides."""
Kind = Literal["elimination", "round-robin", "swiss"]
_FRACTION = re.compile(r"-?[0-9]{1,15}(/[1-9][0-9]{0,14})?")


class EventError(ValueError):
    """A decision that does not fit the event, or a line that is no decision; the text is one sentence."""


class Format(Value):
    """How an event is played.

    size: entries at a full table. advance: how many of a table advance (elimination). rounds: how many rounds are
    played; None: as many as the format needs.
    """

    kind: Kind = "elimination"
    size: int = 4
    advance: int = 2
    rounds: int | None = None


class Game(Value):
    """What the tables play. preset, options: as in a match document.

    target: the points that end a match here even if the table's own target is higher.
    """

    preset: str = "nna"
    options: dict[str, bool | int | float | str] = field(default_factory=dict)
    target: int | None = None


class Entry(Value):
    """A player or a fixed team. names: of its players. seed: its rank among the favourites; 0: none.

    since: the first round that it can play. until: the last round that it plays; None while it takes part.
    """

    number: int
    names: tuple[str, ...]
    since: int = 1
    until: int | None = None
    seed: int = 0

    @property
    def name(self) -> str:
        """Return the entry's name on lists: "Anna & Max"."""
        return " & ".join(self.names)


class Seats(Value):
    """The entries that meet at a table in a round, by number."""

    round: int
    table: str
    entries: tuple[int, ...]


class Outcome(Value):
    """The result of a table in a round. points, places: by entry; equal entries share a place (1, 1, 3).

    match: the record's ID; empty if a person entered the result. reason: why a person did.
    """

    round: int
    table: str
    match: str
    points: dict[int, Fraction]
    places: dict[int, int]
    reason: str = ""


class Standing(Value):
    """An entry's place in the event.

    points: what the place depends on first. values: the criteria in the order in which they decide, the first one
    included; the greater value is better. decided: the criterion that separates the entry from the one before it.
    played: its matches. through: whether it is still in the event, after the end: whether it is the winner.
    """

    place: int
    entry: int
    points: Fraction
    values: dict[str, Fraction]
    decided: str
    played: int
    through: bool


# -- decisions -----------------------------------------------------------------------------------------------------


class Opened(Value, tag="event_opened"):
    """An event begins. seed: decides the lots that are drawn if everything else is equal."""

    name: str
    format: Format
    game: Game
    seed: int
    by: str = ""


class Entered(Value, tag="event_entered"):
    """An entry comes in; late if rounds have been drawn. number: `Event.next_number`."""

    number: int
    names: tuple[str, ...]
    seed: int = 0
    by: str = ""


class Left(Value, tag="event_left"):
    """An entry drops out, or did not appear. A result that it has remains."""

    number: int
    reason: str = ""
    by: str = ""


class Returned(Value, tag="event_returned"):
    """An entry that dropped out takes part again from the next draw on."""

    number: int
    by: str = ""


class Drawn(Value, tag="event_drawn"):
    """The next round is drawn, or the last one again before it has a result. byes: the entries that sit out."""

    round: int
    seats: tuple[Seats, ...]
    byes: tuple[int, ...]
    seed: int
    by: str = ""


class Moved(Value, tag="event_moved"):
    """An entry goes to a table of the last round, or changes places with another entry.

    table: where it goes; empty if it changes places with the entry `swapped`.
    """

    entry: int
    table: str = ""
    swapped: int | None = None
    reason: str = ""
    by: str = ""


class Finished(Value, tag="event_finished"):
    """A table's record gives its outcome. A later result of the same match replaces it."""

    outcome: Outcome
    by: str = ""


class Corrected(Value, tag="event_corrected"):
    """A person gives a table's outcome, which has a reason. It outranks records until it is voided."""

    outcome: Outcome
    by: str = ""


class Voided(Value, tag="event_voided"):
    """A table's outcome does not count, and its match is not used again."""

    round: int
    table: str
    reason: str = ""
    by: str = ""


class Closed(Value, tag="event_closed"):
    """The event is over."""

    by: str = ""


class Undone(Value, tag="event_undone"):
    """The decision with this number does not count. To redo it, undo this one."""

    number: int
    reason: str = ""
    by: str = ""


Decision = (
    Opened | Entered | Left | Returned | Drawn | Moved | Finished | Corrected | Voided | Closed | Undone
)  # fmt: skip


class Event(Value):
    """An event as it is after its decisions.

    rounds, byes: by round. outcomes: in the order in which they were first decided. voided: IDs of matches that do
    not count. decisions: all of them, undone ones included.
    """

    name: str = ""
    format: Format = Format()
    game: Game = field(default_factory=Game)
    seed: int = 0
    entries: tuple[Entry, ...] = ()
    rounds: tuple[tuple[Seats, ...], ...] = ()
    byes: tuple[tuple[int, ...], ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    voided: tuple[str, ...] = ()
    closed: bool = False
    decisions: tuple[Decision, ...] = ()

    @property
    def round(self) -> int:
        """Return the number of the last drawn round; 0 before the first."""
        return len(self.rounds)

    @property
    def active(self) -> tuple[Entry, ...]:
        """Return the entries that take part."""
        return tuple(entry for entry in self.entries if entry.until is None)

    @property
    def next_number(self) -> int:
        """Return the number for the next entry; the number of an undone entry is not used again."""
        return 1 + max((made.number for made in self.decisions if isinstance(made, Entered)), default=0)

    def entry(self, number: int) -> Entry | None:
        """Return the entry with this number."""
        return next((entry for entry in self.entries if entry.number == number), None)

    def seats(self, round_: int, table: str) -> Seats | None:
        """Return who plays at a table in a round."""
        drawn = self.rounds[round_ - 1] if 0 < round_ <= self.round else ()
        return next((seats for seats in drawn if seats.table == table), None)

    def outcome(self, round_: int, table: str) -> Outcome | None:
        """Return the outcome of a table in a round."""
        return next((had for had in self.outcomes if (had.round, had.table) == (round_, table)), None)

    def open_tables(self, round_: int) -> tuple[Seats, ...]:
        """Return the tables of a round that have no outcome."""
        drawn = self.rounds[round_ - 1] if 0 < round_ <= self.round else ()
        had = {outcome.table for outcome in self.outcomes if outcome.round == round_}
        return tuple(seats for seats in drawn if seats.table not in had)


# -- stored lines --------------------------------------------------------------------------------------------------


def encode(decision: Decision) -> str:
    """Return a decision as a line of JSON.

    >>> encode(Left(3, "no-show"))
    '{"type":"event_left","number":3,"reason":"no-show","by":""}'
    """
    return msgspec.json.encode(decision, enc_hook=str).decode()


def decode(line: str | bytes) -> Decision:
    """Read a line written by `encode`. Raises EventError."""
    try:
        decision: Decision = _DECODER.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise EventError(f"a line is no decision of an event: {error}") from None
    return decision


def _fraction(kind: type, text: object) -> Fraction:
    if isinstance(text, str) and _FRACTION.fullmatch(text):
        return Fraction(text)
    raise ValueError(f'points must be a fraction as text, such as "7/2", got {str(text)[:40]!r}')


_DECODER = msgspec.json.Decoder(Decision, dec_hook=_fraction)


def places_of(points: Mapping[int, Fraction]) -> dict[int, int]:
    """Return the place of each entry by points, the most first; equal entries share a place.

    >>> places_of({4: Fraction(20), 7: Fraction(31), 9: Fraction(20), 2: Fraction(5)})
    {4: 2, 7: 1, 9: 2, 2: 4}
    """
    return {entry: 1 + sum(other > own for other in points.values()) for entry, own in points.items()}
