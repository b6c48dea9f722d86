"""One pin of the gpiod factory: gpiozero's properties as settings of a line.

Each property is stored here. `_apply` turns them into the line's settings, and changes the line only if they differ.
The first use claims a pin, and `close` releases it; after that, the object may be used again, as gpiozero does.
"""

from __future__ import annotations

from typing import Any, Protocol

import gpiod
from gpiod.line import Bias, Clock, Direction, Edge, Value
from gpiozero.exc import (
    PinFixedPull,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPull,
    PinInvalidState,
    PinSetInput,
)
from gpiozero.pins.local import LocalPiPin

from gpiozero_gpiod.edges import RawEdge
from gpiozero_gpiod.line import GpioLine
from gpiozero_gpiod.pump import EdgePump

_BIAS = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
_EDGES = {"both": Edge.BOTH, "rising": Edge.RISING, "falling": Edge.FALLING, "none": Edge.NONE}


class PinOwner(Protocol):
    """What a pin needs from its factory."""

    pump: EdgePump
    """The thread that reads this pin's line while edges are wanted."""

    def line(self, gpio: int) -> GpioLine:
        """Return the line with this BCM number. It is not claimed yet."""
        ...


class GpiodPin(LocalPiPin):  # type: ignore[misc]
    """A gpiozero pin, created by the factory. `state` is 0 or 1."""

    def __init__(self, factory: PinOwner, info: Any) -> None:
        super().__init__(factory, info)
        self._line = factory.line(self._number)
        self._pump = factory.pump
        self._watched = self._listening = False
        self._reset()

    @property
    def gpio(self) -> int:
        """Return the BCM number of the line."""
        return int(self._number)

    @property
    def listening(self) -> bool:
        """Return whether gpiozero's `when_changed` wants edges of this pin."""
        return self._listening

    @property
    def watched(self) -> bool:
        """Return whether a raw listener wants both edges of this pin."""
        return self._watched

    @watched.setter
    def watched(self, value: bool) -> None:
        self._watched = value
        self._apply()

    def take_edge(self, edge: RawEdge) -> None:
        """Take an edge, on the factory's thread. Call `when_changed` if it wants this direction."""
        if self._listening and self._edges in ("both", "rising" if edge.level else "falling"):
            self._call_when_changed(edge.t_ns, edge.level)

    def close(self) -> None:
        """Reset the pin to an input without pull, and release it."""
        with self._pump.lock:
            self.when_changed = None
            self._reset()
            if self._line.claimed:
                self._apply()  # an output must not drive the wire any longer
                self._line.release()

    def output_with_state(self, state: float) -> None:
        """Become an output at this level, without a short pulse of the other level."""
        level = _level(state, self)
        if self._line.claimed and self._function == "output":
            self._line.drive(level)
        else:
            self._become("output", level)

    def input_with_pull(self, pull: str) -> None:
        """Become an input that has this pull from the first moment."""
        self._check_pull(pull)
        self._pull = pull
        self._become("input")

    def _reset(self) -> None:
        self._function = "input"
        self._pull = self.info.pull or "floating"
        self._edges = "both"
        self._watched = False

    def _become(self, function: str, level: int = 0) -> None:
        with self._pump.lock:
            if function == "output":
                self.when_changed = None
                self._watched = False
            self._function = function
            self._apply(level)

    def _apply(self, level: int = 0) -> None:
        """Configure the line. The pump reads it only if it now reports edges."""
        with self._pump.lock:
            settings = self._settings(level)
            self._line.configure(settings)
            if settings.edge_detection is Edge.NONE:
                self._pump.remove(self._line)
            else:
                self._pump.add(self._line)

    def _settings(self, level: int) -> gpiod.LineSettings:
        if self._function == "output":
            return gpiod.LineSettings(
                direction=Direction.OUTPUT, output_value=Value.ACTIVE if level else Value.INACTIVE
            )
        edges = _EDGES[self._edges] if self._listening else Edge.NONE
        return gpiod.LineSettings(
            direction=Direction.INPUT,
            bias=_BIAS[self._pull],
            edge_detection=Edge.BOTH if self._watched else edges,
            event_clock=Clock.MONOTONIC,
        )

    def _get_function(self) -> str:
        if self._line.claimed:
            return self._function
        return "output" if self._line.is_output() else "input"

    def _set_function(self, value: str) -> None:
        if value not in ("input", "output"):
            raise PinInvalidFunction(f"function '{value}' for pin {self!r} is not 'input' or 'output'")
        if not (self._line.claimed and self._function == value):
            self._become(value)

    def _get_state(self) -> int:
        if not self._line.claimed:
            self._apply()
        return self._line.level()

    def _set_state(self, value: float) -> None:
        if not self._line.claimed or self._function != "output":
            raise PinSetInput(f"cannot set the level of pin {self!r}: it is an input")
        self._line.drive(_level(value, self))

    def _get_pull(self) -> str:
        return self._pull

    def _set_pull(self, value: str) -> None:
        if self.function != "input":
            raise PinFixedPull(f"cannot set pull on non-input pin {self!r}")
        self._check_pull(value)
        self._pull = value
        self._apply()

    def _check_pull(self, value: str) -> None:
        if value not in _BIAS:
            raise PinInvalidPull(f"pull '{value}' for pin {self!r} is not 'up', 'down' or 'floating'")
        if self.info.pull not in (value, ""):
            raise PinFixedPull(f"{self!r} has a physical pull-{self.info.pull} resistor")

    def _get_edges(self) -> str:
        return self._edges

    def _set_edges(self, value: str) -> None:
        if value not in _EDGES:
            raise PinInvalidEdges(f"edges '{value}' for pin {self!r} is not one of {', '.join(_EDGES)}")
        self._edges = value
        if self._listening:
            self._apply()

    def _enable_event_detect(self) -> None:
        self._listening = True
        self._apply()

    def _disable_event_detect(self) -> None:
        self._listening = False
        if self._line.claimed:
            self._apply()


def _level(state: float, pin: GpiodPin) -> int:
    if not 0 <= state <= 1:
        raise PinInvalidState(f"state {state!r} for pin {pin!r} is not 0 or 1")
    return int(bool(state))
