"""Runs the page in a process of its own, so that visitors do not slow down the referee.

Theory of operation. The device's process binds the sockets, so an unavailable address is known at once and a
visitor's connection waits while the page starts. A child serves them (`page/child.py`). Snapshots and sounds go to it
through a thread: publishing puts them into a mailbox and never waits; the newest snapshot replaces older ones. What
visitors do at the simulated table comes back as lines of JSON, parsed strictly: the child could be attacked from the
network.

While no page is open, blinking lamps and a dimmed display are not sent: a table at rest wakes no page. A child that
ends is logged once and restarted after growing pauses, with the newest snapshot; contacts that its visitors held are
released.

A thread was measured first: with 50 open pages the display's picture came 1.8 times as late. With a process of lower
priority the median stays within 1.5 times of that without visitors (`make bench ARGS=page`).

    device                                 page
    publish, play ──► mailbox ─► thread ═══► feed ─► WebSockets
    contacts ◄─────────────────── thread ◄═══ hands ◄─ WebSockets
"""

from __future__ import annotations

import logging
import socket
import struct
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from referee.core.messages import Msg
from referee.core.model.view import MatchSheet
from referee.core.values import Json, replace
from referee.device.children.supervisor import Child, KeptChild, Program
from referee.device.phones.desk import Desk
from referee.protocol.gestures import LEAVE, TAKE, Act, AskError, Controls, MoveCard, Touch, Visitors, apply
from referee.protocol.page import (
    SOUNDS_KEPT,
    Awake,
    BotSeats,
    Known,
    LyingCards,
    PageMessage,
    PhoneAnswer,
    PhoneAsks,
    PhoneButtons,
    PhoneProof,
    PhoneTouch,
    Ping,
    Prove,
    Served,
    Sound,
    Watched,
    pack,
    read_any,
)
from referee.protocol.snapshot import Snapshot

BACKLOG = 128
_WAITING = struct.Struct("=24xI")
"""Reads tcpi_unacked from `struct tcp_info`: number of connections waiting to be accepted."""

LOG = logging.getLogger("referee")
PAGE = Program("page", "referee.page.child", line_bytes=16 * 1024, memory_bytes=256 << 20, hangs_s=60.0)
"""The longest message of a phone is a name with sixteen accents on each letter.

With 56 pages open it has 57 MB of data; the program that reads 10,000 past matches has the same limit and needs less
than 96 MB. The time is long because the page has a low priority, and a busy small board takes tens of seconds to start.
"""


class PageProcess(KeptChild):
    """The page, served by a child process.

    `publish`, `play` and `seat_bots` may be called from any thread and never wait.
    """

    def __init__(
        self,
        served: Served,
        sockets: Sequence[socket.socket],
        controls: Controls | None = None,
        desk: Desk | None = None,
    ) -> None:
        """Start to serve from these listening `sockets`. `stop` closes them.

        `controls` and `desk` are called on the thread that reads from the child.
        """
        super().__init__(PAGE, sockets)
        self._served, self._desk = served, desk
        self._hand = _Hand(controls, self._look_at, self._ask_desk, desk)
        self._state: dict[type, PageMessage] = {}
        """The last message of each kind that a new child needs."""
        self._due: dict[type, PageMessage] = {}
        """The messages of `_state` that the child has not got yet."""
        self._sounds: deque[Sound] = deque(maxlen=SOUNDS_KEPT)
        self._answers: deque[PhoneAnswer | Prove] = deque()
        self._watched = False
        self._busy = True  # whether the thread is working, not waiting
        self._told: MatchSheet | None = None  # the last match sent to the child
        if desk is not None:
            desk.changed = self._know
            desk.prove = lambda until_ns: self._answer(Prove(until_ns))
            self._know()
        self._thread.start()

    # -- from any thread -------------------------------------------------------------------------------------------

    def publish(self, snapshot: Snapshot, *, blinks: bool = False) -> None:
        """Show a snapshot on all pages.

        blinks: only lamps or the display's brightness have changed. Such a snapshot is sent only while a page is open,
        and on the caller's thread if possible.
        """
        with self._news:
            if not (blinks and self._watched and self._say_now(snapshot)):
                self._show(snapshot, watched_only=blinks)

    def play(self, sound: Sound) -> None:
        """Play a sound on all pages, or say words (see `Sound`). Empty words end all speech."""
        with self._news:
            self._sounds.append(sound)
            self._news.notify_all()

    def seat_bots(self, stations: Iterable[str]) -> None:
        """Set the stations at which bots play."""
        self._show(BotSeats(frozenset(stations)))

    def lay(self, felt: dict[str, Json] | None, lesson: tuple[Msg, ...] = ()) -> None:
        """Set the cards of the simulated table; `lesson`: explanations shown with them.

        The cards are sent only while a page is open.
        """
        self._show(LyingCards(felt, lesson), watched_only=True)

    def _know(self) -> None:
        """Send the list of paired phones to the page's process."""
        if self._desk is not None:
            self._show(Known(self._desk.book.phones))

    def _show(self, message: PageMessage, *, watched_only: bool = False) -> None:
        """Send a message to the child. It replaces a message of its kind that was not sent yet.

        watched_only: send it only while a page is open.
        """
        with self._news:
            self._state[type(message)] = message
            if self._watched or not watched_only:
                self._due[type(message)] = message
                self._news.notify_all()

    def _say_now(self, snapshot: Snapshot) -> bool:
        """Send a snapshot if nothing else waits and the socket has room. Return whether it was sent."""
        child = self._child
        if child is None or self._busy or self._is_due():
            return False
        self._state[Snapshot] = snapshot
        (message,), told = without_sheet([snapshot], self._told)
        sent = child.send_now(pack(message))
        if sent:
            self._told = told
        if child.rest:
            self._news.notify_all()
        return sent

    def _is_due(self) -> bool:
        return bool(self._asks or self._due or self._sounds or self._answers)

    def _answer(self, answer: PhoneAnswer | Prove) -> None:
        with self._news:
            self._answers.append(answer)
            self._news.notify_all()

    def _ask_desk(self, asked: PhoneAsks) -> None:
        """Handle a phone's request, on the thread that reads from the child."""
        if self._desk is not None:
            reply = lambda status, document: self._answer(PhoneAnswer(asked.number, status, document))  # noqa: E731
            self._desk.hear(asked.digest, asked.what, reply)

    def stop(self) -> None:
        """End the child with all connections, release all contacts, close the listening sockets.

        May be called twice.
        """
        super().stop()
        for listener in self._sockets:
            listener.close()

    # -- the thread ------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._due, self._watched, self._told = dict(self._state), False, None
        self._answers.clear()  # the child that would get them is gone

    def _feed(self, child: Child) -> None:
        self._send(child, pack(self._served))
        while (messages := self._next(child)) is not None:
            messages, self._told = without_sheet(messages, self._told)
            self._send(child, b"".join(map(pack, messages)))

    def _hear(self, line: bytes) -> None:
        self._hand.do(line)

    def _ping(self, number: int) -> bytes:
        return pack(Ping(number))

    def _wants_answer(self) -> bool:
        return knocking(self._sockets)

    def _on_lost(self) -> None:
        if self.lost:
            self._hand.let_go()

    def _next(self, child: Child) -> list[PageMessage] | None:
        """Wait until messages for the child are due, and return them.

        Return None if the child has ended or `stop` was called.
        """
        with self._news:
            self._busy = False
            self._news.wait_for(lambda: self._ending or child.gone or child.rest or self._is_due())
            self._busy, self._asks = True, False
            if self._ending or child.gone:
                return None
            found = [*self._sounds, *self._due.values(), *self._answers]
            for sent in (self._sounds, self._due, self._answers):
                sent.clear()
        return found

    def _look_at(self, watched: bool) -> None:
        """Record whether any page is open, and send the current state to the child."""
        with self._news:
            self._watched, self._due = watched, dict(self._state)
            self._news.notify_all()


def without_sheet(
    messages: Sequence[PageMessage], told: MatchSheet | None
) -> tuple[list[PageMessage], MatchSheet | None]:
    """Remove the match from each snapshot if the child already has the same match.

    told: the match that the child has before the messages. Return the messages, and the match that it has after them.
    """
    found: list[PageMessage] = []
    for message in messages:
        if isinstance(message, Snapshot):
            match = message.view.match
            if match is not None and match is told:
                message = replace(message, view=replace(message.view, match=None), same_match=True)
            told = match
        found.append(message)
    return found, told


class _Hand:
    """Handles the lines from the child: visitors' gestures, phones' requests, reports.

    All methods run on the thread that reads from the child.
    """

    def __init__(
        self,
        controls: Controls | None,
        watched: Callable[[bool], object] = bool,
        asked: Callable[[PhoneAsks], object] = bool,
        desk: Desk | None = None,
    ) -> None:
        """`watched` is called with whether any page is open, `asked` with phones' requests.

        desk: gets reports on which phones have a page open or show a button, and their touches.
        """
        self._controls, self._watched, self._asked, self._desk = controls, watched, asked, desk
        self._closed: set[str] = set()
        self._seats: set[int] = set()
        """The seats whose cards visitors move."""

    def do(self, line: bytes) -> None:
        """Handle one line from the child. Raises AskError if it is invalid."""
        asked = read_any(line)
        if isinstance(asked, Watched):
            self._watched(asked.watched)
        elif isinstance(asked, Awake | PhoneTouch | PhoneProof | PhoneButtons):
            if self._desk is not None:
                self._desk.take_report(asked)
        elif isinstance(asked, PhoneAsks):
            self._asked(asked)
        elif self._controls is None:
            raise AskError("it is a gesture, but there are no simulated contacts")
        else:
            self._note(asked)
            apply(self._controls, asked)

    def _note(self, act: Act) -> None:
        """Store which contacts and cards visitors hold, to release them when the child ends."""
        if isinstance(act, Touch):
            (self._closed.add if act.closed else self._closed.discard)(act.contact)
        elif isinstance(act, MoveCard) and act.move == TAKE:
            self._seats.add(act.seat)

    def let_go(self) -> None:
        """Release all contacts and cards that pages held; report that no phone has a page open."""
        if self._desk is not None:
            self._desk.take_report(Awake(frozenset()))
            self._desk.take_report(PhoneButtons(frozenset()))
        if self._controls is None:
            return
        for contact in self._closed:
            apply(self._controls, Touch(contact, False))
        for seat in sorted(self._seats):
            apply(self._controls, MoveCard(seat, LEAVE))
        apply(self._controls, Visitors(0))
        self._closed.clear()
        self._seats.clear()


def bind_sockets(host: str, port: int) -> list[socket.socket]:
    """Return sockets that listen on every address of the host.

    Raises OSError if a socket cannot be bound.
    """
    found: list[socket.socket] = []
    flags = socket.AI_PASSIVE
    places = dict.fromkeys(socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=flags))
    try:
        for family, _, _, _, address in places:
            here = (address[0], port, *address[2:])
            found.append(socket.create_server(here, family=family, backlog=BACKLOG))
            port = port or found[0].getsockname()[1]
    except BaseException:
        for one in found:
            one.close()
        raise
    return found


def address_of(port: int, host: str, name: str = "localhost") -> str:
    """Return the page's address for a browser.

    host: where the page listens. name: this machine's name, used if `host` stands for all addresses.
    """
    shown = name if host in ("", "0.0.0.0", "::") else "localhost" if host in ("127.0.0.1", "::1") else host
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"


def knocking(listeners: Iterable[socket.socket]) -> bool:
    """Return whether a client's connection waits to be accepted.

    A page's process that works accepts each connection at once, even if only to close it.
    """
    return any(_waiting(listener) for listener in listeners)


def _waiting(listener: socket.socket) -> int:
    try:
        told = listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _WAITING.size)
        return int(_WAITING.unpack(told)[0])
    except (OSError, AttributeError, struct.error):  # no Linux, or no TCP: then only other messages carry the question
        return 0
