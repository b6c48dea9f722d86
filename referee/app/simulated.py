"""Who plays at the simulated table without a real button: fingers on the mock pins, and bots."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from referee.app.guard import Clock, Output
from referee.core.messages import Msg
from referee.core.model.registry import game_of
from referee.core.model.table import Table
from referee.core.model.view import Lamp, LobbyScreen, MenuScreen, Screen, View
from referee.core.presses.signals import KNOB, PRESS_NS, RELEASE_NS
from referee.core.units import MS, S
from referee.core.values import Document, replace
from referee.drivers.pins.pinmap import Profile

if TYPE_CHECKING:
    from referee.table.pods import LooseButtons

BOT_PACE_PERCENT = 35
"""Dealing, playing and sorting at a third of their time: a visitor wants to see a match, not to wait for shuffling."""
BOT_PATIENCE_NS = 12 * S
"""How long bots leave the lobby to a visitor before they sit down, and again before they start."""
AHEAD_NS = 5 * S
"""Cards are played so far ahead at once: enough that a call is known before it comes, and little work at a time."""
TOLD_NS = 60 * MS
"""The page is told at most so often how the cards lie: no eye follows more."""
TAKE, LEAVE = "take", "leave"
"""Beside moves: a seat's cards are a visitor's from now on, or a bot plays them."""
TAP_NS = 2 * PRESS_NS
APART_NS = RELEASE_NS + TAP_NS
"""How long a visitor's tap lasts at least, and how long the contact is open before the next one."""
BETWEEN = ("LOBBY", "AGREEMENT", "READY", "OVER", "POWER_BACK")
"""Where something begins; without a visitor nothing does."""


class Visits(Protocol):
    """Who hears what visitors of the page do beside their contacts. Called on the page's thread."""

    def visitors(self, count: int) -> None:
        """So many people have the page open."""

    def press(self, station: str) -> None:
        """One of them has pressed that button."""

    def card(self, seat: int, move: str) -> None:
        """One of them moves that seat's cards so, or takes them up or leaves them (TAKE, LEAVE)."""

    def hasten(self, times: int) -> None:
        """One of them wants everybody so many times as fast as people are."""


def loose_buttons(stations: Sequence[str], feed: Callable[[Sequence[Any]], object], clock: Clock) -> LooseButtons:
    """The buttons of seats that no wire serves, on simulated pods: their links are up from now on."""
    from referee.table.pods import LooseButtons

    return LooseButtons(stations, feed, clock)


class Fingers:
    """The page's and the bots' fingers on the mock pins: from here on it is the same path as on the Pi."""

    def __init__(self, factory: Any, wiring: Profile, loose: LooseButtons | None = None) -> None:
        """`loose`: the buttons that hang on pods and on no pin."""
        self.visits: Visits | None = None
        self.count = 0
        self.last: str | None = None
        """How many have the page open, and the button that one of them has pressed last."""
        self._factory, self._loose = factory, loose
        self._gpios = {station: pin.gpio for station, pin in wiring.stations().items()}
        self._gpios[KNOB] = wiring.gpio("ENC_SW")
        self._encoder = (wiring.gpio("ENC_A"), wiring.gpio("ENC_B"))
        self._turning = threading.Lock()
        self._moved_ns: dict[str, int] = {}
        """When each contact was closed or opened last."""

    def contact(self, name: str, closed: bool) -> None:
        """A visitor closes or opens a contact (to ground) now.

        A busy machine may hand on a tap's two halves at once, or two taps, and the table takes no spike for a press and
        no bounce for another one: the contact stays closed for `TAP_NS` at least, and open for `APART_NS`.
        """
        loose = self._loose is not None and name in self._loose.stations
        if name not in self._gpios and not loose:
            return
        least_ns = APART_NS if closed else TAP_NS
        left_ns = self._moved_ns.get(name, -least_ns) + least_ns - time.monotonic_ns()
        time.sleep(max(0, left_ns) / S)
        self._moved_ns[name] = time.monotonic_ns()
        if loose and self._loose is not None:
            self._loose.touch(name, closed)
        else:
            self._factory.drive(self._gpios[name], 0 if closed else 1)
        if closed and name != KNOB:
            self.last = name
            if self.visits is not None:
                self.visits.press(name)

    def contact_at(self, name: str, closed: bool, t_ns: int) -> None:
        """A contact at an instant that has just passed."""
        if self._loose is not None and name in self._loose.stations:
            return self._loose.touch(name, closed, t_ns)
        try:
            self._factory.edge(self._gpios[name], t_ns, 0 if closed else 1)
        except ValueError:  # somebody else has moved this very contact since
            self._factory.drive(self._gpios[name], 0 if closed else 1)
        return None

    def visitors(self, count: int) -> None:
        """So many people have the page open."""
        self.count = count
        if self.visits is not None:
            self.visits.visitors(count)

    def card(self, seat: int, move: str) -> None:
        """A visitor does that with that seat's cards."""
        if self.visits is not None:
            self.visits.card(seat, move)

    def hasten(self, times: int) -> None:
        """A visitor wants everybody so many times as fast as people are."""
        if self.visits is not None:
            self.visits.hasten(times)

    def turn(self, steps: int) -> None:
        """Turn the knob by that many detents, four transitions each. Two hands turn one after the other."""
        first, second = self._encoder if steps > 0 else self._encoder[::-1]
        with self._turning:
            for _ in range(abs(steps)):
                for gpio, level in ((first, 0), (second, 0), (first, 1), (second, 1)):
                    self._factory.drive(gpio, level)


def beside(stations: Sequence[str], taken: Sequence[str], count: int) -> tuple[str, ...]:
    """So many free seats next to the first that is taken, onwards round the table; next to nobody: to the first seat.

    >>> beside("12345678", "7", 3), beside("1234", "", 2), beside("1234", "24", 3)
    (('8', '1', '2'), ('2', '3'), ('3', '1'))
    """
    start = stations.index(taken[0]) if taken else 0
    round_the_table = [*stations[start + 1 :], *stations[: start + 1]]
    return tuple(station for station in round_the_table if station not in taken)[:count]


class BotOutput(Output):
    """Bots at the simulated table: they look at each view and move contacts at their own time.

    They sit next to the visitor, begin nothing while nobody has the page open, and wait while somebody is asked whether
    the last match goes on. A visitor who presses a bot's button has that seat; the bot takes a free one.

    `deliver` belongs into the loop's drain, so that a read begun at an instant has every move up to it; `wake` is
    called when the next one is due, and delivers.
    """

    def __init__(
        self,
        count: int,
        hands: Fingers,
        wake: Callable[[], None],
        clock: Clock,
        table: Callable[[], Table],
        seated: Callable[[Sequence[str]], object],
        laid: Callable[[Document | None, tuple[Msg, ...]], object] = lambda felt, lesson: None,
        *,
        asked: bool = False,
    ) -> None:
        """`table`: the one they play at: its seats, its packs, who plays. `seated` is told where bots sit whenever that
        changes, `laid` how the cards lie while somebody looks. asked: somebody is to answer first whether the last
        match goes on."""
        from referee.table.bots import Bots
        from referee.table.manners import COMPANIES, USUAL
        from referee.table.packs import cards_of
        from referee.table.whereabouts import Whereabouts

        self._count, self._table = count, table
        self._bots = Bots(
            beside(self._stations, (), count),
            clock(),
            pace_percent=BOT_PACE_PERCENT,
            quiet_ns=BOT_PATIENCE_NS,
            rematches=None,
            manners=COMPANIES[USUAL],
            ahead_ns=AHEAD_NS,
        )
        self._bots.deal_by(lambda: cards_of(table()))
        self._hastened = False
        self._hands, self._wake, self._clock = hands, wake, clock
        self._seated, self._told = seated, tuple[str, ...]()
        self._laid = laid
        self._lying: Document | None = None
        self._laying: asyncio.TimerHandle | None = None
        self._asked = asked
        self._news = False
        """Visitors have come, gone or pressed something since the bots have looked."""
        self._visitors = hands.count
        self._visitor, self._taken = hands.last, hands.last
        """The button that a visitor has pressed last; the same until the bots have seen it."""
        self._patience_ns: int | None = 0 if hands.count else None
        """Until when the lobby is left to the visitor; None: nobody has come yet, 0: no longer."""
        self._was_empty = True
        self._whereabouts = Whereabouts()
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._view: View | None = None
        hands.visits = self
        if asked or self._playing():
            self._bots.sit_at(self._others([seat.station for seat in table().seats if seat.name is not None]))
        self._label()

    # -- visitors, on the page's thread ------------------------------------------------------------------------------

    def visitors(self, count: int) -> None:
        """See `Visits`: handed to the loop's thread."""
        self._loop.call_soon_threadsafe(self._came, count)

    def press(self, station: str) -> None:
        """See `Visits`: handed to the loop's thread."""
        self._loop.call_soon_threadsafe(self._take_press, station)

    def card(self, seat: int, move: str) -> None:
        """See `Visits`: handed to the loop's thread."""
        self._loop.call_soon_threadsafe(self._take_move, seat, move)

    def hasten(self, times: int) -> None:
        """See `Visits`: handed to the loop's thread."""
        self._loop.call_soon_threadsafe(self._at_speed, times)

    # -- as an output ------------------------------------------------------------------------------------------------

    def show(self, view: View) -> None:
        """Let the bots see the view."""
        self._view = view
        self._look()

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """Let the bots see the lamps."""
        if self._view is not None:
            self._view = replace(self._view, lamps=tuple(lamps))
            self._look()

    def deliver(self) -> None:
        """Everything that the bots have done up to now, to the pins."""
        from referee.table.contact import Move

        if self._news:
            self._news = False
            self._yield(self._taken)
            self._look()
        for action in self._bots.moves(self._clock()):
            if isinstance(action, Move):
                self._hands.contact_at(action.contact, action.closed, action.t_ns)
            else:
                self._hands.turn(action.detents)
        self._plan()

    def close(self) -> None:
        """Cancel everything that is planned and not yet done."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._laying is not None:
            self._laying.cancel()
            self._laying = None

    # -- the cards -----------------------------------------------------------------------------------------------------

    def _lesson(self) -> tuple[Msg, ...]:
        """What is explained in a match's first hand: what the game teaches newcomers by this table's rules."""
        table = self._table()
        return () if table.hands else game_of(table).lesson(table, "play", ())

    def _lay(self) -> None:
        """Tell how the cards lie, and again when the next one moves."""
        self._laying = None
        now = self._clock()
        lying = self._bots.company.felt(now) if self._visitors else None
        if lying != self._lying:
            self._lying = lying
            self._laid(lying, self._lesson())
        moves_ns = self._bots.company.moves_ns(now)
        if lying is not None and moves_ns is not None:
            self._lay_in(max(moves_ns - now, TOLD_NS))

    def _lay_in(self, ns: int) -> None:
        """Look after the cards in so long, or sooner if that is planned already."""
        if self._laying is not None and self._laying.when() <= self._loop.time() + ns / S:
            return
        if self._laying is not None:
            self._laying.cancel()
        self._laying = self._loop.call_later(ns / S, self._lay)

    # -- where they sit, and whether they play -----------------------------------------------------------------------

    def _came(self, count: int) -> None:
        if count and self._patience_ns is None:
            self._patience_ns = self._clock() + BOT_PATIENCE_NS
        self._visitors, self._news = count, True
        self._wake()

    def _take_press(self, station: str) -> None:
        self._visitor = self._taken = station
        self._news = True
        self._wake()

    def _take_move(self, seat: int, move: str) -> None:
        """A visitor's hand at cards. With people bots play as fast as people, if nobody wants it otherwise."""
        now = self._clock()
        if move in (TAKE, LEAVE):
            self._bots.company.take(seat, move == TAKE, now)
            if not self._hastened:
                self._bots.set_pace(100 if self._bots.company.people else BOT_PACE_PERCENT)
            self._bots.rest()
        else:
            self._bots.company.do(seat, move, now)
        self._look()
        self._lay_in(0)

    def _at_speed(self, times: int) -> None:
        self._hastened = True
        self._bots.set_pace(100 // times)
        self._lay_in(0)

    def _yield(self, station: str | None) -> None:
        """A visitor's button is a visitor's: a bot that has it goes to a free seat, in a match to one of that match."""
        self._taken, bots = None, self._bots.stations
        if self._asked or station is None or station not in bots or self._view is None:
            return
        if self._view.phase == "LOBBY":
            named = [seat.station for seat in self._table().seats if seat.name is not None]
            free = list(beside(self._stations, (station, *named, *bots), 1))
        else:
            free = [other for other in self._playing() if other not in bots]
        self._bots.sit_at([free[0] if bot == station and free else bot for bot in bots if bot != station or free])

    @property
    def _stations(self) -> tuple[str, ...]:
        """Where one can sit: a match that goes on has the seats it began with, whatever the settings say now."""
        return self._table().setup.stations

    def _playing(self) -> list[str]:
        """The stations of the match that stands; none in a lobby."""
        return [station for team in self._table().teams for station in team.stations]

    def _others(self, seats: Sequence[str]) -> list[str]:
        """The bots' seats among these: one is left to the visitor, whose button is known or else the first."""
        mine = self._visitor if self._visitor in seats else seats[0] if seats else None
        return [station for station in seats if station != mine][: self._count]

    def _take_choice(self, view: View) -> None:
        """Whoever was asked has chosen: the last match, whose first seat is left to the visitor, or another table."""
        lobby, playing = view.phase == "LOBBY", self._playing()
        if lobby and any(seat.name is not None for seat in self._table().seats):
            return
        if lobby or view.phase != "POWER_BACK" or not isinstance(view.screen, MenuScreen):
            self._asked, self._was_empty = False, False
            self._bots.sit_at(self._others(playing) if playing else beside(self._stations, (), self._count))

    def _waits(self, view: View) -> bool:
        """Whether the bots leave the table alone for now."""
        if self._asked:
            self._take_choice(view)
        if self._asked or (not self._visitors and view.phase in BETWEEN):
            return True
        if view.phase == "LOBBY":
            return self._leaves_the_lobby(view.screen)
        self._patience_ns, self._was_empty = 0, False
        return False

    def _leaves_the_lobby(self, screen: Screen) -> bool:
        """To the visitor, until that one has sat down or some time has passed; then bots take the seats that follow."""
        if not isinstance(screen, LobbyScreen):
            return bool(self._patience_ns)
        now, taken = self._clock(), [self._stations[cell.number - 1] for cell in screen.seats if cell.name is not None]
        if not taken and not self._was_empty:  # another table
            self._patience_ns = now + BOT_PATIENCE_NS
            self._bots.sit_at(beside(self._stations, (), self._count))
        self._was_empty = not taken
        if not self._patience_ns:
            return False
        if not taken and now < self._patience_ns:
            return True
        self._patience_ns = 0
        self._bots.sit_at(beside(self._stations, taken, self._count))
        return False

    def _follow(self) -> None:
        """Who takes another button in a match takes who plays there along: a visitor their seat, a bot its own."""
        moves = self._whereabouts.moves(self._table())
        if moves:
            self._visitor = self._visitor and moves.get(self._visitor, self._visitor)
            self._bots.follow(moves, self._clock())

    def _look(self) -> None:
        if self._view is None:
            return
        self._follow()
        if self._waits(self._view):
            self._bots.rest()
        else:
            self._bots.look(self._view, self._clock())
        self._label()
        self._lay_in(TOLD_NS)  # the table's own picture comes first
        self._plan()

    def _label(self) -> None:
        if self._bots.stations != self._told:
            self._told = self._bots.stations
            self._seated(self._told)

    def _plan(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due, now = self._bots.next_ns(), self._clock()
        if self._patience_ns and self._patience_ns > now:
            due = self._patience_ns if due is None else min(due, self._patience_ns)
        if due is not None:
            self._timer = self._loop.call_later(max(due - now, 0) / S, self._act)

    def _act(self) -> None:
        now = self._clock()
        self._bots.company.think(now)
        self._news = self._news or bool(self._patience_ns and now >= self._patience_ns)
        due = self._bots.next_ns()
        if self._news or (due is not None and due <= now):
            self._wake()
        else:  # they have only played cards on
            self._look()
