"""A tape's people at the rig's table: what they do is done with fingers on contacts, in real time.

`Evening` is a Sitting whose hands toggle lines and whose Engine is folded from what the daemon has written, so the
player of the tapes (tests/tapes/play.py) plays here unchanged, and what a tape says must be so is asked of the daemon's
own journal. Where it is asked, people look at the display, too: it must show that very picture. What the display, lamps
and piezo did in between is compared by lives.py when the evening is over.

Gestures that follow each other closely are toggled in one go, so a race keeps the distances of the tape. Everything
else waits for what must have been written: a busy host makes an evening longer and not another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any, Protocol, Self

from referee.core.engine import Engine, JournalRow
from referee.core.events import Decision, Event, Resumed, Turned
from referee.core.signals import KNOB, Edge
from referee.core.state import Setup, State
from referee.core.units import MS, S
from referee.core.view import View
from tests.core.grammar import copied
from tests.core.sitting import Sitting
from tests.rig.chip import CLOSED, OPEN, Step, Write
from tests.rig.contacts import DETENT_US, burst, turned
from tests.rig.pins import BUTTONS, ENCODER_A, ENCODER_B
from tests.rig.pins import KNOB as KNOB_LINE
from tests.rig.table import Table
from tests.tapes.kill import at_ns, go_on, kept
from tests.tapes.play import Play
from tests.tapes.tape import Line, Tape

ONE_GO_NS = 500 * MS
"""What follows sooner is toggled by the same list of steps."""
RACE_NS = 100 * MS
"""Two presses closer than this are a race, and their distance matters."""
WRITTEN_S = 10
RESTART_S = 60
LINES = {str(seat): line for seat, line in BUTTONS.items()} | {KNOB: KNOB_LINE}


class Daemon(Protocol):
    """The daemon at this table: service.Service, or a rehearsal."""

    def news(self) -> list[JournalRow]:
        """Rows that it has written since the last time."""

    def die(self, away_s: int) -> int:
        """End it with kill -9; it comes back by itself. When that was."""

    def is_back(self) -> None:
        """It has written that it is."""


@dataclass(frozen=True)
class Move:
    """A contact's level from an instant on; `first` of its burst."""

    at_ns: int
    line: int
    level: int
    first: bool = False


@dataclass(frozen=True)
class Death:
    """The daemon died in that phase, and was back."""

    phase: str
    died_ns: int
    back_ns: int


class Evening(Sitting):
    """See above. `now_ns` is where the people are; the device may not be as far yet, and is waited for when asked."""

    def __init__(self, setup: Setup, table: Table, daemon: Daemon, *, seed: int = 1) -> None:
        self.setup = setup
        self.rows: list[JournalRow] = []
        self.cues = []
        self.table = table
        self.daemon = daemon
        self.deaths: list[Death] = []
        self.races: list[tuple[int, int]] = []
        """Distances of presses in ns: as meant, as played."""
        self.now_ns = table.now_ns()
        self._dice = Random(seed)
        self._moves: list[Move] = []
        self._levels: dict[str, tuple[bool, int]] = {}
        """What the daemon still owes: by station, the level that it must have written, since when."""
        self._turns = 0
        self._folded: Engine | None = None
        self._places = 0
        """How many of `rows` are folded."""
        self._catch_up()

    # -- hands -----------------------------------------------------------------------------------------------------

    def wait(self, ns: int) -> Self:
        """See Sitting. The table waits in truth when somebody looks, or presses again."""
        self.now_ns += ns
        if self._moves and self.now_ns - self._moves[-1].at_ns >= ONE_GO_NS:
            self._move()
        return self

    def edges(self, *rows: tuple[str, bool, int]) -> Self:
        """See Sitting."""
        for station, closed, after_ns in rows:
            steps = burst(self._dice, LINES[station], CLOSED if closed else OPEN, 0, bouncing=True)
            self._add(steps, self.now_ns + after_ns)
        self.now_ns += max(after_ns for _, _, after_ns in rows)
        return self

    def turn(self, steps: int) -> Self:
        """See Sitting; a detent takes its time."""
        self._add(turned(self._dice, ENCODER_A, ENCODER_B, steps), self.now_ns)
        self._turns += steps
        self.now_ns += abs(steps) * DETENT_US * 1000
        return self

    def power_cut(self, at_ns: int = 0, away_s: int | None = None, closed: tuple[str, ...] = ()) -> Self:
        """The daemon dies and comes back; `at_ns` is the rig's own business, and buttons that are down stay down."""
        self.die(away_s or 0, closed)
        return self

    def _add(self, steps: Sequence[Step], from_ns: int) -> None:
        for number, step in enumerate(steps):
            self._moves.append(Move(from_ns + step.at_us * 1000, step.line, step.level, number == 0))

    def _move(self) -> None:
        """Toggle what is to be toggled; from then on people are where the toggler was."""
        moves, self._moves = sorted(self._moves, key=lambda move: move.at_ns), []
        if not moves:
            return
        began_ns = moves[0].at_ns
        self._sleep_until(began_ns)
        writes = self.table.toggle([Step((m.at_ns - began_ns) // 1000, m.line, m.level) for m in moves])
        self.now_ns += max(writes[-1].before_ns - moves[-1].at_ns, 0)
        self._note(moves, writes)

    def _note(self, moves: Sequence[Move], writes: Sequence[Write]) -> None:
        station_of = {line: station for station, line in LINES.items()}
        for move, write in zip(moves, writes, strict=True):
            if move.line in station_of:
                self._levels[station_of[move.line]] = (move.level == CLOSED, write.before_ns)
        pressed = [(m, w) for m, w in zip(moves, writes, strict=True) if m.first and m.level == CLOSED]
        seats = [(int(station_of[m.line]), w) for m, w in pressed if station_of.get(m.line, KNOB) != KNOB]
        self.table.seen.presses += seats
        for (one, early), (other, late) in pairwise(pressed):
            if one.line != other.line and other.at_ns - one.at_ns < RACE_NS:
                self.races.append((other.at_ns - one.at_ns, late.before_ns - early.before_ns))

    def _sleep_until(self, at_ns: int) -> None:
        left_ns = at_ns - self.table.now_ns()
        if left_ns > 0:
            self.table.wait(left_ns / S)

    # -- what the daemon has written -------------------------------------------------------------------------------

    @property
    def engine(self) -> Engine:  # type: ignore[override]
        """The table as it is now, by what the daemon has written: all that was done has come to it."""
        self._catch_up()
        assert self._folded is not None
        twin = copied(self._folded)
        twin.fold(row for row in self.rows[self._places :] if at_ns(row[1]) <= self.now_ns)
        twin.intake([], self.now_ns)
        return twin

    def decisions(self, kind: type[Any]) -> list[Any]:
        """See Sitting."""
        self._catch_up()
        return super().decisions(kind)

    def _catch_up(self) -> None:
        self._move()
        self._sleep_until(self.now_ns)
        self.table.until(self._all_written, WRITTEN_S, self._missing)
        self._fold(self.now_ns)

    def _all_written(self) -> bool:
        self._read()
        return bool(self.rows) and not self._levels and not self._turns

    def _missing(self) -> str:
        owed = {station: "closed" if closed else "open" for station, (closed, _) in self._levels.items()}
        return f"the daemon has not written {owed or f'{self._turns} steps of the knob' if self.rows else 'a row'}"

    def _read(self) -> None:
        for row in self.daemon.news():
            self.rows.append(row)
            event = row[1]
            if isinstance(event, Turned):
                self._turns -= event.steps
            elif isinstance(event, Edge):
                closed, since_ns = self._levels.get(event.station, (None, 0))
                if event.closed == closed and event.t_ns >= since_ns:
                    del self._levels[event.station]

    def _fold(self, until_ns: int) -> None:
        """Whole groups only, each a fact and what was decided by it; the newest may not be whole yet."""
        if self._folded is None:
            self._folded, self._places = Engine.restored(self.rows[:1]), 1
        for begin, end in self._groups():
            if at_ns(self.rows[begin][1]) > until_ns:
                return
            self._folded.fold(self.rows[begin:end])
            self._places = end

    def _groups(self) -> Iterator[tuple[int, int]]:
        begin = self._places
        for place in range(begin + 1, len(self.rows)):
            if not isinstance(self.rows[place][1], Decision):
                yield begin, place
                begin = place

    # -- its death -------------------------------------------------------------------------------------------------

    def die(self, away_s: int = 0, held: Iterable[str] = ()) -> tuple[State, int]:
        """kill -9 now. Back: the table must be what its rows say, and the display must show it.

        The state that it died in, and when. `held`: buttons that are held down all the time.
        """
        self._catch_up()
        died_ns = self.daemon.die(away_s)
        self.table.until(lambda: self._resumed(died_ns) is not None, RESTART_S, lambda: "the daemon has not come back")
        place = self._resumed(died_ns)
        assert place is not None
        assert self._folded is not None
        self._folded.fold(self.rows[self._places : place])
        self._places = place
        before = self._folded.state
        self.daemon.is_back()
        self.table.keep_together()
        self._put_back(held)
        self.now_ns = self.table.now_ns()
        self.deaths.append(Death(before.phase.name, died_ns, at_ns(self.rows[place][1])))
        kept(before, self.engine.state)
        self.look()
        return before, died_ns

    def _resumed(self, since_ns: int) -> int | None:
        """Where the row stands that says so."""
        self._read()
        news = range(self._places, len(self.rows))
        return next((at for at in news if _is_resumed(self.rows[at][1], since_ns)), None)

    def _put_back(self, held: Iterable[str]) -> None:
        """A finger that never left its button: the simulated chip opens a line that is claimed anew."""
        self._levels.clear()
        self._moves = [Move(self.table.now_ns(), LINES[station], CLOSED) for station in held]
        self._move()

    # -- eyes ------------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """The display must show what the table is, as it is now or as it becomes while somebody looks."""
        self.table.expect_view(self._views)

    def _views(self) -> Iterator[View]:
        twin, now_ns = self.engine, self.table.now_ns()
        shown = twin.view(self.now_ns)
        yield shown
        while (changes_ns := shown.changes_at_ns) is not None and changes_ns <= now_ns:
            shown = twin.view(changes_ns)
            yield shown


def _is_resumed(event: Event, since_ns: int) -> bool:
    return isinstance(event, Resumed) and event.at_ns > since_ns


class RigPlay(Play):
    """A tape at the rig's table. `kills`: the lines before which the daemon dies and everybody goes on."""

    def __init__(self, tape: Tape, evening: Evening, kills: Iterable[int] = ()) -> None:
        self.tape = tape
        self.table: Evening = evening
        self.began_ns = evening.now_ns
        self._kills = set(kills)
        self._looked_ns = 0

    def play(self) -> Self:
        """The whole tape."""
        for line in self.tape.lines:
            if line.number in self._kills:
                go_on(self.table, *self.table.die())
            self.run([line])
        self.table.look()
        return self

    def check(self, line: Line) -> None:
        """By what was written; and the display shows it."""
        super().check(line)
        if self.table.now_ns != self._looked_ns:
            self.table.look()
            self._looked_ns = self.table.now_ns
