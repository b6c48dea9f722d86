"""Another release of the program: a constant that was tuned, one at a time, while the device was down."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from tests.core.changed import changed, value_of

TUNED: tuple[tuple[str, int], ...] = (
    ("GUARD_NS", 86),
    ("GUARD_NS", 120),
    ("RELEASE_NS", 75),
    ("REARM_NS", 150),
    ("PRESS_NS", 150),
    ("WINDOW_NS", 80),
    ("KNOB_HOLD_NS", 80),
    ("LONG_HOLD_NS", 80),
    ("MENU_NS", 60),
    ("SHEET_NS", 70),
    ("TAP_NS", 50),
    ("VERDICT_NS", 75),
    ("NOTED_NS", 60),
    ("CALL_NOW_NS", 140),
    ("BURN_BEAT_NS", 80),
)
"""Constant of the core, what it becomes in percent."""


@dataclass(frozen=True)
class Change:
    """One constant of the core, tuned."""

    name: str
    percent: int


def changes() -> tuple[Change, ...]:
    """Every change that a release may come with."""
    return tuple(Change(*row) for row in TUNED)


def tuned(change: Change | None) -> int:
    """What the constant becomes; AssertionError when there is none of that name."""
    return 0 if change is None else value_of(change.name) * change.percent // 100


def released(change: Change | None) -> AbstractContextManager[None]:
    """Within it the program is the other release."""
    return nullcontext() if change is None else changed(change.name, tuned(change))
