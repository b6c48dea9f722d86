"""Guards: a failing part is logged once and retried, and does not end the match.

Theory of operation. Everything outside the match itself (an output, a source of rows, the journal, the wall clock, the
page, bots) is called through a `Guard`. An exception ends only that call. The log has one line when the failure begins,
with a traceback if it is a bug, and one when it is over (`Health`). The display shows the guard's message during the
failure. A failed output is not called until its pause is over; then it gets the newest picture and the newest lamps. A
guard knows nothing about the part that it calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from logging import Logger
from typing import Any, Protocol, TypeVar

from referee.core.messages import Msg
from referee.core.model.events import Cue
from referee.core.model.view import Lamp, View
from referee.core.units import S
from referee.core.values import Value
from referee.drivers.health import Health

T = TypeVar("T")
Clock = Callable[[], int]
Close = Callable[[], object]
STEADY_S = 5.0
"""How long an output that was opened again must work before it counts as recovered, in s."""


class Timer(Protocol):
    """A planned call."""

    def cancel(self) -> object: ...


class Loop(Protocol):
    """The part of asyncio's event loop that the table uses."""

    def call_later(self, delay: float, callback: Callable[[], object], /) -> Timer: ...
    def call_soon_threadsafe(self, callback: Callable[..., object], /, *arguments: Any) -> object: ...


class Output(Protocol):
    """Base class of all outputs, such as the lamps. Override the methods that are needed.

    All methods are called on the loop's thread and must not block. They may raise: a guard handles the error.
    """

    def show(self, view: View) -> None:
        """Show a new view. The rows from which it results are already in the journal."""
        return

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """Set every station's lamp. When a player calls, lamps are set before the picture is shown."""
        return

    def sound(self, cue: Cue) -> None:
        """Play a sound, now or at `cue.at_ns`."""
        return


class Guard:
    """Calls a part that may fail, and knows whether the part works. Created by `Guards`."""

    def __init__(self, name: str, word: Msg | None, log: Logger, clock: Clock, changed: Callable[[], object]) -> None:
        self.word = word
        """Message on the display while the part does not work; None: no message."""
        self.since_ns: int | None = None
        """When the current failure began, in ns; None while the part works."""
        self._health, self._clock, self._changed = Health(name, log, traces=True), clock, changed

    @property
    def lost(self) -> bool:
        """Return whether the part has failed and not worked since."""
        return self._health.lost

    @property
    def next_ns(self) -> int | None:
        """Return when to try again, in ns; None while the part works."""
        return self._health.next_ns

    @property
    def due(self) -> bool:
        """Return whether to try now: False during the pause after a failure."""
        return self._health.due(self._clock())

    def __call__(self, work: Callable[[], T], otherwise: T, *, counts: bool = True) -> T:
        """Return the result of `work`, or `otherwise` if it raises.

        counts: whether success shows that a failed part works again.
        """
        try:
            result = work()
        except Exception as exc:  # any error is logged, and the match goes on
            self.note_failure(exc)
            return otherwise
        if counts:
            self.note_success()
        return result

    def note_failure(self, exc: Exception) -> None:
        """Record a failure that happened outside `__call__`."""
        new, now_ns = not self.lost, self._clock()
        self._health.note_failure(exc, now_ns)
        if new:
            self.since_ns = now_ns
            self._changed()

    def note_success(self) -> None:
        """Record a success. The first one after a failure is logged."""
        if self.lost:
            self._health.ok()
            self.since_ns = None
            self._changed()


class Guards:
    """All guards of a device, and the message on the display about failed parts."""

    def __init__(self, log: Logger, clock: Clock) -> None:
        self.changed: Callable[[], object] = lambda: None
        """Called, on any thread, when a part fails or recovers."""
        self._log, self._clock = log, clock
        self._words: list[Callable[[], Msg | None]] = []

    def guard(self, name: str, word: Msg | None = None) -> Guard:
        """Create a guard for a part. `name`: for the log ("lamps").

        `word`: what the display says while the part does not work; None: nothing.
        """
        made = Guard(name, word, self._log, self._clock, self._something_changed)
        self.hear(lambda: made.word if made.lost else None)
        return made

    def _something_changed(self) -> None:
        self.changed()

    def hear(self, word: Callable[[], Msg | None]) -> None:
        """Add a function that returns what the display must say about a part; None: nothing."""
        self._words.append(word)

    def word(self) -> Msg | None:
        """Return what the display must say about failed parts, or None.

        If several functions have a message, the function that was added first wins.
        """
        return next((word for ask in self._words if (word := ask())), None)


class OutputPlan(Value):
    """How to create an output.

    name: for the log. word: what the display says while the output does not work. make: returns the output and its
    close function. If it raises, it is called again later. remakes: after a failure, close the output and create it
    again, because its state is unknown.
    """

    name: str
    word: Msg | None
    make: Callable[[], tuple[Output, Close]]
    remakes: bool = False


class GuardedOutput:
    """An output that may fail, even while it is created. Use it on the loop's thread."""

    def __init__(self, part: OutputPlan, guards: Guards, loop: Loop, clock: Clock) -> None:
        """Create the output. If that fails, it is tried again later."""
        self._part, self._loop, self._clock = part, loop, clock
        self._guard = guards.guard(part.name, part.word)
        guards.hear(self._own_word)
        self._output: Output | None = None
        self._close: Close = lambda: None
        self._view: View | None = None
        self._lamps: Sequence[Lamp] | None = None
        self._planned = self._closed = False
        self._on_trial = False  # created again, but not known to work yet
        self._again()

    def show(self, view: View) -> None:
        """Show the view. After a failure, it is shown again once the output works."""
        self._view = view
        self.ask(lambda output: output.show(view))

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """Set the lamps. After a failure, they are set again once the output works."""
        self._lamps = lamps
        self.ask(lambda output: output.lamps(lamps))

    def sound(self, cue: Cue) -> None:
        """Play the cue. If that fails, it is not repeated, because it would come too late."""
        self.ask(lambda output: output.sound(cue))

    def ask(self, what: Callable[[Any], object]) -> None:
        """Call `what` with the output, unless the output does not work."""
        output = self._output
        if output is not None and not self._closed and (self._on_trial or not self._guard.lost):
            self._try(lambda: what(output))

    def close(self) -> object:
        """Close the output, and return what its close function returns: perhaps an awaitable."""
        self._closed = True
        self._output = None
        return self._close()

    def _again(self) -> None:
        """Create the output if needed, and show the newest view and lamps."""
        self._planned = False
        if not self._closed:
            self._on_trial = self._part.remakes and self._guard.lost
            self._try(self._bring)
            if self._on_trial:
                self._loop.call_later(STEADY_S, self._end_trial)

    def _try(self, work: Callable[[], object]) -> None:
        """Call `work`. If it fails, or the output wants a retry (`next_ns`), plan another try."""
        before = self._guard.next_ns
        self._guard(work, None, counts=not self._on_trial)
        failed = self._guard.next_ns not in (None, before)
        if failed and self._part.remakes:
            self._drop()
        wants_ns = None if self._on_trial else self._guard.next_ns or getattr(self._output, "next_ns", None)
        if wants_ns is not None and not self._planned:
            self._planned = True
            self._loop.call_later(max(wants_ns - self._clock(), 0) / S + 0.001, self._again)

    def _end_trial(self) -> None:
        if self._on_trial:
            self._on_trial = False
            self._guard.note_success()

    def _bring(self) -> None:
        if self._output is None:
            self._output, self._close = self._part.make()
        if self._lamps is not None:
            self._output.lamps(self._lamps)
        if self._view is not None:
            self._output.show(self._view)

    def _drop(self) -> None:
        close, self._close, self._output = self._close, lambda: None, None
        self._on_trial = False
        with suppress(Exception):  # it is broken, and its failure is already logged
            close()

    def _own_word(self) -> Msg | None:
        """Return the display's message if the output itself reports that it does not work (`lost`)."""
        return self._part.word if getattr(self._output, "lost", False) else None


class Outputs:
    """All outputs together. Each one has its own guard."""

    def __init__(self, parts: Sequence[Output] = ()) -> None:
        self.parts = list(parts)

    def show(self, view: View) -> None:
        """Show the view on every output."""
        for part in self.parts:
            part.show(view)

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """Set the lamps of every output."""
        for part in self.parts:
            part.lamps(lamps)

    def sound(self, cue: Cue) -> None:
        """Play the cue on every output."""
        for part in self.parts:
            part.sound(cue)
