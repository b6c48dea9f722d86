"""A whole evening in simulated time: the Engine and the bots.

Theory of operation. Time jumps to the next event: a deadline of the Engine, a change of the view by time, a bot's
move. The moves of one touch are passed on together (`TOUCH_NS`; no bot reacts within it), as edge rows with the
error that a GPIO has, or as a pod's if the setup has the button on one. Then the bots look at the result. The
same setup, bots and seed give the same rows, event for event.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Decision, Fact, Opened, Turned
from referee.core.model.table import Setup
from referee.core.model.view import View
from referee.core.presses.signals import Edge
from referee.core.units import US, S
from referee.simulator.table.bots import Bots
from referee.simulator.table.card_rules import cards_of
from referee.simulator.table.contacts import SETTLE_NS, Action, Move
from referee.simulator.table.pods import SimulatedPods
from referee.simulator.table.transcript import MatchRecord, Recorder

ERR_NS = 300 * US
"""The error of a GPIO row, as in drivers/buttons.py."""
TOUCH_NS = SETTLE_NS
START_NS = 1_000 * S
IDLE_NS = 900 * S
"""Time without a move after which a table is taken to be stuck for good."""
AFTER_NS = 10 * S


class StuckError(RuntimeError):
    """Nothing happens any more: the device asks nothing of any player, and no one moves."""


class Evening:
    """A simulated evening at one table, from the lobby on.

    `journal` is called with new rows for the journal, `watch` with each new view.
    """

    def __init__(
        self,
        setup: Setup,
        bots: Bots,
        *,
        journal: Callable[[Sequence[JournalRow]], object] | None = None,
        watch: Callable[[View], object] | None = None,
        err_ns: int = ERR_NS,
    ) -> None:
        self.engine = Engine(Opened(START_NS, "evening", setup.document()))
        self.sit(bots)
        self.now_ns = START_NS
        self._recorder = Recorder()
        self._journal = journal
        self._watch = watch
        self._err_ns = err_ns
        self._remote = frozenset(setup.remote)
        self._pods = SimulatedPods(setup.remote, seed=1)
        self._moved_ns = START_NS
        self.engine.intake(self._pods.links(START_NS), START_NS)
        self._hand_over()
        self._look()

    def play(self, matches: int = 1) -> list[MatchRecord]:
        """Play until this many matches are over and no button is down.

        Raises StuckError if the table gets stuck before.
        """
        over_ns = self.now_ns
        while len(self._recorder.matches) < matches or self._moves_by(over_ns + AFTER_NS):
            over_ns = self.now_ns if len(self._recorder.matches) < matches else over_ns
            self.step()
        return self._recorder.matches

    def _moves_by(self, end_ns: int) -> bool:
        return (due := self.bots.next_ns()) is not None and due <= end_ns

    def sit(self, bots: Bots) -> None:
        """Let these bots press the buttons and use the knob from now on."""
        self.bots = bots
        bots.deal_by(lambda: cards_of(self.engine.state.table))

    def step(self) -> None:
        """Advance to the next move of a bot, or to the core's next deadline, and handle it."""
        due = self.bots.next_ns()
        self.now_ns = max(self.now_ns, self._next_ns(due))
        actions = self.bots.moves(self.now_ns + TOUCH_NS) if due is not None and due <= self.now_ns else []
        if actions:
            self.now_ns = self._moved_ns = max(self.now_ns, actions[-1].t_ns)
        self.engine.intake([self._fact(action) for action in actions], self.now_ns)
        self._hand_over()
        self._look()

    def _next_ns(self, bots_ns: int | None) -> int:
        times = [t for t in (self.engine.deadline_ns, self._view.changes_at_ns, bots_ns) if t is not None]
        if not times or min(times) > self._moved_ns + IDLE_NS:
            raise StuckError(f"nothing has happened since {self._moved_ns} ns in phase {self._view.phase}")
        return min(times)

    def _fact(self, action: Action) -> Fact:
        """Return the fact that a bot's action causes: an edge of a contact, or a turn of the knob."""
        if not isinstance(action, Move):
            return Turned(action.t_ns, action.detents)
        if action.contact in self._remote:
            return self._pods.edge(action)
        return Edge(action.contact, action.closed, action.t_ns, self._err_ns)

    def _hand_over(self) -> None:
        rows = self.engine.take().rows
        for _, event in rows:
            if isinstance(event, Decision):
                self._recorder.take_decision(event, self.bots.company.truth(), self.bots.company.sorted_at_ns)
        if self._journal is not None and rows:
            self._journal(rows)

    def _look(self) -> None:
        self._view: View = self.engine.view(self.now_ns)
        self._recorder.look(self._view)
        if self._watch is not None:
            self._watch(self._view)
        self.bots.look(self._view, self.now_ns)
