"""Rows of the transition table, and the interface of a game.

`advance` looks up the row for a phase and a trigger. A handler may lead only to the phases that its row names.
`make transitions` draws the diagrams from the same rows. A trigger without a row in a phase is ignored.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum, auto
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar

from referee.core.messages import Label, Msg, Part, msg
from referee.core.model.events import Decision, Overruled
from referee.core.model.menu import MenuLine
from referee.core.model.state import Count, Phase, Play, State, Step
from referee.core.model.table import Adjustment, Setup, Table, Team
from referee.core.values import Value, replace

P = TypeVar("P", bound=Phase)
T = TypeVar("T")


class Way(Enum):
    """Stands for target phases of a row that depend on the game or on the previous phase.

    `transition_table.leads` replaces each value by the phases that it means.
    """

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
    """The groups of a phase's menu lines, from top to bottom."""

    FIRST = auto()
    OWN = auto()
    COMMON = auto()
    MORE = auto()  # from here on under More
    PAST = auto()  # Undo, Redo; outside a running hand the second line
    LAST = auto()


class Transition(Value):
    """A row of the transition table, for any phase and any trigger; see `Row` for its fields.

    A tuple of different rows must be declared with this type, because mypy allows only one kind of `Row` in a tuple.
    """

    phase: type[Phase]
    trigger: type
    handler: Callable[[State, Any, Any], Step]  # Any: a phase and a trigger; `Row` has their types
    targets: tuple[Target, ...]
    meaning: str
    text: Msg | Callable[[State, Any], Msg | None] | None = None  # Any: a phase; `Row` has its type
    place: MenuPlace = MenuPlace.OWN


class Row(Transition, Generic[P, T]):
    """In `phase`, `trigger` runs `handler`, which keeps the phase or leads to one of `targets`.

    targets: names of phases. The handler gets the state, its phase and the trigger. If the trigger is a menu action and
    the row has a `text`, the row is a line of the phase's menu. `text` is a message, or a function that returns a
    message, or None to leave the line out now.
    """

    phase: type[P]
    trigger: type[T]
    handler: Callable[[State, P, T], Step]
    targets: tuple[Target, ...]
    meaning: str
    text: Msg | Callable[[State, P], Msg | None] | None = None
    place: MenuPlace = MenuPlace.OWN


EXPLAINED = {
    "item.event_game": "about.event_game",
    "item.game": "about.game",
    "item.house_rules": "about.house_rules",
    "item.phones": "about.phones",
    "item.rulebook": "about.rulebook",
    "item.teams": "about.teams",
    "item.fix_counts": "about.fix_counts",
    "item.count_by_knob": "about.count_by_knob",
    "item.sound_language": "about.sound_language",
    "item.device": "about.device",
    "item.other_table": "about.other_table",
    **dict.fromkeys(("item.end_match", "item.void_hand", "item.end_hand"), "about.asked"),
}
"""Lines that are explained below the list."""


def shown_lines(state: State, rows: Iterable[Transition]) -> tuple[MenuLine, ...]:
    """Return the menu lines of these rows in the current state, in order."""
    lines = list[MenuLine]()
    for row in rows:
        text = row.text if row.text is None or isinstance(row.text, Msg) else row.text(state, state.phase)
        about = EXPLAINED.get(text.key) if text else None
        lines += [] if text is None else [MenuLine(row.trigger(), text, msg(about) if about else None)]
    return tuple(lines)


class FieldSpec(Value):
    """A field of a team's count.

    Each tap adds one, from 0 to size - 1, then starts again at 0. Locked fields are skipped.
    name: what it counts. If two fields are the tens and the ones of one number, the names are the same message with the
    parameter `unit` 10 or 1.
    signs: the text shown for each value; if empty, the number itself.
    """

    name: Msg
    size: int
    locked: bool = False
    signs: tuple[str, ...] = ()


class Place(Value):
    """A team's place in the standings; `delta` is its score in the last hand.

    corrected: whether one of its counts was corrected after it was final. shown: a text for the display in place of the
    total. told: a message for speech and web pages in place of the total.
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

    gained: the scores of the last hand; None before the first hand has ended. shown: a function from a team to the
    `shown` and the `told` of the team's `Place`.
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
    """A hand on record. All fields but `end` are team ids.

    end: how it ended. callers: whose calls ended it. played: who played. corrected: whose count was corrected.
    """

    end: str
    callers: tuple[str, ...]
    played: tuple[str, ...]
    corrected: tuple[str, ...] = ()


class Past(Value):
    """A past hand that can be counted again.

    table: the table before the hand. callers: the hand's callers. counts: (team, values of its fields) for each team.
    """

    table: Table
    callers: tuple[str, ...]
    counts: tuple[tuple[str, tuple[int, ...]], ...]


class Setting(Value):
    """A setting in the menu: the option's name, the text key of its line, and its choices.

    choices: (value, text shown). The line's message has the chosen text as its parameter `choice`. A text has at most 8
    characters. abouts: explanations of some values, shown below the menu. about: the explanation of the setting; if
    None, the option's meaning explains it.
    """

    name: str
    line: str
    choices: tuple[tuple[bool | int | str, Part], ...]
    abouts: tuple[tuple[bool | int | str, Msg], ...] = ()
    about: Msg | None = None

    def said(self, value: object) -> Msg:
        """Return the setting's menu line, which shows this value."""
        return msg(self.line, choice=next((text for one, text in self.choices if one == value), str(value)))


SWITCH = ((True, msg("choice.yes")), (False, msg("choice.no")))
"""The choices of an option that is true or false."""


def numbers(*values: int) -> tuple[tuple[int, int], ...]:
    """Return a choice (value, text shown) for each number; the text is the number."""
    return tuple((value, value) for value in values)


def words(*values: str, key: str = "choice.") -> tuple[tuple[str, Msg], ...]:
    """Return a choice (value, message) for each value. The message's key: `key` plus the value."""
    return tuple((value, msg(f"{key}{value.replace('-', '_')}")) for value in values)


class Refusable(Value):
    """An option that applies only if all players agree, so that one player can refuse it.

    question: the text that asks for their consent. refused: the text key of the message that names who refused.
    """

    option: str
    question: Msg
    refused: str


class Game(ABC):
    """The interface of a game: rows, settings, start of a hand, standings, winners.

    Methods for features that only some games have are not abstract: they have defaults.
    """

    rows: tuple[Transition, ...]
    plays: tuple[type[Play], ...] = ()
    """The game's phases of play that have no rows of their own: a kind of phases declares them."""
    tells_gain: ClassVar[bool] = True
    """Whether the score of the last hand is shown next to a total."""
    rounds: ClassVar[bool] = False
    """Whether players call a hand of this game a round."""

    dark: ClassVar[str] = "call"
    """The effect of a press on a button whose lamp is dark, during a hand.

    "call": it stops play; "claim": all players answer it; "all": all must press; "turns": only a player whose turn
    it is may press.
    """
    reasons: ClassVar[Mapping[str, str]] = {}
    """Preset -> the event at which players press.

    Equal cards ("alike"), a "jack", five of a "fruit", "four" of a kind, or a card of the "rank" that was said.
    """
    settings: tuple[Setting, ...] = ()
    """The game's options in menu order."""
    setting_groups: ClassVar[Mapping[str, str]] = {}
    """The options by group, those that people change most in the first one.

    Empty: the options fit in one list.
    """
    words: ClassVar[frozenset[str]] = frozenset()
    """Options that change only messages; players need not agree on them."""
    counted_by: ClassVar[frozenset[str]] = frozenset()
    """Options on which the results of recorded hands depend. Recorded hands fix them."""

    def idle(self, setup: Setup) -> frozenset[str]:
        """Return the options that have no effect under the current settings; menus leave them out."""
        return frozenset()

    @abstractmethod
    def target(self, table: Table) -> int | None:
        """Return the total that ends the match; None if there is none."""

    def is_fixed(self, table: Table, name: str, value: object) -> bool:
        """Return whether recorded hands depend on option `name`, so that it cannot become `value`."""
        return bool(table.hands) and name in self.counted_by

    def about(self, table: Table) -> Msg | None:
        """Return one line about the preset, shown while the preset is chosen in the menu."""
        target = self.target(table)
        return msg("about.points", target=target) if target else None

    def in_short(self, table: Table) -> tuple[Msg, ...]:
        """Return the rules that READY shows before the first hand if no option was changed."""
        about = self.about(table)
        return (about,) if about else ()

    def refusable(self, table: Table) -> Refusable | None:
        """Return the active option that needs the consent of all players; None if there is none."""
        return None

    @abstractmethod
    def begin(self, state: State, playing: tuple[str, ...], go_at_ns: int, armed_at_ns: int) -> Play:
        """Return the play phase of a new hand.

        go_at_ns: when play begins. armed_at_ns: from when presses count.
        """

    @abstractmethod
    def standings(self, table: Table) -> tuple[Place, ...]:
        """Return the teams in seat order with totals and places."""

    def gain_notes(self, table: Table) -> tuple[Msg, ...]:
        """Return notes on scores of the last hand that need a reason."""
        return ()

    @abstractmethod
    def winners(self, table: Table) -> tuple[str, ...]:
        """Return the winning teams if the match is over, else none."""

    def end_when_leaving(self, table: Table) -> str | None:
        """Return the `Ended.end` of a hand that a player leaves; None if the hand continues."""
        return None

    def taken_in(self, state: State, play: Play, event: Decision) -> Phase | None:
        """Return the phase that can apply this decision of the game; None if there is none.

        play: the hand's phase of play. The method helps to read a journal of an older release: under the present
        release, the facts in the journal may not lead to the phase that handles the decision.
        """
        heard = any(isinstance(play, row.phase) and row.trigger is type(event) for row in self.rows)
        return play if heard else None

    def with_adjustment(self, table: Table, given: Adjustment) -> Table:
        """Return the table with these points added. The cards dealt in later hands do not change."""
        return replace(table, adjustments=(*table.adjustments, given))

    def what_stays(self, state: State, outcome: Decision) -> Msg:
        """Return the message after a vote without a majority for `outcome`: what stays unchanged."""
        return msg("toast.voted_no")

    def undealt(self, table: Table) -> Table:
        """Return the table as it was before the coming hand was dealt."""
        return table

    def next_players(self, table: Table) -> tuple[str, ...]:
        """Return the teams that play the coming hand. By default, all teams."""
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
        """Return the data with which to count this hand (from 0) again; None if it had no count."""
        return None


class ClaimGame(Game):
    """A game in which a press during play is a claim, such as a Nertz call or "Snap!".

    A claim stops the table, and a verdict names who claimed first.

    Its phase of play is a `phases.race.Race`. Its rows include those of the modules race, call, verdict and contest.
    """

    word: ClassVar[Msg] = msg("claim.call")
    """The word that players call out when they press."""
    hint: ClassVar[Msg | None] = None
    """What players do while the verdict is shown."""
    answered: ClassVar[bool] = False
    """Whether all players answer each claim once: tap right, hold wrong (`phases.answers`)."""
    goes_on: ClassVar[bool] = True
    """Whether play continues after a false claim; else see `after_false_claim`."""
    accuses_first: ClassVar[bool] = False
    """Whether a false claim is attributed to the first press, not to the callers of the verdict.

    Such a claim is a false start.
    """
    clear_sound: ClassVar[str] = "verdict_clear"
    """The sound for a verdict that is neither a tie nor doubtful."""
    follows: tuple[str, ...]
    """The phases to which `upheld` leads."""
    after_refuted: tuple[str, ...] = ()
    """Phases to which a false claim may also lead, in a game in which play usually continues."""

    def call_word(self, table: Table) -> Msg:
        """Return the word that players at this table call out when they press."""
        return self.word

    def is_early(self, judged: Phase) -> bool:
        """Return whether the verdict of the phase `judged` names who pressed before GO."""
        return False

    @abstractmethod
    def tie_ms(self, table: Table) -> Fraction | int:
        """Return the tie window in milliseconds."""

    @abstractmethod
    def upheld(self, state: State, judged: Phase) -> Step:
        """Return the step that follows when the players accept the verdict of the phase `judged`."""

    def limit_ns(self, table: Table) -> int | None:
        """Return the time in ns within which all must press after the first press.

        In such a game the last press loses. None if the first press wins.
        """
        return None

    def after_false_claim(self, state: State, judged: Phase, event: Overruled) -> Step | None:
        """Return the step after a false claim.

        None if the hand continues and the claim is only recorded.
        """
        return None

    def out(self, table: Table, false_calls: tuple[str, ...]) -> tuple[str, ...]:
        """Return the teams that may not play on in this hand because of these false claims."""
        return ()

    def false_text(self, table: Table, who: tuple[Label, ...]) -> Msg:
        """Return the message that the claim of these teams was false, and what it costs them."""
        return msg("toast.false_call", who=who)

    def what_stays(self, state: State, outcome: Decision) -> Msg:
        is_false = isinstance(outcome, Overruled) and outcome.ruling == "false_call" and not self.accuses_first
        return msg("toast.call_stands") if is_false else super().what_stays(state, outcome)


class CountedGame(Game):
    """A game whose hands end with a count.

    `phases.counting.counting` starts the count (phase COUNTING).
    """

    @abstractmethod
    def fields(self, table: Table, team: str, callers: tuple[str, ...]) -> tuple[FieldSpec, ...]:
        """Return the fields of the team's count. `registry.fields_of` caches them."""

    @abstractmethod
    def refusal(
        self, table: Table, count: Count, callers: tuple[str, ...], others: tuple[Count, ...] = ()
    ) -> Msg | None:
        """Return why the count is impossible, by itself or together with the counts `others`.

        None if it is possible.
        """

    @abstractmethod
    def result(self, table: Table, counting: Phase, counts: tuple[tuple[str, tuple[int, ...]], ...]) -> object:
        """Return the hand's result, to append to `table.hands`.

        counting: the phase in which the count became final.
        """

    @abstractmethod
    def with_correction(self, table: Table, hand: int, counts: tuple[tuple[str, tuple[int, ...]], ...]) -> Table:
        """Return the table with these counts in place of the recorded counts of this hand.

        The cards dealt in later hands do not change.
        """


class Start(Value):
    """How a hand begins.

    numbered: the countdown says 1, 2, 3 and not Ready, Set. by_one: one tap makes all ready.
    noted: a press during the countdown is only recorded, and calls are possible from GO on; otherwise such a press
    stops the countdown.
    """

    numbered: bool
    by_one: bool
    noted: bool


class PileGame(ClaimGame):
    """A game in which teams race to empty a pile.

    Each hand begins with a countdown. In a team of two, one partner holds the pile.
    """

    @abstractmethod
    def start(self, table: Table) -> Start:
        """Return how a hand begins at this table."""

    @abstractmethod
    def airborne(self, table: Table) -> Msg:
        """Return the verdict's message about cards that were on their way to a pile at the call."""

    @abstractmethod
    def payments(self, table: Table) -> tuple[Msg, ...]:
        """Return who pays whom after the match, one line each, if the rules say so."""

    @abstractmethod
    def holders(self, table: Table) -> frozenset[str]:
        """Return the stations of partners who have their team's reserve in the next hand, if known."""

    @abstractmethod
    def free_to_hold(self, table: Table, team: Team) -> bool:
        """Return whether this team's partners choose by a hold, in READY, who has the reserve."""
