"""Data of an event in a hall: entries, rounds, outcomes, and decisions.

Theory of operation. An event is stored as its decisions, one JSON line each, in the order in which they were made.
`decide.fold` computes the `Event` from them. A draw is stored with its result, so it is never computed again. Undo is
a decision, too. Decisions are not removed; a forgotten person's name is replaced in them.

Rounds and decisions are numbered from 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal, TypeVar

import msgspec

from referee.core.model.registry import presets
from referee.core.values import Value, field
from referee.language.words import text_at

MOST_ENTRIES = 1000
MOST_ROUNDS = 200
MOST_SEATS = 8
"""Maximum number of entries at a table."""
MOST_TEXT = 200
"""Maximum number of characters of a reason, and of the name of a person who decides."""
Kind = Literal["elimination", "round-robin", "swiss"]
_Who = TypeVar("_Who")
_FRACTION = re.compile(r"-?[0-9]{1,15}(/[1-9][0-9]{0,14})?")


class Text(Value):
    """A sentence for the desk: a key of the catalogues, and values. Values can be texts, too.

    `str` returns it in the current language.

    >>> str(Text("unfit", {"number": 3, "error": Text("no_round")}))
    'decision 3 does not fit (no round is drawn yet)'
    """

    key: str
    values: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return text_at("desk", self.key, **self.values)


def text_from(stored: dict[str, Any]) -> Text:
    """Return a text from its JSON."""
    values = {name: text_from(one) if isinstance(one, dict) else one for name, one in stored["values"].items()}
    return Text(stored["key"], values)


class EventError(ValueError):
    """A decision that does not fit the event, or an unreadable line. text: one sentence."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key, values)
        self.text = Text(key, values)

    def __str__(self) -> str:
        return str(self.text)


class Format(Value):
    """How an event is played.

    size: entries at a full table. advance: entries of a table that advance (elimination). rounds: number of rounds;
    None: as many as the format needs.
    """

    kind: Kind = "elimination"
    size: int = 4
    advance: int = 2
    rounds: int | None = None


class Game(Value):
    """The game that the tables play. preset, options: as in a match document.

    target: points that end a match in this event, even if the table's own target is higher.
    """

    preset: str = "nna"
    options: dict[str, bool | int | float | str] = field(default_factory=dict)
    target: int | None = None

    @property
    def rules(self) -> dict[str, Any]:
        """Return the options that a table sets for this game: with the target, if the preset has one."""
        has_target = self.target is not None and "target" in presets()[self.preset].preset_values(self.preset)
        return self.options | ({"target": self.target} if has_target else {})


class Entry(Value):
    """A player or a fixed team.

    names: of its players. seed: rank among the favourites, 0 for none. since: its first possible round. until: its last
    round; None while it takes part.
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
    """The entries, by number, that play at a table in a round."""

    round: int
    table: str
    entries: tuple[int, ...]


class Outcome(Value):
    """The result of a table in a round.

    points, places: by entry; equal entries share a place (1, 1, 3). match: the record's ID; empty if there is none.
    reason: why a person entered the result; empty if no person did.
    """

    round: int
    table: str
    match: str
    points: dict[int, Fraction]
    places: dict[int, int]
    reason: str = ""


class Standing(Value):
    """An entry's place in the event.

    points: the value of the first criterion. values: criterion -> value, in the order in which they decide; greater is
    better. decided: the criterion that separates the entry from the one before it. played: number of its matches.
    through: whether it is still in the event; in a closed event, whether it is the winner.
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
    """An event begins. seed: of the lots that decide if everything else is equal."""

    name: str
    format: Format
    game: Game
    seed: int
    by: str = ""


class Entered(Value, tag="event_entered"):
    """A player or team enters, before the first round or later. number: `Event.next_number`."""

    number: int
    names: tuple[str, ...]
    seed: int = 0
    by: str = ""


class Seeded(Value, tag="event_seeded"):
    """The favourites, the strongest first. Other entries have no seed any more."""

    entries: tuple[int, ...]
    by: str = ""


class Left(Value, tag="event_left"):
    """An entry drops out, or did not appear. Its results remain."""

    number: int
    reason: str = ""
    by: str = ""


class Returned(Value, tag="event_returned"):
    """An entry that dropped out takes part again from the next draw on."""

    number: int
    by: str = ""


class Drawn(Value, tag="event_drawn"):
    """The next round is drawn, or the last round again while it has no result.

    byes: entries that sit out.
    """

    round: int
    seats: tuple[Seats, ...]
    byes: tuple[int, ...]
    seed: int
    by: str = ""


class Moved(Value, tag="event_moved"):
    """An entry moves to another table of the last round, or swaps with another entry.

    table: its new table; empty for a swap. swapped: the other entry of a swap.
    """

    entry: int
    table: str = ""
    swapped: int | None = None
    reason: str = ""
    by: str = ""


class Finished(Value, tag="event_finished"):
    """A record from a table gives an outcome. A later result of the same match replaces it."""

    outcome: Outcome
    by: str = ""


class Corrected(Value, tag="event_corrected"):
    """A person enters a table's outcome, with a reason.

    Records do not replace it until it is voided.
    """

    outcome: Outcome
    by: str = ""


class Voided(Value, tag="event_voided"):
    """A table's outcome is removed, and its match does not count any more."""

    round: int
    table: str
    reason: str = ""
    by: str = ""


class Allowed(Value, tag="event_allowed"):
    """A match by other rules than the event's counts, or with `counts` False it does not.

    table: where it was played.
    """

    match: str
    table: str
    counts: bool = True
    by: str = ""


class Closed(Value, tag="event_closed"):
    """The event is over."""

    by: str = ""


class Undone(Value, tag="event_undone"):
    """The decision with this number does not count. To redo it, undo this decision."""

    number: int
    reason: str = ""
    by: str = ""


Decision = (
    Opened | Entered | Seeded | Left | Returned | Drawn | Moved | Finished | Corrected | Voided | Allowed | Closed
    | Undone
)  # fmt: skip


class Event(Value):
    """The state of an event after its decisions.

    rounds, byes: by round. outcomes: in the order of their first decisions. voided: IDs of matches that do not count.
    allowed: IDs of matches that count although their rules differ. decisions: all, including undone ones.
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
    allowed: tuple[str, ...] = ()
    closed: bool = False
    decisions: tuple[Decision, ...] = ()

    @property
    def round(self) -> int:
        """Return the number of the last drawn round; 0 before the first draw."""
        return len(self.rounds)

    @property
    def active(self) -> tuple[Entry, ...]:
        """Return the entries that take part."""
        return tuple(entry for entry in self.entries if entry.until is None)

    @property
    def next_number(self) -> int:
        """Return the number for the next entry. Numbers of undone entries are not used again."""
        return 1 + max((made.number for made in self.decisions if isinstance(made, Entered)), default=0)

    def entry(self, number: int) -> Entry | None:
        """Return the entry with this number; None if there is none."""
        return next((entry for entry in self.entries if entry.number == number), None)

    def seats(self, round_: int, table: str) -> Seats | None:
        """Return the seats of a table in a round; None if it is not drawn."""
        drawn = self.rounds[round_ - 1] if 0 < round_ <= self.round else ()
        return next((seats for seats in drawn if seats.table == table), None)

    def outcome(self, round_: int, table: str) -> Outcome | None:
        """Return the outcome of a table in a round; None if there is none yet."""
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
    """Return the decision in a line written by `encode`. Raises EventError."""
    try:
        decision: Decision = _DECODER.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise EventError("line", error=str(error)) from None
    return decision


def _fraction(kind: type, text: object) -> Fraction:
    if isinstance(text, str) and _FRACTION.fullmatch(text):
        return Fraction(text)
    raise ValueError(f'points must be a fraction as text, such as "7/2", got {str(text)[:40]!r}')


_DECODER = msgspec.json.Decoder(Decision, dec_hook=_fraction)


def places_of(points: Mapping[_Who, Fraction | float]) -> dict[_Who, int]:
    """Return who -> place. The most points are first; equal ones share a place.

    >>> places_of({4: Fraction(20), 7: Fraction(31), 9: Fraction(20), 2: Fraction(5)})
    {4: 2, 7: 1, 9: 2, 2: 4}
    """
    return {entry: 1 + sum(other > own for other in points.values()) for entry, own in points.items()}
