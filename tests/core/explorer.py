"""Random exploration of tables that prefers the least tried situations and actions.

A situation is the phase, the phase that waits in it, and the start of the knob's list. The explorer keeps some states
of each situation. It takes the situation that was tried least and does what was done least there. A state is a value,
so any kept table can be continued.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from copy import copy
from functools import partial
from random import Random

from referee.core.match import advance as match
from referee.core.match.engine import Engine, EngineOutput, JournalRow
from referee.core.match.past import Redo, Undo
from referee.core.model.events import (
    Linked,
    Opened,
    PhoneCorrected,
    PhoneCounted,
    PhoneFact,
    PhoneGave,
    PhonePaused,
    PhoneSat,
    PhoneSet,
    PhoneStarted,
    PhoneVoted,
    Resumed,
)
from referee.core.model.menu import Menu, MenuAction
from referee.core.model.registry import game_of
from referee.core.model.state import Phase, State
from referee.core.model.table import Setup
from referee.core.phases.adjusting import REASONS
from referee.core.phases.counting import Counting
from referee.core.phases.fixing import CORRECTIONS
from referee.core.presses.signals import KNOB, Edge
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.sitting import BREATH_NS, ERR_NS, Sitting

Doing = Callable[[Sitting], object]
MOST = 60
"""Maximum number of states kept of a situation. Later ones replace earlier ones."""


def doings(stations: tuple[str, ...]) -> dict[str, Doing]:
    """Return the actions of people, time and the power supply, by name."""
    every: dict[str, Doing] = {
        "time": lambda table: table.until(table.engine.deadline_ns or table.now_ns + 1 * S),
        "moment": lambda table: table.wait(1 * S),
        "while": lambda table: table.wait(4 * S),
        "push": lambda table: table.push(),
        "knob held": lambda table: table.press(KNOB, ns=400 * MS),
        "turn": lambda table: table.turn(1),
        "turn back": lambda table: table.turn(-1),
        "all tap": lambda table: table.wait(1 * S).tap(*stations),
        "all hold": lambda table: table.wait(1 * S).hold(*stations),
        "count": lambda table: table.wait(1 * S).hold(*stations * 3).wait(4 * S),
        "two call": lambda table: table.close(*stations[:2]).open(*stations[:2]),
        "two hold": lambda table: table.wait(1 * S).press(*stations[:2], ns=1 * S),
        "power": lambda table: power(table, 10),
        "long without power": lambda table: power(table, 4 * 3600),
        "undo": lambda table: choose_action(Undo, table),
        "redo": lambda table: choose_action(Redo, table),
        "undo twice": lambda table: choose_action(Undo, choose_action(Undo, table).wait(2 * S)),
        "undo, redo": lambda table: choose_action(Redo, choose_action(Undo, table).wait(2 * S)),
        "all yes by phone": lambda table: by_phone(table.wait(1 * S), *votes(table, stations, yes=True)),
        "all no by phone": lambda table: by_phone(table.wait(1 * S), *votes(table, stations, yes=False)),
        "phone sits": lambda table: by_phone(table, PhoneSat(table.now_ns, "phone-1", stations[0], "Ann")),
        "phones count": lambda table: by_phone(table, *counts(table)),
        "phone counts again": lambda table: by_phone(table, *counts_again(table, stations[0])),
        "phone gives points": lambda table: by_phone(
            table, PhoneGave(table.now_ns, "phone-1", stations[0], 10, REASONS[0])
        ),
        "phone starts": lambda table: by_phone(table, PhoneStarted(table.now_ns, "phone-1")),
        "phone pauses": lambda table: by_phone(table, PhonePaused(table.now_ns, "phone-1", True)),
        "phone goes on": lambda table: by_phone(table.wait(1 * S), PhonePaused(table.now_ns, "phone-1", False)),
        "link lost and back": lambda table: link(link(table, stations[0], up=False), stations[0], up=True),
        "a newer version": lambda table: newer(table.wait(1 * S)),
        "a newer version is installed": lambda table: newer(table.wait(1 * S)).wait(1 * S).press(KNOB, ns=1 * S),
        "button stuck": lambda table: table.wait(1 * S).tap(*stations[1:]).close(stations[0]).wait(6 * S),
        "all let go": lambda table: table.open(*stations),
    }
    for value in (True, False):
        every[f"phone sets {value}"] = partial(phone_sets, value)
    for station in stations:
        every[f"tap {station}"] = partial(lambda s, table: table.wait(1 * S).tap(s), station)
        every[f"tap {station} at once"] = partial(lambda s, table: table.tap(s), station)
        every[f"hold {station}"] = partial(lambda s, table: table.wait(1 * S).hold(s), station)
        every[f"late {station}"] = partial(late, station)
    for line in range(12):
        every[f"line {line}"] = partial(choose, line)
    return every


def power(table: Sitting, away_s: int) -> None:
    """Cut the power and restore it after `away_s` seconds."""
    table.engine.intake([Resumed(table.now_ns, "boot-2", away_s)], table.now_ns)


def choose_action(kind: type[MenuAction], table: Sitting) -> Sitting:
    """Choose the line of the knob's list with that action, if there is one."""
    if match.shown_menu(table.engine.state) is None:
        table.push()
    menu = match.shown_menu(table.engine.state)
    at = [index for index, line in enumerate(menu.items) if isinstance(line.action, kind)] if menu else []
    if menu is not None and at and not menu.values:
        _read(menu, table)
        table.turn(at[0] - menu.cursor).push()
    return table


def _read(menu: Menu, table: Sitting) -> None:
    """Wait until a list that the device opened accepts a push."""
    if menu.asked_at_ns is not None:
        table.until(menu.asked_at_ns + BREATH_NS)


def by_phone(table: Sitting, *facts: PhoneFact) -> None:
    """Feed the phones' facts one after the other."""
    for fact in facts:
        table.engine.intake([replace(fact, at_ns=table.now_ns)], table.now_ns)


def votes(table: Sitting, stations: tuple[str, ...], *, yes: bool) -> tuple[PhoneVoted, ...]:
    """Return an answer of every team at these stations."""
    teams = dict.fromkeys(team.id for s in stations if (team := table.engine.state.table.team_of(s)) is not None)
    return tuple(PhoneVoted(table.now_ns, "phone-1", team, yes) for team in teams)


def counts(table: Sitting) -> tuple[PhoneCounted, ...]:
    """Return every team's count of the current hand. A caller has no cards left."""
    phase = table.engine.state.phase
    teams = phase.counts if isinstance(phase, Counting) else ()
    return tuple(
        PhoneCounted(table.now_ns, "phone-1", count.team, (0 if count.team in phase.callers else 3, 12))
        for count in teams
        if isinstance(phase, Counting)
    )


def counts_again(table: Sitting, team: str) -> tuple[PhoneCorrected, ...]:
    """Return corrections of the first hand of that team, as two numbers and as one."""
    return tuple(
        PhoneCorrected(table.now_ns, "phone-1", 1, team, numbers, CORRECTIONS[0]) for numbers in ((0, 17), (2, 17))
    )


def phone_sets(value: bool, table: Sitting) -> None:
    """Set the first on/off rule of the game by the host's phone."""
    for setting in game_of(table.engine.state.table).settings:
        if value in [choice for choice, _ in setting.choices if isinstance(choice, bool)]:
            by_phone(table, PhoneSet(table.now_ns, "phone-1", ((setting.name, value),)))
            return


def link(table: Sitting, station: str, *, up: bool) -> Sitting:
    """Lose or restore the link of that station's pod. It comes back with the button open."""
    table.engine.intake([Linked(table.now_ns, "pod", up, (station,))], table.now_ns)
    return table


def newer(table: Sitting) -> Sitting:
    """Report a newer version."""
    table.engine.intake([Linked(table.now_ns, "update:0.2.0", True)], table.now_ns)
    return table


def late(station: str, table: Sitting) -> None:
    """Deliver a press from just before the present phase."""
    at_ns = table.engine.state.phase.asked_at_ns - 5 * MS
    rows = [(station, True, at_ns - table.now_ns), (station, False, 0)]
    facts = [Edge(s, closed, table.now_ns + at, ERR_NS, table.now_ns + 1 * MS) for s, closed, at in rows]
    table.now_ns += 1 * MS
    table.engine.intake(facts, table.now_ns)
    table.wait(50 * MS)


def choose(line: int, table: Sitting) -> None:
    """Choose that line of the open list, or of the list that a push opens."""
    if match.shown_menu(table.engine.state) is None:
        table.push()
    menu = match.shown_menu(table.engine.state)
    if menu is not None and line < len(menu.items):
        _read(menu, table)
        table.turn(line - menu.cursor).push()


def situation(state: State) -> str:
    """Return a key of the table: phase, waiting phase, the list's first line, teams and hands."""
    inner = getattr(state.phase, "inner", None)
    names = [phase.name for phase in (state.phase, inner) if isinstance(phase, Phase)]
    table, menu = state.table, state.menu
    line = type(menu.items[0].action).__name__ if menu and menu.items else None
    return f"{type(game_of(table)).__name__} {names} {line} {bool(table.hands)} {len(table.teams) > 1}"


def behind(state: State) -> str:
    """Return a key of the phases and decisions that an undo or a redo can reach."""
    kept = [last.state.phase for last in (state.undo, state.redo) if last is not None]
    inner = [getattr(phase, "inner", None) for phase in (state.phase, *kept)]
    names = [phase.name if isinstance(phase, Phase) else None for phase in (state.phase, *kept, *inner)]
    return f"{type(game_of(state.table)).__name__} {names} {state.undo is None} {state.redo is None}"


class Explorer:
    """The kept states of a table, and the choice of the least tried one."""

    def __init__(self, setup: Setup, seed: int) -> None:
        self._dice = Random(seed)
        self._doings = doings(setup.stations)
        self._kept: dict[str, list[Sitting]] = {}
        self._done: dict[str, Counter[str]] = {}
        self._answered = set[tuple[str, str]]()
        self.keep(Sitting(setup))

    @property
    def phases(self) -> set[str]:
        """Return every phase that a table has been in."""
        return {table.phase for kept in self._kept.values() for table in kept}

    @property
    def tables(self) -> list[Sitting]:
        """Return every table that can be continued."""
        return [table for kept in self._kept.values() for table in kept]

    def keep(self, table: Sitting) -> None:
        """Keep the table's state to continue from it."""
        where = situation(table.engine.state)
        self._done.setdefault(where, Counter(dict.fromkeys(self._doings, 0)))
        kept = self._kept.setdefault(where, [])
        if len(kept) < MOST:
            kept.append(table)
        else:
            kept[self._dice.randrange(MOST)] = table

    def learn(self, rows: Iterable[JournalRow]) -> None:
        """Keep each situation of a played evening, as it was when it first occurred."""
        (seq, opened), *rest = rows
        assert isinstance(opened, Opened)
        table = Sitting(Setup.from_document(opened.setup))
        table.engine = Engine(opened, seq - 1)
        met = set(self._kept)
        for _, event in rest:
            step = match.advance(table.engine.state, event)
            table.engine.state = state = step.state
            if not step.decisions and situation(state) not in met:  # else the next row belongs to this one
                met.add(situation(state))
                table.now_ns = state.now_ns
                table.engine._through_ns = state.now_ns
                self.keep(taken_up(table))

    def step(self) -> None:
        """Do one action: the least tried one in the least tried situation."""
        where = min(self._done, key=lambda name: (self._done[name].total(), name))
        done = self._done[where]
        least = min(done.values())
        what = self._dice.choice([name for name, times in done.items() if times == least])
        done[what] += 1
        self._do(what, self._dice.choice(self._kept[where]))

    def take_back(self) -> None:
        """Undo, redo and vote by phone at every table, once for each phase that it may return to."""
        for table in self.tables:
            for what in ("undo", "redo", "undo, redo", "all yes by phone", "all no by phone"):
                case = (what, behind(table.engine.state))
                if case not in self._answered:
                    self._answered.add(case)
                    self._do(what, table)

    def _do(self, what: str, table: Sitting) -> None:
        table = taken_up(table)
        self._doings[what](table)
        table.now_ns = max(table.now_ns, table.engine.state.now_ns)
        self.keep(table)


def taken_up(table: Sitting) -> Sitting:
    """Return a copy of the table for another action."""
    again = Sitting.__new__(Sitting)
    again.setup, again.now_ns, again.rows, again.cues, again.astray = table.setup, table.now_ns, [], [], []
    again.engine = copy(table.engine)
    again.engine._out, again.engine._latest = EngineOutput(), []
    return again
