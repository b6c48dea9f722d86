"""The data of all pages: the newest snapshot, sounds, and the simulated contacts to press.

Theory of operation. Each subscriber (an open page) has a mailbox with one slot for the snapshot, where the newest
replaces the one before, and a short queue of sounds, where the oldest is dropped. A slow subscriber misses some
snapshots, but never the last one, and delays no other. All of it runs on the page's event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator

from referee.core.messages import Msg
from referee.core.values import Json, Value, replace
from referee.language.say import message_speech
from referee.language.words import ENGLISH, speaking
from referee.page.simulated import Felt
from referee.protocol.gestures import Act
from referee.protocol.page import SOUNDS_KEPT, Sound
from referee.protocol.snapshot import Snapshot, seats_after

STALE_NS = 1_000_000_000
"""Age in ns beyond which a sound is not played: a page that slept must not replay the past."""
_MS = 1_000_000


class Letter(Value):
    """The content of a mailbox: the newest snapshot or None, sounds, the newest cards or None."""

    snapshot: Snapshot | None
    sounds: tuple[Sound, ...]
    felt: Felt | None = None


class Mailbox:
    """Keeps for one subscriber the newest snapshot, the newest cards and sounds until fetched."""

    def __init__(self) -> None:
        self._filled = asyncio.Event()
        self._snapshot: Snapshot | None = None
        self._sounds: deque[Sound] = deque(maxlen=SOUNDS_KEPT)
        self._felt: Felt | None = None

    def show(self, snapshot: Snapshot) -> None:
        """Store a snapshot; it replaces one that was not fetched yet."""
        self._snapshot = snapshot
        self._filled.set()

    def play(self, sound: Sound) -> None:
        """Queue a sound. If it has `cancels`, it replaces the queued ones."""
        if sound.cancels:
            self._sounds.clear()
        self._sounds.append(sound)
        self._filled.set()

    def lay(self, felt: Felt) -> None:
        """Store the simulated table's cards; they replace cards that were not fetched yet."""
        self._felt = felt
        self._filled.set()

    async def fetch(self) -> Letter:
        """Wait until the mailbox has content; return all of it and empty the mailbox."""
        await self._filled.wait()
        return self.take()

    def take(self) -> Letter:
        """Return all content, which may be nothing, and empty the mailbox."""
        self._filled.clear()
        letter = Letter(self._snapshot, tuple(self._sounds), self._felt)
        self._snapshot = self._felt = None
        self._sounds.clear()
        return letter


class Feed:
    """The newest state of the table in the page's process, and all subscribers to its changes.

    Use it on the event loop's thread only. No method waits.
    """

    def __init__(
        self,
        stations: Iterable[str] = ("1", "2", "3", "4", "5", "6", "7", "8"),
        *,
        bots: Iterable[str] = (),
        act: Callable[[Act], object] | None = None,
        clock: Callable[[], int] = time.monotonic_ns,
        on_watched: Callable[[bool], object] = bool,
        on_awake: Callable[[frozenset[str]], object] = bool,
    ) -> None:
        """`stations`: those of all seats, in order. `bots`: the stations at which bots play.

        `act`: called with each act of a visitor at the simulated table; None on a real device, whose page only shows
        the table. `clock`: returns ns; sounds and touches are timed by it.

        `on_watched` is called with True for the first subscriber and with False after the last one has gone. `on_awake`
        is called with the names of the phones that have a page open, whenever these change.
        """
        self.stations = tuple(stations)
        self.bots = frozenset(bots)
        self.act = act
        self.latest: Snapshot | None = None
        """The newest snapshot, None before the first."""
        self.clock, self._on_watched, self._on_awake = clock, on_watched, on_awake
        self._felt: Felt = {}
        self._mailboxes: list[Mailbox] = []
        self._open: Counter[str] = Counter()

    def publish(self, snapshot: Snapshot) -> None:
        """Send a snapshot to all subscribers."""
        last = self.latest
        if snapshot.same_match and last is not None:
            view = replace(snapshot.view, match=last.view.match)
            snapshot = replace(snapshot, view=view, same_match=False)
        seats = seats_after(last.seats if last else (), snapshot.view)
        self._show(replace(snapshot, seats=seats, bots=self.bots, awake=frozenset(self._open)))

    def seat_bots(self, stations: Iterable[str]) -> None:
        """Set the stations at which bots play."""
        self.bots = frozenset(stations)
        if self.latest is not None:
            self._show(replace(self.latest, bots=self.bots))

    def lay(self, felt: Felt | None, lesson: Iterable[Msg] = ()) -> None:
        """Send the simulated table's cards to all subscribers. `felt` is None if there are no cards.

        `lesson`: explanations for newcomers, a sentence each.
        """
        with speaking(self.latest.view.language if self.latest else ENGLISH):
            lines: list[Json] = [message_speech(line) for line in lesson]
        self._felt = {**felt, "lesson": lines} if felt else {}
        for mailbox in self._mailboxes:
            mailbox.lay(self._felt)

    def _show(self, snapshot: Snapshot) -> None:
        self.latest = snapshot
        for mailbox in self._mailboxes:
            mailbox.show(snapshot)

    def play(self, sound: Sound) -> None:
        """Queue a sound for all subscribers. If it has `cancels`, it replaces the queued ones."""
        for mailbox in self._mailboxes:
            mailbox.play(sound)

    @contextlib.contextmanager
    def subscribe(self, first: bool = False) -> Iterator[Mailbox]:
        """Return a mailbox that is filled within this context, beginning with the newest snapshot.

        first: fill it before the other mailboxes.
        """
        mailbox = Mailbox()
        self._mailboxes.insert(0 if first else len(self._mailboxes), mailbox)
        if self.latest is not None:
            mailbox.show(self.latest)
        if self._felt:
            mailbox.lay(self._felt)
        if len(self._mailboxes) == 1:
            self._on_watched(True)
        try:
            yield mailbox
        finally:
            self._mailboxes.remove(mailbox)
            if not self._mailboxes:
                self._on_watched(False)

    @contextlib.contextmanager
    def looks_on(self, phone: str) -> Iterator[None]:
        """Count the phone, within this context, as one that has a page open."""
        self._opens(self._open + Counter((phone,)))
        try:
            yield
        finally:
            self._opens(self._open - Counter((phone,)))

    def _opens(self, pages: Counter[str]) -> None:
        """Store the number of open pages of each phone. Report the phones if they have changed."""
        before, self._open = frozenset(self._open), pages
        awake = frozenset(pages)
        if awake == before:
            return
        self._on_awake(awake)
        if self.latest is not None:
            self._show(replace(self.latest, awake=awake))

    def delay_ms(self, sound: Sound) -> int | None:
        """Return the ms until a sound is due, 0 for now; None if it is too old to play."""
        ahead_ns = sound.at_ns - self.clock()
        return None if ahead_ns < -STALE_NS else max(ahead_ns, 0) // _MS
