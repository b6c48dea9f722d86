"""Another release of the program: a constant that was tuned, one at a time, while the device was down."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module

TUNED: tuple[tuple[str, str, int], ...] = (
    ("referee.core.state", "GUARD_NS", 86),
    ("referee.core.state", "GUARD_NS", 120),
    ("referee.core.signals", "RELEASE_NS", 75),
    ("referee.core.signals", "REARM_NS", 150),
    ("referee.core.signals", "PRESS_NS", 150),
    ("referee.core.signals", "WINDOW_NS", 80),
    ("referee.core.match", "KNOB_HOLD_NS", 80),
    ("referee.core.match", "LONG_HOLD_NS", 80),
    ("referee.core.phases.common", "MENU_NS", 60),
    ("referee.core.phases.counting", "SHEET_NS", 70),
    ("referee.core.phases.ready", "TAP_NS", 50),
    ("referee.core.games.nertz.verdict", "VERDICT_NS", 75),
    ("referee.core.games.nertz.playing", "NOTED_NS", 60),
    ("referee.core.games.nertz.stuck", "CALL_NOW_NS", 140),
    ("referee.core.games.nertz.stuck", "BURN_BEAT_NS", 80),
)
"""Module, constant, what it becomes in percent."""


@dataclass(frozen=True)
class Change:
    """One constant of the core, tuned."""

    module: str
    name: str
    percent: int


@cache
def changes() -> tuple[Change, ...]:
    """Every change that a release may come with."""
    return tuple(Change(*row) for row in TUNED)


def tuned(change: Change | None) -> int:
    """What the constant becomes; AttributeError when there is none of that name."""
    return 0 if change is None else int(getattr(import_module(change.module), change.name) * change.percent // 100)


@contextmanager
def released(change: Change | None) -> Iterator[None]:
    """Within it the program is the other release; wherever the constant was imported to, it is changed too."""
    if change is None:
        yield
        return
    value = getattr(import_module(change.module), change.name)
    holders, other = _holders(change.name, value), tuned(change)
    for holder in holders:
        setattr(holder, change.name, other)
    try:
        yield
    finally:
        for holder in holders:
            setattr(holder, change.name, value)


def _holders(name: str, value: object) -> list[object]:
    """Modules of the core that hold this constant."""
    import sys

    core = [module for path, module in sorted(sys.modules.items()) if path.startswith("referee.core")]
    return [module for module in core if getattr(module, name, None) is value]
