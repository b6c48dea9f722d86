"""The triggers of phases: gestures and deadlines."""

from __future__ import annotations

from referee.core.values import Value


class Tapped(Value):
    """A press that ended before the hold time. `t_ns`: when it began."""

    station: str
    t_ns: int


class Held(Value):
    """A press longer than the hold time; `long`: longer than 2 s."""

    station: str
    t_ns: int
    long: bool


class Freed(Value):
    """A button is up again, but no press of it has ended.

    Either the touch was too short for a press, or the button was released while its link was down.
    """

    station: str


class KnobPushed(Value):
    """A push of the knob that is certainly no bounce. `t_ns`: when it began."""

    t_ns: int


class KnobHeld(Value):
    """The knob has been down for 0.3 s (`Phase.slow_knob`: longer).

    In a race this begins a timeout.
    """

    t_ns: int


class Update(Value):
    """This version can be installed; "" if none can, or if the installation has failed."""

    version: str


class Due(Value):
    """The phase's own deadline (`due_ns`) has passed, at this instant."""

    at_ns: int
