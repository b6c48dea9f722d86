"""The page's input: the newest snapshot, sounds, and the simulated contacts that it may press.

Theory of operation. `publish` and `sound` may be called from any thread and never block or fail. Each subscriber
has a mailbox with one slot for the snapshot, where the newest wins, and a short queue of sounds, where the oldest
is dropped. A slow subscriber misses pictures, never the present one, and delays no other. There is no polling: the
mailbox wakes its own event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from referee.core.messages import Msg
from referee.core.model.view import Lamp
from referee.core.values import Json, Value, replace
from referee.language.say import message_speech
from referee.language.words import ENGLISH, speaking
from referee.web.cards import Felt
from referee.web.hands import Controls
from referee.web.seats import seats_after
from referee.web.snapshot import Snapshot

SOUNDS_KEPT = 16
"""Maximum sounds queued for a slow subscriber; beyond it the oldest is dropped."""
STALE_NS = 1_000_000_000
"""Age in ns beyond which a sound is not played: a page that slept must not replay the past."""
_MS = 1_000_000

Note = tuple[int, int]
"""(frequency in Hz, duration in ms); a frequency of 0 is a rest."""


class Sound(Value):
    """A motif at an instant of the feed's clock. cancels: drop pending sounds first.

    A sound of at least the running one's priority replaces it; a lower one waits.
    """

    name: str
    notes: tuple[Note, ...]
    at_ns: int
    priority: int = 2
    cancels: bool = False


class Letter(Value):
    """A mailbox's content: the newest snapshot if it is new, the sounds since the last letter."""

    snapshot: Snapshot | None
    sounds: tuple[Sound, ...]
    felt: Felt | None = None


class Mailbox:
    """One subscriber's slot and queue.

    Filled from any thread, emptied on the loop it was made on.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._filled = asyncio.Event()
        self._snapshot: Snapshot | None = None
        self._sounds: deque[Sound] = deque(maxlen=SOUNDS_KEPT)
        self._felt: Felt | None = None

    def show(self, snapshot: Snapshot) -> None:
        """Store a snapshot, in place of one not yet fetched."""
        with self._lock:
            self._snapshot = snapshot
        self._wake()

    def play(self, sound: Sound) -> None:
        """Queue a sound; one that cancels replaces those before it."""
        with self._lock:
            if sound.cancels:
                self._sounds.clear()
            self._sounds.append(sound)
        self._wake()

    def lay(self, felt: Felt) -> None:
        """Store the cards."""
        with self._lock:
            self._felt = felt
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended, and so has its page
            self._loop.call_soon_threadsafe(self._filled.set)

    async def fetch(self) -> Letter:
        """Wait for content, and return all of it."""
        await self._filled.wait()
        with self._lock:
            self._filled.clear()
            letter = Letter(self._snapshot, tuple(self._sounds), self._felt)
            self._snapshot = self._felt = None
            self._sounds.clear()
        return letter


class TableFeed(Protocol):
    """The interface of a table for the page."""

    @property
    def stations(self) -> tuple[str, ...]:
        """The stations in the order of the numbers on their caps."""
        ...

    @property
    def bots(self) -> frozenset[str]:
        """The stations at which bots play."""
        ...

    @property
    def controls(self) -> Controls | None:
        """The simulated contacts; None on the real device, whose page only shows."""
        ...

    @property
    def latest(self) -> Snapshot | None:
        """The newest snapshot, None before the first."""
        ...

    def subscribe(self, first: bool = False) -> AbstractContextManager[Mailbox]:
        """Return a mailbox that is filled from now on, beginning with the newest snapshot.

        first: before all others.
        """
        ...

    def looks_on(self, phone: str) -> AbstractContextManager[None]:
        """Return a context in which that phone counts as having a page open."""
        ...

    def delay_ms(self, sound: Sound) -> int | None:
        """The time until a sound is due, in ms, 0 for now; None if its time is long past."""
        ...


class Feed:
    """The feed that the daemon fills. Thread-safe; no method waits."""

    def __init__(
        self,
        stations: Iterable[str] = ("1", "2", "3", "4", "5", "6", "7", "8"),
        *,
        bots: Iterable[str] = (),
        controls: Controls | None = None,
        clock: Callable[[], int] = time.monotonic_ns,
        on_watched: Callable[[bool], object] = bool,
        on_awake: Callable[[frozenset[str]], object] = bool,
    ) -> None:
        """`controls`: only at the simulated table. `clock`: the clock of sounds' `at_ns`, in ns.

        `on_watched` is called when the first subscriber has come (True) and when the last one has gone (False),
        `on_awake` with the phones that look on, when they change.
        """
        self.stations = tuple(stations)
        self.bots = frozenset(bots)
        self.controls = controls
        self._clock, self._on_watched, self._on_awake = clock, on_watched, on_awake
        self._lock = threading.Lock()
        self._latest: Snapshot | None = None
        self._felt: Felt = {}
        self._mailboxes: list[Mailbox] = []
        self._open: Counter[str] = Counter()

    @property
    def latest(self) -> Snapshot | None:
        return self._latest

    def publish(self, snapshot: Snapshot) -> None:
        """Show a snapshot to all subscribers."""
        with self._lock:
            last = self._latest
            if snapshot.same_match and last is not None:
                view = replace(snapshot.view, match=last.view.match)
                snapshot = replace(snapshot, view=view, same_match=False)
            seats = seats_after(last.seats if last else (), snapshot.view)
            self._show(replace(snapshot, seats=seats, bots=self.bots, awake=frozenset(self._open)))

    def seat_bots(self, stations: Iterable[str]) -> None:
        """Set the stations at which bots play."""
        with self._lock:
            self.bots = frozenset(stations)
            if self._latest is not None:
                self._show(replace(self._latest, bots=self.bots))

    def lay(self, felt: Felt | None, lesson: Iterable[Msg] = ()) -> None:
        """Show the cards; None: there are none. `lesson`: explanations, a sentence each."""
        with self._lock:
            with speaking(self._latest.view.language if self._latest else ENGLISH):
                lines: list[Json] = [message_speech(line) for line in lesson]
            self._felt = {**felt, "lesson": lines} if felt else {}
            for mailbox in self._mailboxes:
                mailbox.lay(self._felt)

    def _show(self, snapshot: Snapshot) -> None:
        self._latest = snapshot
        for mailbox in self._mailboxes:
            mailbox.show(snapshot)

    def lamps(self, lamps: Iterable[Lamp]) -> None:
        """Change only the lamps: at a call they are ahead of the picture."""
        with self._lock:
            if self._latest is not None:
                self._show(replace(self._latest, view=replace(self._latest.view, lamps=tuple(lamps))))

    def sound(
        self,
        name: str,
        notes: Iterable[Note],
        at_ns: int | None = None,
        *,
        priority: int = 2,
        cancels: bool = False,
    ) -> None:
        """Play a motif at an instant, None for now.

        No notes and `cancels`: only drop pending sounds.
        """
        self.play(Sound(name, tuple(notes), self._clock() if at_ns is None else at_ns, priority, cancels))

    def play(self, sound: Sound) -> None:
        """Queue a sound for all subscribers; one that cancels replaces those before it."""
        with self._lock:
            for mailbox in self._mailboxes:
                mailbox.play(sound)

    @contextlib.contextmanager
    def subscribe(self, first: bool = False) -> Iterator[Mailbox]:
        mailbox = Mailbox()
        with self._lock:
            self._mailboxes.insert(0 if first else len(self._mailboxes), mailbox)
            if self._latest is not None:
                mailbox.show(self._latest)
            if self._felt:
                mailbox.lay(self._felt)
            if len(self._mailboxes) == 1:
                self._on_watched(True)
        try:
            yield mailbox
        finally:
            with self._lock:
                self._mailboxes.remove(mailbox)
                if not self._mailboxes:
                    self._on_watched(False)

    @contextlib.contextmanager
    def looks_on(self, phone: str) -> Iterator[None]:
        with self._lock:
            self._opens(self._open + Counter((phone,)))
        try:
            yield
        finally:
            with self._lock:
                self._opens(self._open - Counter((phone,)))

    def _opens(self, pages: Counter[str]) -> None:
        """Set the number of open pages of each phone."""
        before, self._open = frozenset(self._open), pages
        awake = frozenset(pages)
        if awake == before:
            return
        self._on_awake(awake)
        if self._latest is not None:
            self._show(replace(self._latest, awake=awake))

    def delay_ms(self, sound: Sound) -> int | None:
        """The time until a sound is due, in ms; None if it is too old."""
        ahead_ns = sound.at_ns - self._clock()
        return None if ahead_ns < -STALE_NS else max(ahead_ns, 0) // _MS
