"""One evening in fast time: the Engine as the live loop drives it, people at its contacts, and all events.

The world's clock never stops. The device's clock is behind it by an offset that each boot changes. A touch is a true
instant; its row is stamped within the stated error and handed over once nothing earlier can be under way, as in the
live loop (a horizon behind the present by the widest error). A remote station's rows arrive later. Several people may
press one contact: it is closed while any of them does.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from operator import is_
from random import Random

from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Ended, Fact, Linked, Opened, Resumed, Sealed, Turned
from referee.core.model.state import State
from referee.core.model.table import Setup
from referee.core.model.view import Lamp, View
from referee.core.phases.device import OffScreen
from referee.core.phases.points import PointsHand
from referee.core.presses.signals import KNOB, Edge
from referee.core.units import MS, S
from referee.core.values import replace
from referee.simulator.table.bots import Bots
from referee.simulator.table.card_rules import cards_of
from referee.simulator.table.contacts import SETTLE_NS, Action, Move
from referee.simulator.table.evening import START_NS
from referee.simulator.table.skill import COMPANIES
from referee.simulator.table.whereabouts import Whereabouts
from tests.campaign.journals import through_a_file
from tests.campaign.judge import Book, Phases, Verdicts, WrongError
from tests.campaign.people import Child, Grazer, Hand, Helper, Leaner, NowAndThen
from tests.campaign.plan import Cut, Plan

TRAIN_NS = 15 * MS
"""Rest of a contact after which the next edge begins a new touch."""
LATENCY_NS, DELAYS_NS = 30 * MS, (1 * MS, 27 * MS)
BOOT_NS = 7 * S
"""Clock reading of a new boot."""
LONG_NS = 4 * 3600 * S
"""Longer than any evening of a few hands with the power on."""
UNPLUGGED_S = 4
HELD_NS = 3 * S
GLANCE_NS = S // 2
"""Time until a person looks again at a held button or its lamp."""


def _shown(state: State) -> tuple[object, ...]:
    """Return the identities of what display and lamps show.

    Equal identities mean equal frozen values.
    """
    return (state.phase, state.table, state.menu, state.toast, state.winks, state.away)


def _out(lamp: Lamp) -> Lamp:
    return replace(lamp, pattern="dark", lit=False)


class Unplugger(NowAndThen):
    """Pulls and replaces a pod's plug when the world asks; moves no contact."""

    def act(self, at_ns: int) -> list[Action]:
        return []


@dataclass
class Contacts:
    """The people on each contact, its rows, and the start of its rest."""

    rng: Random
    plan: Plan
    down: dict[str, set[int]] = field(default_factory=dict)
    _changed_ns: dict[str, int] = field(default_factory=dict)
    _moved_ns: dict[str, int] = field(default_factory=dict)
    """Contacts that the device saw move."""
    _shift_ns: dict[str, int] = field(default_factory=dict)
    _err_ns: dict[str, int] = field(default_factory=dict)
    _stamp_ns: dict[str, int] = field(default_factory=dict)
    _arrived_ns: int = 0

    def closed(self) -> tuple[str, ...]:
        """Return the contacts that are down."""
        return tuple(sorted(contact for contact, who in self.down.items() if who))

    def held(self, at_ns: int) -> bool:
        """Return whether a button is down for longer than a person presses."""
        return any(
            who and contact != KNOB and at_ns - self._changed_ns[contact] > HELD_NS
            for contact, who in self.down.items()
        )

    def move(self, who: int, move: Move) -> bool:
        """Return whether the move changes the contact."""
        fingers = self.down.setdefault(move.contact, set())
        before = bool(fingers)
        fingers.add(who) if move.closed else fingers.discard(who)
        changes = bool(fingers) is not before
        if changes:
            self._changed_ns[move.contact] = move.t_ns
        return changes

    def begins(self, who: int, move: Move) -> bool:
        """Return whether this is the first edge of a touch.

        Each touch has its own error and is placed anywhere within it.
        """
        contact = move.contact
        rested = move.t_ns - self._moved_ns.get(contact, 0) >= TRAIN_NS
        if rested:
            wide = self.plan.wide_err_ns and self.rng.randrange(40) == 0
            self._err_ns[contact] = max(self.plan.wide_err_ns if wide else 0, self.plan.err_ns)
            self._shift_ns[contact] = self.rng.randint(-self._err_ns[contact], self._err_ns[contact])
        self._moved_ns[contact] = move.t_ns
        return rested and move.closed

    def err_ns(self, contact: str) -> int:
        """Return the error bound of the stamps of the present touch."""
        return self._err_ns[contact]

    def row(self, move: Move, offset_ns: int) -> Edge:
        """Return the source's row, by the device's clock."""
        contact = move.contact
        true_ns, err_ns = move.t_ns - offset_ns, self._err_ns[contact]
        stamp_ns = max(true_ns + self._shift_ns[contact], self._stamp_ns.get(contact, 0))
        self._stamp_ns[contact] = stamp_ns
        if contact not in self.plan.remote:
            return Edge(contact, move.closed, stamp_ns, err_ns)
        arrived_ns = max(true_ns + self.rng.randint(*DELAYS_NS), stamp_ns, self._arrived_ns)
        self._arrived_ns = arrived_ns  # a pod reports events in order
        return Edge(contact, move.closed, stamp_ns, err_ns, arrived_ns)

    def booted(self) -> None:
        """Stamp with another clock from now on."""
        self._stamp_ns.clear()
        self._arrived_ns = 0


class World:
    """The evening of a plan: `run` plays it; `hands` is the number of sealed hands."""

    tell: Callable[[str], object] | None = None

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.rng = Random(f"{plan.seed}/world")
        self.now_ns = START_NS
        self.offset_ns = 0
        self.hands = 0
        self.phases_seen: list[str] = []
        self._boots = count(1)
        self._boot = "boot-0"
        remote = plan.remote
        setup = Setup(
            plan.preset,
            plan.options,
            stations=plan.stations,
            remote=remote,
            latency_ns=LATENCY_NS if remote else 0,
            agreement=True,
        )
        self.engine = Engine(Opened(self.now_ns, self._boot, setup.document()))
        self.rows: list[JournalRow] = []
        self._safe = 1
        """Number of rows written before this life of the device."""
        self.contacts = Contacts(Random(f"{plan.seed}/contacts"), plan)
        self.verdicts, self.book, self.phases = Verdicts(), Book(), Phases(plan.pace)
        self.helper = Helper(Random(f"{plan.seed}/helper"))
        self._lives = count()
        self._seats = plan.seats
        self._whereabouts = Whereabouts()
        self._sit()
        self._others: tuple[Hand, ...] = tuple(self._meddlers())
        self._plug = (
            Unplugger(Random(f"{plan.seed}/plug"), plan.links_s, self.now_ns) if plan.links_s and remote else None
        )
        self._unplugged = False
        self._waiting: list[tuple[int, int, Fact]] = []
        self._order = count()
        self._slack_ns = max(plan.err_ns, plan.wide_err_ns)
        self._link(up=True)
        self._shown: tuple[object, ...] = ()
        self._look_again_ns = 0
        self._look()

    # -- people ------------------------------------------------------------------------------------------------------

    def _sit(self) -> None:
        """Seat the bots. After a restart, others who have seen nothing may sit there."""
        plan = self.plan
        who = f"{plan.seed}/{next(self._lives)}"
        seed = Random(who).randrange(2**32)
        manners = COMPANIES[plan.company]
        self.bots = Bots(self._seats, seed, pace_percent=plan.pace, rematches=None, manners=manners)
        self.bots.deal_by(lambda: cards_of(self.engine.state.table))

    def _follow(self) -> None:
        """Move bots whose button the table or a child has changed."""
        if moves := self._whereabouts.moves(self.engine.state.table):
            self._seats = tuple(moves.get(seat, seat) for seat in self._seats)
            self.bots.follow(moves, self.now_ns)

    def _meddlers(self) -> list[Hand]:
        plan, kinds = self.plan, ((Grazer, self.plan.grazes_s), (Leaner, self.plan.leans_s), (Child, self.plan.child_s))
        stations = plan.stations
        return [kind(Random(f"{plan.seed}/{kind.__name__}"), s, self.now_ns, stations) for kind, s in kinds if s]

    @property
    def _people(self) -> tuple[Hand | Bots, ...]:
        return (self.bots, self.helper, *self._others)

    # -- an evening --------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Raise WrongError, and any exception of the product."""
        for cut in self.plan.cuts:
            self._until(self.now_ns + cut.after_s * S)
            self._die(cut)
        self._until(self.now_ns + LONG_NS)
        if not self._done:
            raise WrongError(f"{self.hands} hands in {LONG_NS // S} s and more, phase {self._view.phase}")

    @property
    def _done(self) -> bool:
        rests = ["AGREEMENT", "READY", "OVER", "LOBBY"]
        if any(isinstance(hand, PointsHand) for hand in self.engine.state.table.hands):
            rests.append("PLAYING")  # rounds follow each other at once, and a match may have no end
        return self.hands >= self.plan.hands and self._view.phase in rests

    def _until(self, end_ns: int) -> None:
        while self.now_ns < end_ns and not self._done:
            self.step()

    def step(self) -> None:
        """Process the next event."""
        due_ns = min(t for t in self._times() if t is not None)
        self.now_ns = max(self.now_ns, due_ns)
        self._touch()
        self._pull()
        self._take_in()
        self._look()
        if self._view.phase == "OFF":
            self._die(Cut(0, "power", 30, 0, False))

    def _times(self) -> list[int | None]:
        """Return the times of moves, ripe rows, deadlines and changes of the picture."""
        people = [person.next_ns() for person in self._people]
        device = [self.engine.deadline_ns, *(row[0] for row in self._waiting[:1])]
        behind = self.offset_ns + self._slack_ns
        changes = self._view.changes_at_ns
        plug = self._plug.next_ns() if self._plug else None
        late_ns = self.phases.late_ns + 1  # without other events a person looks up then and helps
        late = late_ns if late_ns > self.now_ns else None
        return [*people, plug, changes, late, *(t + behind for t in device if t is not None)]

    def _touch(self) -> None:
        """Make all moves of the next 5 ms; people cannot react within that time."""
        moved: list[tuple[int, int, Action]] = []
        for who, person in enumerate(self._people):
            if (next_ns := person.next_ns()) is not None and next_ns <= self.now_ns:
                moved += [(action.t_ns, who, action) for action in person.moves(self.now_ns + SETTLE_NS)]
        moved.sort(key=lambda row: row[:2])
        for t_ns, who, action in moved:
            self.now_ns = max(self.now_ns, t_ns)
            fact = self._row(who, action)
            if fact is not None:
                arrived_ns = fact.arrived_ns if isinstance(fact, Edge) else fact.at_ns
                heapq.heappush(self._waiting, (arrived_ns, next(self._order), fact))

    def _row(self, who: int, action: Action) -> Edge | Turned | None:
        if not isinstance(action, Move):
            return Turned(action.t_ns - self.offset_ns, action.detents)
        before = bool(self.contacts.down.get(action.contact))
        changes = self.contacts.move(who, action)
        if who > 0 or before is action.closed:
            self.verdicts.touched(action.contact, action.t_ns - self.offset_ns)
        if not changes:
            return None
        if self.contacts.begins(who, action) and who == 0:
            err_ns = self.contacts.err_ns(action.contact)
            self.verdicts.pressed(action.contact, action.t_ns - self.offset_ns, err_ns)
        row = self.contacts.row(action, self.offset_ns)
        return None if self._unplugged and action.contact in self.plan.remote else row

    def _pull(self) -> None:
        """Pull or replace the pod's plug."""
        if self._plug and (due := self._plug.next_ns()) is not None and due <= self.now_ns:
            self._unplugged = not self._unplugged
            self._plug.every_s = UNPLUGGED_S if self._unplugged else self.plan.links_s  # until the next time
            self._plug.moves(self.now_ns)
            self._link(up=not self._unplugged)

    def _link(self, *, up: bool) -> None:
        if self.plan.remote:
            at_ns = self.now_ns - self.offset_ns
            closed = tuple(station for station in self.contacts.closed() if station in self.plan.remote)
            fact = Linked(at_ns, "pod:1", up, self.plan.remote, closed if up else ())
            heapq.heappush(self._waiting, (at_ns, next(self._order), fact))

    def _take_in(self) -> None:
        horizon = self.now_ns - self.offset_ns - self._slack_ns
        ripe = []
        while self._waiting and self._waiting[0][0] <= horizon:
            ripe.append(heapq.heappop(self._waiting)[2])
        before = self.engine.state
        self.engine.intake(ripe, horizon)
        self._hand_over(before)

    def _hand_over(self, before: State) -> None:
        rows = self.engine.take().rows
        self.rows += rows
        for _, event in rows:
            self.verdicts.ruled(before, event)
            self.hands += isinstance(event, Sealed) or (isinstance(event, Ended) and event.end == "abandoned")
        more = self.engine.state.table.hands[len(before.table.hands) :]
        self.hands += sum(isinstance(hand, PointsHand) for hand in more)  # these hands are never sealed
        if rows:
            self.book.note(rows[-1][0], self.engine.state)

    def _look(self) -> None:
        """Draw by the device's clock and show it to people by the world's.

        Skip it while nothing can have changed.
        """
        shown = _shown(self.engine.state)
        if all(map(is_, shown, self._shown)) and self.now_ns < self._look_again_ns:
            return
        self._follow()
        view: View = self.engine.view(self.now_ns - self.offset_ns)
        by = self.offset_ns
        go_ns, changes = view.go_ns, view.changes_at_ns
        self._view = replace(
            view,
            now_ns=self.now_ns,
            go_ns=None if go_ns is None else go_ns + by,
            changes_at_ns=None if changes is None else changes + by,
        )
        if self.tell is not None and view.phase not in self.phases_seen[-1:]:
            self.tell(f"{self.now_ns / S:10.3f} {view.phase} {view.screen}")
        self.phases_seen += [view.phase] if view.phase not in self.phases_seen[-1:] else []
        held = self.contacts.held(self.now_ns)
        waits = self.phases.look(self._view, self.now_ns, held=held)
        self.helper.look(self._view, self.now_ns, waits=waits, held=held)
        self.bots.look(self._view, self.now_ns)
        again_ns = self.now_ns + GLANCE_NS
        self._shown, self._look_again_ns = shown, min(self._view.changes_at_ns or again_ns, again_ns)

    # -- death -------------------------------------------------------------------------------------------------------

    def _die(self, cut: Cut) -> None:
        """End and restart the device, or replace its journal."""
        if cut.kind == "aside":
            self.engine.reopen()
            self._hand_over(self.engine.state)
            self._begin_rows()
            return
        kept = self.rows[: max(len(self.rows) - cut.torn, self._safe)]
        self._pass(cut.away_s * S)
        if cut.strangers:
            self._leave()
        if cut.kind != "kill":
            self.offset_ns = self.now_ns - BOOT_NS
            self._boot = f"boot-{next(self._boots)}"
            self.contacts.booted()
        self._come_back(through_a_file(kept) if self.plan.filed else kept, cut)

    def _begin_rows(self) -> None:
        """Begin with the rows that a journal returns at the next start."""
        first = max(index for index, (_, event) in enumerate(self.rows) if isinstance(event, Opened))
        self.rows = self.rows[first:]
        self._safe = len(self.rows)

    def _pass(self, ns: int) -> None:
        """Let people press at a dark display without effect, then wait."""
        dark = replace(self._view, phase="OFF", screen=OffScreen(0), lamps=tuple(map(_out, self._view.lamps)))
        self.bots.look(dark, self.now_ns)
        self.helper.look(dark, self.now_ns, waits=False)
        self.now_ns += ns
        for who, person in enumerate(self._people):
            for action in person.moves(self.now_ns):
                if isinstance(action, Move):
                    self.contacts.move(who, action)

    def _leave(self) -> None:
        """Replace the people at the seats."""
        for fingers in self.contacts.down.values():
            fingers.discard(0)
        self._sit()

    def _come_back(self, rows: Sequence[JournalRow], cut: Cut) -> None:
        self.engine = Engine.restored(rows)
        self.rows = list(rows)
        self.book.kept(rows[-1][0], self.engine.state)
        self._waiting, self._unplugged = [], False
        self._look_again_ns = 0
        at_ns, away_s = self.now_ns - self.offset_ns, cut.away_s
        self.engine.intake([Resumed(at_ns, self._boot, away_s, self.contacts.closed())], at_ns)
        self.verdicts.booted()
        self._hand_over(self.engine.state)
        self.phases.again()
        self._safe = len(self.rows)
        self._link(up=True)
        self._look()
