"""From edge rows to presses."""

from __future__ import annotations

from dataclasses import dataclass

KNOB = "knob"
"""The station name of the knob's push contact; seats are "1" to "8"."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge row: what a source saw of one contact, and when.

    t_ns is the source's stamp on the host's CLOCK_MONOTONIC, err_ns its stated bound (the true time lies within
    t_ns ± err_ns), arrived_ns when the host had the row.
    """

    station: str
    closed: bool
    t_ns: int
    err_ns: int = 0
    arrived_ns: int = -1

    def __post_init__(self) -> None:
        if self.arrived_ns < 0:
            object.__setattr__(self, "arrived_ns", self.t_ns)


@dataclass(frozen=True, slots=True)
class Press:
    """An accepted burst: it happened when its first edge happened. `order` counts the rows before that edge."""

    station: str
    t_ns: int
    err_ns: int
    arrived_ns: int
    order: int
