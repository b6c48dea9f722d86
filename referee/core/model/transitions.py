"""One row of the transition table, and what a game must bring to stand in it.

The table decides: `advance` looks the row up, a handler may lead to the phases that its row names and to no others, and
`make transitions` draws its diagrams. A trigger that has no row in a phase is refused, which means that
nothing happens.
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
    """A target that has another name in another game, or at another moment; `transition_table.leads` says which."""

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
    """Where in a phase's list at the knob a line stands, the first place first."""

    FIRST = auto()
    OWN = auto()
    PAST = auto()  # Undo, Redo
    COMMON = auto()
    LAST = auto()


class Transition(Value):
    """A row of the table, whatever its phase and trigger are; `Row` says what its fields mean, and holds their types.

    A tuple of rows is declared as one of these: of rows alone a type checker would no longer compare their parts.
    """

    phase: type[Phase]
    trigger: type
    handler: Callable[[State, Any, Any], Step]  # Any: of some phase and trigger; `Row` says of which
    targets: tuple[Target, ...]
    meaning: str
    text: Msg | Callable[[State, Any], Msg | None] | None = None  # Any: of some phase; `Row` says of which
    place: MenuPlace = MenuPlace.OWN


class Row(Transition, Generic[P, T]):
    """In `phase`, `trigger` does what `handler` does, and that leads to one of `targets` (phases' names) or stays.

    The handler is given the state, its phase, and what triggered it. A trigger that is an action stands in the phase's
    list at the knob if the row has a `text`: the line's message, or what says it, or None when it does not apply now.
    """

    phase: type[P]
    trigger: type[T]
    handler: Callable[[State, P, T], Step]
    targets: tuple[Target, ...]
    meaning: str
    text: Msg | Callable[[State, P], Msg | None] | None = None
    place: MenuPlace = MenuPlace.OWN


def shown_lines(state: State, rows: Iterable[Transition]) -> tuple[MenuLine, ...]:
    """The lines that the list at the knob has of these rows of the phase as the table is now, in their order."""
    lines = list[MenuLine]()
    for row in rows:
        text = row.text if row.text is None or isinstance(row.text, Msg) else row.text(state, state.phase)
        lines += [] if text is None else [MenuLine(row.trigger(), text)]
    return tuple(lines)


class FieldSpec(Value):
    """A field of the count: taps go 0, 1, ... size - 1 and wrap. Locked fields are passed, not changed.

    name: what it counts; `unit` 10 or 1 where two fields make a number. signs: what stands on the screen for each
    value; empty: the number itself.
    """

    name: Msg
    size: int
    locked: bool = False
    signs: tuple[str, ...] = ()


class Place(Value):
    """A team in the standings: what the last hand brought is `delta`.

    corrected: whether one of its counts was corrected after it was sealed. shown, told: a picture and a message in
    place of the total.
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
    """The standings in the order of `totals`. gained: by the last hand; shown: a team's picture and message."""
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
    """What stands in the book of a hand, by the teams' ids: how it ended, whose claims ended it, who played it, whose
    count was corrected afterwards."""

    end: str
    callers: tuple[str, ...]
    played: tuple[str, ...]
    corrected: tuple[str, ...] = ()


class Past(Value):
    """A counted hand as it can be counted again: the table before it, whose call stood, each team's values."""

    table: Table
    callers: tuple[str, ...]
    counts: tuple[tuple[str, tuple[int, ...]], ...]


class Setting(Value):
    """What a table can set by the knob: its name (an option's), its line's key, and (value, as shown) for each choice.

    The line is said with the choice as its value `choice`. What is shown has at most 8 characters; abouts: what some
    values mean, said beneath the list while they are chosen.
    """

    name: str
    line: str
    choices: tuple[tuple[bool | int | str, Part], ...]
    abouts: tuple[tuple[bool | int | str, Msg], ...] = ()


class Refusable(Value):
    """An option that one player's no switches off: its name, how it is asked, and the key of what the device says then
    of the `seat` and the `name`."""

    option: str
    question: Msg
    refused: str


class Game(ABC):
    """What a game must bring: its rows, its title, how a hand begins, the standings and who has won.

    Everything else has an answer that is right for a game which does not have the like.
    """

    rows: tuple[Transition, ...]
    plays: tuple[type[Play], ...] = ()
    """Phases of its own that have rows of a kind alone."""
    tells_gain: ClassVar[bool] = True
    """Whether what a hand brought is said beside a total."""
    rounds: ClassVar[bool] = False
    """Whether people call a hand of it a round."""

    dark: ClassVar[str] = "call"
    """What a press of a dark button is while a hand runs: a "call", a "claim" that all answer, what "all" do, or none
    but in "turns"."""
    reasons: ClassVar[Mapping[str, str]] = {}
    """Preset -> for what people press, where everybody sees it: cards "alike", a "jack", five of a "fruit", "four" of a
    kind, the "rank" that was said."""
    settings: tuple[Setting, ...] = ()
    """Its options as the knob's list has them, in that order: those that tables set most often come first."""
    matters: ClassVar[tuple[str, ...]] = ()
    """The options that a table agrees on whatever they are, beside what the preset is: three at most."""
    words: ClassVar[frozenset[str]] = frozenset()
    """Options that only change what is said: nobody need agree on them."""
    counted_by: ClassVar[frozenset[str]] = frozenset()
    """The options by which hands in the book came to what they are: with another value they would come to something
    else, or could not be at all."""

    def idle(self, setup: Setup) -> frozenset[str]:
        """Options that change nothing as the others are set: no list offers them."""
        return frozenset()

    @abstractmethod
    def title(self, table: Table) -> tuple[str, int | None]:
        """What people call the preset, and the target, None without one."""

    def is_fixed(self, table: Table, name: str, value: object) -> bool:
        """Whether that option cannot be set so any more in this match, because of the hands in its book."""
        return bool(table.hands) and name in self.counted_by

    def about(self, table: Table) -> Msg | None:
        """A line on what the preset is, for whoever chooses one."""
        target = self.title(table)[1]
        return msg("about.points", target=target) if target else None

    def refusable(self, table: Table) -> Refusable | None:
        """What is on at this table and needs everybody's yes; None: a majority is enough for everything."""
        return None

    @abstractmethod
    def begin(self, state: State, playing: tuple[str, ...], go_at_ns: int, armed_at_ns: int) -> Play:
        """The play phase of a new hand."""

    @abstractmethod
    def standings(self, table: Table) -> tuple[Place, ...]:
        """The teams in seat order with totals and places."""

    @abstractmethod
    def winners(self, table: Table) -> tuple[str, ...]:
        """The winning teams when the match is over, else none."""

    def end_when_leaving(self, table: Table) -> str | None:
        """How a hand ends in which somebody gets up (`Ended.end`); None: it goes on without them."""
        return None

    def taken_in(self, state: State, play: Play, event: Decision) -> Phase | None:
        """The phase in which a table takes that decision of the game's own, `play` being the hand's; None: no such
        decision. A journal is read by it where the facts no longer lead there."""
        heard = any(isinstance(play, row.phase) and row.trigger is type(event) for row in self.rows)
        return play if heard else None

    @abstractmethod
    def adjusts(self, table: Table) -> bool:
        """Whether its score is points that a table may give and take (`Table.adjustments`)."""

    def with_adjustment(self, table: Table, given: Adjustment) -> Table:
        """The table with these points given or taken; what was dealt since stays as it was."""
        return replace(table, adjustments=(*table.adjustments, given))

    def what_stays(self, state: State, outcome: Decision) -> Msg:
        """What the display says when a question had no majority for that outcome, in the phase that asked."""
        return msg("toast.voted_no")

    def undealt(self, table: Table) -> Table:
        """The table as it is when nobody has dealt the coming hand yet."""
        return table

    def next_players(self, table: Table) -> tuple[str, ...]:
        """The teams of the coming hand: all, unless there is a hand for some."""
        return tuple(team.id for team in table.teams)

    @abstractmethod
    def notes(self, table: Table, playing: tuple[str, ...]) -> tuple[Msg, ...]:
        """Short lines for READY: what somebody must know before dealing."""

    def lesson(self, table: Table, part: str, playing: tuple[str, ...]) -> tuple[Msg, ...]:
        """Short lines for newcomers on what people do now, at this table's rules.

        part: "deal", "play", "count" or "stuck". playing: the teams in the hand, where that is known.
        """
        return ()

    @abstractmethod
    def booked_hand(self, table: Table, hand: int) -> BookedHand:
        """What stands in the book of that hand (from 0)."""

    def past(self, table: Table, hand: int) -> Past | None:
        """That hand (from 0) to be counted again; None when there was nothing to count."""
        return None


class ClaimGame(Game):
    """A game in which a press in play is a claim: it stops the table, and a verdict says whose it was.

    Its play is a `phases.race.Race`, its rows are those of race, call, verdict, late and contest.
    """

    word: ClassVar[Msg] = msg("claim.call")
    """What people call out at a claim."""
    hint: ClassVar[Msg | None] = None
    """What they do while the verdict is shown."""
    answered: ClassVar[bool] = False
    """Whether all answer each claim once: tap right, hold wrong (`phases.answers`)."""
    goes_on: ClassVar[bool] = True
    """Whether cards go on after a false claim; else see `after_false_claim`, or the knob asks for none."""
    accuses_first: ClassVar[bool] = False
    """Whether a false claim is the first press's, whoever the verdict names: a false start."""
    clear_sound: ClassVar[str] = "verdict_clear"
    """The cue of a verdict that is neither a tie nor grey."""
    follows: tuple[str, ...]
    """The phases to which `upheld` leads."""
    after_refuted: tuple[str, ...] = ()
    """Those to which a false claim may lead where cards go on after most of them."""

    def call_word(self, table: Table) -> Msg:
        """What people call out at a claim at this table."""
        return self.word

    @abstractmethod
    def tie_ms(self, table: Table) -> Fraction | int:
        """Claims within so many milliseconds are one: a tie."""

    @abstractmethod
    def upheld(self, state: State, judged: Phase) -> Step:
        """What a verdict (`phases.verdict.Judged`) leads to that nobody contests."""

    def limit_ns(self, table: Table) -> int | None:
        """Where everybody presses and the last press loses: within so long of the first. None: the first one wins."""
        return None

    def after_false_claim(self, state: State, judged: Phase, event: Overruled) -> Step | None:
        """What a false claim costs in this game; None: the hand goes on, and it is in the hand's book."""
        return None

    def out(self, table: Table, false_calls: tuple[str, ...]) -> tuple[str, ...]:
        """Of those whose claim in this hand did not stand, the teams that are out of it and claim nothing more."""
        return ()


class CountedGame(Game):
    """A game whose hands are counted: it leads to COUNTING by `phases.counting.counting`."""

    @abstractmethod
    def fields(self, table: Table, team: str, callers: tuple[str, ...]) -> tuple[FieldSpec, ...]:
        """The count's fields for that team; `registry.fields_of` keeps them."""

    @abstractmethod
    def refusal(
        self, table: Table, count: Count, callers: tuple[str, ...], others: tuple[Count, ...] = ()
    ) -> Msg | None:
        """Why the count is impossible, by itself or beside the hand's `others` that are done, if it is."""

    @abstractmethod
    def result(self, table: Table, counting: Phase, counts: tuple[tuple[str, tuple[int, ...]], ...]) -> object:
        """The hand's result to be appended to `table.hands`; `counting`: the phase in which it was sealed."""

    @abstractmethod
    def with_correction(self, table: Table, hand: int, counts: tuple[tuple[str, tuple[int, ...]], ...]) -> Table:
        """The table with that hand counted otherwise; what was dealt since stays as it was."""


class Start(Value):
    """How a hand begins. numbered: by 1, 2, 3 instead of Ready and Set. by_one: one tap says that all are ready.

    noted: a press in the beats is only noted, and calls are armed at GO; else it stops the start.
    """

    numbered: bool
    by_one: bool
    noted: bool


class PileGame(ClaimGame):
    """A game in which teams race to empty a pile: a start has beats, and a pair says who of it has the pile."""

    @abstractmethod
    def start(self, table: Table) -> Start:
        """How a hand begins at this table."""

    @abstractmethod
    def airborne(self, table: Table) -> Msg:
        """What becomes of cards that were in the air at the claim: the verdict says it."""

    @abstractmethod
    def payments(self, table: Table) -> tuple[Msg, ...]:
        """Who pays whom when the match is over, where its rules settle it: a line each."""

    @abstractmethod
    def holders(self, table: Table) -> frozenset[str]:
        """The stations that hold their pair's reserve in the coming hand, where that is said or pairs alternate."""

    @abstractmethod
    def free_to_hold(self, table: Table, team: Team) -> bool:
        """Whether the team says by a hold at READY who of it has the reserve."""
