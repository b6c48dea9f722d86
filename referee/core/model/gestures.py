"""What a press outside play, the knob or a moment means to a phase: what the rows of the transition table wait for."""

from __future__ import annotations

from referee.core.values import Value


class Tapped(Value):
    """A press let go before it was a hold. `t_ns`: when it began."""

    station: str
    t_ns: int


class Held(Value):
    """A press is still down after the hold time; `long` after 2 s."""

    station: str
    t_ns: int
    long: bool


class Freed(Value):
    """A button is up without a release: a touch that was no press is over, or the link is back that was lost."""

    station: str


class KnobPushed(Value):
    """The knob was pushed (confirmed); `t_ns`: when it began."""

    t_ns: int


class KnobHeld(Value):
    """The knob has been down for 0.3 s: in a race, TIME OUT."""

    t_ns: int


class Due(Value):
    """The phase's own deadline (`due_ns`) fell, at this instant."""

    at_ns: int
