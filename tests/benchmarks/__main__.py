"""Run the benchmarks: `python -m tests.benchmarks [NAME ...]` (`make bench`) prints each figure with its limit.

Each `bench_NAME.py` in this folder has a `main()`. It returns its figures, or it asserts its limits and prints the
results. A missed limit makes the exit status 1; the others are still measured. The figures of fairness need a kernel
with simulated pins and are in tests/rig; they run only on request.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from tests.benchmarks.figures import Figure, table

HERE = Path(__file__).parent
RIG = HERE.parent / "rig" / "run"


def names() -> list[str]:
    """Return the names of the benchmarks, without `bench_`."""
    return sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def measured(name: str) -> list[Figure]:
    """Run one benchmark. One that asserts its limits becomes one figure."""
    main = getattr(import_module(f"tests.benchmarks.bench_{name}"), "main", None)
    if main is None:
        return []
    try:
        found: list[Figure] | None = main()
    except AssertionError as missed:
        return [Figure(name, str(missed).partition("\n")[0] or "see above", "", "its own assertions", False)]
    return found if found is not None else [Figure(name, "see above", "", "its own assertions", True)]


def run(chosen: Sequence[str]) -> list[Figure]:
    """Run each in turn and print its lines as they come."""
    figures = []
    for name in chosen:
        print(f"-- {name}", flush=True)
        begun = time.monotonic()
        figures += measured(name)
        print(f"   ({time.monotonic() - begun:.0f} s)\n", flush=True)
    return figures


def rig() -> list[Figure]:
    """Measure fairness with real edges in a real kernel.

    Only on request: it takes root and a quarter of an hour.
    """
    if os.environ.get("REFEREE_RIG") != "1":
        print("fairness: not measured here; REFEREE_RIG=1 make bench, or make rig, on a machine with root\n")
        return []
    status = subprocess.run([RIG, "fairness"], check=False).returncode
    return [Figure("fairness in the rig", "see above", "gpiozero's ways", "its own", status == 0)]


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0 if every limit is kept, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("name", nargs="*", choices=[[], *names()], metavar="NAME", help=", ".join(names()))
    chosen = parser.parse_args(argv).name
    figures = run(chosen or names()) + ([] if chosen else rig())
    print(table(figures))
    return 0 if all(figure.ok for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
