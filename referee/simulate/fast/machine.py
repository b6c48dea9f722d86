"""Python for the machine: which functions numba compiles, and under which key it keeps what it has compiled.

Theory of operation. numba compiles `play_all` (hands.py) with every function that it calls, and keeps the outcome
beside the program or in the user's cache. It looks whether the file of that one function has changed, and at nothing
else (numba's manual, "Limitations" of caching): a rule changed in cards.py, or a span in manner.py, would be played as
it was before. What the function closes over is part of the key, though; so it closes over `SOURCES`, a digest of every
file from which something is compiled.

The inner functions go without the wrappers by which Python would call them: there would be forty to compile.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from numba import njit

_Function = TypeVar("_Function", bound=Callable[..., Any])

SIMULATE = Path(__file__).parents[1]
COMPILED = (
    *sorted((SIMULATE / "fast").glob("*.py")),
    SIMULATE / "dice.py",
    SIMULATE / "manner.py",
    *(SIMULATE.parent / "core" / "cards" / name for name in ("idle.py", "moves.py", "pack.py", "position.py")),
)
"""The files of which a function or a number is compiled."""


def digest_of(files: tuple[Path, ...]) -> str:
    """The same as long as not a byte of these files has changed."""
    told = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        told.update(f"{file.name} {len(content)} ".encode() + content)
    return told.hexdigest()


SOURCES = digest_of(COMPILED)


def compile_inner(function: _Function) -> _Function:
    """The function for the machine, called by others of this room alone."""
    fast: _Function = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    return fast


def compile_once(function: _Function) -> _Function:
    """The function with all that it calls, callable from Python; compiled once and kept."""
    fast: _Function = njit(cache=True)(function)
    return fast
