"""An evening in fast time whose device loses its power."""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Fact, Resumed
from referee.core.units import S
from referee.simulator.table.contacts import Action, Move
from referee.simulator.table.evening import Evening


class CutEvening(Evening):
    """An evening that `power_cut` interrupts."""

    _closed: frozenset[str] = frozenset()

    def power_cut(self, rows: Sequence[JournalRow], away_ns: int) -> None:
        """Turn the device off for `away_ns` and restore it from `rows`, its journal.

        Presses meanwhile are lost.
        """
        self.now_ns += away_ns
        for action in self.bots.moves(self.now_ns):
            self._fact(action)
        self.engine = Engine.restored(rows)
        away_s, down = away_ns // S, tuple(sorted(self._closed))
        back = Resumed(self.now_ns, f"{self.now_ns}", away_s, down)
        self.engine.intake([back, *self._pods.links(self.now_ns)], self.now_ns)
        self._moved_ns = self.now_ns
        self._hand_over()
        self._look()

    def _fact(self, action: Action) -> Fact:
        if isinstance(action, Move):
            self._closed = self._closed - {action.contact} | ({action.contact} if action.closed else set())
        return super()._fact(action)
