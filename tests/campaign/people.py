"""People at the table with the bots: one who grazes buttons, one who leans on them, a child at the knob, a helper.

The helper acts when a table has waited too long. Each has `next_ns` and `moves`, as bots have. All times are the
world's, which power cuts do not stop.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Protocol

from referee.core.model.view import CountScreen, Label, MenuScreen, NameScreen, TurnScreen, View
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from referee.simulator.table.contacts import Action, KnobTurn, graze, press
from tests.campaign.judge import WrongError
from tests.english import all_en

LEAN_NS = (3 * S, 40 * S)
ASLEEP_NS = 900 * S
"""A device that is away for longer than this is touched only at the end."""
STEP_NS, HELP_NS = 2 * S, 25 * S
"""Time from the push that opens the list to the choice, and until the next attempt."""
PATIENT_NS = 6 * S
"""Time without knob moves after an entry at a button."""
NAMED_NS = 1200 * MS
"""Length of a push that ends a name."""
HELPED = {"COUNTING", "FIXING", "LOBBY", "AGREEMENT", "READY", "TIMEOUT", "STOPPED", "POWER_BACK", "OVER", "CHECK"}
HELPED |= {"VERDICT", "VOTE", "SEARCH", "DECLARED", "PLAYING"}
"""Phases in which a person may have to help at the knob: because of a child, a held button, a missing pod or strangers.

In other phases, and at a quiet table, help is never needed (`test_nobody_helps_at_a_quiet_table`).
"""
BY_KNOB, VOID, MORE = "Count by knob", "Void hand", "More"
"""Lines that help a count of a team without a working button, and a count that cannot be right."""
BACK = "Back"
PUSHES = 4
"""Pushes of the knob without success before the helper presses the buttons that are waited for."""
TAPS = "taps for those who are waited for"
GOES_ON = ("Go on", "Start without", "Resume", "Rematch", "Start", "Verdict stands", "No", BACK)
"""Lines that continue the evening, best first."""


class Hand(Protocol):
    """A person who moves contacts."""

    def next_ns(self) -> int | None:
        """Return the time of the next move."""

    def moves(self, until_ns: int) -> list[Action]:
        """Return the moves up to and including `until_ns`, ordered by time."""


class NowAndThen(ABC):
    """An action repeated at random; `every_s` is the mean interval."""

    def __init__(self, rng: Random, every_s: int, begin_ns: int, stations: tuple[str, ...] = ()) -> None:
        """stations: the buttons in reach."""
        self.rng = rng
        self.stations = stations
        self.every_s = every_s
        self._due_ns = begin_ns
        self._queue: list[Action] = []
        self._plan()

    def next_ns(self) -> int | None:
        return min(self._due_ns, self._queue[0].t_ns) if self._queue else self._due_ns

    def moves(self, until_ns: int) -> list[Action]:
        self._due_ns = max(self._due_ns, until_ns - ASLEEP_NS)
        while self._due_ns <= until_ns:
            self._queue += self.act(self._due_ns)
            self._plan()
        self._queue.sort(key=lambda action: action.t_ns)
        ripe = [action for action in self._queue if action.t_ns <= until_ns]
        self._queue = self._queue[len(ripe) :]
        return ripe

    @abstractmethod
    def act(self, at_ns: int) -> list[Action]:
        """Begin the action at that instant."""

    def _plan(self) -> None:
        self._due_ns += int(self.rng.expovariate(1 / self.every_s) * S) + 20 * MS


class Grazer(NowAndThen):
    """Touches any button and the knob too lightly."""

    def act(self, at_ns: int) -> list[Action]:
        return [*graze(self.rng, self.rng.choice((*self.stations, KNOB)), at_ns)]


class Leaner(NowAndThen):
    """An elbow, a book or a cat on a button."""

    def act(self, at_ns: int) -> list[Action]:
        return [*press(self.rng, self.rng.choice(self.stations), at_ns, self.rng.randint(*LEAN_NS))]


class Child(NowAndThen):
    """A child who turns and pushes the knob, pauses, and taps buttons in reach."""

    def act(self, at_ns: int) -> list[Action]:
        dice = self.rng.randrange(10)
        if dice < 4:
            return [KnobTurn(at_ns, self.rng.choice((-3, -2, -1, 1, 1, 2, 5)))]
        if dice < 9:
            length_ns = 400 * MS if dice == 8 else 100 * MS
            return [*press(self.rng, KNOB, at_ns, length_ns)]
        return [*press(self.rng, self.rng.choice(self.stations), at_ns, self.rng.randint(30, 1200) * MS)]


class Helper:
    """A person who notices that the table waits and chooses a line of the list.

    `helped`: number of helps by phase and line.
    """

    def __init__(self, rng: Random) -> None:
        self.helped: Counter[str] = Counter()
        self._rng = rng
        self._due_ns: int | None = None
        self._view: View | None = None
        self._held = False
        self._queue: list[Action] = []
        self._tried: set[str] = set()
        self._phase = ""
        self._pushes = 0
        self._entering: Mapping[Label, object] = {}
        """Count reached by each team that enters its count at its own button."""
        self._uncounted: tuple[str, ...] = ()
        """Teams with an open count at the last look; first the numbers, as in the knob's list."""

    def look(self, view: View, now_ns: int, *, waits: bool, held: bool = False) -> None:
        """`waits`: the table has been in the phase too long. `held`: an object holds a button down."""
        self._view, self._held = view, held
        if isinstance(view.screen, CountScreen):
            entering = {c.label: (c.fields, c.cursor) for c in view.screen.cells if c.pen not in (None, KNOB)}
            if self._due_ns is not None and any(self._entering.get(label) != now for label, now in entering.items()):
                self._due_ns = max(self._due_ns, now_ns + PATIENT_NS)  # another person is entering this count
            self._entering = entering
            self._uncounted = tuple(str(cell.label.numbers[0]) for cell in view.screen.cells if not cell.done)
        if not waits or view.phase != self._phase:
            self._phase, self._tried, self._pushes = view.phase, set(), 0
        if waits and self._due_ns is None:
            self._due_ns = now_ns + STEP_NS
        elif not waits:
            self._due_ns = None

    def next_ns(self) -> int | None:
        return min((t for t in (self._due_ns, *(a.t_ns for a in self._queue[:1])) if t is not None), default=None)

    def moves(self, until_ns: int) -> list[Action]:
        self._queue = sorted([*self._queue, *self._helped(until_ns)], key=lambda action: action.t_ns)
        ripe = [action for action in self._queue if action.t_ns <= until_ns]
        self._queue = self._queue[len(ripe) :]
        return ripe

    def _helped(self, until_ns: int) -> list[Action]:
        at_ns, view = self._due_ns, self._view
        if at_ns is None or view is None or at_ns > until_ns:
            return []
        chooses = isinstance(view.screen, MenuScreen)
        if view.phase == "TIMEOUT" and self._held:
            self._due_ns = (
                at_ns + STEP_NS
            )  # a hand cannot go on while an object holds a button: wait until it is removed
            return []
        if isinstance(view.screen, NameScreen):
            self._due_ns = at_ns + STEP_NS
            return [*press(self._rng, KNOB, at_ns, NAMED_NS)]  # accept the name that the child has spelled
        counts = view.phase == "COUNTING" and not self._tried & {VOID}
        self._due_ns = at_ns + (HELP_NS if chooses and not counts else STEP_NS)
        if not isinstance(view.screen, MenuScreen):
            return self._pushed(view, at_ns)
        items = all_en(view.screen.items)
        line = self._best(items)
        text = items[line]
        if all(not one.startswith(wish) for one in items for wish in GOES_ON if wish != BACK):
            self._pushes = PUSHES - 1  # this list does not help
        wish = next((wish for wish in GOES_ON if text.startswith(wish)), text)
        if view.phase not in HELPED:
            raise WrongError(f"somebody had to help in {view.phase}: {view.screen}")
        self.helped[f"{view.phase}: {wish}"] += 1
        turned: list[Action] = [KnobTurn(at_ns, line - view.screen.cursor)] if line != view.screen.cursor else []
        return [*turned, *press(self._rng, KNOB, at_ns + 300 * MS, 100 * MS)]

    def _pushed(self, view: View, at_ns: int) -> list[Action]:
        """Push the knob; after every `PUSHES` pushes, press for the players who are waited for instead."""
        turn = (view.screen.turn,) if isinstance(view.screen, TurnScreen) else ()
        waiting: tuple[Label, ...] = getattr(view.screen, "waiting", turn)
        self._pushes += 1
        if self._pushes % PUSHES or not waiting:
            return [*press(self._rng, KNOB, at_ns, 100 * MS)]
        self.helped[f"{view.phase}: {TAPS}"] += 1
        starts = range(at_ns, at_ns + len(waiting) * S, S)
        taps = zip(waiting, starts, strict=True)
        return [move for label, start in taps for move in press(self._rng, str(label.numbers[0]), start, 100 * MS)]

    def _best(self, items: Sequence[str]) -> int:
        """Return the most helpful line not tried yet, else the line that leads back, or the best one again.

        The best one may have failed because another hand was at the knob or a button was held down.
        """
        counts = (BY_KNOB, self._uncounted[0], VOID, MORE) if self._phase == "COUNTING" and self._uncounted else ()
        found = [index for wish in (*counts, *GOES_ON) for index, text in enumerate(items) if text.startswith(wish)]
        best = next((index for index in found if items[index] not in self._tried), None)
        if best is None:
            self._tried.clear()
            best = items.index(BACK) if BACK in items else found[0] if found else len(items) - 1
        self._tried.add(items[best])
        return best
