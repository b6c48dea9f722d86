"""How people press: times and mistakes, from one seeded random generator per person.

All figures are assumptions (a tap takes 0.19 to 0.42 s, 1 % go wrong), to be replaced by measurements at a real table.

A company's manners say how often people err, forget, argue or pause. Shares are percent of the occasions on which it
could happen. They are our assumptions, to be replaced by observations at real tables. `calm` does none of it, for tests
of other things.

Between two hands people look at the standings; after a long evening they prefer to end the match. If claims follow
each other without a pause, people go on while the leader comes nearer to the target. A wrong claim may cost more than
right ones bring, and then the lead never rises.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random

from referee.core.model.view import (
    PlayingScreen,
    ReadyScreen,
    View,
)
from referee.core.units import MS, S
from referee.core.values import Value
from referee.simulator.table.contacts import Move, graze, press

LONG_MATCH = 24
"""Number of hands after which a table wants to end: stuck hands may never reach a target."""
IN_VAIN = 60
"""Number of claims after which a table gives up if no one has come nearer to the target.

That is more than three for each point if four share it. A match without a target has a good length then.
"""
AGAIN = 12
"""Number of hands after which a table asks again to end, if the vote was no."""

REACTION_NS = (200 * MS, 600 * MS)
TAP_NS = (60 * MS, 150 * MS)
CADENCE_NS = (190 * MS, 420 * MS)
LIFT_NS = 60 * MS
"""Minimum time between two taps."""
HOLD_MORE_NS = (150 * MS, 400 * MS)
"""Range of times by which a hold is longer than needed, until the lamp confirms it."""
SIT_NS = (500 * MS, 6 * S)
DEAL_NS, LONG_DEAL_NS = (28 * S, 64 * S), (66 * S, 95 * S)
AGAIN_NS = (1_500 * MS, 4 * S)
LOOK_NS = (2 * S, 5 * S)
UNHEARD_NS = (5 * S, 9 * S)
"""Range of times after which a person whose lamp still blinks tries again."""
SORT_NS, LONG_SORT_NS = (22 * S, 48 * S), (48 * S, 80 * S)
SLIP_PERCENT = 1
"""Percentage of taps in a count that are doubled or too light."""
BLIND_PERCENT = 10
"""Percentage of wrong digits that are overlooked, once in their field and again at the end."""
SEARCH_NS = (6 * S, 14 * S)
"""Range of times for going through the stock twice, in ns."""
TALK_NS = (3 * S, 12 * S)
"""Range of lengths of a timeout, in ns."""
FORGET_NS = (15 * S, 40 * S)
"""Range of times until a person who forgot to tap notices that the others wait."""
MASH_NS = (90 * MS, 160 * MS)
FLINCH_PER_MILLE = 15
"""How many of a thousand countdowns a person stops: dropped cards, a false start seen."""


class Human:
    """The random times and gestures of one simulated person.

    pace_percent: the pace of everything between presses; 100 is a real table's. ready_ns: range of times for gathering,
    shuffling and dealing, at any pace; None: as long as at a real table.
    """

    def __init__(self, rng: Random, hold_ns: int, pace_percent: int, ready_ns: tuple[int, int] | None = None) -> None:
        self.rng = rng
        self._ready_ns = ready_ns
        self._hold_ns = hold_ns
        self.pace_percent = pace_percent

    def take_ns(self, span: tuple[int, int]) -> int:
        """Draw a time from that range, at this table's pace; at least a reaction time."""
        return max(self.rng.randint(*span) * self.pace_percent // 100, self.reaction_ns())

    def reaction_ns(self) -> int:
        """Draw the time in ns from seeing something to the first movement."""
        return self.rng.randint(*REACTION_NS)

    def sort_ns(self) -> int:
        """Draw the time for sorting the cards on the foundations by their backs."""
        return self.take_ns(LONG_SORT_NS if self.percent(15) else SORT_NS)

    def deal_ns(self) -> int:
        """Draw the time for gathering, shuffling and dealing."""
        if self._ready_ns is not None:
            return self.rng.randint(*self._ready_ns)
        return self.take_ns(LONG_DEAL_NS if self.percent(3) else DEAL_NS)

    def percent(self, share: int) -> bool:
        """Return True in `share` percent of cases."""
        return self.rng.randrange(100) < share

    def per_mille(self, share: int) -> bool:
        """Return True in `share` per mille of cases."""
        return self.rng.randrange(1000) < share

    def tap(self, contact: str, t_ns: int) -> list[Move]:
        """Return the edges of one tap at that instant, with bounces."""
        return press(self.rng, contact, t_ns, self.rng.randint(*TAP_NS))

    def hold(self, contact: str, t_ns: int) -> list[Move]:
        """Return the edges of a press that is long enough for a hold, with bounces."""
        return press(self.rng, contact, t_ns, self._hold_ns + self.rng.randint(*HOLD_MORE_NS))

    def lean(self, contact: str, t_ns: int) -> list[Move]:
        """Return the edges of a press of 1 to 3 s by a person who leans on the button."""
        return press(self.rng, contact, t_ns, self.rng.randint(1 * S, 3 * S))

    def mash(self, contact: str, t_ns: int) -> list[Move]:
        """Return the edges of four to seven quick presses, made instead of one tap."""
        moves: list[Move] = []
        for _ in range(self.rng.randint(4, 7)):
            moves += press(self.rng, contact, t_ns, 50 * MS)
            t_ns = moves[-1].t_ns + self.rng.randint(*MASH_NS) - 50 * MS
        return moves

    def pound(self, contact: str, t_ns: int) -> list[Move]:
        """Return the edges of three taps, by a person who wants to be sure that one counts."""
        return self._beats(contact, t_ns, [self.tap] * 3)

    def taps(self, contact: str, t_ns: int, times: int) -> list[Move]:
        """Return the edges of `times` taps.

        One tap in a hundred is too light to be a press, or is made twice.
        """
        beats: list[Callable[[str, int], list[Move]]] = []
        for _ in range(times):
            slipped = self.percent(SLIP_PERCENT)
            light = slipped and self.percent(50)
            beats += [self._graze] if light else [self.tap, self.tap] if slipped else [self.tap]
        return self._beats(contact, t_ns, beats)

    def _graze(self, contact: str, t_ns: int) -> list[Move]:
        return graze(self.rng, contact, t_ns)

    def _beats(self, contact: str, t_ns: int, beats: list[Callable[[str, int], list[Move]]]) -> list[Move]:
        moves: list[Move] = []
        for beat in beats:
            moves += beat(contact, t_ns)
            t_ns = max(t_ns + self.rng.randint(*CADENCE_NS), moves[-1].t_ns + LIFT_NS)
        return moves


class Manners(Value):
    """How often simulated people do something, in percent of the occasions for it.

    mash, lean: at READY and after a vote or a search, press wildly or lean on the button instead of one tap. forget: do
    not tap until the screen shows who is missing. false_call: call in a hand with cards left. argue: contest a clear
    verdict, as a later caller. deny: vote against one's own false call. timeout: ask for a timeout in a hand. pairs:
    whether neighbours play as partners. skills: names of skills (card_player.py); each person has one of them.
    """

    mash: int = 0
    lean: int = 0
    forget: int = 0
    false_call: int = 0
    argue: int = 0
    deny: int = 0
    timeout: int = 0
    pairs: bool = False
    skills: tuple[str, ...] = ("easy", "normal", "strong", "expert")


CALM = Manners()
COMPANIES = {
    "calm": CALM,
    "friends": Manners(mash=6, lean=4, forget=3, false_call=4, argue=15, deny=10, timeout=4),
    "family": Manners(
        mash=15,
        lean=15,
        forget=10,
        false_call=8,
        argue=10,
        deny=5,
        timeout=10,
        pairs=True,
        skills=("easy", "easy", "normal", "strong"),
    ),
    "wild": Manners(mash=50, lean=30, forget=20, false_call=35, argue=60, deny=40, timeout=30),
}
"""Name -> behaviour, for `referee demo --company` and `run --bots`."""
USUAL = "friends"


class Patience:
    """Decides when people have had enough of a match, from the totals that they see."""

    def __init__(self) -> None:
        self.weary = False
        """Whether the match has gone on for so long that the table wants to end it."""
        self._hand = 0
        self._lead: Fraction | None = None
        self._nearer = 0
        """The hand before which the best total last rose above all earlier ones."""
        self._ask_at = 0

    @property
    def asks(self) -> bool:
        """Return whether a player now wants to ask for a vote to end the match."""
        return self.weary and self._hand >= self._ask_at

    def look(self, view: View, *, rests: bool) -> None:
        """Record the totals on the screen. `rests`: whether all must tap between two hands."""
        screen = view.screen
        if isinstance(screen, ReadyScreen):
            self._begin(screen.hand)
            self.weary = rests and screen.hand > LONG_MATCH
        elif isinstance(screen, PlayingScreen) and not rests:
            self._begin(screen.hand)
            lead = max(line.total for line in screen.lines)
            if screen.target and (self._lead is None or lead > self._lead):
                self._lead, self._nearer = lead, screen.hand
            self.weary = screen.hand - self._nearer > IN_VAIN

    def has_asked(self) -> None:
        """Record that a player has asked to end the match.

        If the vote is no, the next request comes `AGAIN` hands later.
        """
        self._ask_at = self._hand + AGAIN

    def _begin(self, hand: int) -> None:
        """Record the hand's number. A lower one than before means a new match: forget the lead of the old one."""
        if hand < self._hand:
            self._lead, self._nearer, self._ask_at = None, 0, 0
        self._hand = hand
