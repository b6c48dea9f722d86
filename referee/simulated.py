"""Who plays at the simulated table without a real button: fingers on the mock pins, and bots."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from referee.core.events import Cue
from referee.core.signals import KNOB
from referee.core.state import Table
from referee.core.units import S
from referee.core.view import Lamp, View
from referee.drivers.pinmap import Profile

BOT_PACE_PERCENT = 35
"""Dealing, playing and sorting at a third of their time: a visitor wants to see a match, not to wait for shuffling."""
BOT_PATIENCE_NS = 12 * S
"""How long bots leave the lobby to a visitor before they start."""
Clock = Callable[[], int]


class Hands:
    """The page's and the bots' fingers on the mock pins: from here on it is the same path as on the Pi."""

    def __init__(self, factory: Any, wiring: Profile) -> None:
        self._factory = factory
        self._gpios = {station: pin.gpio for station, pin in wiring.stations().items()}
        self._gpios[KNOB] = wiring.gpio("ENC_SW")
        self._encoder = (wiring.gpio("ENC_A"), wiring.gpio("ENC_B"))

    def contact(self, name: str, closed: bool) -> None:
        """Close or open a contact (to ground) now."""
        if name in self._gpios:
            self._factory.drive(self._gpios[name], 0 if closed else 1)

    def contact_at(self, name: str, closed: bool, t_ns: int) -> None:
        """The same at an instant that has just passed."""
        self._factory.edge(self._gpios[name], t_ns, 0 if closed else 1)

    def visitors(self, count: int) -> None:
        """So many people have the page open."""

    def turn(self, steps: int) -> None:
        """Turn the knob by that many detents, four transitions each."""
        first, second = self._encoder if steps > 0 else self._encoder[::-1]
        for _ in range(abs(steps)):
            for gpio, level in ((first, 0), (second, 0), (first, 1), (second, 1)):
                self._factory.drive(gpio, level)


class BotOutput:
    """Bots at the simulated table: they look at each view and move contacts at their own time.

    `deliver` belongs into the loop's drain, so that a read begun at an instant has every move up to it; `wake` is
    called when the next one is due, and delivers.
    """

    def __init__(
        self,
        stations: Sequence[str],
        hands: Hands,
        wake: Callable[[], None],
        clock: Clock,
        table: Callable[[], Table],
    ) -> None:
        """`table`: the one they play at, for its packs and nothing else."""
        from referee.table.bots import Bots
        from referee.table.manners import COMPANIES, USUAL
        from referee.table.packs import cards_of

        self._bots = Bots(
            stations,
            clock(),
            pace_percent=BOT_PACE_PERCENT,
            quiet_ns=BOT_PATIENCE_NS,
            rematches=None,
            manners=COMPANIES[USUAL],
        )
        self._bots.deal_by(lambda: cards_of(table()))
        self._hands, self._wake, self._clock = hands, wake, clock
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._view: View | None = None

    def show(self, view: View) -> None:
        """See live.Output."""
        self._view = view
        self._look()

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """See live.Output."""
        if self._view is not None:
            self._view = replace(self._view, lamps=tuple(lamps))
            self._look()

    def sound(self, cue: Cue) -> None:
        """Bots are deaf."""

    def deliver(self) -> None:
        """Everything that the bots have done up to now, to the pins."""
        from referee.table.contact import Move

        for action in self._bots.moves(self._clock()):
            if isinstance(action, Move):
                self._hands.contact_at(action.contact, action.closed, action.t_ns)
            else:
                self._hands.turn(action.detents)
        self._plan()

    def close(self) -> None:
        """Hands off."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        if self._view is not None:
            self._bots.look(self._view, self._clock())
            self._plan()

    def _plan(self) -> None:
        self.close()
        due = self._bots.next_ns()
        if due is not None:
            self._timer = self._loop.call_later(max(due - self._clock(), 0) / S, self._wake)
