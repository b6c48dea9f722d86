"""Rows of the transition table, and the interface of a game.

`advance` looks up the row of a phase and a trigger. A handler may lead only to the phases that its row names.
`make transitions` draws the diagrams from the same rows. A trigger without a row in a phase is ignored.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum, auto
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar

from referee.core.messages import Msg, Part, msg
from referee.core.model.events import Decision, Overruled
from referee.core.model.menu import MenuLine
from referee.core.model.phase import Phase, Play
from referee.core.model.state import Count, State, Step
from referee.core.model.table import Adjustment, Setup, Table, Team
from referee.core.values import Value, replace

P = TypeVar("P", bound=Phase)
T = TypeVar("T")


class Way(Enum):
    """A target that depends on the game or the situation; `transition_table.leads` resolves it."""

    BEGINS = "the beats before a hand, or in a game without beats its play"
    RESUMES = "the beats before play goes on, or in a game without beats its play"
    ASKED = "the phase in which somebody opened this one; a race is paused before"
    INTERRUPTED = "the phase that the power cut interrupted, if it is one in which the table can wait"
    UPHELD = "what follows a verdict in this game"
    TAKEN_BACK = (
        "the phase in which a decision was taken or undone; a pause instead of play, what waits instead of POWER_BACK"
    )
    REFUTED = "the same as after a pause, in a game whose cards go on after a false claim, and what ends a hand there"


BEGINS, RESUMES, ASKED, INTERRUPTED, UPHELD, TAKEN_BACK, REFUTED = Way
Target = str | Way


class MenuPlace(Enum):
    """The position of a line in a phase's menu, the first one first."""

    FIRST = auto()
    OWN = auto()
    PAST = auto()  # Undo, Redo
    COMMON = auto()
    LAST = auto()


class Transition(Value):
    """A row with any phase and trigger types; see `Row` for its fields.

    Declare a tuple of rows with this type. With `Row` alone, a type checker would not compare the type parameters.
    """

    phase: type[Phase]
    trigger: type
    handler: Callable[[State, Any, Any], Step]  # Any: a phase and a trigger; `Row` has their types
    targets: tuple[Target, ...]
    meaning: str
    text: Msg | Callable[[State, Any], Msg | None] | None = None  # Any: a phase; `Row` has its type
    place: MenuPlace = MenuPlace.OWN


class Row(Transition, Generic[P, T]):
    """In `phase`, `trigger` runs `handler`, which stays or leads to one of `targets` (names).

    The handler gets the state, its phase and the trigger. If the trigger is a menu action and the row has a `text`, the
    row is a line of the phase's menu. The text is a message, or a function that returns one, or None to omit the line
    now.
    """

    phase: type[P]
    trigger: type[T]
    handler: Callable[[State, P, T], Step]
    targets: tuple[Target, ...]
    meaning: str
    text: Msg | Callable[[State, P], Msg | None] | None = None
    place: MenuPlace = MenuPlace.OWN


def shown_lines(state: State, rows: Iterable[Transition]) -> tuple[MenuLine, ...]:
    """Return the menu lines of these rows in the current state, in order."""
    lines = list[MenuLine]()
    for row in rows:
        text = row.text if row.text is None or isinstance(row.text, Msg) else row.text(state, state.phase)
        lines += [] if text is None else [MenuLine(row.trigger(), text)]
    return tuple(lines)


class FieldSpec(Value):
    """A field of a count.

    Taps step through 0, 1, ... size - 1 and wrap. Locked fields are skipped.
    name: what it counts; with `unit` 10 or 1 if two fields form one number. signs: the text shown for each value; if
    empty, the number itself.
    """

    name: Msg
    size: int
    locked: bool = False
    signs: tuple[str, ...] = ()


class Place(Value):
    """A team's place in the standings; `delta` is its score in the last hand.

    corrected: whether one of its counts was corrected after sealing. shown, told: text and message that replace the
    total.
    """

    team: str
    total: Fraction
    place: int
    shared: bool
    delta: Fraction | None
    corrected: bool = False
    shown: str | None = None
    told: Msg | None = None


def places(
    totals: Mapping[str, Fraction | int],
    ranks: Mapping[str, int],
    gained: Mapping[str, Fraction | int] | None,
    corrected: Collection[str] = (),
    shown: Callable[[str], tuple[str | None, Msg | None]] = lambda team: (None, None),
) -> tuple[Place, ...]:
    """Return the standings in the order of `totals`.

    gained: the scores of the last hand. shown: returns a team's text and message in place of the total.
    """
    shared = Counter(ranks.values())
    return tuple(
        Place(
            team,
            Fraction(total),
            ranks[team],
            shared[ranks[team]] > 1,
            None if gained is None else Fraction(gained.get(team, 0)),
            team in corrected,
            *shown(team),
        )
        for team, total in totals.items()
    )


class BookedHand(Value):
    """A hand on record, by team id.

    How it ended, whose claims ended it, who played, whose count was corrected.
    """

    end: str
    callers: tuple[str, ...]
    played: tuple[str, ...]
    corrected: tuple[str, ...] = ()


class Past(Value):
    """A counted hand that can be counted again.

    The table before it, its callers, each team's values.
    """

    table: Table
    callers: tuple[str, ...]
    counts: tuple[tuple[str, tuple[int, ...]], ...]


class Setting(Value):
    """A setting in the menu.

    The option's name, the key of its line, and (value, text shown) for each choice.

    The line's message gets the choice as its value `choice`. The text shown has at most 8 characters. abouts:
    explanations of some values, shown below the menu.
    """

    name: str
    line: str
    choices: tuple[tuple[bool | int | str, Part], ...]
    abouts: tuple[tuple[bool | int | str, Msg], ...] = ()

    def said(self, value: object) -> Msg:
        """Return the setting's line with this value."""
        return msg(self.line, choice=next((text for one, text in self.choices if one == value), str(value)))


SWITCH = ((True, msg("choice.yes")), (False, msg("choice.no")))
"""The choices of a truth value."""


def numbers(*values: int) -> tuple[tuple[int, int], ...]:
    """Return choices of plain numbers: (value, its text), both the number."""
    return tuple((value, value) for value in values)


def words(*values: str, key: str = "choice.") -> tuple[tuple[str, Msg], ...]:
    """Return each value with the message that is named after it."""
    return tuple((value, msg(f"{key}{value.replace('-', '_')}")) for value in values)


class Refusable(Value):
    """An option that a single player can refuse.

    question: how it is asked. refused: the key of the message about the `seat` and `name` that refused.
    """

    option: str
    question: Msg
    refused: str


class Game(ABC):
    """The interface of a game: rows, title, start of a hand, standings, winners.

    Other methods have defaults for games without the feature.
    """

    rows: tuple[Transition, ...]
    plays: tuple[type[Play], ...] = ()
    """The game's own phases whose rows are all declared for a kind of phases."""
    tells_gain: ClassVar[bool] = True
    """Whether the score of the last hand is shown next to a total."""
    rounds: ClassVar[bool] = False
    """Whether players call a hand of this game a round."""

    dark: ClassVar[str] = "call"
    """The effect of a press on a dark button during a hand.

    A "call", a "claim" that all answer, a press by "all", or only a press in "turns".
    """
    reasons: ClassVar[Mapping[str, str]] = {}
    """Preset -> the event at which players press.

    Cards "alike", a "jack", five of a "fruit", "four" of a kind, or the "rank" that was said.
    """
    settings: tuple[Setting, ...] = ()
    """The game's options in menu order, the most frequently changed first."""
    words: ClassVar[frozenset[str]] = frozenset()
    """Options that change only messages; they need no agreement."""
    counted_by: ClassVar[frozenset[str]] = frozenset()
    """Options that determine the results of recorded hands.

    Other values would change or invalidate these hands.
    """

    def idle(self, setup: Setup) -> frozenset[str]:
        """Return options that have no effect with the current settings; menus omit them."""
        return frozenset()

    @abstractmethod
    def target(self, table: Table) -> int | None:
        """Return the total that ends the match; None if there is none."""

    def is_fixed(self, table: Table, name: str, value: object) -> bool:
        """Return whether recorded hands prevent this value of the option in this match."""
        return bool(table.hands) and name in self.counted_by

    def about(self, table: Table) -> Msg | None:
        """Return a line about the preset for its choice in the menu."""
        target = self.target(table)
        return msg("about.points", target=target) if target else None

    def in_short(self, table: Table) -> tuple[Msg, ...]:
        """Return the rules that READY shows before the first hand of a preset without changes."""
        about = self.about(table)
        return (about,) if about else ()

    def refusable(self, table: Table) -> Refusable | None:
        """Return the active option that needs everybody's consent.

        None if a majority is always enough.
        """
        return None

    @abstractmethod
    def begin(self, state: State, playing: tuple[str, ...], go_at_ns: int, armed_at_ns: int) -> Play:
        """Return the play phase of a new hand."""

    @abstractmethod
    def standings(self, table: Table) -> tuple[Place, ...]:
        """Return the teams in seat order with totals and places."""

    @abstractmethod
    def winners(self, table: Table) -> tuple[str, ...]:
        """Return the winning teams if the match is over, else none."""

    def end_when_leaving(self, table: Table) -> str | None:
        """Return how a hand ends when a player leaves (`Ended.end`); None if it continues."""
        return None

    def taken_in(self, state: State, play: Play, event: Decision) -> Phase | None:
        """Return the phase that handles this decision of the game; None if there is none.

        play: the hand's play. Used to read a journal whose facts no longer lead to that phase.
        """
        heard = any(isinstance(play, row.phase) and row.trigger is type(event) for row in self.rows)
        return play if heard else None

    def with_adjustment(self, table: Table, given: Adjustment) -> Table:
        """Return the table with these points given or deducted. Later deals do not change."""
        return replace(table, adjustments=(*table.adjustments, given))

    def what_stays(self, state: State, outcome: Decision) -> Msg:
        """Return the message shown when a vote for this outcome had no majority."""
        return msg("toast.voted_no")

    def undealt(self, table: Table) -> Table:
        """Return the table as it was before the coming hand was dealt."""
        return table

    def next_players(self, table: Table) -> tuple[str, ...]:
        """Return the teams of the coming hand: all, except in a game with hands for some."""
        return tuple(team.id for team in table.teams)

    @abstractmethod
    def notes(self, table: Table, playing: tuple[str, ...]) -> tuple[Msg, ...]:
        """Return short lines for READY: what players must know before dealing."""

    def lesson(self, table: Table, part: str, playing: tuple[str, ...]) -> tuple[Msg, ...]:
        """Return short lines for newcomers on what to do now, under this table's rules.

        part: "deal", "play", "count" or "stuck". playing: the teams in the hand, if known.
        """
        return ()

    @abstractmethod
    def booked_hand(self, table: Table, hand: int) -> BookedHand:
        """Return the record of this hand (from 0)."""

    def past(self, table: Table, hand: int) -> Past | None:
        """Return this hand (from 0) for counting again; None if nothing was counted."""
        return None


class ClaimGame(Game):
    """A game in which a press in play is a claim.

    A claim stops the table, and a verdict names the claimant.

    Its play is a `phases.race.Race`. Its rows are those of race, call, verdict, late and contest.
    """

    word: ClassVar[Msg] = msg("claim.call")
    """What players call out at a claim."""
    hint: ClassVar[Msg | None] = None
    """What players do while the verdict is shown."""
    answered: ClassVar[bool] = False
    """Whether all players answer each claim once: tap right, hold wrong (`phases.answers`)."""
    goes_on: ClassVar[bool] = True
    """Whether play continues after a false claim; else see `after_false_claim`."""
    accuses_first: ClassVar[bool] = False
    """Whether a false claim is attributed to the first press, not to the verdict's caller.

    Such a claim is a false start.
    """
    clear_sound: ClassVar[str] = "verdict_clear"
    """The cue of a verdict that is neither a tie nor grey."""
    follows: tuple[str, ...]
    """The phases to which `upheld` leads."""
    after_refuted: tuple[str, ...] = ()
    """Further phases to which a false claim may lead in a game that usually continues."""

    def call_word(self, table: Table) -> Msg:
        """Return what players call out at a claim at this table."""
        return self.word

    @abstractmethod
    def tie_ms(self, table: Table) -> Fraction | int:
        """Return the tie window in milliseconds."""

    @abstractmethod
    def upheld(self, state: State, judged: Phase) -> Step:
        """Return the step after an uncontested verdict (`phases.verdict.Judged`)."""

    def limit_ns(self, table: Table) -> int | None:
        """Return the limit in ns after the first press, if all press and the last one loses.

        None otherwise.
        """
        return None

    def after_false_claim(self, state: State, judged: Phase, event: Overruled) -> Step | None:
        """Return the step after a false claim.

        None if the hand continues and the claim is only recorded.
        """
        return None

    def out(self, table: Table, false_calls: tuple[str, ...]) -> tuple[str, ...]:
        """Return the teams that are out of this hand because of these false claims."""
        return ()


class CountedGame(Game):
    """A game with counted hands; it leads to COUNTING by `phases.counting.counting`."""

    @abstractmethod
    def fields(self, table: Table, team: str, callers: tuple[str, ...]) -> tuple[FieldSpec, ...]:
        """Return the fields of the team's count; `registry.fields_of` caches them."""

    @abstractmethod
    def refusal(
        self, table: Table, count: Count, callers: tuple[str, ...], others: tuple[Count, ...] = ()
    ) -> Msg | None:
        """Return why the count is impossible, alone or with the finished counts of `others`.

        None otherwise.
        """

    @abstractmethod
    def result(self, table: Table, counting: Phase, counts: tuple[tuple[str, tuple[int, ...]], ...]) -> object:
        """Return the result to append to `table.hands`.

        counting: the phase in which the hand was sealed.
        """

    @abstractmethod
    def with_correction(self, table: Table, hand: int, counts: tuple[tuple[str, tuple[int, ...]], ...]) -> Table:
        """Return the table with this hand counted differently. Later deals do not change."""


class Start(Value):
    """How a hand begins.

    numbered: 1, 2, 3 instead of Ready and Set. by_one: one tap makes all ready.
    noted: a press during the beats is only noted, and calls are armed at GO; otherwise it stops the start.
    """

    numbered: bool
    by_one: bool
    noted: bool


class PileGame(ClaimGame):
    """A game in which teams race to empty a pile.

    Starts have beats, and pairs have one pile holder.
    """

    @abstractmethod
    def start(self, table: Table) -> Start:
        """Return how a hand begins at this table."""

    @abstractmethod
    def airborne(self, table: Table) -> Msg:
        """Return the verdict's message about cards that were in the air at the claim."""

    @abstractmethod
    def payments(self, table: Table) -> tuple[Msg, ...]:
        """Return who pays whom after the match, one line each, if the rules settle it."""

    @abstractmethod
    def holders(self, table: Table) -> frozenset[str]:
        """Return the stations that hold their pair's reserve in the coming hand, if known."""

    @abstractmethod
    def free_to_hold(self, table: Table, team: Team) -> bool:
        """Return whether a hold at READY says which partner holds the reserve."""
