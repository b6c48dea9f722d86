"""Guards: what fails at the table's rim is dropped, said once, tried again, and never ends the match.

Theory of operation. Everything that is not the match itself (an output, a source of rows, the journal, the wall clock,
the page, bots) is called through a `Guard`. An exception ends that one call; the log has it once when it begins, with
its traceback where it is a mistake of ours, and once when it is over (`Health`); the display says the guard's word as
long as it lasts. An output that failed is not asked again before its pause is over, and then for everything at once:
the newest picture and the newest lamps. No guard knows what it guards.
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
"""What was made anew is said to be back when it has worked for so long."""
Later = Callable[[float, Callable[[], object]], object]
"""Call that after so many seconds, on the loop's thread: an event loop's `call_later`."""


class Output(Protocol):
    """Something that shows the match; it inherits from this and overrides what it uses, the rest does nothing.

    None of these may block; what they raise ends nothing. All are called on the loop's thread.
    """

    def show(self, view: View) -> None:
        """A new view whose journal row is durable: the picture, and everything else that waits for the journal."""
        return

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """Every station's lamp as it is from now on; at a call this comes before the picture of it."""
        return

    def sound(self, cue: Cue) -> None:
        """A sound, at once or at its instant (`cue.at_ns`)."""
        return


class Guard:
    """Calls somebody who may fail. Made by `Guards`."""

    def __init__(self, name: str, word: Msg | None, log: Logger, clock: Clock, changed: Callable[[], object]) -> None:
        self.word = word
        """What the display says while it is lost; None: nothing that people at the table must know."""
        self.since_ns: int | None = None
        """Since when it has failed each time; None while all is well."""
        self._health, self._clock, self._changed = Health(name, log, traces=True), clock, changed

    @property
    def lost(self) -> bool:
        """True from a failure to the next success."""
        return self._health.lost

    @property
    def next_ns(self) -> int | None:
        """When to try again; None while all is well."""
        return self._health.next_ns

    @property
    def due(self) -> bool:
        """Whether a try is worth while now: always, unless it failed a moment ago."""
        return self._health.due(self._clock())

    def __call__(self, work: Callable[[], T], otherwise: T, *, counts: bool = True) -> T:
        """What that gives, or the other value when it fails. counts: whether a success means that it is back."""
        try:
            result = work()
        except Exception as exc:  # whatever it is: it is logged, and the match goes on
            self.note_failure(exc)
            return otherwise
        if counts:
            self.note_success()
        return result

    def note_failure(self, exc: Exception) -> None:
        """A try has failed, for who cannot be called from here."""
        new, now_ns = not self.lost, self._clock()
        self._health.note_failure(exc, now_ns)
        if new:
            self.since_ns = now_ns
            self._changed()

    def note_success(self) -> None:
        """Note a success; after a failure it is logged once."""
        if self.lost:
            self._health.ok()
            self.since_ns = None
            self._changed()


class Guards:
    """Every guard of a device, and what people are told of those that have something to say."""

    def __init__(self, log: Logger, clock: Clock) -> None:
        self.changed: Callable[[], object] = lambda: None
        """Called, by whatever thread it is, when something is lost or back."""
        self._log, self._clock = log, clock
        self._words: list[Callable[[], Msg | None]] = []

    def guard(self, name: str, word: Msg | None = None) -> Guard:
        """A guard for what people know by that name ("lamps")."""
        made = Guard(name, word, self._log, self._clock, self._something_changed)
        self.hear(lambda: made.word if made.lost else None)
        return made

    def _something_changed(self) -> None:
        self.changed()

    def hear(self, word: Callable[[], Msg | None]) -> None:
        """Ask that one, too, what the display is to say; None is nothing."""
        self._words.append(word)

    def word(self) -> Msg | None:
        """What the display is to say now: of several, what was guarded first."""
        return next((word for ask in self._words if (word := ask())), None)


class OutputPlan(Value):
    """An output that is still to be made: how people call it, what the display says without it, how it is made.

    make: gives the output and what closes it; it may raise, and is then called again later. anew: one that failed is
    closed and made anew, because nobody knows what state it is in.
    """

    name: str
    word: Msg | None
    make: Callable[[], tuple[Output, Close]]
    anew: bool = False


class GuardedOutput:
    """An output that may fail at any time, in the making too. It belongs to the loop's thread."""

    def __init__(self, part: OutputPlan, guards: Guards, later: Later, clock: Clock) -> None:
        """Makes the output, if it can be made now."""
        self._part, self._later, self._clock = part, later, clock
        self._guard = guards.guard(part.name, part.word)
        guards.hear(self._own_word)
        self._output: Output | None = None
        self._close: Close = lambda: None
        self._view: View | None = None
        self._lamps: Sequence[Lamp] | None = None
        self._planned = self._closed = False
        self._on_trial = False  # made anew, and not yet known to be any better
        self._again()

    def show(self, view: View) -> None:
        """Shows the view, and again when the output is back after a failure."""
        self._view = view
        self.ask(lambda output: output.show(view))

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """Lights the lamps, and again when the output is back after a failure."""
        self._lamps = lamps
        self.ask(lambda output: output.lamps(lamps))

    def sound(self, cue: Cue) -> None:
        """See `Output`. A sound that fails is not repeated: it would come too late."""
        self.ask(lambda output: output.sound(cue))

    def ask(self, what: Callable[[Any], object]) -> None:
        """Something of the output itself, unless it is lost."""
        output = self._output
        if output is not None and not self._closed and (self._on_trial or not self._guard.lost):
            self._try(lambda: what(output))

    def close(self) -> object:
        """End it; what it gives back may have to be awaited."""
        self._closed = True
        self._output = None
        return self._close()

    def _again(self) -> None:
        """Make it if need be, and show what is to be seen now."""
        self._planned = False
        if not self._closed:
            self._on_trial = self._part.anew and self._guard.lost
            self._try(self._bring)
            if self._on_trial:
                self._later(STEADY_S, self._end_trial)

    def _try(self, work: Callable[[], object]) -> None:
        """Do that; if it fails, or looks after itself and is in trouble, plan the next try."""
        before = self._guard.next_ns
        self._guard(work, None, counts=not self._on_trial)
        failed = self._guard.next_ns not in (None, before)
        if failed and self._part.anew:
            self._drop()
        wants_ns = None if self._on_trial else self._guard.next_ns or getattr(self._output, "next_ns", None)
        if wants_ns is not None and not self._planned:
            self._planned = True
            self._later(max(wants_ns - self._clock(), 0) / S + 0.001, self._again)

    def _end_trial(self) -> None:
        """It was made anew and has worked for a while."""
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
        with suppress(Exception):  # it is broken already, and said to be so
            close()

    def _own_word(self) -> Msg | None:
        """Of an output that looks after itself, such as a display that is tried again by its own thread."""
        return self._part.word if getattr(self._output, "lost", False) else None


class Outputs:
    """Every output behind one face. What an output does with a picture is its own business and its own thread's."""

    def __init__(self, parts: Sequence[Output] = ()) -> None:
        self.parts = list(parts)

    def show(self, view: View) -> None:
        """Has every part show the view; each is guarded by itself."""
        for part in self.parts:
            part.show(view)

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """Has every part light these lamps; each is guarded by itself."""
        for part in self.parts:
            part.lamps(lamps)

    def sound(self, cue: Cue) -> None:
        """Has every part sound the cue; each is guarded by itself."""
        for part in self.parts:
            part.sound(cue)
