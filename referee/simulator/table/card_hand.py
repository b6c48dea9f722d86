"""One hand of cards, with all players moving at the same time and at their own pace.

Theory of operation. A queue holds each player's next step by instant: look (and choose), send (a card leaves its
place, unless another player was quicker), finish (a card is put on a work pile, the stock is turned). Between two
steps, the cards in the air land by themselves (`core/cards/flights.py`). Misplaced cards go back and disputed
places are decided; all players wait for that.

A hand is played ahead of the table's time and recorded (`at`), because the device can change it only by stopping it.
`run` continues until a player's hand is on its way to the button, or until all players agree that no move is left.
`stop` discards what would have come later and lets the cards in the air land or return. `resume` continues from there.

All randomness comes from one seeded generator; the same seed and the same stops give the same hand.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from heapq import heappop, heappush
from itertools import count
from random import Random

from referee.core.cards.apply import apply_move
from referee.core.cards.check import breach
from referee.core.cards.flights import Motion, act, advance, away, decide, fumble, in_motion, put_back, send
from referee.core.cards.idle import SEARCHES, cycles_of
from referee.core.cards.pack import Pile
from referee.core.cards.position import TABLE, Lull, Position, Tableau, with_backs
from referee.core.cards.rules import CALL, PLAY, SINK, TURN, TURN_OVER, CardMove, IllegalMoveError
from referee.core.units import MS, S
from referee.core.values import replace
from referee.simulator.table.card_player import APART_NS, MEND_NS, CardPlayer
from referee.simulator.table.cards_document import move_meant

AGREE_NS = (3 * S, 8 * S)
"""Range of times until the players agree that none of them can play."""
NOTICE_NS = (800 * MS, 2500 * MS)
"""Range of times until a misplaced card is taken back or a disputed place is decided."""
REGRET_NS = (150 * MS, 400 * MS)
"""Range of pauses after a plan that failed."""
LOOK_AGAIN_NS = 3 * S
"""When to compute more card moves: this many ns before the last one computed.

After a press without effect, they are computed this much later.
"""
LET_GO_NS = 120 * MS
"""Time until a card lands that a user of the web page has let go of."""
LINGER_NS = S
"""Time after a press in which players who have not noticed the stop may still press."""


class CardHand:
    """One simulated hand of cards, from the deal `start` to its end.

    `players`: all people who move cards; a team of two partners has two.

    calls: team's number -> instant at which its player's hand hits the button, if known. early: team's number -> number
    of reserve cards at which it calls as if it had none. idle_ns: when all have agreed that no move is left.
    looks_on_ns: when to call `run` again; None: no more moves follow.
    """

    def __init__(self, rng: Random, start: Position, players: Sequence[CardPlayer]) -> None:
        self._rng = rng
        self._players = tuple(players)
        self.motion = in_motion(start, 0, APART_NS)
        self.calls: dict[int, int] = {}
        self.early: dict[int, int] = {}
        self.idle_ns: int | None = None
        self.looks_on_ns: int | None = None
        self._queue: list[tuple[int, int, int, CardMove | None]] = []
        self._numbers = count()
        self._past: list[Motion] = [self.motion]
        self._active: frozenset[int] = frozenset()
        self._waiting: set[int] = set()
        self._seen_through: dict[int, tuple[Tableau, tuple[Pile, ...]]] = {}
        """Team -> its cards and the foundations when it last looked and found no move."""
        self.by_hand: set[int] = set()
        """Indices of players whose cards users of the web page move.

        While there are any, nothing is computed ahead.
        """

    # -- playing ahead of the table's time ----------------------------------------------------------------------------

    def resume(self, active: Collection[int]) -> None:
        """Start or continue play for the teams of these numbers. Other teams move no cards."""
        self._waiting.clear()
        self._active = frozenset(active)
        for who, player in enumerate(self._players):
            if player.team in active and who not in self.by_hand:
                self._plan(who, player.within(player.skill.think_ns))

    def run(self, now_ns: int, ahead_ns: int) -> None:
        """Compute play until the next press is known, or until `ahead_ns` after `now_ns`.

        now_ns: the play time that the table has reached.
        """
        ahead_ns = 0 if self.by_hand else ahead_ns
        self.looks_on_ns = now_ns + max(ahead_ns - LOOK_AGAIN_NS, ahead_ns // 4)
        while self._queue and self._queue[0][0] <= self._until_ns(now_ns, now_ns + ahead_ns):
            at_ns, _, who, move = heappop(self._queue)
            self._pass_to(at_ns)
            self._step(who, self._players[who], move)
            self._look_around()
            self._past.append(self.motion)
        if not self._queue:
            self.looks_on_ns = None
        elif self.by_hand:
            self.looks_on_ns = max(self._queue[0][0], now_ns + 1)
        elif (press_ns := self._pressed_ns(now_ns)) is not None:
            self.looks_on_ns = press_ns + LOOK_AGAIN_NS

    def _until_ns(self, now_ns: int, otherwise_ns: int) -> int:
        press_ns = None if self.by_hand else self._pressed_ns(now_ns)
        return otherwise_ns if press_ns is None else press_ns + LINGER_NS

    def _pressed_ns(self, now_ns: int) -> int | None:
        """Return the first press at or after `now_ns`; None if none is known.

        Earlier presses had no effect.
        """
        return min((at_ns for at_ns in self.calls.values() if at_ns >= now_ns), default=None)

    def at(self, played_ns: int) -> Motion:
        """Return the cards at that instant of play.

        If play is not computed so far, return the last known cards.
        """
        index = bisect_right(self._past, played_ns, key=_now_ns)
        return advance(self._past[max(index - 1, 0)], played_ns)

    # -- from the page ------------------------------------------------------------------------------------------------

    def set_pace(self, percent: int) -> None:
        """Set every player's pace in percent; 100 is a real player's pace."""
        for player in self._players:
            player.pace_percent = percent

    def do(self, who: int, text: str, at_ns: int) -> None:
        """Make a move for that player, as a user of the web page has sent it (cards_document.py).

        Raises IllegalMoveError with the rule that forbids it, or DocumentError if the text is no move. Then nothing
        changes.
        """
        team = self._players[who].team
        motion = advance(self.motion, max(at_ns, self.motion.now_ns))
        move = move_meant(motion.position, team, text)
        rule = breach(motion.position, move, away(motion, team)) if move.kind == PLAY else None
        if rule is not None or move.kind == CALL:
            raise IllegalMoveError(rule or "place", move, text)
        if move.kind == PLAY:
            self.motion = send(motion, move, motion.now_ns, motion.now_ns + LET_GO_NS)
        else:
            self.motion = act(motion, move, motion.now_ns)
        if self.idle_ns is None:
            self._look_around()
        elif move.kind not in _ROUTINE:  # a move was possible after all
            self.idle_ns = None
            self.resume(self._active)
        self._past.append(self.motion)

    def changes_ns(self, played_ns: int) -> int | None:
        """Return when the next card moves after `played_ns`; None if not computed yet."""
        index = bisect_right(self._past, played_ns, key=_now_ns)
        lands = [flight.lands_ns for flight in self._past[max(index - 1, 0)].flights if flight.lands_ns > played_ns]
        return min([*(later.now_ns for later in self._past[index : index + 1]), *lands], default=None)

    def stop(self, at_ns: int, *, called: bool) -> None:
        """Stop play. Cards in the air land; after a call, the rules can make them return.

        If cards landed on one place at the same time, one of them stays. Misplaced cards are put back.
        """
        motion = self.at(at_ns)
        while motion.disputed:
            motion = self._decide_dispute(motion)
        if called and not motion.position.rules.in_flight_lands:
            motion = replace(motion, flights=())
        motion = advance(motion, max((flight.lands_ns for flight in motion.flights), default=at_ns))
        while motion.disputed:
            motion = self._decide_dispute(motion)
        while motion.astray:
            motion = put_back(motion)
        mended = (at_ns,) * len(motion.position.teams)
        self._settle(replace(motion, now_ns=at_ns, mended_ns=mended))

    def _settle(self, motion: Motion) -> None:
        self.motion, self._past = motion, [motion]
        self._queue.clear()
        self.calls.clear()
        self.idle_ns = self.looks_on_ns = None

    def _plan(self, who: int, in_ns: int, move: CardMove | None = None) -> None:
        """Plan when that player makes the move; without a move, when the player looks at the cards."""
        heappush(self._queue, (self.motion.now_ns + in_ns, next(self._numbers), who, move))

    def _pass_to(self, at_ns: int) -> None:
        self.motion = advance(self.motion, at_ns)

    # -- one person ---------------------------------------------------------------------------------------------------

    def _step(self, who: int, player: CardPlayer, move: CardMove | None) -> None:
        if move is None:
            self._look(who, player)
        elif move.kind == PLAY:
            self._send(who, player, move)
        elif move.kind == CALL:
            self.calls[player.team] = self.motion.now_ns
        else:
            self._finish(who, player, move)

    def _look(self, who: int, player: CardPlayer) -> None:
        choice = self._early(player) or self._choice(player)
        think_ns = player.within(player.skill.think_ns)
        if choice is None:
            self._seen_through[player.team] = self._before(player.team)
            self._plan(who, think_ns)
        elif choice.kind == PLAY:
            self._plan(who, think_ns, choice)
        elif choice.kind != CALL:
            thought_ns = think_ns if choice.kind not in _ROUTINE else 0
            self._plan(who, thought_ns + player.takes_ns(choice), choice)
        elif player.team not in self._waiting:
            self._waiting.add(player.team)
            self._plan(who, player.takes_ns(choice), choice)

    def _choice(self, player: CardPlayer) -> CardMove | None:
        return player.choose(with_backs(self.motion.position), away(self.motion, player.team))

    def _early(self, player: CardPlayer) -> CardMove | None:
        """Return a call if the team falsely takes its reserve for empty; else None."""
        left = len(self.motion.position.tableaux[player.team].reserve)
        return CardMove(player.team, CALL) if left <= self.early.get(player.team, -1) else None

    def _send(self, who: int, player: CardPlayer, move: CardMove) -> None:
        """Send the card on its way, unless it no longer fits at its target.

        Sometimes the player drops it.
        """
        now_ns, takes_ns = self.motion.now_ns, player.takes_ns(move)
        if breach(self.motion.position, move):
            self._plan(who, player.within(REGRET_NS))
            return
        try:
            self.motion = send(self.motion, move, now_ns, now_ns + takes_ns)
        except IllegalMoveError:  # the partner has the card, or is sorting dropped cards
            self._plan(who, player.within(REGRET_NS))
            return
        if player.fumbles():
            mend_ns = player.within(MEND_NS)
            self.motion = fumble(self.motion, player.team, now_ns, now_ns + mend_ns)
            takes_ns = mend_ns
        self._plan(who, takes_ns)

    def _finish(self, who: int, player: CardPlayer, move: CardMove) -> None:
        try:
            self.motion = act(self.motion, move, self.motion.now_ns)
        except IllegalMoveError:  # the foundations have changed, and the rules now require another card first
            self._plan(who, player.within(REGRET_NS))
            return
        self._plan(who, player.within(_GLANCE_NS))

    # -- all together -------------------------------------------------------------------------------------------------

    def _look_around(self) -> None:
        """Let players put right what is wrong, and end play when no player has a move.

        If cards landed on one place at the same time, one of them stays. Misplaced cards are put back.
        """
        while self.motion.disputed:
            self._pass_to(self.motion.now_ns + self._rng.randint(*NOTICE_NS))
            self.motion = self._decide_dispute(self.motion)
        while self.motion.astray:
            self._pass_to(self.motion.now_ns + self._rng.randint(*NOTICE_NS))
            self.motion = put_back(self.motion)
        if not self.motion.flights and self._gone_through():
            self.idle_ns = self.motion.now_ns + self._rng.randint(*AGREE_NS)
            self._queue.clear()

    def _decide_dispute(self, motion: Motion) -> Motion:
        first = self._rng.choice(motion.disputed[0])
        return decide(motion, first.move.team)

    def _gone_through(self) -> bool:
        """Return whether every playing team with reserve cards has searched its stock in vain.

        Count only searches since the last play of any team. Ignore teams without reserve cards, because they call, and
        teams that are out of the hand.
        """
        position = self.motion.position
        if self._waiting.difference(self.calls):
            return False  # a player is about to press
        rounds = SEARCHES if position.rules.stuck == "burn" and not position.lull.burns else 1
        playing = {self._players[who].team for who in self.by_hand} | self._active
        return all(
            team not in playing or cycles >= rounds or not side.reserve or self._without_stock(team)
            for team, (side, cycles) in enumerate(zip(position.tableaux, cycles_of(position), strict=True))
        )

    def _without_stock(self, team: int) -> bool:
        """Return whether the team has neither stock nor waste, and no player of it sees a move."""
        side, foundations = self._before(team)
        if side.stock or side.waste:
            return False
        plays = (player.team for who, player in enumerate(self._players) if who not in self.by_hand)
        waits = team in self._active and team in plays
        known_side, known_foundations = self._seen_through.get(team, (None, None))
        return not waits or (known_side is side and known_foundations is foundations)

    def _before(self, team: int) -> tuple[Tableau, tuple[Pile, ...]]:
        return self.motion.position.tableaux[team], self.motion.position.foundations

    # -- while play is paused -----------------------------------------------------------------------------------------

    def finds(self, team: int, rounds: int) -> bool:
        """Return whether that team finds a play while it turns its whole stock `rounds` times.

        The cards of the hand do not change.
        """
        player = next(player for player in self._players if player.team == team)
        position = self.motion.position
        for _ in range(rounds):
            cycled = cycles_of(position)[team]
            while cycles_of(position)[team] == cycled:
                move = player.choose(with_backs(position), ())
                if move is None:
                    return False
                if move.kind == SINK:  # only without another move; it is not a play
                    move = CardMove(team, TURN if position.tableaux[team].stock else TURN_OVER)
                if move.kind not in _ROUTINE[:2]:
                    return move.kind != CALL
                position = apply_move(position, move)
        return False

    def look_again(self) -> None:
        """Forget how often each team has turned its waste over since the last play or burn.

        Call this when play goes on without a joint move. Then the players go through their stocks again.
        """
        position = self.motion.position
        self._settle(replace(self.motion, position=replace(position, lull=replace(position.lull, cycles=()))))

    def together(self, kind: str) -> None:
        """Put every team's waste back into its stock. Then make the joint move `kind`, e.g. a burn."""
        position = self.motion.position
        for team in range(len(position.teams)):
            position = _after_search(position, team)
        self._settle(replace(self.motion, position=apply_move(position, CardMove(TABLE, kind))))

    @property
    def lull(self) -> Lull:
        """Return how often teams have searched their stocks and burnt cards since the last play."""
        return self.motion.position.lull


def _after_search(position: Position, team: int) -> Position:
    """Return the position after that team has turned its whole stock, and then its waste over.

    A team without waste turns nothing.
    """
    while position.tableaux[team].waste:
        kind = TURN if position.tableaux[team].stock else TURN_OVER
        position = apply_move(position, CardMove(team, kind))
    return position


def _now_ns(motion: Motion) -> int:
    return motion.now_ns


_ROUTINE = (TURN, TURN_OVER, CALL)
"""Moves that need no thinking."""
_GLANCE_NS = (80 * MS, 200 * MS)
"""Range of times until a player looks at the cards again after a move."""
