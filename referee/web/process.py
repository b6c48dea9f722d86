"""The page in a process of its own: whatever its visitors do, the referee's process has none of it to do.

Theory of operation. The device's process binds the sockets, so that an address that cannot be had is known at once and
a visitor's connection waits while the page starts. A child serves them (`child.py`). Pictures and sounds go to it
through a thread: publishing puts them into a mailbox and never waits, the newest picture wins. What visitors do at the
simulated table comes back as lines of JSON, read strictly: the child is trusted with the page and with nothing else.
While nobody looks, lamps that only blink and a display that only dims are not told: a table at rest wakes no page. A
child that ends is logged once and begun anew after growing pauses, with the newest picture; what its visitors held
down is let go. One that hangs is ended first (pulse.py).

A thread was measured first: with 50 open pages the panel's picture came 1.8 times as late. With a process of lower
priority the median stays within 1.5 times of that without visitors (`make bench ARGS=page`).

    device                                 page
    publish, sound ─► mailbox ─► thread ═══► feed ─► WebSockets
    contacts ◄─────────────────── thread ◄═══ hands ◄─ WebSockets
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from referee.core.messages import Msg
from referee.core.model.view import MatchSheet
from referee.core.values import Json, replace
from referee.web.desk import Desk
from referee.web.feed import SOUNDS_KEPT, Note, Sound
from referee.web.hands import LEAVE, TAKE, AskError, Controls, Hasten, MoveCard, Touch, TurnKnob
from referee.web.pulse import Heartbeat, knocking
from referee.web.snapshot import Snapshot
from referee.web.wire import (
    Awake,
    BotSeats,
    Known,
    LyingCards,
    PageMessage,
    PhoneAnswer,
    PhoneAsks,
    Served,
    Visitors,
    Watched,
    pack,
    read_any,
)

LOG = logging.getLogger("referee")
PAUSES_S = (0.5, 2.0, 10.0, 60.0)
"""Pauses before restarts of a child that has ended; the last one repeats."""
WELL_S = 60.0
"""A page that has lived for so long begins with the first pause again."""
END_S = 3.0
"""An orderly end gets so long."""
LINE_BYTES = 16 * 1024
"""A name in sixteen heaped accents a letter is the longest that a phone says."""


class PageProcess:
    """The page, served by a child. `publish`, `sound` and `seat_bots` may be called from any thread and never wait."""

    def __init__(
        self,
        served: Served,
        sockets: Sequence[socket.socket],
        controls: Controls | None = None,
        desk: Desk | None = None,
    ) -> None:
        """`sockets` are this object's from now on. `controls`, `desk` are called on a thread of this object's."""
        self._served, self._sockets, self._controls, self._desk = served, sockets, controls, desk
        self._answers: deque[PhoneAnswer | Known] = deque()
        if desk is not None:
            desk.changed = self._know
        self._news = threading.Condition()
        self._snapshot: Snapshot | None = None
        self._latest: Snapshot | None = None
        self._sounds: deque[Sound] = deque(maxlen=SOUNDS_KEPT)
        self._bots: BotSeats | None = None
        self._seated = BotSeats(frozenset())
        self._cards: LyingCards | None = None
        self._lying = LyingCards(None)
        self._asks = self._ending = self._watched = False
        self._child: _Child | None = None
        self._thread = threading.Thread(target=self._keep, name="page", daemon=True)
        self._thread.start()

    # -- from any thread -------------------------------------------------------------------------------------------

    def publish(self, snapshot: Snapshot, *, blinks: bool = False) -> None:
        """Show this to everybody who looks. blinks: only light is other than in the last one: which lamps are lit, or
        whether the display is dimmed."""
        with self._news:
            self._latest = snapshot
            if self._watched or not blinks:
                self._snapshot = snapshot
                self._news.notify_all()

    def sound(self, name: str, notes: Iterable[Note], at_ns: int, *, priority: int = 2, cancels: bool = False) -> None:
        """Sound a motif at an instant of the monotonic clock."""
        with self._news:
            self._sounds.append(Sound(name, tuple(notes), at_ns, priority, cancels))
            self._news.notify_all()

    def seat_bots(self, stations: Iterable[str]) -> None:
        """Bots play at these stations now."""
        with self._news:
            self._bots = self._seated = BotSeats(frozenset(stations))
            self._news.notify_all()

    def lay(self, felt: dict[str, Json] | None, lesson: tuple[Msg, ...] = ()) -> None:
        """So the cards of the simulated table lie now; `lesson`: what is explained beside them. Nobody is told while
        nobody looks."""
        with self._news:
            self._lying = LyingCards(felt, lesson)
            if self._watched:
                self._cards = self._lying
                self._news.notify_all()

    def _know(self) -> None:
        """Tells the page's process which phones are paired, after that has changed."""
        if self._desk is not None:
            self._tell(Known(self._desk.book.phones))

    def _tell(self, message: PhoneAnswer | Known) -> None:
        with self._news:
            self._answers.append(message)
            self._news.notify_all()

    def _hear(self, asked: PhoneAsks) -> None:
        """A phone asks; on the hands' thread."""
        if self._desk is not None:
            reply = lambda status, document: self._tell(PhoneAnswer(asked.number, status, document))  # noqa: E731
            self._desk.hear(asked.digest, asked.what, reply)

    def stop(self) -> None:
        """Close every connection, let go of every contact, end the child. May be called twice."""
        with self._news:
            self._ending = True
            self._news.notify_all()
        self._thread.join(2 * END_S)
        for listener in self._sockets:
            listener.close()

    def look(self) -> None:
        """To be called now and then by somebody who is awake anyway: end a child that hangs."""
        child = self._child
        if child is None or child.gone:
            return
        if child.pulse.hangs():
            child.give_up()
        elif knocking(self._sockets):
            with self._news:
                self._asks = True
                self._news.notify_all()

    @property
    def pid(self) -> int | None:
        """The child's number, None before the first."""
        return self._child.process.pid if self._child is not None else None

    # -- the thread ------------------------------------------------------------------------------------------------

    def _keep(self) -> None:
        """A child for as long as the device lives."""
        failed = 0
        while True:
            begun_s = time.monotonic()
            why = self._serve()
            if self._ending:
                return
            failed = 0 if time.monotonic() - begun_s > WELL_S else failed
            pause_s = PAUSES_S[min(failed, len(PAUSES_S) - 1)]
            failed += 1
            LOG.warning("the page has ended (%s); the table goes on, and the page comes back in %g s", why, pause_s)
            with self._news:
                self._news.wait_for(lambda: self._ending, pause_s)

    def _serve(self) -> str:
        """One child from start to end; how it ended."""
        with self._news:
            self._snapshot, self._bots, self._watched = self._latest, self._seated, False
            self._cards = self._lying
            self._answers.clear()  # whom they were for is gone
        self._know()
        try:
            awake = self._desk.look_on if self._desk is not None else bool
            hand = _Hand(self._controls, self._look_at, self._hear, awake)
            self._child = child = _Child(self._sockets, self._served, hand, self._notify)
        except OSError as exc:
            return str(exc)
        with contextlib.suppress(OSError):  # it has gone: its status says more
            told: MatchSheet | None = None
            while (messages := self._next(child)) is not None:
                messages, told = without_sheet(messages, told)
                child.say(messages)
        return child.end()

    def _next(self, child: _Child) -> list[PageMessage] | None:
        """Everything new as soon as there is something; None at the end."""
        with self._news:
            self._news.wait_for(
                lambda: (
                    self._ending
                    or child.gone
                    or self._asks
                    or self._snapshot
                    or self._sounds
                    or self._bots
                    or self._cards
                    or self._answers
                )
            )
            self._asks = False
            if self._ending or child.gone:
                return None
            found = [self._bots, *self._sounds, self._snapshot, self._cards, *self._answers]
            self._answers.clear()
            self._bots = self._snapshot = self._cards = None
            self._sounds.clear()
        return [message for message in found if message is not None]

    def _look_at(self, watched: bool) -> None:
        """Note whether any page is open; a new one gets what was held back."""
        with self._news:
            self._watched, self._snapshot, self._cards = watched, self._latest, self._lying
            self._news.notify_all()

    def _notify(self) -> None:
        with self._news:
            self._news.notify_all()


def without_sheet(
    messages: Sequence[PageMessage], told: MatchSheet | None
) -> tuple[list[PageMessage], MatchSheet | None]:
    """The messages without a match that the child has been told already (`told`), and the one that it knows then."""
    found: list[PageMessage] = []
    for message in messages:
        if isinstance(message, Snapshot):
            match = message.view.match
            if match is not None and match is told:
                message = replace(message, view=replace(message.view, match=None), same_match=True)
            told = match
        found.append(message)
    return found, told


class _Child:
    """A running child, the line to it, and a thread that hears it."""

    def __init__(
        self,
        sockets: Sequence[socket.socket],
        served: Served,
        hand: _Hand,
        woken: Callable[[], object],
    ) -> None:
        """`woken` is called once it is gone. OSError when it cannot be begun."""
        self.gone = False
        self.pulse = Heartbeat()
        self._given_up = False
        self._woken = woken
        self._hand = hand
        self._line, theirs = socket.socketpair()
        numbers = [theirs.fileno(), *(listener.fileno() for listener in sockets)]
        command = [sys.executable, "-m", "referee.web.child", *map(str, numbers)]
        try:
            with theirs:  # a group of its own: Ctrl-C is the device's, which ends it in good order
                # the child finds what its parent has found, wherever that lies
                found = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
                self.process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, pass_fds=numbers, process_group=0, env=found
                )
        except BaseException:
            self._line.close()
            raise
        self._thread = threading.Thread(target=self._listen, name="page's hands", daemon=True)
        self._thread.start()
        self.say([served])

    def say(self, messages: Iterable[PageMessage]) -> None:
        """Hand these over. OSError when it is gone."""
        question = self.pulse.question()
        self._line.sendall(b"".join(map(pack, messages)) + (pack(question) if question is not None else b""))

    def give_up(self) -> None:
        """It hangs, and does not hear that the line has ended."""
        self._given_up = True
        self.process.kill()

    def end(self) -> str:
        """End it, if it has not ended by itself; what its status was."""
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_WR)
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._thread.join(END_S)
        self._line.close()
        return "it no longer answered" if self._given_up else f"status {self.process.returncode}"

    def _listen(self) -> None:
        try:
            with self._line.makefile("rb") as lines, contextlib.suppress(OSError):
                while line := lines.readline(LINE_BYTES):
                    if not self.pulse.take_answer(line):
                        self._hand.do(line)
        finally:
            self._hand.let_go()
            self.gone = True
            self._woken()


class _Hand:
    """What the visitors do, at the simulated contacts where there are any. All of it on one thread."""

    def __init__(
        self,
        controls: Controls | None,
        watched: Callable[[bool], object] = bool,
        asked: Callable[[PhoneAsks], object] = bool,
        awake: Callable[[frozenset[str]], object] = bool,
    ) -> None:
        """`watched` is called with whether any page is open, `asked` with phones' requests, `awake` with the phones
        that have a page open."""
        self._controls, self._watched, self._asked, self._awake = controls, watched, asked, awake
        self._closed: set[str] = set()
        self._seats = frozenset[int]()
        """Whose cards visitors have taken up."""

    def do(self, line: bytes) -> None:
        """One line of the child's; one that is none of ours is logged."""
        try:
            asked = read_any(line)
        except AskError as error:
            LOG.warning("the page's process has sent what is no gesture: %s", error)
            return
        if isinstance(asked, Watched):
            self._watched(asked.watched)
        elif isinstance(asked, Awake):
            self._awake(asked.phones)
        elif isinstance(asked, PhoneAsks):
            self._asked(asked)
        elif self._controls is None:
            LOG.warning("the page's process has sent a gesture, and here are no contacts to press")
        elif isinstance(asked, Visitors):
            self._controls.visitors(asked.count)
        elif isinstance(asked, TurnKnob):
            self._controls.turn(asked.steps)
        elif isinstance(asked, MoveCard):
            self._seats = (self._seats | {asked.seat}) if asked.move == TAKE else self._seats
            self._controls.card(asked.seat, asked.move)
        elif isinstance(asked, Hasten):
            self._controls.hasten(asked.times)
        else:
            self._touch(self._controls, asked)

    def _touch(self, controls: Controls, asked: Touch) -> None:
        (self._closed.add if asked.closed else self._closed.discard)(asked.contact)
        controls.contact(asked.contact, asked.closed)

    def let_go(self) -> None:
        """Open every contact that a page held."""
        self._awake(frozenset())
        if self._controls is None:
            return
        for contact in list(self._closed):
            self._touch(self._controls, Touch(contact, False))
        for seat in sorted(self._seats):
            self._controls.card(seat, LEAVE)
        self._seats = frozenset()
        self._controls.visitors(0)
