"""Simulate another release by changing constants and defaults of the core temporarily."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Any
from unittest.mock import patch

from referee import core
from referee.core.games.nertz import rules
from referee.core.games.nertz.document import DOCUMENTS as NERTZ
from referee.core.games.thirtyone import table
from referee.core.games.thirtyone.document import DOCUMENTS as THIRTYONE
from referee.core.units import MS, S

CONSTANTS: tuple[tuple[str, int], ...] = (
    ("GUARD_NS", 900 * MS),
    ("RELEASE_NS", 60 * MS),
    ("PRESS_NS", 2 * MS),
    ("WINDOW_NS", 5 * MS),
    ("BEAT_NS", S // 2),
    ("LEAD_NS", 5 * S),
    ("VERDICT_NS", 6 * S),
    ("LONG_HOLD_NS", 3 * S),
    ("VOTE_NS", 10 * S),
    ("CALL_NOW_NS", 8 * S),
    ("BURN_BEAT_NS", 500 * MS),
    ("ANOTHER_EVENING_S", 5),
)
"""Constants that a release may tune, one at a time."""


RULES: tuple[tuple[str, str, object], ...] = (
    ("nna", "target", 20),
    ("nna", "reserve", 10),
    ("nna", "settlement", "each-hand"),
    ("31", "lives", 1),
)
"""Preset, option, and another release's default where the table has set nothing."""


@contextmanager
def other_rule(preset: str, name: str, value: object) -> Iterator[None]:
    """Change the default of a preset's option inside the context.

    Options that a table has set stay.
    """
    with ExitStack() as stack:
        for module in (rules, table):
            stack.enter_context(patch.object(module, "_rules", _with(module._rules, preset, name, value)))
        for papers in (NERTZ, THIRTYONE):
            stack.enter_context(
                patch.object(papers, "preset_values", _valued(papers.preset_values, preset, name, value))
            )
        yield


def _valued(values: Callable[..., Any], preset: str, name: str, value: object) -> Callable[..., Any]:
    def other(of: str) -> Any:
        return values(of) | ({name: (value, "another release")} if of == preset else {})

    return other


def _with(rules: Callable[..., Any], preset: str, name: str, value: object) -> Callable[..., Any]:
    def other(of: str, options: tuple[tuple[str, Any], ...]) -> Any:
        return rules(of, tuple(sorted({name: value, **dict(options)}.items())) if of == preset else options)

    return other


@cache
def _modules() -> tuple[ModuleType, ...]:
    return tuple(import_module(found.name) for found in walk_packages(core.__path__, f"{core.__name__}."))


def _knowing(name: str) -> list[ModuleType]:
    knowing = [module for module in _modules() if hasattr(module, name)]
    assert knowing, f"nobody knows {name}"
    return knowing


def value_of(name: str) -> int:
    """Return the constant's value in this release."""
    return int(getattr(_knowing(name)[0], name))


@contextmanager
def changed(name: str, value: object) -> Iterator[None]:
    """Give the constant that value inside the context, in every module that has it."""
    knowing = _knowing(name)
    with ExitStack() as stack:
        for module in knowing:
            stack.enter_context(patch.object(module, name, value))
        yield
