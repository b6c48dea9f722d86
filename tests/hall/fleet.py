"""Simulated tables in one process: real engines with bots, journals and the publishers of real tables, without pages.

    python -m tests.hall.fleet --state DIR --tables t1:PORT,t2:PORT …   (t1:HOST/PORT:PORT: several brokers)

A table plays with the people that the hall names for it, then waits for the next names; with `--friendly` it plays
meanwhile with guests. Simulated time runs `--speed` times as fast as real time. Commands are lines on standard input:
`pause`, `go` (`go TABLE …`: only these play), and `clock TABLE SECONDS`, which sets that table's wall clock ahead. The
answer to `pause` is the line `paused`, once all rows are saved. A killed process continues from the files of its
evenings. With `--synced DIR`, a sync takes as long as on a memory card, and DIR has for each evening's file the number
of bytes that were synced: TABLE/NAME.
"""

from __future__ import annotations

import argparse
import logging
import os
import select
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

from referee.core.documents.chronicle import Matches
from referee.core.documents.delivery import Seating
from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Opened, Resumed
from referee.core.model.state import State
from referee.core.model.table import Setup
from referee.core.model.view import VerdictScreen, View
from referee.core.units import S
from referee.device.children.mqtt import shown_of, verdict_of
from referee.mqtt import child
from referee.protocol.mqtt import Announce, FromChild, Saved, Seat, Settings, Show
from referee.simulator.table.bots import Bots
from referee.simulator.table.evening import Evening, StuckError
from referee.simulator.table.transcript import Recorder
from referee.storage.evenings.file import EveningFile
from referee.storage.evenings.writer import Journal
from referee.storage.records.keeper import Keeper
from referee.storage.records.store import Records

PAUSES_S = (0.1, 0.2, 0.5)
"""Pauses of the publishers between tries to connect, in s: shorter than a real table's."""
STEP_S = 0.02
"""Longest time in s for which the process simulates before it looks at its connections."""
VIEW_S = 0.5
SYNC_S, SLOW_SYNC_S = 0.04, 0.5
"""Longest time of a sync in s, and of one sync in ten."""
REST_S = 5.0
"""How long a table waits after a match in simulated s."""


class NoRecorder(Recorder):
    """Records nothing: a table that comes back has no beginning."""

    def look(self, view: View) -> None:
        """Ignore a view."""

    def take_decision(self, *_: object) -> None:
        """Ignore a decision."""


class Play(Evening):
    """An evening that begins, or continues from the rows of its file."""

    def __init__(
        self, setup: Setup, boot: str, seed: int, journal: Journal, rows: Sequence[JournalRow], skip: Sequence[int]
    ) -> None:
        super().__init__(setup, self._new_bots(setup, seed))
        self._recorder = NoRecorder()
        self.matches = Matches()
        if rows:
            self.engine = Engine.restored(rows, skip, watch=self.matches.note)
            self.now_ns = self._moved_ns = self.engine.state.now_ns + S
            self.engine.intake([Resumed(self.now_ns, boot, 1)], self.now_ns)
        else:
            self.engine = Engine(Opened(self.now_ns, boot, setup.document()))
        self.last_view: View | None = None
        self._journal, self._watch = journal.append, self._note
        self.sit(self._new_bots(setup, seed))
        self._hand_over()
        self._look()

    @staticmethod
    def _new_bots(setup: Setup, seed: int) -> Bots:
        stations = [station for station, _ in setup.names]
        return Bots(stations, seed, pace_percent=50, rematches=0)

    def _note(self, view: View) -> None:
        self.last_view = view

    @property
    def due_ns(self) -> int:
        """Return the time of the next step. Raises StuckError."""
        return self._next_ns(self.bots.next_ns())

    @property
    def is_over(self) -> bool:
        """Return whether the match is over, or none has begun after the table came back."""
        return self._view.phase == "OVER"


class FleetTable:
    """A simulated table."""

    def __init__(self, name: str, brokers: Sequence[str], folder: Path, args: argparse.Namespace) -> None:
        self.name = name
        self._args, self._note = args, (args.synced or folder) / f"{name}-played"
        self._rng = Random(f"{args.seed}/{name}/{os.getpid()}")
        self._clock_s = 0
        self._seating: Seating | None = None
        self._played = ""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "evenings").mkdir(exist_ok=True)
        self._journal = Journal(folder, f"{name}-{os.getpid()}", wall=lambda: time.time() + self._clock_s)
        settings, *others = (
            Settings(host or "127.0.0.1", int(port), False, name, str(folder), prefix=args.prefix, discovery="")
            for host, _, port in (broker.rpartition("/") for broker in brokers)
        )
        settings.others = tuple(others)
        self.publisher = child.Publisher(settings, self._hear)
        self._shown_s, self._ruled = 0.0, ""
        self._unkept: list[State] = []
        self._news = threading.Event()
        self._keeper = Keeper(Records(folder), logging.warning, self._news.set, retry_s=1.0)
        self._play: Play | None = None
        self._begun_s = self._rest_s = self._turned_s = time.monotonic()
        tape = self._journal.take_recovered()
        if tape.rows:
            opened = tape.rows[0][1]
            assert isinstance(opened, Opened)
            setup = Setup.from_document(opened.setup)
            play = self._begin(setup, tape.rows, tuple(tape.aside))
            evening = self._journal.name, self._journal.id
            self._keeper.reconcile(play.matches.states.values(), tape.walls, evening, damaged=bool(tape.damaged))
            if self._note.exists() and not play.is_over:
                self._played = self._note.read_text()

    def set_clock(self, by_s: int) -> None:
        """Set how far the table's wall clock is ahead."""
        self._clock_s = by_s

    @property
    def is_saved(self) -> bool:
        """Return whether all rows are on disk."""
        return not self._unkept and (self._play is None or self._journal.durable_seq >= self._play.engine.state.seq)

    def turn(self, *, plays: bool) -> None:
        """Play what is due, and exchange messages with the broker."""
        now_s = time.monotonic()
        if plays:
            self._go_on()
        else:  # simulated time stops
            self._begun_s += now_s - self._turned_s
            self._rest_s += now_s - self._turned_s
        self._turned_s = now_s
        while self._unkept and self._unkept[0].seq <= self._journal.durable_seq:
            self._keeper.take(self._unkept.pop(0), self._journal.walls, (self._journal.name, self._journal.id))
        if self._news.is_set():
            self._news.clear()
            self.publisher.take(Saved())
        self._show()
        self.publisher.turn()

    @property
    def wait_s(self) -> float:
        """Return after how many s to call `turn`."""
        return min(self.publisher.wait_s, 0.05)

    def _go_on(self) -> None:
        now_s = time.monotonic()
        if self._play is not None and not self._play.is_over:
            try:
                self._rest_s = now_s + REST_S / self._args.speed
                self._step(self._play, now_s)
                return
            except StuckError:
                logging.warning("table %s is stuck and begins again", self.name)
                self._play, self._played = None, ""
        if now_s >= self._rest_s and self.is_saved and (names := self._next_names()):
            pairs = tuple((str(seat), name) for seat, name in enumerate(names, 1))
            options = {"target": self._args.target} if self._args.target else {}
            stations = tuple(station for station, _ in pairs)
            self._begin(Setup(self._args.preset, tuple(options.items()), stations, pairs), (), ())

    def _step(self, play: Play, now_s: float) -> None:
        until_s = now_s + STEP_S
        while not play.is_over and time.monotonic() < until_s:
            if play.due_ns > self._first_ns + (now_s - self._begun_s) * self._args.speed * S:
                return
            before = play.engine.state.table
            play.step()
            if play.engine.state.table is not before:
                self._unkept.append(play.engine.state)

    def _next_names(self) -> tuple[str, ...]:
        seating = self._seating
        if seating is not None and (wanted := f"{seating.event} {seating.round} {seating.teams}") != self._played:
            self._played = wanted
            self._note.write_text(wanted)
            return tuple(name for team in seating.teams for name in team)
        return tuple(f"{self.name} guest {n}" for n in range(1, 5)) if seating is None and self._args.friendly else ()

    def _begin(self, setup: Setup, rows: Sequence[JournalRow], skip: Sequence[int]) -> Play:
        boot = f"{self.name}-{os.getpid()}-{self._rng.getrandbits(32):08x}"
        self._play = Play(setup, boot, self._rng.getrandbits(32), self._journal, rows, skip)
        self._begun_s, self._first_ns = time.monotonic(), self._play.now_ns
        return self._play

    def _show(self) -> None:
        view = self._play.last_view if self._play is not None else None
        now_s = time.monotonic()
        if view is None or now_s < self._shown_s:
            return
        if isinstance(view.screen, VerdictScreen) and (ruled := repr(view.screen.callers)) != self._ruled:
            self._ruled = ruled
            self.publisher.take(Announce(verdict_of(view.screen, view)))
        self._shown_s = now_s + VIEW_S
        self.publisher.take(Show(shown_of(view)))

    def _hear(self, message: FromChild) -> None:
        if isinstance(message, Seat):
            self._seating = message.seating


def note_synced(folder: Path) -> None:
    """Note how many bytes of each evening's file are synced, and let syncs take as long as on a memory card."""
    folder.mkdir(exist_ok=True)
    add, sync, rng = EveningFile.add, os.fdatasync, Random()

    def slow_sync(fd: int) -> None:
        time.sleep(rng.uniform(0, SYNC_S if rng.random() < 0.9 else SLOW_SYNC_S))
        sync(fd)

    def noted_add(self: EveningFile, lines: bytes) -> None:
        add(self, lines)
        assert self.path is not None
        notes = folder / self.path.parent.parent.name
        notes.mkdir(parents=True, exist_ok=True)
        fd = os.open(notes / self.path.name, os.O_WRONLY | os.O_CREAT, 0o644)
        os.pwrite(fd, b"%012d" % len(self.content), 0)
        os.close(fd)

    os.fdatasync = slow_sync  # type: ignore[assignment]
    EveningFile.add = noted_add  # type: ignore[method-assign]


def main() -> None:
    """Play until standard input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--tables", required=True)
    parser.add_argument("--prefix", default="referee")
    parser.add_argument("--preset", default="nna")
    parser.add_argument("--target", type=int, default=0)
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--friendly", action="store_true")
    parser.add_argument("--paused", action="store_true")
    parser.add_argument("--synced", type=Path)
    args = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    if args.synced:
        note_synced(args.synced)
    child.PAUSES_S = PAUSES_S  # type: ignore[assignment]
    named = [one.split(":") for one in args.tables.split(",")]
    tables = {name: FleetTable(name, brokers, args.state / name, args) for name, *brokers in named}
    os.set_blocking(sys.stdin.fileno(), False)
    plays, pausing, rest = not args.paused, False, b""
    playing = set(tables)
    while True:
        for name, table in tables.items():
            table.turn(plays=plays and name in playing)
        if pausing and all(table.is_saved for table in tables.values()):
            for table in tables.values():
                table.turn(plays=False)
            print("paused", flush=True)
            pausing = False
        sockets = [table.publisher.sockets for table in tables.values()]
        reading = [one for pair in sockets for one in pair[0]]
        wait_s = min(table.wait_s for table in tables.values()) if not plays else 0.01
        ready, _, _ = select.select([sys.stdin, *reading], [one for pair in sockets for one in pair[1]], [], wait_s)
        if sys.stdin not in ready:
            continue
        data = os.read(sys.stdin.fileno(), 1 << 16)
        if not data:
            return
        *lines, rest = (rest + data).split(b"\n")
        for words in (line.decode().split() for line in lines):
            if words[0] == "clock":
                tables[words[1]].set_clock(int(words[2]))
            else:
                plays, pausing = words[0] == "go", words[0] == "pause"
                playing = set(words[1:]) or set(tables)


if __name__ == "__main__":
    main()
