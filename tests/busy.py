"""Tests beside busy neighbours: `python -m tests.busy [--rounds N] [--whole] [PYTEST OPTION ...]`.

As many processes as there are cores reckon without a pause while the tests run, as on a shared machine in a bad hour: a
test that hangs on speed fails there and is a defect, of the test or of the product. Without `--whole`, the files run
that start processes of their own: those that import `subprocess` or `multiprocessing`. What a round did not pass stands
on the terminal with pytest's own words, and the exit status is 1.
"""

# ruff: noqa: T201 -- a command

from __future__ import annotations

import argparse
import ast
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
STARTERS = {"subprocess", "multiprocessing"}
ELSEWHERE = ("hardware", "firmware", "packaging", "rig", "benchmarks", "web/browser", "web/api")
"""Tests with a target of their own, or whose processes are tools of others."""


def starts_processes(source: str) -> bool:
    """Whether a test's source imports what starts processes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import) and STARTERS & {alias.name.split(".")[0] for alias in node.names}:
            return True
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in STARTERS:
            return True
    return False


def process_tests(root: Path = ROOT) -> list[str]:
    """The test files that start processes, as paths from the repository's root, in order."""
    files = (path.relative_to(root).as_posix() for path in sorted((root / "tests").rglob("test_*.py")))
    own = [path for path in files if not path.startswith(tuple(f"tests/{folder}/" for folder in ELSEWHERE))]
    return [path for path in own if starts_processes((root / path).read_text(encoding="utf-8"))]


def reckon_for_ever() -> None:
    """Keeps one core busy, and ends with the process that started it."""
    parent = os.getppid()
    while os.getppid() == parent:
        sum(range(100_000))


@contextmanager
def busy_neighbours(count: int) -> Iterator[None]:
    """`count` processes that reckon until the block is left."""
    neighbours = [multiprocessing.Process(target=reckon_for_ever, daemon=True) for _ in range(count)]
    for neighbour in neighbours:
        neighbour.start()
    try:
        yield
    finally:
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.join()


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.busy", description=__doc__)
    parser.add_argument("--rounds", type=int, default=1, help="how often (1)")
    parser.add_argument(
        "--whole", action="store_true", help="the whole suite instead of the tests that start processes"
    )
    asked, options = parser.parse_known_args(argv)
    wanted = ["-n", "auto", "--dist", "worksteal"] if asked.whole else process_tests()
    failed = 0
    with busy_neighbours(os.cpu_count() or 1):
        for number in range(1, asked.rounds + 1):
            begun = time.monotonic()
            run = subprocess.run([sys.executable, "-m", "pytest", "-q", *wanted, *options], cwd=ROOT, check=False)
            failed += run.returncode != 0
            print(f"round {number} of {asked.rounds}: {'failed' if run.returncode else 'passed'},", end=" ")
            print(f"{time.monotonic() - begun:.0f} s; {failed} failed so far", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
