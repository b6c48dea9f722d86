"""The truth of a hand without its cards: who empties the reserve when, and what lies where at any moment.

Theory of operation. Every team has a `Run`: the instants, in play time since Go, at which each reserve card leaves and
each of its cards lands on the Lake. What a team would count at a stop is then a look-up, whenever the stop comes and
whoever calls it; the call itself is planned for the moment when the hand comes down on the button after the last
reserve card. The first team is drawn, the others follow at a distance: mostly far behind, sometimes in the same second
(listed after the call), sometimes within 20 ms (a tie), sometimes so near to 20 ms that no clock can tell.

Source of the limits: RULES.md 9. A team has at most pack - reserve cards on the Lake, so that
foundation + reserve left <= pack holds at every moment.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from random import Random

from referee.core.units import MS, US, S
from referee.core.values import Value, field

FIRST_NS = (75 * S, 200 * S)
"""When the fastest team presses, in play time."""
QUICK_NS = (2 * S, 12 * S)
"""The same in a game without packs that anybody counts: a few cards are turned, then somebody slaps or grabs."""
REACH_NS = (250 * MS, 600 * MS)
"""From the last reserve card to the button."""
TIE_PERCENT, NEAR_PERCENT, CLOSE_PERCENT = 10, 5, 30
"""How often the second team is within the tie window, within 0.7 ms of its edge, and within a second."""
TIE_NS, NEAR_NS, CLOSE_NS, FAR_NS = (0, 18 * MS), (19_300 * US, 20_700 * US), (60 * MS, 900 * MS), (4 * S, 90 * S)
LAKE_PERCENT = (40, 75)
"""How much of its pack a team has on the Lake when its reserve is empty."""


class Cards(Value):
    """A team's pack: how many cards, how many of them in the reserve at the start.

    kings: how many of them are counted apart on the Lake; 0 where no bonus is played for them. handicaps: the reserves
    of teams (by first number) that deal otherwise. turns: there is no race; people take turns with three cards each.
    """

    pack: int = 52
    reserve: int = 13
    kings: int = 0
    handicaps: Mapping[int, int] = field(default_factory=dict)
    turns: bool = False

    def reserve_of(self, team: int) -> int:
        """How many reserve cards that team deals."""
        return self.handicaps.get(team, self.reserve)


NNA_CARDS = Cards()


class CountedCards(Value):
    """What a team counts."""

    left: int
    lake: int
    kings: int = 0


class Run(Value):
    """One team's hand, all instants in play time: `press_ns` when its button comes down, each list ascending.

    kings_ns: those of `lake_ns` at which the card was a king that is counted.
    """

    press_ns: int
    reserve_ns: tuple[int, ...]
    lake_ns: tuple[int, ...]
    kings_ns: tuple[int, ...] = ()

    def at(self, played_ns: int) -> CountedCards:
        """What lies there at that moment of play: as many Lake cards as have left the reserve at least, since in a row
        on which nothing is built no card has another place, and twelve below each king.
        """
        gone = bisect_right(self.reserve_ns, played_ns)
        lake = max(bisect_right(self.lake_ns, played_ns), gone)
        kings = min(bisect_right(self.kings_ns, played_ns), lake // 13)
        return CountedCards(len(self.reserve_ns) - gone, lake, kings)


def race(rng: Random, teams: Sequence[int], cards: Cards, pace_percent: int = 100) -> dict[int, Run]:
    """Everybody's run of a new hand. `teams` are the teams' first numbers; a faster pace has a smaller percentage.

    Without a team there is no run: nobody of this company plays in the hand.
    """
    order = list(teams)
    rng.shuffle(order)
    first = rng.randint(*(FIRST_NS if cards.pack else QUICK_NS)) * pace_percent // 100
    presses = [first][: len(order)]
    while len(presses) < len(order):
        second = len(presses) == 1
        presses.append(first + (_second_ns(rng) if second else rng.randint(*FAR_NS) * pace_percent // 100))
    runs = {team: _run(rng, press, cards, cards.reserve_of(team)) for team, press in zip(order, presses, strict=True)}
    return {team: runs[team] for team in teams}


def _second_ns(rng: Random) -> int:
    """How far behind the first call the second team's press is."""
    dice = rng.randrange(100)
    if dice < TIE_PERCENT:
        return rng.randint(*TIE_NS)
    if dice < TIE_PERCENT + NEAR_PERCENT:
        return rng.randint(*NEAR_NS)
    return rng.randint(*(CLOSE_NS if dice < TIE_PERCENT + NEAR_PERCENT + CLOSE_PERCENT else FAR_NS))


def _run(rng: Random, press_ns: int, cards: Cards, dealt: int) -> Run:
    empty = press_ns - rng.randint(*REACH_NS)
    reserve = sorted(rng.randint(min(2 * S, empty), empty) for _ in range(dealt - 1))
    low, high = (cards.pack * percent // 100 for percent in LAKE_PERCENT)
    most = cards.pack - dealt
    count = rng.randint(min(low, most), min(high, most))
    lake = sorted(rng.randint(2 * S, empty) for _ in range(count))
    kings = sorted(rng.sample(lake, rng.randint(0, min(cards.kings, count)))) if cards.kings else ()
    return Run(press_ns, (*reserve, empty), tuple(lake), tuple(kings))


class Hand:
    """A hand in progress: the runs, and the clock of play with its pauses left out.

    early: team -> when it will call with cards left. pause_ns, stuck_ns: when somebody asks for a timeout, and when
    nobody can move; None: not in this hand. All in play time.
    """

    def __init__(self, runs: dict[int, Run]) -> None:
        self.runs = runs
        self.early: dict[int, int] = {}
        self.pause_ns: int | None = None
        self.stuck_ns: int | None = None
        self._played_ns = 0
        self._since_ns: int | None = None

    @property
    def running(self) -> bool:
        """Whether cards move: the clock of play runs."""
        return self._since_ns is not None

    def run(self, go_ns: int) -> None:
        """The clock of play runs from `go_ns` on."""
        self._since_ns = go_ns

    def pause(self, at_ns: int) -> None:
        """The clock of play stops; what was played so far is kept."""
        self._played_ns = self.played_ns(at_ns)
        self._since_ns = None

    def played_ns(self, at_ns: int) -> int:
        """Play time up to that instant."""
        return self._played_ns + (max(at_ns - self._since_ns, 0) if self._since_ns is not None else 0)

    def tally(self, team: int, at_ns: int) -> CountedCards | None:
        """What the team would count now; None when it has no cards in this hand."""
        run = self.runs.get(team)
        return run.at(self.played_ns(at_ns)) if run else None

    def press_at_ns(self, team: int, now_ns: int) -> int | None:
        """When that team's button will come down if play goes on from now; an overdue one: now."""
        run = self.runs.get(team)
        if run is None:
            return None
        return self.at_ns(min(self.early.get(team, run.press_ns), run.press_ns), now_ns)

    def at_ns(self, played_ns: int, now_ns: int) -> int:
        """When the hand will have been played for so long if play goes on from now; what is overdue: now."""
        return now_ns + max(played_ns - self.played_ns(now_ns), 0)

    @property
    def first_press_ns(self) -> int:
        """The first call that will stand, in play time."""
        return min((run.press_ns for run in self.runs.values()), default=0)
