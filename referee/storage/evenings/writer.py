"""Writes the journal (all events) to disk. Every row is saved before its result is shown.

Theory of operation. `append` encodes rows into a queue and returns; it never waits for the disk. One thread owns the
file. It sleeps until there are rows, writes all waiting rows with one sync, and reports the number of the last saved
row. While the disk is busy, rows collect and share the next sync.

Errors. A disk that is full, read-only or missing does not stop the match. The rows stay in the queue, the file is
closed, and saving is retried after growing pauses. The rows are then written in order, followed by a `late` row. If the
process dies before that, the next one reads the note in the lock file and writes a `gap` row.

Each `Opened` event begins a new file. Clocks are given to the constructor: `now`, in ns, for status and retries, and
`wall`, in Unix seconds, for notes. A board without a real-time clock starts with a wrong time, which is corrected once
there is a network. `awake`, in ns, is never set, so it shows by how much, and a `moved` row records it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from referee.core.model.events import Decision, Event, Opened, Resumed
from referee.core.stored import encode
from referee.core.units import S
from referee.drivers.health import Health
from referee.storage.evenings.file import EveningFile, JournalBusy, Lock
from referee.storage.evenings.folder import Latest, evenings_in, find_latest, next_id
from referee.storage.evenings.rows import FileRow, JournalRow, Tape, event_row, line, start_row
from referee.storage.files import make_folder
from referee.storage.wallclock import Awake, Wall, WallClock, awake_ns

__all__ = ["Journal", "JournalBusy", "JournalRow"]

_log = logging.getLogger(__name__)
Durable = Callable[[int], object]
"""A function called with the number of the last saved row.

It is called when that number rises, and when saving begins to fail or works again.
"""
OPENING_S = 20.0
"""How long the start waits for a disk that does not answer, in seconds.

A small board reads a long evening from its card in a quarter of that.
"""


class _Entry(NamedTuple):
    """A line that waits to be written: numbers of its row and evening, and since when it waits.

    opened: the `Opened` event, if this line begins a new file.
    """

    seq: int
    evening: int
    line: bytes
    since_ns: int
    opened: Opened | None = None


class _Resumed(NamedTuple):
    """A resumed evening: number and event of its first row, and its ID.

    tail: an incomplete last line, which is written again; empty if there is none.
    """

    seq: int
    opened: Opened
    id: int
    tail: bytes


class Journal:
    """The journal in the directory `state`. Call its methods on the loop's thread.

    To continue the current evening: `Engine.restored(journal.take_recovered().rows)`.
    """

    def __init__(
        self,
        state: Path,
        boot: str,
        *,
        report: Durable | None = None,
        hook: Callable[[], object] | None = None,
        now: Callable[[], int] = time.monotonic_ns,
        wall: Wall = time.time,
        awake: Awake = awake_ns,
        opening_s: float = OPENING_S,
    ) -> None:
        """Read the current evening. Raises JournalBusy if another process uses the directory.

        Return after at most `opening_s`. If reading takes longer or fails, the next rows begin a new evening. report:
        called on the journal's thread, see `Durable`. hook: called on that thread before each write; it may block or
        raise, as a disk does.
        """
        self.state = state
        self.note = ""
        """The journal's last message for the players; "" if there is none."""
        self._boot, self._report, self._hook, self._now, self._wall = boot, report, hook, now, wall
        self._wall_clock = WallClock(wall, awake)
        self._change = threading.Condition()
        # shared with the thread, under self._change:
        self._waiting: deque[_Entry] = deque()
        self._durable = self._last = self._evening = 0
        self._boots = 1
        self._walls: dict[int, int] = {}
        self._boot_walls: set[int] = set()  # event numbers of walls noted in this boot
        self._resumed: _Resumed | None = None  # the resumed evening, until its first row
        self._reason = ""
        self._closing = False
        self._busy_since_ns: int | None = None
        self.name = ""
        """The current evening's name; "" before its file exists."""
        self.id = 0
        """The current evening's ID; 0 before its file exists."""
        # used by the thread only:
        self._folder = evenings_in(state)
        self._lock: Lock | None = None
        self._file_id = 0
        self._lost = (0, "")  # rows that an earlier process could not save
        self._file: EveningFile | None = None
        self._health = Health("journal", _log)
        self._started = threading.Event()
        self._recovered = Tape()
        self._refusal: JournalBusy | None = None
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()
        if not self._started.wait(opening_s):
            self._stop_waiting()
        if self._refusal is not None:
            raise self._refusal

    # -- the loop's side -------------------------------------------------------------------------------------------

    @property
    def durable_seq(self) -> int:
        """Return the number of the last saved row of the current evening; 0 if there is none."""
        with self._change:
            return self._durable

    @property
    def walls(self) -> Mapping[int, int]:
        """Return a copy of the known wall-clock times: event number -> Unix seconds."""
        with self._change:
            return dict(self._walls)

    def append(self, rows: Sequence[JournalRow]) -> None:
        """Queue rows without blocking.

        Raises ValueError for a row whose number is not above the one before (except at `Opened`), and CodecError for an
        event that could not be read back. Then no row is queued.
        """
        with self._change:
            last, texts = self._last, [encode(event) for _, event in rows]
            for seq, event in rows:
                if seq <= last and not isinstance(event, Opened):
                    raise ValueError(f"row {seq} after row {last}: numbers must rise")
                last = seq
            for (seq, event), text in zip(rows, texts, strict=True):
                self._waiting.extend(self._entries(seq, event, text))
            self._change.notify_all()

    def set_aside(self, seq: int, reason: str) -> None:
        """Record that the next start of the program must skip this row. Does not block.

        This is saved together with the waiting rows.
        """
        with self._change:
            self._waiting.append(self._entry(self._last, line(FileRow("aside", seq, self._boots, reason=reason))))
            self._change.notify_all()

    def progressing(self, within_ns: int) -> bool:
        """Return False if the journal's thread has died, or has been busy longer than `within_ns`."""
        with self._change:
            since = self._busy_since_ns
            return self._thread.is_alive() and (since is None or self._now() - since <= within_ns)

    def take_recovered(self) -> Tape:
        """Return the evening that was read at the start; later calls return an empty `Tape`."""
        recovered, self._recovered = self._recovered, Tape()
        return recovered

    def close(self, timeout_s: float = 5.0) -> bool:
        """Save the waiting rows with one last try and close the file; return whether all are saved."""
        with self._change:
            self._closing = True
            self._change.notify_all()
        self._thread.join(timeout_s)
        return not self._thread.is_alive() and not self._waiting

    def _entries(self, seq: int, event: Event, text: str) -> list[_Entry]:
        """Return the lines to write for an event.

        If the evening was resumed since the last event, its start row comes first. If the wall clock was set since
        then, a `moved` row comes before the event's.
        """
        if isinstance(event, Opened):
            if seq <= self._last:
                self._durable = seq - 1
            self._last, self._boots, self._resumed = seq, 1, None
            self._evening += 1
            return [self._entry(seq, b"", event)]
        entries = [*self._start_of_boot(), *self._clock_set()]
        wall_s = int(self._wall()) if isinstance(event, Decision | Resumed) else None
        if wall_s is not None:
            self._walls[seq] = wall_s
            self._boot_walls.add(seq)
        self._last = seq
        return [*entries, self._entry(seq, line(event_row(seq, event, text, self._boots, wall_s)))]

    def _start_of_boot(self) -> list[_Entry]:
        """Return the start row of a resumed evening, and a `gap` row if rows were lost before it."""
        found, self._resumed = self._resumed, None
        if found is None:
            return []
        start = start_row(found.opened, found.seq, self._boots, self._boot, int(self._wall()), found.id)
        lines, (lost, reason) = found.tail + line(start), self._lost
        if lost:
            lines += line(FileRow("gap", self._last, self._boots, lost=lost, reason=reason))
        return [self._entry(self._last, lines)]

    def _clock_set(self) -> list[_Entry]:
        by_s = self._wall_clock.set_by_s()
        if not by_s:
            return []
        for seq in self._boot_walls:
            self._walls[seq] += by_s
        return [self._entry(self._last, line(FileRow("moved", self._last, self._boots, by_s=by_s)))]

    def _entry(self, seq: int, text: bytes, opened: Opened | None = None) -> _Entry:
        return _Entry(seq, self._evening, text, self._now(), opened)

    def note_address(self, address: str) -> None:
        """Note the page's address for a second process that wants this directory. May block as the disk does."""
        if self._lock is not None:
            self._lock.note_address(address)

    # -- the thread's side -----------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._attempt(self._take_lock)
            self._look()
        except JournalBusy as refusal:
            self._refusal = refusal
        except Exception as error:  # whatever is wrong with files or disk, the table must open
            self._remark(f"the last evening could not be read: {error or type(error).__name__}")
        finally:
            self._started.set()
        while self._refusal is None and self._wait():
            self._attempt(self._save)
        self._let_go()

    def _wait(self) -> bool:
        """Sleep until there is something to do. Return False when the thread should end."""
        with self._change:
            if self._reason and self._closing:
                return False
            if self._reason:
                pause_s = max((self._health.next_ns or 0) - self._now(), 0) / S
                self._change.wait_for(lambda: self._closing or self._health.due(self._now()), pause_s)
            else:
                self._change.wait_for(lambda: self._waiting or self._closing)
            return bool(self._waiting or self._reason)

    def _attempt(self, work: Callable[[], object]) -> None:
        """Call `work`, and report success or failure. After a failure, plan a retry.

        Raises only JournalBusy, and only at the start.
        """
        self._busy_since_ns = self._now()
        try:
            work()
        except Exception as error:
            if isinstance(error, JournalBusy) and not self._started.is_set():
                raise
            self._note_failure(error)
        else:
            self._fine()
        self._busy_since_ns = None

    def _take_lock(self) -> None:
        make_folder(self._folder)
        if self._lock is None:
            self._lock = Lock(self.state)
            self._lost = self._lock.lost, self._lock.reason

    def _look(self) -> None:
        """Read the current evening."""
        if (self.state / "journal.db").exists():
            _log.warning("%s is of an earlier version; it is left alone and not read", self.state / "journal.db")
        found = find_latest(self._folder)
        for trouble in found.troubles:
            _log.warning("%s", trouble)
        with self._change:
            if found.path is not None and not self._started.is_set():
                self._resume(found.path, found)
            elif found.troubles:
                self.note = found.troubles[-1]
        if self._lost[0]:
            self._remark(f"{self._lost[0]} rows before the restart could not be saved and are lost ({self._lost[1]})")

    def _resume(self, path: Path, found: Latest) -> None:
        tape, (seq, opened) = found.tape, found.tape.rows[0]
        assert isinstance(opened, Opened)
        self._file = EveningFile(self._folder, self._wall, path, found.data[: tape.size])
        self._recovered = tape
        self._resumed = _Resumed(seq, opened, tape.id, tape.tail)
        self._walls, self._boots, self.name = dict(tape.walls), tape.boots + 1, self._file.name
        self._last = self._durable = tape.rows[-1][0]
        self.id = self._file_id = tape.id
        if tape.damaged:
            more = f" and {len(tape.damaged) - 3} more" if len(tape.damaged) > 3 else ""
            self._remark(f"{path} was damaged: {'; '.join(tape.damaged[:3])}{more}")

    def _stop_waiting(self) -> None:
        """Let the table start without the current evening, because the disk hangs.

        New rows are saved once the disk answers.
        """
        with self._change:
            if not self._started.is_set() and not self._durable:
                self._remark("the journal does not answer; the table opens without it")
            self._started.set()

    def _save(self) -> None:
        """Write all waiting rows, with one sync per evening."""
        self._take_lock()
        with self._change:
            batch = tuple(self._waiting)
        if not batch:
            return
        if self._hook is not None:
            self._hook()
        begin = 0
        for place, entry in enumerate(batch):
            if entry.opened is not None and place:
                self._write(batch[begin:place])
                begin = place
        self._write(batch[begin:])

    def _write(self, entries: Sequence[_Entry]) -> None:
        """Write rows of one evening. If the first row begins the evening, begin a new file."""
        first, after = entries[0], self._durable
        if first.opened is not None:
            self._begin(first.seq, first.opened)
            self._drop(entries[:1])  # the file exists now, even if the next write fails
        if entries := entries[first.opened is not None :]:
            text = b"".join(entry.line for entry in entries)
            if self._reason:
                text += line(FileRow("late", entries[-1].seq, self._boots, after=after, reason=self._reason))
            assert self._file is not None
            self._file.add(text)
            self._drop(entries)

    def _begin(self, seq: int, opened: Opened) -> None:
        """Begin a file. Its start row is written twice, so that one damaged line cannot lose it."""
        if self._file is not None:
            self._file.close()
        file = EveningFile(self._folder, self._wall)
        id_ = next_id(self._folder)
        start = line(start_row(opened, seq, 1, self._boot, int(self._wall()), id_))
        try:
            file.add(start + start)
        except OSError:
            file.discard()
            raise
        self._file, self._file_id = file, id_

    def _drop(self, entries: Sequence[_Entry]) -> None:
        """Remove these entries from the front of the queue, because they are saved now."""
        last = entries[-1]
        with self._change:
            for _ in entries:
                self._waiting.popleft()
            if self._lost[0] and self._lock is not None:
                self._lost = 0, ""
                self._lock.note()
            if last.evening == self._evening:
                self._durable = last.seq
                self.name, self.id = self._file.name if self._file else "", self._file_id

    # -- problems --------------------------------------------------------------------------------------------------

    def _note_failure(self, error: Exception) -> None:
        again = self._health.lost
        self._health.note_failure(error, self._now())
        with self._change:
            self._reason = str(error) or type(error).__name__
            unsaved = len(self._waiting)
        if self._lock is not None and unsaved:
            self._lock.note(unsaved, self._reason)
        if not again:
            self._tell()

    def _fine(self) -> None:
        with self._change:
            self._reason = ""
        if self._lock is not None and self._health.lost:
            self._lock.note()
        self._health.ok()
        self._tell()

    def _remark(self, sentence: str) -> None:
        """Set and log a message for the players."""
        self.note = sentence
        _log.warning("%s", sentence)

    def _tell(self) -> None:
        if self._report is None or not self._started.is_set():
            return
        try:
            self._report(self.durable_seq)
        except Exception:
            _log.exception("the function that is called after each save failed")

    def _let_go(self) -> None:
        if self._waiting:
            _log.error("%d rows were never saved: %s", len(self._waiting), self._reason)
        if self._file is not None:
            self._file.close()
        if self._lock is not None:
            self._lock.release()
