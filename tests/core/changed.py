"""Another release, played: constants of the core that have another value for a while, wherever they are known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from unittest.mock import patch

from referee import core
from referee.core.units import MS, S

CONSTANTS: tuple[tuple[str, int], ...] = (
    ("GUARD_NS", 600 * MS),
    ("GUARD_NS", 900 * MS),
    ("RELEASE_NS", 30 * MS),
    ("RELEASE_NS", 60 * MS),
    ("PRESS_NS", 2 * MS),
    ("WINDOW_NS", 5 * MS),
    ("REARM_NS", 25 * MS),
    ("BEAT_NS", S // 2),
    ("LEAD_NS", 5 * S),
    ("STOP_NS", 0),
    ("VERDICT_NS", 6 * S),
    ("SHEET_NS", 5 * S),
    ("LONG_HOLD_NS", 3 * S),
    ("KNOB_HOLD_NS", 500 * MS),
    ("VOTE_NS", 10 * S),
    ("MENU_NS", 10 * S),
    ("NOTED_NS", 7 * S),
    ("CALL_NOW_NS", 8 * S),
    ("BURN_BEAT_NS", 500 * MS),
    ("SHOW_NS", 5 * S),
    ("ANOTHER_EVENING_S", 5),
)
"""What a release may tune, one at a time."""


@cache
def _modules() -> tuple[ModuleType, ...]:
    return tuple(import_module(found.name) for found in walk_packages(core.__path__, f"{core.__name__}."))


@contextmanager
def changed(name: str, value: object) -> Iterator[None]:
    """Within it the constant has that value, in every module that has it."""
    knowing = [module for module in _modules() if hasattr(module, name)]
    assert knowing, f"nobody knows {name}"
    with ExitStack() as stack:
        for module in knowing:
            stack.enter_context(patch.object(module, name, value))
        yield
