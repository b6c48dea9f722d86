"""The journal on disk: every row, written by its own thread, before the table sees what came of it.

Theory of operation. `append` numbers and packs rows into a queue and returns; it never waits for the disk. One thread
owns the database. It sleeps until there is something to save, takes everything that waits, writes it in one transaction
(a group commit: while the disk is busy, rows pile up and share the next one), and then reports the durable number. When
nothing happens it does nothing at all: no timer, no write. Old log pages are brought into the database between commits.

Trouble. A disk that is full, read-only or gone never stops the table. The rows stay in the queue, without a limit (an
evening is a few megabytes), the database is closed, and everything is tried again after a growing pause, opening
included. When saving works again it all goes out in order, with a `late` mark. Should the process die before that, the
lock file's note tells the next one, which leaves a `gap` mark. A commit that failed may still have reached the disk:
after reopening, rows that are there already are not written twice.

A file that is damaged, or no journal, or newer than this program, is renamed, never deleted, and a fresh one begun. At
the start that means a fresh evening. Should it happen while people play, they play on: the rows from then on go into a
fresh file behind a `gap` mark, and `headless` asks the loop for an `Opened` that tells where they stood.

Time comes from clocks given to the constructor: `now`, in ns, for the status and the retries, and `wall`, in Unix
seconds, for notes; no row waits for it. A board without a clock of its own starts in the past and is set once a network
is there: `awake`, in ns, which nobody sets, shows by how much, and what was noted since the boot is corrected by that.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from referee.core.model.events import Opened
from referee.core.units import S
from referee.core.values import replace
from referee.drivers.health import Health
from referee.drivers.journal.beside import HighWater
from referee.drivers.journal.file import (
    Blemish,
    DamagedError,
    Entry,
    JournalBusy,
    JournalFile,
    JournalTooNew,
    Lock,
    WallClockSet,
    damage,
    damage_at_opening,
    end_has_vanished,
    entry_of,
    finish_rescue,
    link_at,
    rescue,
    set_aside,
    sound_among,
)
from referee.drivers.journal.lines import faults_said, hurt_opening
from referee.drivers.journal.matches import last_number
from referee.drivers.journal.memory import AnyJournal, Durable, JournalRow, MemoryJournal, Recovered, SaveStatus
from referee.drivers.journal.read import JournalError, recover, recover_from
from referee.drivers.journal.seasons import beside, blocks, troubles, whole
from referee.drivers.wallclock import Awake, Wall, WallClock, awake_ns
from referee.files import free_for_file

__all__ = [
    "AnyJournal",
    "Journal",
    "JournalBusy",
    "JournalError",
    "JournalRow",
    "JournalTooNew",
    "MemoryJournal",
    "Recovered",
    "SaveStatus",
]

_log = logging.getLogger(__name__)
OPENING_S = 20.0
"""The table waits so long for a disk that hangs; a small board reads a long evening from its card in a quarter."""
ROWS_PER_SWEEP = 500
"""So many rows that were packed are deleted in one transaction; a row that comes waits for no more than that."""
SAVES_PER_SYNC = 64
"""The mark beside the file reaches the disk by the system's own writing within half a minute; so often we insist."""


class Journal:
    """The journal in the file `path`, with a lock file beside it. Its methods belong to one thread, the loop's.

    Whoever opens it takes what it held: `Engine.restored(journal.take_recovered().rows)` goes on from there.
    """

    def __init__(
        self,
        path: Path,
        boot: str,
        *,
        report: Durable | None = None,
        commit_hook: Callable[[], object] | None = None,
        now: Callable[[], int] = time.monotonic_ns,
        wall: Wall = time.time,
        awake: Awake = awake_ns,
        opening_s: float = OPENING_S,
    ) -> None:
        """Open and read the file, or start without it if the disk is in the way. JournalBusy if another process has it,
        JournalTooNew if a newer referee wrote it; then it is left as it is.

        It returns after `opening_s` at the latest; a file that answers only then gets the rows of a new evening.
        report: called in the journal's thread, see `Durable`. commit_hook: called there before each transaction; it may
        stall or raise, as the disk might.
        """
        self.path = path
        self.note = ""
        """The last thing about the journal that the people at the table should know; "" when all is well."""
        self._boot, self._report, self._hook, self._now, self._wall = boot, report, commit_hook, now, wall
        self._wall_clock = WallClock(wall, awake)
        self._change = threading.Condition()
        # Shared with the thread, under self._change:
        self._waiting: deque[Entry] = deque()
        self._moves: tuple[WallClockSet, ...] = ()
        self._asides: tuple[Blemish, ...] = ()
        self._durable = self._last = self._base = 0
        self._reason = ""
        self._closing = self._nudged = self._headless = False
        self._packing = ""  # what is to be done of it next: "adopt", "sweep"
        self._busy_since_ns: int | None = None
        # The thread's own:
        self._lock: Lock | None = None
        self._high: HighWater | None = None
        self._saves = 0
        self._file: JournalFile | None = None
        self._health = Health("journal", _log)
        self._condemned: DamagedError | None = None
        self._said: set[str] = set()
        self._known = False  # what the file held when we first had it in hand
        self._started = threading.Event()
        self._recovered = Recovered()
        self._refusal: JournalBusy | JournalTooNew | None = None
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()
        if not self._started.wait(opening_s):
            self._stop_waiting()
        if self._refusal is not None:
            raise self._refusal

    # -- the loop's side -------------------------------------------------------------------------------------------

    @property
    def durable_seq(self) -> int:
        """Every row of the present `Opened` up to this number survives a power cut; 0: none yet."""
        with self._change:
            return max(self._durable - self._base, 0)

    @property
    def headless(self) -> bool:
        """Whether the file lacks the present `Opened`: without another one, nobody can go on from it."""
        with self._change:
            return self._headless

    def append(self, rows: Sequence[JournalRow]) -> None:
        """Take rows over without blocking; they become durable together or not at all.

        ValueError for a number that does not rise (but with `Opened` an Engine may begin again), CodecError for an
        event that could not be read again; then nothing of `rows` is taken.
        """
        now_ns, wall_s = self._now(), int(self._wall())
        with self._change:
            base, last, entries = self._base, self._last, []
            for seq, event in rows:
                if isinstance(event, Opened) and base + seq <= last:
                    base = last + 1 - seq
                if base + seq <= last:
                    raise ValueError(f"row {seq} comes after row {last - base}")
                entries.append(entry_of(seq, event, base, wall_s, now_ns))
                last = base + seq
            self._waiting.extend(entries)
            if by_s := self._wall_clock.set_by_s():
                self._moves += (WallClockSet(self._last + 1, by_s),)
            self._base, self._last = base, last
            self._headless = self._headless and not any(isinstance(event, Opened) for _, event in rows)
            self._change.notify_all()

    def set_aside(self, seq: int, reason: str) -> None:
        """Have the next start skip the row of this number; durable with the rows that wait. Does not block."""
        with self._change:
            number = self._base + seq
            self._asides += (Blemish("aside", number, number, reason, int(self._wall())),)
            self._change.notify_all()

    def status(self) -> SaveStatus:
        """How saving goes at this instant."""
        with self._change:
            since = self._waiting[0].appended_ns if self._waiting else None
            kind = "failing" if self._reason else "waiting" if self._waiting else "ok"
            return SaveStatus(kind, since, self._reason, len(self._waiting))  # type: ignore[arg-type]

    def progressing(self, within_ns: int) -> bool:
        """False when the thread has been stuck in one try for longer than `within_ns`, or has died."""
        with self._change:
            since = self._busy_since_ns
            return self._thread.is_alive() and (since is None or self._now() - since <= within_ns)

    def take_recovered(self) -> Recovered:
        """What was there at the start; a second call gives nothing, the memory is free again."""
        recovered, self._recovered = self._recovered, Recovered()
        return replace(recovered, note=self.note)

    def pack(self) -> None:
        """Past evenings have been packed beside the file: have them taken for its rows when nothing waits."""
        with self._change:
            self._packing = "adopt"
            self._change.notify_all()

    def remark(self, sentence: str, *, lasting: bool = False) -> None:
        """Something about what is kept that the people at the table should know; whoever has it to say. From any
        thread. lasting: it stays so, and has been said when it is said once, in another life, too."""
        if lasting:
            with self._change:
                if sentence in self._said:
                    return
                self._said.add(sentence)
                self._asides += (Blemish("said", 0, None, sentence, int(self._wall())),)
                self._change.notify_all()
        self._remark(sentence)
        self._tell()

    def nudge(self) -> None:
        """Try again now, without waiting for the pause to end: somebody has made room."""
        with self._change:
            self._nudged = True
            self._change.notify_all()

    def close(self, timeout_s: float = 5.0) -> bool:
        """Save what waits, with one last try, and let go of the file. True when everything is durable."""
        with self._change:
            self._closing = True
            self._change.notify_all()
        self._thread.join(timeout_s)
        return not self._thread.is_alive() and not self._waiting and not self._asides

    # -- the thread's side -----------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._attempt(self._open)
            self._read_only()
        except (JournalBusy, JournalTooNew) as refusal:
            self._refusal = refusal
        except Exception as error:  # whatever is wrong with the file or the disk: the table opens
            self._remark(f"the journal could not be read: {error or type(error).__name__}")
        finally:
            self._started.set()
        while self._refusal is None and self._wait():
            if self._waiting or self._asides or self._reason:
                self._attempt(self._save)
            else:
                self._pack_on()
        self._let_go()

    def _wait(self) -> bool:
        """Sleep until there is something to do. False: nothing is left to do, ever."""
        with self._change:
            if self._reason and self._closing:
                return False
            if self._reason:
                pause_s = max((self._health.next_ns or 0) - self._now(), 0) / S
                self._change.wait_for(lambda: self._nudged or self._closing, pause_s)
            else:
                self._change.wait_for(lambda: self._waiting or self._asides or self._closing or self._packing)
            self._nudged = False
            packing = bool(self._packing) and not self._closing
            return bool(self._waiting or self._asides or self._reason or packing)

    def _attempt(self, work: Callable[[], object]) -> None:
        """Do it, and tell; if the disk is in the way, plan the next try. Only a refusal at the start gets out."""
        self._busy_since_ns = self._now()
        try:
            work()
        except Exception as error:
            if isinstance(error, JournalBusy | JournalTooNew) and not self._started.is_set():
                raise
            self._note_loss(error)
        else:
            self._fine()
        self._busy_since_ns = None

    def _save(self) -> None:
        """Everything that waits, in one transaction."""
        file = self._file or self._open()
        with self._change:
            batch, moves, asides = tuple(self._waiting), self._moves, self._asides
        if batch or asides:
            if self._hook is not None:
                self._hook()
            file.write(batch, (*self._late(batch), *asides), moves)
            self._drop_through(file.last_seq)
            with self._change:
                self._moves, self._asides = self._moves[len(moves) :], self._asides[len(asides) :]

    def _late(self, batch: Sequence[Entry]) -> tuple[Blemish, ...]:
        if not self._reason or not batch:
            return ()
        return (Blemish("late", self._durable, batch[-1].seq, self._reason, int(self._wall())),)

    def _drop_through(self, seq: int) -> None:
        """Rows up to this number on the disk are durable."""
        with self._change:
            while self._waiting and self._waiting[0].seq <= seq:
                self._waiting.popleft()
            self._durable = seq

    # -- opening ---------------------------------------------------------------------------------------------------

    def _open(self) -> JournalFile:
        """Lock, check and open the file; at the first time read what is in it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self._lock is None:
            for name in ("journal.lock", "journal.mark", "matches.log", "seasons.pack"):
                free_for_file(self.path.with_name(name))
            self._lock = Lock(self.path.with_suffix(".lock"))
        if self._high is None:
            self._high = HighWater(self.path.with_suffix(".mark"))
        finish_rescue(self.path)
        try:
            condemned = self._condemned or (None if self._known else end_has_vanished(self.path, self._high.found))
            if condemned is not None:
                raise condemned
            return self._adopt(self._open_file())
        except DamagedError as damaged:
            return self._adopt_rescued(damaged)

    def _open_file(self) -> JournalFile:
        """The file; a new one counts its matches on from those that are kept as records."""
        return JournalFile(self.path, self._boot, matches_before=0 if self.path.exists() else last_number(self.path))

    def _adopt_rescued(self, damaged: DamagedError) -> JournalFile:
        """Set the damaged file aside, and go on in one that holds what could be read of it."""
        try:
            saved, unnamed = rescue(self.path, self._boot, self._durable if self._known else None)
        except Exception as error:  # whatever it finds there: a fresh file is begun, and the damaged one is kept
            _log.warning("nothing can be saved from the damaged journal: %s", error or type(error).__name__)
            saved = unnamed = 0
        aside = set_aside(self.path, int(self._wall()))
        finish_rescue(self.path)
        begun = f"{saved} of its rows were saved into a fresh one" if saved else "a fresh one is begun"
        begun += f", {unnamed} of its names could not be" if unnamed else ""
        self._condemned = None
        file = self._open_file()
        found, lost = self._high.found if self._high else None, 0
        if found is not None and not self._known:
            lost = max(found.seq - file.last_seq, 0)
            self._high.found = None  # type: ignore[union-attr]
        self._adopt(file)
        rest = f", {lost} could not be" if lost and saved else ""
        self._remark(f"the journal was damaged ({damaged}); it is kept as {aside.name} and {begun}{rest}")
        return file

    def _adopt(self, file: JournalFile) -> JournalFile:
        """Go on in this file, however its rows and ours fit together. DamagedError if they cannot."""
        try:
            if not self._known:
                self._meet(file)
            elif file.last_seq > self._last:
                raise DamagedError("somebody else has written to it")
            marks = (*self._gap(file), *self._hurt(file))
            if marks and self._lock is not None:
                file.write((), marks)
                self._lock.note()
            self._asides = tuple(mark for mark in self._asides if mark not in marks)
        except BaseException as error:
            file.close()
            raise damage_at_opening(error) or error from None
        self._drop_through(file.last_seq)
        self._known, self._file = True, file
        if self._high is not None:
            self._high.set(file.high(), sync=True)
        self._said = faults_said(file.db)
        with contextlib.suppress(Exception):  # it is tried again, and said, when nothing waits
            self._packing = self._adopt_packed(file)
        return file

    def _meet(self, file: JournalFile) -> None:
        """The file for the first time: what it holds is where the table goes on, unless the table went on without."""
        recovered = Recovered() if self._started.is_set() else recover_from(file.db)
        if not self._started.is_set() and (hurt := hurt_opening(file.db)[0]) is not None:
            raise DamagedError(f"row {hurt}, with which an evening begins, is not as it was written")
        if len(recovered.hurt) > 1 and (there := sound_among(self.path, recovered.hurt)):
            raise DamagedError(f"{there} of its rows are not where they belong")
        with self._change:
            if self._started.is_set():
                self._shift_behind(file.last_seq)
            else:
                self._begin_with(recovered)

    def _stop_waiting(self) -> None:
        """The disk hangs: the table opens, and what comes is saved when it answers."""
        with self._change:
            if not self._started.is_set() and not self._durable:
                self._remark("the journal does not answer; the table opens without it")
            self._started.set()

    def _begin_with(self, recovered: Recovered) -> None:
        """Numbers continue those of the rows that were found."""
        self._recovered = recovered
        self._last = self._durable = recovered.disk_seq
        self._base = recovered.base
        if recovered.note:
            self._remark(recovered.note)

    def _read_only(self) -> None:
        """A disk that takes nothing may still be read: the match goes on from there."""
        if self._file is None and not self._started.is_set():
            try:
                self._begin_with(recover(self.path))
                self._known = self.path.exists()
            except JournalError as error:
                self._remark(str(error))

    def _shift_behind(self, last_seq: int) -> None:
        """The file could not be read at the start and has rows after all: ours, a new evening, come behind them."""
        with self._change:
            self._waiting = deque(entry.shift_by(last_seq) for entry in self._waiting)
            self._moves = tuple(WallClockSet(move.before_seq + last_seq, move.by_s) for move in self._moves)
            self._asides = tuple(
                mark._replace(after_seq=mark.after_seq + last_seq, until_seq=mark.after_seq + last_seq)
                for mark in self._asides
            )
            self._last, self._base = self._last + last_seq, self._base + last_seq

    def _gap(self, file: JournalFile) -> tuple[Blemish, ...]:
        """Rows that are neither on the disk nor in our hands: of a process that died, or gone with a damaged file."""
        wall_s, lock, last_seq = int(self._wall()), self._lock, file.last_seq
        if last_seq < self._durable:
            with self._change:
                self._headless = not any(entry.opens for entry in self._waiting)
            return (Blemish("gap", last_seq, self._durable, "the file with these rows is gone", wall_s),)
        if self._known:
            return ()
        if vanished := self._vanished_up_to(file):
            return (Blemish("gap", last_seq, vanished, "the end of the file has vanished", wall_s),)
        if lock is None or lock.unsaved_until <= last_seq:
            return ()
        lost = lock.unsaved_until - last_seq
        self._remark(f"the last {lost} rows before the restart could not be saved and are lost ({lock.reason})")
        return (Blemish("gap", last_seq, None, f"{lost} rows lost: {lock.reason}", wall_s),)

    def _vanished_up_to(self, file: JournalFile) -> int | None:
        """Up to which row the file once went, when it does not go so far any more; what the mark beside it says."""
        found = self._high.found if self._high else None
        if found is None:
            return None
        if found.file != file.id:
            self._remark("this is not the journal that was here before; what that one held is not in it")
        elif found.seq > file.last_seq:
            self._remark(f"the last {found.seq - file.last_seq} rows of the journal have vanished from its file")
            return found.seq
        elif link_at(file.db, found.seq) not in (found.link, None):
            self._remark(f"row {found.seq} of the journal is not the one that was saved")
        return None

    def _hurt(self, file: JournalFile) -> tuple[Blemish, ...]:
        """Rows found altered at the start: from now on they are known, and skipped; what else is wrong was said."""
        if self._known or self._started.is_set():
            return ()
        wall_s, found = int(self._wall()), self._recovered
        reasons = {seq: found.aside[seq - found.base] for seq in found.hurt}
        asides = tuple(Blemish("aside", seq, seq, reason, wall_s) for seq, reason in reasons.items())
        return (*asides, *(Blemish("said", 0, None, sentence, wall_s) for sentence in found.said))

    # -- trouble ---------------------------------------------------------------------------------------------------

    def _note_loss(self, error: Exception) -> None:
        """Close, note, tell, and try again later. A file that is found bad twice in a row will be set aside."""
        if self._file is not None:
            self._file.close()
            self._file = None
        again = self._health.lost
        self._condemned = damage(error) if again else None
        self._health.note_failure(error, self._now())
        with self._change:
            self._reason = str(error) or type(error).__name__
            last = self._last
        if self._lock is not None and last > self._durable:
            self._lock.note(last, self._reason)
        if not again:
            self._tell()

    def _fine(self) -> None:
        """Saved: tell, and only then spend time on tidying up."""
        with self._change:
            self._reason = ""
        if self._lock is not None and self._health.lost:
            self._lock.note()
        self._health.ok()
        self._tell()
        if self._file is not None and self._high is not None:
            self._saves += 1
            self._high.set(self._file.high(), sync=self._saves % SAVES_PER_SYNC == 0)
        if self._file is not None:
            self._file.tidy(waited_for=bool(self._waiting))

    def _pack_on(self) -> None:
        """A step of packing, as short as a commit. What fails is said; it goes on at the next start."""
        self._busy_since_ns, due, more = self._now(), self._packing, ""
        try:
            if self._file is not None:
                more = self._adopt_packed(self._file) if due == "adopt" else self._sweep(self._file)
        except Exception as error:
            _log.warning("past evenings are not packed: %s", error or type(error).__name__)
        self._busy_since_ns = None
        with self._change:
            self._packing = more if self._packing == due else self._packing

    def _adopt_packed(self, file: JournalFile) -> str:
        path = beside(self.path)
        found = [block for block in blocks(path) if block.file != file.id.hex()]
        found += whole(path, (block for block in blocks(path) if block.file == file.id.hex()), file.packed_seq)
        file.adopt(found)
        for trouble in troubles(found, file.id.hex(), file.packed_seq):
            self.remark(trouble, lasting=True)
        return "sweep" if file.packed_seq else ""

    def _sweep(self, file: JournalFile) -> str:
        more = file.sweep(ROWS_PER_SWEEP)
        file.tidy()
        return "sweep" if more else ""

    def _remark(self, sentence: str) -> None:
        """Something the people at the table should know, said once."""
        self.note = sentence
        _log.warning("%s", sentence)

    def _tell(self) -> None:
        if self._report is None or not self._started.is_set():
            return
        try:
            self._report(self.durable_seq)
        except Exception:
            _log.exception("whoever waits for the journal failed")

    def _let_go(self) -> None:
        if self._waiting:
            _log.error("%d rows were never saved: %s", len(self._waiting), self._reason)
        if self._file is not None:
            if self._high is not None:
                self._high.set(self._file.high(), sync=True)
            self._file.close()
        if self._high is not None:
            self._high.close()
        if self._lock is not None:
            self._lock.release()
