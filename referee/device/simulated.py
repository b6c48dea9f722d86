"""Players of the simulated table: visitors of the page, who press the mock pins, and bots."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from referee.core.messages import Msg
from referee.core.model.registry import game_of
from referee.core.model.table import Table
from referee.core.model.view import Lamp, LobbyScreen, MenuScreen, Screen, View
from referee.core.phases.teaching import PARTS
from referee.core.presses.signals import KNOB, PRESS_NS, RELEASE_NS
from referee.core.units import MS, S
from referee.core.values import Document, replace
from referee.device.guard import Clock, Loop, Output, Timer
from referee.drivers.pins.pinmap import Profile

if TYPE_CHECKING:
    from referee.simulator.table.pods import LooseButtons

BOT_PACE_PERCENT = 35
"""Bots' time for dealing, playing and sorting, in percent, so that visitors see more play."""
BOT_PATIENCE_NS = 12 * S
"""Time in ns for which bots wait for a visitor in the lobby, and again before they start."""
BOT_READY_NS = (2 * S, 4 * S)
"""Range of times until a bot is ready for the next hand, in ns.

It is enough to read the standings, and not too long to wait.
"""
AHEAD_NS = 5 * S
"""How far ahead bots play their cards, in ns.

Calls are then known in time, and each computation is short.
"""
TOLD_NS = 60 * MS
"""Minimum time between updates of the cards on the page, in ns. Faster ones are not visible."""
TAKE, LEAVE = "take", "leave"
"""What a visitor sends to take over a seat's cards, or to give them back to the bot."""
TAP_NS = 2 * PRESS_NS
APART_NS = RELEASE_NS + TAP_NS
"""Minimum time between two taps of a visitor, in ns, so that both count."""
BETWEEN = ("LOBBY", "AGREEMENT", "READY", "OVER", "POWER_BACK")
"""Phases in which bots start nothing while no visitor is there."""


def loose_buttons(stations: Sequence[str], feed: Callable[[Sequence[Any]], object], clock: Clock) -> LooseButtons:
    """Return buttons for the seats that have no pins.

    They are on simulated pods whose links work. `feed`: called with their rows.
    """
    from referee.simulator.table.pods import LooseButtons

    return LooseButtons(stations, feed, clock)


class Contacts(Protocol):
    """The contacts of a simulated table."""

    def touch(self, name: str, closed: bool, t_ns: int) -> None:
        """Close or open a contact at an instant that has just passed, or comes soon.

        name: a station or "knob". Unknown contacts are ignored.
        """

    def turn(self, steps: int, t_ns: int) -> None:
        """Turn the knob by `steps` detents at such an instant."""


class MockPins:
    """Contacts at the pins of a mock factory, with buttons on simulated pods for the other seats."""

    def __init__(self, factory: Any, wiring: Profile, loose: LooseButtons | None = None) -> None:
        """`loose`: the buttons that are on simulated pods."""
        self._factory, self._loose = factory, loose
        self._gpios = {station: pin.gpio for station, pin in wiring.stations().items()}
        self._gpios[KNOB] = wiring.gpio("ENC_SW")
        self._encoder = (wiring.gpio("ENC_A"), wiring.gpio("ENC_B"))
        self._turning = threading.Lock()

    def touch(self, name: str, closed: bool, t_ns: int) -> None:
        """Connect the contact to ground, or open it."""
        if self._loose is not None and name in self._loose.stations:
            self._loose.touch(name, closed, t_ns)
        elif name in self._gpios:
            self._drive(self._gpios[name], 0 if closed else 1, t_ns)

    def turn(self, steps: int, t_ns: int) -> None:
        """Turn the knob, four transitions a detent.

        If another thread is turning the knob, wait for that turn's end.
        """
        first, second = self._encoder if steps > 0 else self._encoder[::-1]
        with self._turning:
            for _ in range(abs(steps)):
                for gpio, level in ((first, 0), (second, 0), (first, 1), (second, 1)):
                    self._drive(gpio, level, t_ns)

    def _drive(self, gpio: int, level: int, t_ns: int) -> None:
        try:
            self._factory.edge(gpio, t_ns, level)
        except ValueError:  # this pin has changed meanwhile
            self._factory.drive(gpio, level)


class Fingers:
    """Opens and closes the simulated contacts, when visitors or bots press buttons."""

    def __init__(self, contacts: Contacts, clock: Clock) -> None:
        self.visits: BotOutput | None = None
        self.count = 0
        self.last: str | None = None
        """The button that a visitor pressed last. (`count`: the number of visitors.)"""
        self._contacts, self._clock = contacts, clock
        self.contact_at = contacts.touch
        self._moved_ns: dict[str, int] = {}
        """When a visitor last moved each contact, in ns."""
        self._last_ns = 0

    def contact(self, name: str, closed: bool) -> None:
        """Close or open a contact for a visitor.

        A busy machine may deliver several changes of a contact at once. The match would take them for a spike or for
        bounces. The contact therefore stays closed for at least `TAP_NS` and open for at least `APART_NS`. All changes
        keep their order.
        """
        least_ns = APART_NS if closed else TAP_NS
        t_ns = max(self._clock(), self._last_ns, self._moved_ns.get(name, -least_ns) + least_ns)
        self._moved_ns[name] = self._last_ns = t_ns
        self._contacts.touch(name, closed, t_ns)
        if closed and name != KNOB:
            self.last = name
            if self.visits is not None:
                self.visits.press(name)

    def turn(self, steps: int) -> None:
        """Turn the knob by `steps` detents."""
        self._contacts.turn(steps, max(self._clock(), self._last_ns))

    def visitors(self, count: int) -> None:
        """Set the number of visitors: the open pages that are allowed to press buttons."""
        self.count = count
        if self.visits is not None:
            self.visits.visitors(count)

    def card(self, seat: int, move: str) -> None:
        """Pass a visitor's move with the seat's cards to `visits`."""
        if self.visits is not None:
            self.visits.card(seat, move)

    def hasten(self, times: int) -> None:
        """Set the bots' speed, as a multiple of people's speed."""
        if self.visits is not None:
            self.visits.hasten(times)


def beside(stations: Sequence[str], taken: Sequence[str], count: int) -> tuple[str, ...]:
    """Return up to `count` free seats after the first taken seat.

    If no seat is taken, start after the first seat.

    >>> beside("12345678", "7", 3), beside("1234", "", 2), beside("1234", "24", 3)
    (('8', '1', '2'), ('2', '3'), ('3', '1'))
    """
    start = stations.index(taken[0]) if taken else 0
    round_the_table = [*stations[start + 1 :], *stations[: start + 1]]
    return tuple(station for station in round_the_table if station not in taken)[:count]


class BotOutput(Output):
    """Bots at the simulated table. They see each view, and move contacts at their own pace.

    They sit next to the visitor. While no page is open they start no hand. They wait while the table asks whether to
    continue the last match, and while a visitor reads a list. A visitor who presses a bot's button takes its seat; the
    bot moves to a free one. Only bots who have all seats for themselves start a match, use the knob, or go on alone.

    Call `deliver` whenever the buttons are read (`Live`'s drain), so that no move is missed. `wake` is called when
    the next move is due, and must call `deliver`.
    """

    def __init__(
        self,
        count: int,
        hands: Fingers,
        wake: Callable[[], object],
        loop: Loop,
        clock: Clock,
        table: Callable[[], Table],
        seated: Callable[[Sequence[str]], object],
        laid: Callable[[Document | None, tuple[Msg, ...]], object] = lambda felt, lesson: None,
        *,
        asked: bool = False,
    ) -> None:
        """`table`: returns the table at which the bots play. `seated`: called with their new seats.

        `laid`: called with the cards to show on the page (None while no page is open), and with explanations for
        newcomers (empty after the first hand). asked: at the start, the table asks whether to continue the last match.
        """
        from referee.simulator.table.bots import Bots
        from referee.simulator.table.card_rules import cards_of
        from referee.simulator.table.skill import COMPANIES, USUAL
        from referee.simulator.table.whereabouts import Whereabouts

        self._count, self._table = count, table
        self._bots = Bots(
            beside(self._stations, (), count),
            clock(),
            pace_percent=BOT_PACE_PERCENT,
            quiet_ns=BOT_PATIENCE_NS,
            ready_ns=BOT_READY_NS,
            rematches=None,
            manners=replace(COMPANIES[USUAL], forget=0),
            ahead_ns=AHEAD_NS,
            knob=lambda: not self._people(),
        )
        self._bots.deal_by(lambda: cards_of(table()))
        self._hastened = False
        self._hands, self._wake, self._clock = hands, wake, clock
        self._seated, self._told = seated, tuple[str, ...]()
        self._laid = laid
        self._laid_last: tuple[Document | None, tuple[Msg, ...]] = (None, ())
        self._laying: tuple[int, Timer] | None = None
        """When the cards on the page are updated next, in ns, and the timer for it."""
        self._asked = asked
        self._news = False
        """Whether visitors have come, gone or pressed a button since the bots last looked."""
        self._visitors = hands.count
        self._visitor, self._taken = hands.last, hands.last
        """The button that a visitor pressed last; the same until the bots have handled it."""
        self._patience_ns: int | None = 0 if hands.count else None
        """Until when the lobby is left to the visitor, in ns. None: no visitor yet; 0: no longer."""
        self._was_empty = True
        self._whereabouts = Whereabouts()
        self._loop = loop
        self._timer: Timer | None = None
        self._view: View | None = None
        hands.visits = self
        if asked or self._playing():
            self._bots.sit_at(self._others([seat.station for seat in table().seats if seat.name is not None]))
        self._label()

    # -- visitors, on the page's thread ------------------------------------------------------------------------------

    def visitors(self, count: int) -> None:
        self._loop.call_soon_threadsafe(self._came, count)

    def press(self, station: str) -> None:
        self._loop.call_soon_threadsafe(self._take_press, station)

    def card(self, seat: int, move: str) -> None:
        self._loop.call_soon_threadsafe(self._take_move, seat, move)

    def hasten(self, times: int) -> None:
        self._loop.call_soon_threadsafe(self._at_speed, times)

    # -- output ------------------------------------------------------------------------------------------------------

    def show(self, view: View) -> None:
        self._view = view
        self._look()

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        if self._view is not None:
            self._view = replace(self._view, lamps=tuple(lamps))
            self._look()

    def deliver(self) -> None:
        """Make the bots' moves that are due by now, at the simulated contacts."""
        from referee.simulator.table.contacts import Move

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
        """Cancel the timers."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._lay_no_more()

    # -- cards ---------------------------------------------------------------------------------------------------------

    def _lesson(self) -> tuple[Msg, ...]:
        """Return the game's explanation of the present phase in a match's first hand, else nothing."""
        table, part = self._table(), PARTS.get(type(self._view.screen)) if self._view else None
        return () if table.hands or part is None else game_of(table).lesson(table, part, ())

    def _lay(self) -> None:
        """Send the cards to the page if they have changed, and plan the next update."""
        self._laying = None
        now = self._clock()
        lying = self._bots.company.felt(now) if self._visitors else None
        if (lying, lesson := self._lesson()) != self._laid_last:
            self._laid_last = lying, lesson
            self._laid(lying, lesson)
        moves_ns = self._bots.company.moves_ns(now)
        if lying is not None and moves_ns is not None:
            self._lay_in(max(moves_ns - now, TOLD_NS))

    def _lay_in(self, ns: int) -> None:
        """Update the cards on the page after `ns` nanoseconds, or earlier if that is planned."""
        at_ns = self._clock() + ns
        if self._laying is None or self._laying[0] > at_ns:
            self._lay_no_more()
            self._laying = at_ns, self._loop.call_later(ns / S, self._lay)

    def _lay_no_more(self) -> None:
        if self._laying is not None:
            self._laying[1].cancel()
            self._laying = None

    # -- seats and choices -------------------------------------------------------------------------------------------

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
        """Make a visitor's move with cards.

        While a visitor moves a seat's cards, bots play at people's speed, unless a visitor chose another speed.
        """
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
        """Give a visitor the seat of the bot whose button the visitor pressed.

        The bot takes a free seat.
        """
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
        """Return the stations of all seats. A continued match keeps the seats that it began with."""
        return self._table().setup.stations

    def _playing(self) -> list[str]:
        """Return the stations of all teams of the current match; none before a match."""
        return [station for team in self._table().teams for station in team.stations]

    def _people(self) -> set[str]:
        """Return the stations that are no bot's: those of the match or, before one, of the whole table."""
        return {*(self._playing() or self._stations)} - {*self._bots.stations}

    def _leave_it_to_people(self, view: View) -> bool:
        """Return whether only people may act now: they have a list open, or all of them sit out between matches."""
        people = self._people()
        if isinstance(view.screen, MenuScreen) and not self._bots.at_the_knob:
            return bool(people) or view.phase in BETWEEN
        return bool(people) and people <= self._table().absent and view.phase in ("OVER", "POWER_BACK")

    def _others(self, seats: Sequence[str]) -> list[str]:
        """Return the stations for the bots: those of `seats` without the visitor's station.

        If the visitor's station is not known, the first one stays free for the visitor.
        """
        mine = self._visitor if self._visitor in seats else seats[0] if seats else None
        return [station for station in seats if station != mine][: self._count]

    def _take_choice(self, view: View) -> None:
        """Seat the bots if players have chosen to continue the last match or to begin a new table."""
        lobby, playing = view.phase == "LOBBY", self._playing()
        if lobby and any(seat.name is not None for seat in self._table().seats):
            return
        if lobby or view.phase != "POWER_BACK" or not isinstance(view.screen, MenuScreen):
            self._asked, self._was_empty = False, False
            self._bots.sit_at(self._others(playing) if playing else beside(self._stations, (), self._count))

    def _waits(self, view: View) -> bool:
        """Return whether the bots must do nothing on seeing this view."""
        if self._asked:
            self._take_choice(view)
        if self._asked or (not self._visitors and view.phase in BETWEEN) or self._leave_it_to_people(view):
            return True
        if view.phase == "LOBBY":
            return self._leaves_the_lobby(view.screen)
        self._patience_ns, self._was_empty = 0, False
        return False

    def _leaves_the_lobby(self, screen: Screen) -> bool:
        """Seat the bots in the lobby. Return whether they still wait for a visitor to sit down.

        They wait for at most BOT_PATIENCE_NS. Then they take the seats next to the visitor's.
        """
        if not isinstance(screen, LobbyScreen):
            return bool(self._patience_ns)
        now, taken = self._clock(), [self._stations[cell.number - 1] for cell in screen.seats if cell.name is not None]
        if not taken and not self._was_empty:  # a new table
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
        """If teams have changed buttons in a match, let the bots and the visitor use the new ones."""
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
        else:  # only cards have moved
            self._look()
