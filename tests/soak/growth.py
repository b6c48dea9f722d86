"""Samples of a process and its children, and which of their figures have grown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass

from tests.benchmarks.process import Child


@dataclass(frozen=True, slots=True)
class Figures:
    """What all processes of one program use. memory: KiB that no file holds, so the kernel cannot take them back."""

    processes: int = 0
    memory: int = 0
    descriptors: int = 0
    threads: int = 0

    def __add__(self, other: Figures) -> Figures:
        return Figures(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))


SLACK = Figures(processes=0, memory=2048, descriptors=2, threads=0)
"""By how much a figure may grow. Memory: what a longer match and the rows of an evening take."""
UNITS = Figures.__slots__
Samples = list[dict[str, Figures]]


def sampled(pid: int) -> dict[str, Figures]:
    """Return program -> figures for this process and all processes that it has started."""
    found: dict[str, Figures] = {}
    for child in (Child(pid), *Child(pid).descendants()):
        try:
            name, figures = child.program, figures_of(child)
        except (OSError, StopIteration):  # it has ended meanwhile
            continue
        found[name] = found.get(name, Figures()) + figures
    return found


def figures_of(child: Child) -> Figures:
    return Figures(1, child.status("RssAnon"), child.descriptors(), child.status("Threads"))


def least(samples: Sequence[dict[str, Figures]], program: str) -> Figures:
    """Return the minimum of each figure over the samples; 0 if the program has not always run."""
    rows = [astuple(sample.get(program, Figures())) for sample in samples]
    return Figures(*map(min, zip(*rows, strict=True)))


def quarters(samples: Samples) -> Iterator[tuple[str, Figures, Figures]]:
    """Yield each program with its least figures in the second and in the last quarter of the samples."""
    size = len(samples) // 4
    for program in sorted({name for sample in samples for name in sample}):
        yield program, least(samples[size : 2 * size], program), least(samples[-size:], program)


def grown(samples: Samples) -> list[str]:
    """Return a sentence for each figure that has grown by more than its slack."""
    found = []
    for program, early, late in quarters(samples):
        for unit, before, after, slack in zip(UNITS, astuple(early), astuple(late), astuple(SLACK), strict=True):
            if after > before + slack:
                kib = " KiB" if unit == "memory" else ""
                found.append(f"{unit} of {program} grew from {before} to {after}{kib}, allowed are {slack}{kib} more")
    return found


def lines(samples: Samples) -> list[str]:
    """Return a table of all programs that always ran: their figures in the second and in the last quarter."""
    rows = [(f"{name}:", early, late) for name, early, late in quarters(samples) if early.processes or late.processes]
    return [
        f"{name:32} "
        + ", ".join(f"{unit} {b} -> {a}" for unit, b, a in zip(UNITS, astuple(early), astuple(late), strict=True))
        for name, early, late in rows
    ]
