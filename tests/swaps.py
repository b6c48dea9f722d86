"""A mutant in the place of a module that is imported already: its functions are given the other code.

That spares a process the import of everything and the collection of the tests. What is computed once cannot be changed
so: a constant, a row, whatever functions were asked while modules were imported (`Asked` knows which ones). Results
that are kept (`functools.cache`) are forgotten.
"""

from __future__ import annotations

import functools
import gc
import sys
from collections import defaultdict
from collections.abc import Iterator
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import NamedTuple

import pytest

from tests.mistakes import Mutant

CORE = str(Path(__file__).parents[1] / "referee" / "core")
Place = tuple[str, str, int]
"""Where a function stands: its file, its qualified name, its first line."""


class Swap(NamedTuple):
    """A mutant as other code of functions, the outermost one first."""

    codes: tuple[tuple[Place, CodeType], ...]


def place(code: CodeType) -> Place:
    """Where that code stands."""
    return code.co_filename, code.co_qualname, code.co_firstlineno


def swap(path: Path, mutant: Mutant) -> Swap | None:
    """The functions that the mistake changes; None: it is made at an import, or which code is whose is in doubt."""
    was, made = (
        list(_outermost(compile(tree, str(path), "exec", dont_inherit=True))) for tree in (mutant.tree, mutant.made)
    )
    if [place(code) for code in was] != [place(code) for code in made]:
        return None
    changed = [(old, new) for old, new in zip(was, made, strict=True) if old != new]
    if len(changed) != 1:
        return None
    old, new = (list(_nested(code)) for code in changed[0])
    places = [place(code) for code in new]
    free = {place(code): code.co_freevars for code in old}
    if len(set(places)) != len(new) or len(free) != len(old):
        return None
    if any(free.get(place(code), code.co_freevars) != code.co_freevars for code in new):
        return None
    return Swap(tuple(zip(places, new, strict=True)))


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _nested(inner)


def _outermost(code: CodeType) -> Iterator[CodeType]:
    """The functions of a module and of its classes, without those inside functions."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from (inner,) if inner.co_flags & CO_OPTIMIZED else _outermost(inner)


class Functions:
    """Every function of the core, or of the files below another folder, that is in this process."""

    def __init__(self, below: str = CORE) -> None:
        self._found = defaultdict[Place, list[FunctionType]](list)
        self._keeping: list[functools._lru_cache_wrapper[object]] = []
        for thing in gc.get_objects():
            kind = type(thing)  # not isinstance, which asks the thing itself: a weak reference's may be gone
            if kind is FunctionType and thing.__code__.co_filename.startswith(below):
                self._found[place(thing.__code__)].append(thing)
            elif kind is functools._lru_cache_wrapper:
                code = getattr(thing.__wrapped__, "__code__", None)  # what is built in has none
                if code is not None and code.co_filename.startswith(below):
                    self._keeping.append(thing)

    def has(self, one: Swap) -> bool:
        """Whether the function is here under its own name and line."""
        return bool(self._found.get(one.codes[0][0]))

    def take(self, one: Swap) -> None:
        """The mistake is made from now on."""
        for where, code in one.codes:
            for function in self._found.get(where, ()):
                function.__code__ = code
        for kept in self._keeping:
            kept.cache_clear()


class Asked:
    """A pytest plugin: which functions of the core are asked before tests run, and while which file is collected."""

    EVERYWHERE = ""
    """Where a module asks that is no file of tests: what came of it is everybody's."""

    def __init__(self) -> None:
        self._file = self.EVERYWHERE
        self._places = defaultdict[CodeType, set[str]](set)
        sys.settrace(self._note)

    def _note(self, frame: FrameType, event: str, arg: object) -> None:
        code = frame.f_code
        if code.co_filename.startswith(CORE) and self._places[code].isdisjoint((self._file, self.EVERYWHERE)):
            self._places[code].add(self._asking(frame))

    def _asking(self, frame: FrameType | None) -> str:
        """A file that is imported for the tests', or the file of tests itself."""
        while frame and "/_pytest/" not in frame.f_code.co_filename:
            if frame.f_code.co_name == "<module>":
                return self._file if Path(frame.f_code.co_filename).name.startswith("test_") else self.EVERYWHERE
            frame = frame.f_back
        return self._file

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        """From now on that file is the one."""
        self._file = collector.nodeid.partition("::")[0]

    def pytest_collection_finish(self) -> None:
        """The tests begin."""
        sys.settrace(None)

    def during(self) -> dict[Place, set[str]]:
        """Function -> the files of tests that asked it when they were collected; `EVERYWHERE`: an import did."""
        return {place(code): files for code, files in self._places.items() if code.co_flags & CO_OPTIMIZED}
