"""The view of the match for all outputs, as `view(state, now_ns)` in viewer.py returns it.

A view contains no rule and no clock. It says what is shown at `now_ns` and when that changes next by time alone
(`changes_at_ns`). Screens, lamps and the page draw only the view.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, Literal

from referee.core.messages import TEXT_LETTERS as TEXT_LETTERS
from referee.core.messages import Label as Label
from referee.core.messages import Msg, Part, msg
from referee.core.units import S
from referee.core.values import Value

ON_A_PAGE = 8
"""Seats or teams on one display page. Longer lists take several pages in turn."""
WITH_A_HINT = 2
"""Number of counts that always fit on one page with a hint, even with a banner."""
PAGE_NS = 4 * S
WITH_GAINS = 4
"""Most teams whose totals and last scores fit in one picture."""

_LISTS = ("callers", "lines", "cells", "seats", "votes", "waiting", "labels", "declared")
"""Screen fields that can need several pages."""
PHOTO_LINES, OVER_LINES = 5, 4
"""Lines on one page of a photo finish, and of the ranking below a winner."""


def pages(count: int, most: int = ON_A_PAGE) -> int:
    """Return the number of pages for `count` seats or teams, at least one.

    >>> pages(0), pages(8), pages(9), pages(6, 4)
    (1, 1, 2, 2)
    """
    return max(-(-count // most), 1)


class TeamLine(Value):
    """One team in a table of scores. `shared`: another team has the same place.

    shown: text that replaces the total on the display where a number is not enough ("♥♥♥"); told: the same as a message
    ("3 lives"). tells_gain: whether to show the last hand's score next to the total.
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
    """One seat in the lobby. name: None if the seat is free; `pair`: the partner's seat number."""

    number: int
    name: str | None
    pair: int | None = None


class CountCell(Value):
    """One team's count in progress.

    fields: the digits shown in each field, e.g. ("0", "2", "8"); None if nothing was entered yet.
    cursor: the field that the next tap changes; None when done. refusal: why the count is impossible.
    locked: fields that cannot change (such as the cards left of a caller). pen: what entered it last: a station,
    "knob", or a phone. asleep: the team is not done, and its phones are asleep; the runtime sets this, the core does
    not.
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
    """One press in a photo finish. `closed`: the spans in which its contact was closed, in ns.

    Times count from the left edge of the picture. press_ns: the time of this press, within ± err_ns.
    If one pod's clock stamped several of the presses, their err_ns is only the error against each other. The error
    that they share against other clocks is the common_ns of the first of them; on all other lines common_ns is 0.
    """

    label: Label
    press_ns: int
    err_ns: int
    closed: tuple[tuple[int, int], ...]
    caller: bool
    late: bool = False
    common_ns: int = 0


# -- screens of the shared display -------------------------------------------------------------------------------


class Screen(Value):
    """The content of the shared display.

    A screen that only one phase uses can be defined in that phase's module.
    most_at_once: seats or teams per page. is_clocked: the screen shows a clock, which also decides which page it shows.
    """

    most_at_once: ClassVar[int] = ON_A_PAGE
    is_clocked: ClassVar[bool] = False

    def is_paged(self) -> bool:
        """Return whether the screen needs several pages, which turn by time."""
        if self.is_clocked:
            return False
        return any(len(getattr(self, name, ())) > self.most_at_once for name in _LISTS) or any(
            number > 9
            for line in getattr(self, "lines", ())
            if isinstance(line, TeamLine)
            for number in line.label.numbers
        )


class LobbyScreen(Screen):
    """The lobby: tap to join. `naming`: the seat whose name the knob is changing.

    starts: whether the screen now says how to start the match; otherwise it says who plays next here (`coming`), or how
    partners form a team.
    """

    preset: str
    target: int | None
    seats: tuple[SeatCell, ...]
    teams: int
    naming: int | None = None
    hint: Msg | None = None
    fresh: bool = False  # the knob is at "New name": a push opens the entry
    starts: bool = False
    coming: Msg | None = None


class NameScreen(Screen):
    """The entry of a name for a seat.

    `text`: the letters so far; `at`: which of the letters `signs` is at the cursor.
    """

    number: int
    text: str
    signs: str
    at: int


class PhonesScreen(Screen):
    """How to pair a phone: the page's address, and values that the runtime fills in.

    code: the pairing code. link: the address with the code, for the QR code. seats: the current seating.
    """

    address: str
    code: str = ""
    link: str = ""
    seats: tuple[SeatCell, ...] = ()


class CardScreen(Screen):
    """The address of the page with the last match card, as text and as a QR code."""

    link: str


class WifiScreen(Screen):
    """The Wi-Fi after a player's choice: own network, home network or off.

    choice: "own", "home" or "off". The runtime sets the rest. note: the result, or why the choice failed. name,
    password: of the device's own network, once it works.
    """

    choice: Literal["own", "home", "off"]
    note: Msg = msg("note.wifi_wait")
    name: str = ""
    password: str = ""

    @property
    def link(self) -> str:
        """Return the text of the QR code by which phones join the own network.

        >>> WifiScreen("own", name="Table 42", password="k7q4xm2p9r").link
        'WIFI:T:WPA;S:Table 42;P:k7q4xm2p9r;;'
        """
        return f"WIFI:T:WPA;S:{self.name};P:{self.password};;"


class ReadyScreen(Screen):
    """READY: players deal and tap.

    waiting: who has not tapped. After a hand, a StandingsScreen is shown before this screen.
    """

    hand: int
    target: int | None
    waiting: tuple[Label, ...]
    lines: tuple[TeamLine, ...]
    emphasis: bool = False  # at most two players have not tapped for 20 s: show their names big
    let_go: Label | None = None  # this button is held down, so the countdown cannot begin
    notes: tuple[Msg, ...] = ()  # handicaps, number of work piles, how many packs are needed
    note: int = 0  # the index of the note shown first if the display has no room for all


class CountdownScreen(Screen):
    """A countdown: to a start (ready, set, go), or to going on (3, 2, 1, go).

    word: None before the first beat.
    """

    word: Part | None
    resuming: bool = False


class WaitScreen(Screen):
    """A countdown that was stopped. labels: the seats that stopped it and must tap again.

    Without labels: the buttons in `held` must be released, or (by_knob) the knob stopped it, and a push continues it.
    """

    labels: tuple[Label, ...]
    by_knob: bool = False
    held: tuple[Label, ...] = ()


class PlayingScreen(Screen):
    """Play: the hand's clock (play time without timeouts) and the totals.

    later: the players with the next own Go, because they gave the others a head start. later_s: the seconds until
    that Go; 0: now.
    """

    is_clocked: ClassVar[bool] = True
    hand: int
    target: int | None
    played_ns: int
    lines: tuple[TeamLine, ...]
    later: tuple[Label, ...] = ()
    later_s: int = 0


class StopScreen(Screen):
    """A call without a verdict yet. waiting: if all must press, the seats that have not pressed."""

    waiting: tuple[Label, ...] = ()


class VerdictScreen(Screen):
    """The verdict on a call. kind: "clear" or "tie"; grey: the measurement is in doubt.

    gap_ns: the time from the first press to the next (clear), or between the callers' presses (tie).
    last: the last press loses, and the callers pressed last or not at all. For a clear verdict, gap_ns is then the
    time from the press before theirs to theirs; None if they have not pressed.
    word: what players call out when they press ("Snap!"). hint: what players do until the game continues. airborne:
    the rule for cards in the air; a display without room for both shows that rule before the hint. answers: if all
    players judge the claim, each team with True, False, or None (not yet). by_vote: a vote decided, so no time is
    shown. refuted: callers whose call a vote found false. early: the callers pressed before GO, so they have lost.
    """

    kind: str
    grey: bool
    callers: tuple[Label, ...]
    next_caller: Label | None
    gap_ns: int | None
    tie_window_ns: int
    later: tuple[tuple[Label, int], ...] = ()  # later presses: label, ns after the first
    left_share: Fraction = Fraction(1)  # remaining part of its time, in 16ths
    late: tuple[tuple[Label, int], ...] = ()  # presses that arrived after the verdict: label, ns from the first press
    word: Msg = msg("claim.call")
    hint: Msg | None = None
    airborne: Msg | None = None
    answers: tuple[tuple[Label, bool | None], ...] | None = None
    last: bool = False
    by_vote: bool = False
    refuted: tuple[Label, ...] = ()
    later_err_ns: tuple[int, ...] = ()
    early: bool = False

    @property
    def is_alone(self) -> bool:
        """Return whether no other press is known, not even a late one or a false call."""
        others = self.next_caller or self.later or self.late or self.refuted
        return len(self.callers) == 1 and not others and not self.by_vote

    @property
    def is_close(self) -> bool:
        """Return whether the measurement cannot tell `doubted` apart, and no vote has decided."""
        return self.grey and not self.by_vote

    @property
    def doubted(self) -> tuple[Label, ...]:
        """Return the callers of a doubtful verdict, and who pressed next to a single one."""
        return self.callers if self.next_caller is None else (*self.callers, self.next_caller)


class PhotoScreen(Screen):
    """The recorded edges around a call. `span_ns`: the time from the left to the right edge.

    alone: no other station pressed. last: the last press loses; the tie window is then before the last press.
    """

    most_at_once: ClassVar[int] = PHOTO_LINES
    tie_window_ns: int
    span_ns: int
    lines: tuple[PhotoLine, ...]
    alone: bool = False
    last: bool = False


class CountScreen(Screen):
    """The counts of all teams.

    field_names: the headings of the fields. knob: the knob enters one of the counts. called: the callers; empty after
    the first seconds.
    """

    hand: int
    field_names: tuple[Msg, ...]
    cells: tuple[CountCell, ...]
    legend: bool = False  # no taps for 5 s: show what a tap and a hold do
    knob: bool = False
    called: tuple[Label, ...] = ()

    def is_paged(self) -> bool:
        return super().is_paged() or len(self.cells) > WITH_A_HINT  # a hint or a banner needs room


class StandingsScreen(Screen):
    """Totals and the scores of the last hand.

    notes: lines about who sits out. gains: a display with too little room for both shows the scores now, and the
    totals afterwards.
    """

    hands: int
    lines: tuple[TeamLine, ...]
    notes: tuple[Msg, ...] = ()
    gains: bool = False


class OverScreen(Screen):
    """The end of the match.

    notes: who plays next here, and who pays whom. If space is short, the display shows the ranking (`note` 0) and the
    notes (`note` from 1) one after the other.
    """

    most_at_once: ClassVar[int] = OVER_LINES
    hands: int
    winners: tuple[Label, ...]
    lines: tuple[TeamLine, ...]
    waiting: tuple[Label, ...] = ()
    notes: tuple[Msg, ...] = ()
    note: int = 0


class MenuScreen(Screen):
    """A list with a cursor. The `title` is big in TIME OUT and small in the knob's menu.

    value: the present value of the line that is open for changing; None if none is open. The value takes the place of
    the parameter `choice` in the line's text. about: an explanation of that value, or of the line at the cursor.
    """

    title: Part
    items: tuple[Part, ...]
    cursor: int
    big: bool = False
    waiting: tuple[Label, ...] = ()
    value: Part | None = None
    about: Msg | None = None


class RuleScreen(Screen):
    """A page of the rulebook's answer on the topic `title`, with its sources and page number."""

    title: Part
    text: Part
    sources: tuple[Msg, ...]
    page: int = 1
    pages: int = 1


class PowerBackScreen(Screen):
    """The device is on again after a power cut.

    All tap to continue. away_s: seconds without power, None if unknown. phase: the name of the interrupted phase.
    """

    away_s: int | None
    hand: int
    played_ns: int | None
    phase: str
    waiting: tuple[Label, ...] = ()


class VoteScreen(Screen):
    """A vote of all teams.

    subject: the teams that it is about. votes: each voter with True, False, or None (not yet).
    admits: a yes of the subject ends the vote. asleep: voters without an answer whose phones are asleep; the runtime
    sets this, the core does not.
    """

    question: Msg
    subject: tuple[Label, ...]
    votes: tuple[tuple[Label, bool | None], ...]
    left_s: int  # seconds until it ends automatically
    admits: bool = False
    asleep: tuple[Label, ...] = ()


class CallNowScreen(Screen):
    """The first stage when no player can play: players with an empty pile must call now.

    left_s: seconds left.
    """

    left_s: int


class SearchScreen(Screen):
    """The second stage when no player can play: all go through their cards `times` times.

    A tap says that the team found no move, a hold that it can play.
    """

    times: int
    answered: int
    teams: int
    waiting: tuple[Label, ...]


class BurnScreen(Screen):
    """The countdown to burning a card (moving the top card of a pile to its bottom).

    word: 3, 2, 1, burn; pile: stream, reserve, waste, stock.
    """

    word: Part
    pile: str
    burns: int  # burns since the last played card, this one included


class SeatQuestion(Value):
    """A question to the player who held a button (in 31: a knock? a 31?). A tap means yes."""

    label: Label
    question: Msg


class TurnScreen(Screen):
    """A game of turns: the team whose turn it is, and the standings.

    knocker: the team that knocked. left: after a knock, the number of turns until the hand ends, the present one
    included. questions: the questions without an answer yet.
    look: the team that the knob has chosen to get the turn. minimum: the least value for a knock, 0 for any.
    own_discard: whether players may take back a card that they themselves discarded.
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
    """A player has laid down a 31.

    waiting: who has not answered; left_s: seconds until it ends automatically.
    """

    declared: tuple[Label, ...]
    waiting: tuple[Label, ...]
    questions: tuple[SeatQuestion, ...]
    left_s: int


class Lamp(Value):
    """One station's lamp at an instant. `pattern`: what a web page animates until the next view.

    Patterns: dark, steady, slow (1 Hz: waiting for your answer), double (you hold the reserve), beat, all_on, pulse3,
    alternate (tied seats in turn), fault (one short flash in 3 s), wink (confirms a gesture).
    """

    station: str
    lit: bool
    pattern: str


class ClockLine(Value):
    """A clock other than the host's, e.g. a pod's: its seats and its current accuracy.

    bound_ns: the maximum error of a stamp taken now; None while it is disconnected or not known yet.
    """

    name: str
    numbers: tuple[int, ...]
    bound_ns: int | None


class PhoneLine(Value):
    """A phone that acts for a seat: its id on the device, and the seat's number.

    note: a text that the phone shows in place of the question to its player; None if there is no such text.
    """

    phone: str
    number: int
    note: Msg | None = None


class GivenPoints(Value):
    """Points given by the players: the team (its index in the sheet), the number, the reason."""

    team: int
    points: Fraction
    reason: Part = ""


class HandLine(Value):
    """A recorded hand. callers, leaders, corrected: indexes in the sheet's `teams`.

    end: how it ended, as a word of the game. scores: None for a team that did not play. totals: after the hand and the
    points given after it. leaders: teams that led after this hand. corrected: teams whose count was corrected later.
    calls: photo finishes; the last call ended the hand. reasons: the recorded reasons of corrections.
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
    """The match so far, its teams in seat order. start: the initial totals.

    calls: calls of the current hand that a vote found false. given: points given before the first hand. winners:
    indexes in `teams`; empty before the end.
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

    go_ns: the instant of GO during a countdown (past or future), else None. changes_at_ns: when this view changes next
    by time alone, None if never. invert: the whole screen is inverted (call, GO). banner: a line on every screen ("not
    saved"), None if all is well. dim: no input for 60 s. phones: the phones that act for a seat. revoked: the number
    of the event at which the device last forgot all phones. clocks: clocks other than the host's. lesson:
    instructions for newcomers, one line each; `lesson_line` is the index of the one on display.
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
    volume_percent: int = 100  # 0: only lamps and display
    brightness_percent: int = 100  # in percent of the configured contrast
    voice: str = "off"  # what is said aloud: off, verdicts, all
    toast: Msg | None = None  # a short message about a gesture: what was undone, or why it was refused
    clocks: tuple[ClockLine, ...] = ()
    phones: tuple[PhoneLine, ...] = ()
    revoked: int = 0
    rounds: bool = False  # players call a hand of this game a round
    dark: str = "call"  # the effect of a press on a dark button during a hand: see `Game.dark`
    lesson: tuple[Msg, ...] = ()
    lesson_line: int = 0
    match: MatchSheet | None = None  # the match so far; None before there is one
    call: PhotoScreen | None = None  # the call that is being judged or counted
    page: int = 0  # number of page turns, if the screen has several pages

    @property
    def speaks(self) -> bool:
        """Return whether the device is set to say texts aloud."""
        return self.voice != "off" and self.volume_percent > 0
