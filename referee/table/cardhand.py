"""One hand of cards in simultaneous time: everybody looks, decides, moves, each with own hands and own pace.

Theory of operation. There is a queue of what people do next, by instant: look (and choose), send (a card leaves its
place, unless another hand was quicker), finish (a card is let go of in the River, the stock is turned). Between two of
those the cards in the air land by themselves (`core/cards/flights.py`); what lies wrong goes back, a disputed place is
decided, and all wait for it. When the table is idle they agree, after a pause, on the way out that its rules know.

Everything comes from one seeded generator; the same seed gives the same hand. Not yet played by the bots of evenings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from itertools import count
from random import Random

from referee.core.cards.check import breach
from referee.core.cards.deal import deal
from referee.core.cards.flights import (
    BEATEN,
    DISPUTED,
    Landings,
    act,
    advance,
    away,
    decide,
    fumble,
    in_motion,
    put_back,
    send,
)
from referee.core.cards.legal import legal_moves
from referee.core.cards.moves import ABANDON, BURN_RESERVE, END, PLAY, CardMove, IllegalMoveError
from referee.core.cards.position import TABLE, Position
from referee.core.cards.rules import CardRules
from referee.core.cards.sight import seen
from referee.core.units import MS, S
from referee.core.values import Value
from referee.table.player import MEND_NS, CardPlayer, Skill

APART_NS = 30 * MS
"""Two landings closer than this look like one (our assumption)."""
AGREE_NS = (3 * S, 8 * S)
"""Until a table that is idle has agreed on what to do."""
NOTICE_NS = (800 * MS, 2500 * MS)
"""Until a card that lies wrong is taken back, or a disputed place decided."""
REGRET_NS = (150 * MS, 400 * MS)
"""A plan that came to nothing."""
WAYS_OUT = {"burn": 12, "rotate": 4, "redeal-stock": 1}
"""How often a table tries its way out before it ends the hand."""


class PlayedHand(Value):
    """A hand as it was played: the last position, its length, and how often things happened.

    stuck: ways out that the table took together, its end of the hand included. beaten: cards that came second.
    """

    position: Position
    length_ns: int
    stuck: int
    beaten: int
    disputed: int
    fumbled: int


class CardHand:
    """One hand, from the deal to its end. `skills`: by team's number."""

    def __init__(self, rng: Random, rules: CardRules, teams: Sequence[str], skills: Sequence[Skill]) -> None:
        packs = [tuple(rng.sample(rules.pack, len(rules.pack))) for _ in teams]
        self._rng = rng
        self._players = [CardPlayer(rng, team, skill) for team, skill in enumerate(skills)]
        self.motion = in_motion(deal(rules, teams, packs), 0, APART_NS)
        self._queue: list[tuple[int, int, int, CardMove | None]] = []
        self._numbers = count()
        self._happened = dict.fromkeys((BEATEN, DISPUTED), 0)
        self._stuck = self._fumbled = 0

    def play(self) -> PlayedHand:
        """Until the hand has ended."""
        for player in self._players:
            self._plan(player.team, player.within(player.skill.think_ns))
        while not self.motion.position.end:
            at_ns, _, team, move = heappop(self._queue)
            self._pass_to(at_ns)
            self._step(self._players[team], move)
            self._look_around()
        happened = self._happened
        return PlayedHand(
            self.motion.position, self.motion.now_ns, self._stuck, happened[BEATEN], happened[DISPUTED], self._fumbled
        )

    def _plan(self, team: int, in_ns: int, move: CardMove | None = None) -> None:
        """What the team does next: that move, or a look."""
        heappush(self._queue, (self.motion.now_ns + in_ns, next(self._numbers), team, move))

    def _pass_to(self, at_ns: int) -> None:
        self.motion, landings = advance(self.motion, at_ns)
        self._note(landings)

    def _note(self, landings: Landings) -> None:
        for landing in landings:
            if landing.outcome in self._happened:
                self._happened[landing.outcome] += 1

    # -- one person ---------------------------------------------------------------------------------------------------

    def _step(self, player: CardPlayer, move: CardMove | None) -> None:
        if move is None:
            self._look(player)
        elif move.kind == PLAY:
            self._send(player, move)
        else:
            self._finish(player, move)

    def _look(self, player: CardPlayer) -> None:
        choice = player.choose(seen(self.motion.position), away(self.motion, player.team))
        think_ns = player.within(player.skill.think_ns)
        if choice is None:
            self._plan(player.team, think_ns)
        elif choice.kind == PLAY:
            self._plan(player.team, think_ns, choice)
        else:
            thought_ns = think_ns if choice.kind not in _ROUTINE else 0
            self._plan(player.team, thought_ns + player.takes_ns(choice), choice)

    def _send(self, player: CardPlayer, move: CardMove) -> None:
        """The card leaves its place, unless another one lies there by now, or it falls."""
        now_ns, takes_ns = self.motion.now_ns, player.takes_ns(move)
        if breach(self.motion.position, move):
            self._plan(player.team, player.within(REGRET_NS))
            return
        self.motion, _ = send(self.motion, move, now_ns, now_ns + takes_ns)
        if player.fumbles():
            mend_ns = player.within(MEND_NS)
            self.motion, _ = fumble(self.motion, player.team, now_ns, now_ns + mend_ns)
            self._fumbled += 1
            takes_ns = mend_ns
        self._plan(player.team, takes_ns)

    def _finish(self, player: CardPlayer, move: CardMove) -> None:
        try:
            self.motion, landings = act(self.motion, move, self.motion.now_ns)
        except IllegalMoveError:  # the foundations have changed, and the rules ask for another card first
            self._plan(player.team, player.within(REGRET_NS))
            return
        self._note(landings)
        self._plan(player.team, player.within(_GLANCE_NS))

    # -- all together -------------------------------------------------------------------------------------------------

    def _look_around(self) -> None:
        """Who watches puts wrong cards back and decides disputes; an idle table finds its way out."""
        while self.motion.disputed:
            self._pass_to(self.motion.now_ns + self._rng.randint(*NOTICE_NS))
            first = self._rng.choice(self.motion.disputed[0])
            self.motion, _ = decide(self.motion, 0, (first.move.team,))
        while self.motion.astray:
            self._pass_to(self.motion.now_ns + self._rng.randint(*NOTICE_NS))
            self.motion, _ = put_back(self.motion, self.motion.astray[0].move.target)
        if not self.motion.flights and (ways := legal_moves(self.motion.position, TABLE)):
            self._way_out({move.kind: move for move in ways})

    def _way_out(self, ways: Mapping[str, CardMove]) -> None:
        limit = WAYS_OUT.get(self.motion.position.rules.stuck, 0)
        tired = self.motion.position.lull.burns >= limit
        kinds = [END, ABANDON] if tired else [BURN_RESERVE]
        move = next((ways[kind] for kind in kinds if kind in ways), next(iter(ways.values())))
        self._pass_to(self.motion.now_ns + self._rng.randint(*AGREE_NS))
        self.motion, _ = act(self.motion, move, self.motion.now_ns)
        self._stuck += 1
        self._queue.clear()
        for player in self._players:
            self._plan(player.team, player.within(player.skill.think_ns))


_ROUTINE = ("turn", "turn over", "call")
"""What nobody thinks about."""
_GLANCE_NS = (80 * MS, 200 * MS)
"""Until the eyes are at the cards again after something done by oneself."""
