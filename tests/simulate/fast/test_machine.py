"""numba compiles anew when any of the sources has changed, and only then."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

numba = pytest.importorskip("numba", reason="numba is not installed (make simulate-check brings it)")

from referee.simulate.fast.machine import COMPILED, SIMULATE, compile_once, digest_of  # noqa: E402 -- only where numba is


def test_a_byte_of_any_source_makes_another_digest(tmp_path: Path) -> None:
    """Also one that moves from the end of a file to the beginning of the next."""
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    found = set()
    for texts in (("ab", "c"), ("a", "bc"), ("ab", "d"), ("ab", "")):
        for file, text in zip((one, other), texts, strict=True):
            file.write_text(text, encoding="utf-8")
        found.add(digest_of((one, other)))
    assert len(found) == 4


def test_every_file_that_the_room_takes_something_from_is_among_its_sources() -> None:
    """All but classes, which are not compiled."""
    taken = set()
    for path in (SIMULATE / "fast").glob("*.py"):
        assert path in COMPILED
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("referee."):
                place = SIMULATE.parents[1] / str(node.module).replace(".", "/")
                modules = [place / f"{alias.name}.py" for alias in node.names]
                compiled = any(alias.name.isupper() or alias.name.islower() for alias in node.names)
                taken.update(modules if place.is_dir() else [place.with_suffix(".py")] if compiled else [])
    assert taken <= set(COMPILED)
    assert SIMULATE / "manner.py" in taken


def test_numba_keeps_what_it_has_compiled_under_what_the_function_closes_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The same file and the same code, but another digest: compiled anew; once more with the first one: found."""

    def answering(digest: str) -> Any:
        def answer() -> str:
            return digest

        return compile_once(answer)

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    for digest, found in (("one", 0), ("other", 0), ("one", 1)):
        function = answering(digest)
        assert function() == digest
        assert sum(function.stats.cache_hits.values()) == found
