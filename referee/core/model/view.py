"""The plain view of the match that every output reads: `view(state, now_ns)` in viewer.py gives these values.

A view holds no rule and no clock. It says what is shown at `now_ns` and when that changes next by the passing of time
alone (`changes_at_ns`); screens, lamps and the page draw it and nothing else.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from referee.core.messages import TEXT_LETTERS as TEXT_LETTERS
from referee.core.messages import Label as Label
from referee.core.messages import Msg, Part, msg
from referee.core.units import S
from referee.core.values import Value

ON_A_PAGE = 8
"""So many seats or teams stand on a display at once; of more it shows pages by turns."""
PAGE_NS = 4 * S

_LISTS = ("callers", "lines", "cells", "seats", "votes", "waiting", "labels", "declared")
"""What a screen can have more of than stands on one page."""
PHOTO_LINES, OVER_LINES = 5, 4
"""Of a photo finish and of the ranking below a winner fewer stand there at once."""


def pages(count: int, most: int = ON_A_PAGE) -> int:
    """How many pages so many seats or teams are, at least one.

    >>> pages(0), pages(8), pages(9), pages(6, 4)
    (1, 1, 2, 2)
    """
    return max(-(-count // most), 1)


class TeamLine(Value):
    """One team in a table of scores. `shared` when another team stands on the same place.

    shown: what stands in place of the total where a number says too little, in the signs of the screens' fonts ("♥♥♥");
    told: the same as a message ("3 lives"). tells_gain: whether what the last hand brought is said beside the total.
    """

    label: Label
    total: Fraction
    place: int
    shared: bool
    delta: Fraction | None = None
    corrected: bool = False
    shown: str | None = None
    told: Msg | None = None
    tells_gain: bool = True


class SeatCell(Value):
    """One seat of the lobby: None as name while nobody sits there; `pair` is the partner's number."""

    number: int
    name: str | None
    pair: int | None = None


class CountCell(Value):
    """One team's count in progress.

    fields: the digits as shown in each field, e.g. ("0", "2", "8"); None where nothing was entered yet.
    cursor: which field the next tap changes; None when done. refusal: why the count cannot be.
    locked: fields that cannot change (a standing caller's LEFT). pen: who wrote last: a station, "knob", or a phone.
    asleep: not done, and its phone does not look on, which whoever runs the device adds.
    """

    label: Label
    fields: tuple[str | None, ...]
    cursor: int | None
    done: bool
    refusal: Msg | None = None
    locked: tuple[bool, ...] = ()
    pen: str | None = None
    asleep: bool = False


class PhotoLine(Value):
    """One press's evidence: closed intervals in ns from the call's first press; `press_ns`, `err_ns` of its press.

    Of lines that share a pod's clock err_ns is each one's own, and the first of them has, as common_ns, how far all of
    them may be off together beside the others; 0 on every other line.
    """

    label: Label
    press_ns: int
    err_ns: int
    closed: tuple[tuple[int, int], ...]
    caller: bool
    late: bool = False
    common_ns: int = 0


# -- screens: what the one shared display shows ------------------------------------------------------------------


class Screen(Value):
    """One picture of the shared display, as what it says. What only one phase shows may stand in that phase's module.

    most_at_once: so many seats or teams of it stand on a page; `is_clocked`: a clock that it shows turns its pages.
    """

    most_at_once: ClassVar[int] = ON_A_PAGE
    is_clocked: ClassVar[bool] = False

    def is_paged(self) -> bool:
        """Whether a display cannot show it all at once, and turns its pages by itself."""
        if self.is_clocked:
            return False
        return any(len(getattr(self, name, ())) > self.most_at_once for name in _LISTS) or any(
            number > 9
            for line in getattr(self, "lines", ())
            if isinstance(line, TeamLine)
            for number in line.label.numbers
        )


class LobbyScreen(Screen):
    """Tap to join. `naming` is the seat whose name the knob turns at present."""

    preset: str
    target: int | None
    seats: tuple[SeatCell, ...]
    teams: int
    naming: int | None = None
    hint: Msg | None = None
    fresh: bool = False  # the knob stands at "New name": a push begins one


class NameScreen(Screen):
    """A name is entered for a seat: so far `text`; `at`: where the knob points on the wheel of `signs`."""

    number: int
    text: str
    signs: str
    at: int


class PhonesScreen(Screen):
    """How a phone is paired: the page's address, and what whoever runs the device adds while this is shown.

    code: what a phone must know to be paired; link: the address that has it, for the picture to be scanned. seats: who
    sits where meanwhile.
    """

    address: str
    code: str = ""
    link: str = ""
    seats: tuple[SeatCell, ...] = ()


class ReadyScreen(Screen):
    """Deal and tap: whom we wait for (the first 4 s show StandingsScreen instead)."""

    hand: int
    target: int | None
    waiting: tuple[Label, ...]
    lines: tuple[TeamLine, ...]
    emphasis: bool = False  # at most two missing for 20 s: the missing name stands big
    let_go: Label | None = None  # this button is held down and blocks Go
    notes: tuple[Msg, ...] = ()  # handicap lines, work piles, whole packs
    note: int = 0  # the one that a display shows first, where it has no room for all


class CountdownScreen(Screen):
    """The beats of a start (ready, set, go) or a resume (3, 2, 1, go); word None in the lead-in."""

    word: Part | None
    resuming: bool = False


class WaitScreen(Screen):
    """A start was stopped by these seats; each taps again when ready. Nobody is left: those of `held` let go of
    their buttons, or `by_knob`, the knob has stopped it and goes on with it."""

    labels: tuple[Label, ...]
    by_knob: bool = False
    held: tuple[Label, ...] = ()


class PlayingScreen(Screen):
    """Cards move: the hand's clock (play time without timeouts) and the totals."""

    is_clocked: ClassVar[bool] = True
    hand: int
    target: int | None
    played_ns: int
    lines: tuple[TeamLine, ...]


class StopScreen(Screen):
    """Somebody called; nobody is named yet. waiting: where all press, who has not."""

    waiting: tuple[Label, ...] = ()


class VerdictScreen(Screen):
    """kind: "clear" or "tie"; grey as measured. gap_ns: to the next press (clear) or between the tied ones.

    word: what is called out at such a claim ("Snap!"); hint: what people do until the game goes on; airborne: what
    becomes of cards in the air, said before it on a display without room for both. answers: where all
    say whether the claim was right, each team with True, False, or None (not yet). last: the callers pressed last, or
    not at all; gap_ns: from the one before, None where they have not pressed. by_vote: the table has decided so, no
    time is told. refuted: whose call of these the table has found false.
    """

    kind: str
    grey: bool
    callers: tuple[Label, ...]
    next_caller: Label | None
    gap_ns: int | None
    tie_window_ns: int
    later: tuple[tuple[Label, int], ...] = ()  # later presses: label, ns after the first
    left_share: Fraction = Fraction(1)  # how much of the 4 s is left, in 16ths
    late: tuple[tuple[Label, int], ...] = ()  # evidence that came after the verdict: label, ns from the first press
    word: Msg = msg("claim.call")
    hint: Msg | None = None
    airborne: Msg | None = None
    answers: tuple[tuple[Label, bool | None], ...] | None = None
    last: bool = False
    by_vote: bool = False
    refuted: tuple[Label, ...] = ()


class PhotoScreen(Screen):
    """The recorded edges round a call.

    alone: nobody else has pressed at all. last: the last press loses, and the tie window ends with it.
    """

    most_at_once: ClassVar[int] = PHOTO_LINES
    tie_window_ns: int
    span_ns: int
    lines: tuple[PhotoLine, ...]
    alone: bool = False
    last: bool = False


class CountScreen(Screen):
    """Every team counts at once. field_names: what stands above each field. knob: it enters one of the counts."""

    hand: int
    field_names: tuple[Msg, ...]
    cells: tuple[CountCell, ...]
    legend: bool = False  # no taps for 5 s: show what tap and hold do
    knob: bool = False


class SheetScreen(Screen):
    """All counted: the hand's scores, 3 s before they are sealed."""

    hand: int
    lines: tuple[TeamLine, ...]


class StandingsScreen(Screen):
    """Totals and what the last hand brought. notes: who sits out."""

    hands: int
    lines: tuple[TeamLine, ...]
    notes: tuple[Msg, ...] = ()


class OverScreen(Screen):
    """The match is over. notes: who pays whom; they take turns with the ranking, `note` 0, where there is no room."""

    most_at_once: ClassVar[int] = OVER_LINES
    hands: int
    winners: tuple[Label, ...]
    lines: tuple[TeamLine, ...]
    waiting: tuple[Label, ...] = ()
    notes: tuple[Msg, ...] = ()
    note: int = 0


class MenuScreen(Screen):
    """A list with a cursor; `title` big (TIME OUT) or small (the knob's menu).

    value: what the line at the cursor has been turned to, while it is open; it stands there as the line's `choice`.
    about: what the line at the cursor is.
    """

    title: Part
    items: tuple[Part, ...]
    cursor: int
    big: bool = False
    waiting: tuple[Label, ...] = ()
    value: Part | None = None
    about: Msg | None = None


class RuleScreen(Screen):
    """A page of what the rulebook answers to the topic `title`: who says so, and which page of how many it is."""

    title: Part
    text: Part
    sources: tuple[Msg, ...]
    page: int = 1
    pages: int = 1


class PowerBackScreen(Screen):
    """The power was off (away_s: seconds, None when unknown). All tap to go on. phase: the interrupted one's name."""

    away_s: int | None
    hand: int
    played_ns: int | None
    phase: str
    waiting: tuple[Label, ...] = ()


class VoteScreen(Screen):
    """A question to all. subject: whom it is about; votes: each voter with True, False, or None (not yet).

    admits: a yes of the subject's own ends it at once. asleep: voters without an answer whose phone does not look on,
    which whoever runs the device adds.
    """

    question: Msg
    subject: tuple[Label, ...]
    votes: tuple[tuple[Label, bool | None], ...]
    left_s: int  # until it ends by itself
    admits: bool = False
    asleep: tuple[Label, ...] = ()


class CallNowScreen(Screen):
    """Stuck, first: whoever has an empty pile must call now; a press is a call. left_s: seconds left."""

    left_s: int


class SearchScreen(Screen):
    """Stuck, then: everybody searches (twice, or once); tap: nothing found, hold: I can play."""

    times: int
    answered: int
    teams: int
    waiting: tuple[Label, ...]


class BurnScreen(Screen):
    """The beats to burning a card together. word: 3, 2, 1, burn; pile: stream, reserve, waste, stock."""

    word: Part
    pile: str
    burns: int  # this one included, since the last play


class SeatQuestion(Value):
    """A question that one seat has asked itself by holding (a knock, a 31); its tap says yes."""

    label: Label
    question: Msg


class TurnScreen(Screen):
    """A game of turns: who is on turn, and where everybody stands.

    knocker: who has knocked, with `left` turns to go, this one included. questions: those that are open. look: whom the
    knob points at. minimum: the least value to knock with, 0 for any. own_discard: it may be taken back.
    """

    hand: int
    target: int | None
    turn: Label
    lines: tuple[TeamLine, ...]
    knocker: Label | None = None
    left: int = 0
    questions: tuple[SeatQuestion, ...] = ()
    look: Label | None = None
    minimum: int = 0
    own_discard: bool = False


class DeclaredScreen(Screen):
    """A 31 lies on the table; others may have one, too. waiting: who has not said; left_s: until it ends by itself."""

    declared: tuple[Label, ...]
    waiting: tuple[Label, ...]
    questions: tuple[SeatQuestion, ...]
    left_s: int


class Lamp(Value):
    """One station's lamp at the view's instant. `pattern` tells a page how to animate it between views.

    Patterns: dark, steady, slow (1 Hz: waiting for you), double (you hold the reserve), beat, all_on, pulse3,
    alternate (tied seats in turn), fault (one blip in 3 s), wink.
    """

    station: str
    lit: bool
    pattern: str


class ClockLine(Value):
    """A foreign clock at the table, e.g. a pod's: whose seats hang on it, and how surely it is known now.

    bound_ns: a stamp of now would be wrong by this at most; None while it is away or not known yet.
    """

    name: str
    numbers: tuple[int, ...]
    bound_ns: int | None


class PhoneLine(Value):
    """A phone that speaks for a seat, by its name in the device's book and the seat's number."""

    phone: str
    number: int


class GivenPoints(Value):
    """Points by the table's will: for which team (its place in the sheet), how many, why."""

    team: int
    points: Fraction
    reason: Part = ""


class HandLine(Value):
    """A hand in the book. callers, leaders, corrected: places in the sheet's `teams`.

    end: how it ended, in the game's own word. scores: None for who did not play it. totals: after it, and after what
    the table gave then. leaders: who then stood first. corrected: whose count was entered anew later. calls: their
    photo finishes; the last one ended it. reasons: why it was counted otherwise, as far as that was said.
    """

    end: str
    callers: tuple[int, ...]
    scores: tuple[Fraction | None, ...]
    totals: tuple[Fraction, ...]
    leaders: tuple[int, ...]
    corrected: tuple[int, ...] = ()
    calls: tuple[PhotoScreen, ...] = ()
    given: tuple[GivenPoints, ...] = ()
    reasons: tuple[Part, ...] = ()


class MatchSheet(Value):
    """The match so far, its teams in seat order. start: with what each began.

    calls: of the hand at hand, those that did not stand. given: before the first hand. winners: places in `teams`; none
    before the end.
    """

    preset: str
    target: int | None
    teams: tuple[Label, ...]
    lines: tuple[TeamLine, ...]
    start: tuple[Fraction, ...]
    hands: tuple[HandLine, ...] = ()
    calls: tuple[PhotoScreen, ...] = ()
    given: tuple[GivenPoints, ...] = ()
    winners: tuple[int, ...] = ()


class View(Value):
    """Everything that the outputs show at `now_ns`.

    go_ns: the instant of Go while a countdown runs (past or future), else None. changes_at_ns: when this view changes
    next by time alone, None if never. invert: the whole screen is inverted (call, GO). banner: one line that every
    screen carries (not saved), None if all is well. dim: nothing changed for 60 s. phones: which speak for a seat;
    revoked: the number of the event at which the table last forgot all phones. clocks: of sources with a clock of
    their own. lesson: while newcomers are taught, what people do now, a line each; `lesson_line` is the one on display.
    """

    now_ns: int
    seq: int
    phase: str
    screen: Screen
    lamps: tuple[Lamp, ...]
    invert: bool = False
    go_ns: int | None = None
    changes_at_ns: int | None = None
    banner: Msg | None = None
    dim: bool = False
    language: str = "en"
    volume_percent: int = 100  # 0: light only
    brightness_percent: int = 100  # of the configured contrast
    toast: Msg | None = None  # short answer to a gesture: what was undone, refusals
    clocks: tuple[ClockLine, ...] = ()
    phones: tuple[PhoneLine, ...] = ()
    revoked: int = 0
    rounds: bool = False  # people call a hand of this game a round
    dark: str = "call"  # what a press of a dark button is while a hand runs: `Game.dark`
    lesson: tuple[Msg, ...] = ()
    lesson_line: int = 0
    match: MatchSheet | None = None  # all of it so far; None before there is one
    call: PhotoScreen | None = None  # of the call that is being judged or counted
    page: int = 0  # so many times has a display turned over, where what it shows stands on more than one page
