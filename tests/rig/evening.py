"""A tape's people at the rig's table: their gestures close contacts in real time.

`Evening` is a Sitting whose actions toggle lines and whose Engine is folded from the daemon's journal. The player of
the tapes (tests/tapes/play.py) therefore runs here unchanged, and the tape's checks use the daemon's own journal. At
each check the display must show that picture. lives.py compares display, lamps and piezo for the rest of the evening
afterwards.

Gestures that follow closely are toggled in one list, so that a race keeps the distances of the tape. Everything else
waits for the rows it depends on: a busy host makes an evening longer, not different.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Any, Protocol, Self

from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Decision, Event, Resumed, Turned
from referee.core.model.registry import pile_game
from referee.core.model.state import State
from referee.core.model.table import Setup
from referee.core.model.view import MenuScreen, View
from referee.core.phases.power_back import PowerBack
from referee.core.presses.signals import KNOB, Edge
from referee.core.units import MS, S
from tests.core.grammar import copied
from tests.core.lists import way_to
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import en
from tests.rig.chip import CLOSED, OPEN, Step, Write
from tests.rig.contacts import DETENT_US, burst, turned
from tests.rig.pins import BUTTONS, ENCODER_A, ENCODER_B
from tests.rig.pins import KNOB as KNOB_LINE
from tests.rig.table import Table, UnexpectedError
from tests.tapes.kill import at_ns, go_on, kept, leads_to
from tests.tapes.play import Play
from tests.tapes.tape import Line, Tape

ONE_GO_NS = 500 * MS
"""Maximum gap between gestures toggled by the same list of steps."""
RACE_NS = 100 * MS
"""Maximum distance of two presses that count as a race."""
LATE_NS = 250 * MS
"""Lateness of people that changes the tape: a question may be gone before its answer."""
WRITTEN_S = 10
DETENT_LOST_NS = 2 * S
LOOKS = 4
RESTART_S = 60
AT_ONCE = ("tap", "hold", "press", "call", "mash", "down", "up", "push", "timeout", "wait")
"""Actions that people take without looking first."""
NO_TIME_TO_LOOK = ("STARTING", "RESUMING", "STUCK", "BURNING", "CALLED", "VERDICT")
"""Phases that may end while an emulated machine draws them."""
LINES = {str(seat): line for seat, line in BUTTONS.items()} | {KNOB: KNOB_LINE}
SEATS = {line: seat for seat, line in BUTTONS.items()}


class Daemon(Protocol):
    """The daemon at this table: service.Service or a rehearsal."""

    @property
    def boot(self) -> str:
        """Return the id of the machine's present boot, as in the journal."""

    def news(self) -> list[JournalRow]:
        """Return the rows written since the last call."""

    def die(self, away_s: int) -> int:
        """Kill the daemon with kill -9; it restarts by itself. Return the time of death."""

    def is_back(self) -> None:
        """Record that it has written its restart."""


@dataclass(frozen=True)
class Move:
    """A contact's level from an instant on; `first`: the first edge of its burst."""

    at_ns: int
    line: int
    level: int
    first: bool = False


class PowerGoneError(Exception):
    """The fuse has blown in the middle of a gesture."""


class UnpluggedError(Exception):
    """The whole machine is to lose power at that line, after all earlier actions have been written."""

    def __init__(self, line: Line) -> None:
        super().__init__(f"line {line.number}")
        self.line = line.number


@dataclass(frozen=True)
class Death:
    """A death of the daemon in that phase, and its return."""

    phase: str
    died_ns: int
    back_ns: int


class Evening(Sitting):
    """An evening at the rig; see the module.

    `now_ns` is the people's time. The device may be behind it and is waited for when needed.
    """

    def __init__(self, setup: Setup, table: Table, daemon: Daemon, *, seed: int = 1) -> None:
        self.setup = setup
        self.rows: list[JournalRow] = []
        self.cues = []
        self.table = table
        self.daemon = daemon
        self.deaths: list[Death] = []
        self.races: list[tuple[int, int]] = []
        """Distances of presses in ns: intended, played."""
        self.presses: list[tuple[int, int]] = []
        """Seat, and when its contact was closed."""
        self.late: list[tuple[int, int]] = []
        """When people were late and by how much, without waits for the daemon."""
        self._waited_ns = 0
        self.detents = self.lost_detents = 0
        self.now_ns = table.now_ns()
        self._dice = Random(seed)
        self._moves: list[Move] = []
        self._levels: dict[str, tuple[bool, int]] = {}
        """Levels that the daemon has not written yet: by station, the level and since when."""
        self._turns = 0
        self.asked_ns: list[int] = []
        """Instants at which the table will be checked later."""
        self.fuse: int | None = None
        """Number of presses and releases before the power goes."""
        self._folded: Engine | None = None
        self._places = 0
        """Number of folded `rows`."""
        self._twin: Engine | None = None
        """The table at the instant of the last check."""
        self._caught_up_ns = 0
        self._read()
        self._turns = 0  # an earlier boot's
        self.catch_up()

    # -- hands ---------------------------------------------------------------------------------------------------------

    def wait(self, ns: int) -> Self:
        """Wait as in Sitting; real time passes only at the next look or press.

        A release is toggled by the same list as its press, so that the length of a press does not depend on the host's
        load.
        """
        self.now_ns += ns
        if self._moves and self._moves[-1].level == OPEN and self.now_ns - self._moves[-1].at_ns >= ONE_GO_NS:
            self.flush()
        return self

    def edges(self, *rows: tuple[str, bool, int]) -> Self:
        for station, closed, after_ns in rows:
            steps = burst(self._dice, LINES[station], CLOSED if closed else OPEN, 0, bouncing=True)
            self._add(steps, self.now_ns + after_ns)
        self.now_ns += max(after_ns for _, _, after_ns in rows)
        if self.fuse is not None:
            self.fuse -= 1
            if not self.fuse:
                self.fuse = None
                raise PowerGoneError
        return self

    def turn(self, steps: int) -> Self:
        self._add(turned(self._dice, ENCODER_A, ENCODER_B, steps), self.now_ns)
        self._turns += steps
        self.detents += abs(steps)
        self.now_ns += abs(steps) * DETENT_US * 1000
        return self

    def choose(self, text: str) -> Self:
        """Choose as in Sitting, at any level.

        People check the cursor before they push: an emulated machine may lose a detent.
        """
        if not hasattr(self.view.screen, "items"):
            self.push()
        for line in way_to(self.engine.state, text):
            self._choose_line(line)
        return self

    def _choose_line(self, text: str) -> None:
        for _ in range(LOOKS):
            screen = self.screen(MenuScreen)
            away = next(at for at, line in enumerate(screen.items) if en(line).startswith(text)) - screen.cursor
            if away == 0:
                self.push()
                return
            self.turn(away)
        raise UnexpectedError(f"the knob does not come to {text}: {self.view.screen}")

    def power_cut(self, at_ns: int = 0, away_s: int | None = None, closed: tuple[str, ...] = ()) -> Self:
        """Let the daemon die and come back; `at_ns` is ignored, and held buttons stay closed."""
        self.die(away_s or 0, closed)
        return self

    def _add(self, steps: Sequence[Step], from_ns: int) -> None:
        for number, step in enumerate(steps):
            self._moves.append(Move(from_ns + step.at_us * 1000, step.line, step.level, number == 0))

    def flush(self) -> None:
        """Toggle all planned steps; the people's time becomes the toggler's."""
        moves, self._moves = sorted(self._moves, key=lambda move: move.at_ns), []
        if not moves:
            return
        began_ns = moves[0].at_ns
        self._sleep_until(began_ns)
        steps = [Step((m.at_ns - began_ns) // 1000, m.line, m.level) for m in moves]
        # a stall must not shorten a tap to nothing; in a race moving that tap is better than moving the others
        writes = self.table.toggle(steps, on_time=any(True for _ in _races(moves)))
        late_ns = max(writes[-1].before_ns - moves[-1].at_ns, 0)
        if late_ns - self._waited_ns >= LATE_NS:
            self.late.append((writes[-1].before_ns, late_ns - self._waited_ns))
        self._waited_ns = 0
        self.now_ns += late_ns
        self.asked_ns = [at + late_ns if at >= began_ns else at for at in self.asked_ns]
        self._note(moves, writes)

    def _note(self, moves: Sequence[Move], writes: Sequence[Write]) -> None:
        station_of = {line: station for station, line in LINES.items()}
        for move, write in zip(moves, writes, strict=True):
            if move.line in station_of:
                self._levels[station_of[move.line]] = (move.level == CLOSED, write.before_ns)
            if move.first and move.level == CLOSED and move.line in SEATS:
                self.presses.append((SEATS[move.line], write.before_ns))
        for one, other in _races(moves):
            early, late = (writes[moves.index(move)].before_ns for move in (one, other))
            self.races.append((other.at_ns - one.at_ns, late - early))

    @contextmanager
    def back_at(self, instant_ns: int) -> Iterator[None]:
        """Check the table at a past instant, not before the last check."""
        now_ns, self.now_ns = self.now_ns, instant_ns
        yield
        self.now_ns = now_ns

    def _sleep_until(self, at_ns: int) -> None:
        left_ns = at_ns - self.table.now_ns()
        if left_ns > 0:
            self.table.wait(left_ns / S)

    # -- what the daemon has written -----------------------------------------------------------------------------------

    @property
    def engine(self) -> Engine:  # type: ignore[override]
        """Return the table from the daemon's rows, once all actions have been written."""
        self.catch_up()
        assert self._folded is not None
        if self._twin is None:
            self._twin = copied(self._folded)
            self._twin.compare(row for row in self.rows[self._places :] if at_ns(row[1]) <= self.now_ns)
            self._twin.intake([], self.now_ns)
        return self._twin

    def decisions(self, kind: type[Any]) -> list[Any]:
        self.catch_up()
        return super().decisions(kind)

    def catch_up(self) -> None:
        """Wait until all actions have been written."""
        if not self._moves and self._caught_up_ns == self.now_ns:
            return
        self._twin = None
        self.flush()
        self._sleep_until(self.now_ns)
        with self._waiting():
            self.table.until(self._all_written, WRITTEN_S, self._missing)
        self._fold(self.now_ns)
        self._caught_up_ns = self.now_ns

    def _all_written(self) -> bool:
        self._read()
        if self._turns and self.table.now_ns() > self.now_ns + DETENT_LOST_NS:
            self.lost_detents += abs(self._turns)
            self._turns = 0
        return bool(self.rows) and not self._levels and not self._turns

    def _missing(self) -> str:
        owed = {station: "closed" if closed else "open" for station, (closed, _) in self._levels.items()}
        return f"the daemon has not written {owed if self.rows else 'a row'}"

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
        """Fold whole groups only, each a fact and its decisions; the newest group may be incomplete."""
        if self._folded is None:
            self._folded, self._places = Engine.derived(self.rows[:1]), 1
        for begin, end in self._groups():
            if at_ns(self.rows[begin][1]) > until_ns:
                return
            self._folded.compare(self.rows[begin:end])
            self._places = end

    def _groups(self) -> Iterator[tuple[int, int]]:
        begin = self._places
        for place in range(begin + 1, len(self.rows)):
            if not isinstance(self.rows[place][1], Decision):
                yield begin, place
                begin = place

    # -- its death -----------------------------------------------------------------------------------------------------

    def die(self, away_s: int = 0, held: Iterable[str] = (), *, after_ns: int | None = None) -> tuple[State, int]:
        """Kill the daemon with kill -9 after all actions are written, or `after_ns` after the last action.

        After its return the table must match its rows, and the display must show it. Returns the state in which it
        died, and when. `held`: buttons held down all the time; all others are released.
        """
        if after_ns is None:
            self.catch_up()
        else:
            self.flush()
            self.table.rest(after_ns / S)
        died_ns = self.daemon.die(away_s)
        self.table.until(lambda: self._resumed(died_ns) is not None, RESTART_S, lambda: "the daemon has not come back")
        before, back_ns = self._fold_death(died_ns)
        self._levels.clear()  # rows not written by then are lost
        self._turns = 0
        self.deaths.append(Death(before.phase.name, died_ns, back_ns))
        self.daemon.is_back()
        self.table.keep_together()
        self._put_back(held)
        kept(before, self.engine.state)
        self.look()
        return before, died_ns

    def after_boot(self) -> Self:
        """Continue after a boot of the machine: the earlier boot's rows were folded before and have another clock.

        The daemon has read them: the table must match them, and the display must show it.
        """
        self.table.until(lambda: self._booted() is not None, RESTART_S, lambda: "the daemon has not found its journal")
        place = self._booted()
        assert place is not None
        self._folded = Engine.derived(self.rows[:place])
        self._places, self._twin, self._caught_up_ns = place, None, 0
        before = self._folded.state
        self.now_ns = self.table.now_ns()
        kept(before, self.engine.state)
        self.look()
        return self

    def _booted(self) -> int | None:
        """Return the index of the row with which the daemon came back in this boot."""
        self._read()
        boots = [event.boot if isinstance(event, Resumed) else None for _, event in self.rows]
        return boots.index(self.daemon.boot) if self.daemon.boot in boots else None

    def _fold_death(self, died_ns: int) -> tuple[State, int]:
        """Return the state after the last row before the death, and when the daemon was back."""
        place = self._resumed(died_ns)
        assert place is not None
        assert self._folded is not None
        self._folded.compare(self.rows[self._places : place])
        self._places = place
        return self._folded.state, at_ns(self.rows[place][1])

    def _resumed(self, since_ns: int) -> int | None:
        """Return the index of the row that records the return."""
        self._read()
        news = range(self._places, len(self.rows))
        return next((at for at in news if _is_resumed(self.rows[at][1], since_ns)), None)

    def _put_back(self, held: Iterable[str]) -> None:
        """Close the contacts of held buttons again: the simulated chip opens every newly claimed line."""
        self._moves = [Move(self.table.now_ns(), LINES[station], CLOSED) for station in held]
        self.flush()
        self.now_ns = self.table.now_ns()
        self._caught_up_ns = 0

    # -- eyes ----------------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Check that the display shows the table's picture, now or within the allowed time."""
        with self._waiting():
            self.table.expect_view(self._views)

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """For the daemon."""
        since_ns = self.table.now_ns()
        yield
        self._waited_ns += self.table.now_ns() - since_ns

    def _views(self) -> Iterator[View]:
        twin, now_ns = self.engine, self.table.now_ns()
        shown = twin.view(self.now_ns)
        yield shown
        while (changes_ns := shown.changes_at_ns) is not None and changes_ns <= now_ns:
            shown = twin.view(changes_ns)
            yield shown


def _races(moves: Sequence[Move]) -> Iterator[tuple[Move, Move]]:
    """Yield presses of different buttons that are close enough to be a race."""
    for one, other in pairwise(move for move in moves if move.first and move.level == CLOSED):
        if one.line != other.line and 0 < other.at_ns - one.at_ns < RACE_NS:
            yield one, other


def _is_resumed(event: Event, since_ns: int) -> bool:
    return isinstance(event, Resumed) and event.at_ns > since_ns


class RigPlay(Play):
    """A tape at the rig's table, whose daemon dies during it.

    kills: line -> None, dead before it; or ns, dead that long after the press of that line, which is a call. last:
    line, number of presses and releases of it, ns after them: a death in the middle of a gesture that ends the evening.
    plug: lines at which UnpluggedError is raised. begin: the line after which the evening goes on.
    """

    def __init__(
        self,
        tape: Tape,
        evening: Evening,
        kills: Mapping[int, int | None] | None = None,
        last: tuple[int, int, int] | None = None,
        *,
        plug: Iterable[int] = (),
        begin: int = 0,
    ) -> None:
        self.tape = replace(tape, lines=tuple(line for line in tape.lines if line.number > begin))
        self._plug = set(plug)
        self.table: Evening = evening
        self.began_ns = evening.now_ns
        self._kills = kills or {}
        self._last = last
        self._told: list[Line] = []

    def play(self) -> Self:
        """Play the whole tape, or up to the last death."""
        for line in self.tape.lines:
            if line.told:
                self._told.append(line)
                self.table.asked_ns.append(self.table.now_ns)
                continue
            dies = line.number in self._kills or (self._last is not None and line.number == self._last[0])
            if dies or line.verb not in AT_ONCE or self._pause_ns(line) >= ONE_GO_NS:
                self._settle()
            if self._last and line.number == self._last[0]:
                return self._end(line, *self._last[1:])
            if line.number in self._plug:
                self.table.wait(self._pause_ns(line)).catch_up()
                raise UnpluggedError(line)
            if line.number in self._kills:
                self._die(line, self._kills[line.number])
            else:
                self.run([line])
        self._settle()
        self.table.look()
        return self

    def _settle(self) -> None:
        """Check the tape's conditions by the journal, each at its instant, and the display.

        People who go on at once do not wait for the result.
        """
        self.table.flush()
        while self._told:
            with self.table.back_at(self.table.asked_ns[0]):
                self.check(self._told[0])
            self._told.pop(0), self.table.asked_ns.pop(0)
            if not self._told and self.table.phase not in NO_TIME_TO_LOOK:
                self.table.look()

    def _die(self, line: Line, after_ns: int | None) -> None:
        if after_ns is None:
            go_on(self.table, *self.table.die())
            self.run([line])
            return
        self.table.wait(self._pause_ns(line)).close(*line.who)
        died_in, died_ns = self.table.die(after_ns=after_ns)
        go_on(self.table, died_in, died_ns)
        if died_in.phase.name not in ("CALLED", "VERDICT"):  # no one has heard it: the caller calls again
            self.run([replace(line, wait_ns=BREATH_NS)])

    def _end(self, line: Line, fuse: int, after_ns: int) -> Self:
        self.table.fuse = fuse
        try:
            self.run([line])
        except PowerGoneError:
            died_in, _ = self.table.die(after_ns=after_ns)
            if self.table.phase == "POWER_BACK":
                was = died_in.phase.inner if isinstance(died_in.phase, PowerBack) else died_in.phase
                self.table.wait(BREATH_NS).tap(*self.table.asked)
                beats = pile_game(died_in.table) is not None
                if self.table.phase != leads_to(was, beats=beats):
                    raise UnexpectedError(f"died in {was.name}; all tapped, and now it is {self.table.phase}") from None
                self.table.look()
        return self
