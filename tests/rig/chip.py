"""The simulated GPIO chip in the guest: contacts to close, lamps to read.

The kernel's gpio-sim makes a chip from directories in configfs. An input line that a program has claimed reads its
`pull`; an output can be read at `value`. Claiming a line resets its pull, so a contact held during boot must be set
after the claim.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

LABEL = "rig-pinctrl"
LINES = 54  # as many as the Pi's own bank

CLOSED = 0  # a pressed button pulls its line to ground
OPEN = 1
INTERRUPTED_CPU = 0

CONFIG = Path("/sys/kernel/config/gpio-sim")
PULL_OF_LEVEL = {CLOSED: "pull-down", OPEN: "pull-up"}


@dataclass(frozen=True)
class Chip:
    """`device` is the path that programs open, `lines` the kernel's directory of simulated lines."""

    device: Path
    lines: Path

    def set_contact(self, line: int, level: int) -> None:
        """Close or open one contact at once."""
        self._wire(line, "pull").write_text(PULL_OF_LEVEL[level])

    def level(self, line: int) -> int:
        """Return the line's level; for an output, the level driven by the program under test."""
        return int(self._wire(line, "value").read_text())

    def _wire(self, line: int, attribute: str) -> Path:
        return self.lines / f"sim_gpio{line}" / attribute


def make_chip(name: str = "rig", label: str = LABEL, lines: int = LINES) -> Chip:
    """Make the chip, or find the existing one."""
    directory = CONFIG / name
    bank = directory / "bank0"
    if not directory.exists():
        directory.mkdir()
        bank.mkdir()
        (bank / "num_lines").write_text(str(lines))
        (bank / "label").write_text(label)
        (directory / "live").write_text("1")
    chip_name = (bank / "chip_name").read_text().strip()
    platform_device = (directory / "dev_name").read_text().strip()
    return Chip(Path("/dev") / chip_name, Path("/sys/devices/platform") / platform_device / chip_name)


@dataclass(frozen=True)
class Step:
    """At `at_us` after the start, let `line` read `level`."""

    at_us: int
    line: int
    level: int


@dataclass(frozen=True)
class Write:
    """A write. The edge happened between the two instants of CLOCK_MONOTONIC."""

    line: int
    level: int
    before_ns: int
    after_ns: int

    @property
    def took_ns(self) -> int:
        return self.after_ns - self.before_ns


class Toggler:
    """Play steps from a real-time process and return when each was really made."""

    def __init__(self, chip: Chip) -> None:
        self._process = subprocess.Popen(
            ["toggler", str(chip.lines)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def keep_together(self) -> None:
        """Move to one CPU together with the interrupt threads.

        Call it after the lines have been claimed. Otherwise a thread may wait milliseconds for a virtual CPU that the
        host is not running; a real CPU is always there.
        """
        os.sched_setaffinity(self._process.pid, {INTERRUPTED_CPU})
        for name in Path("/proc").glob("[0-9]*/comm"):
            with suppress(FileNotFoundError, ProcessLookupError):  # processes come and go
                if name.read_text().startswith("irq/"):
                    os.sched_setaffinity(int(name.parent.name), {INTERRUPTED_CPU})

    def __enter__(self) -> Toggler:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def play(self, steps: Iterable[Step], *, on_time: bool = False) -> list[Write]:
        """Play all steps, which must be ordered by time.

        The distance between two steps is never shortened. With `on_time`, each step is made at its scheduled time, even
        if the step before was late.
        """
        assert self._process.stdin is not None
        self._process.stdin.writelines(f"{step.at_us} {step.line} {step.level}\n" for step in steps)
        self._process.stdin.write("go on time\n" if on_time else "go\n")
        self._process.stdin.flush()
        return self._read_writes()

    def _read_writes(self) -> list[Write]:
        assert self._process.stdout is not None
        writes: list[Write] = []
        for answer in self._process.stdout:
            words = answer.split()
            if words[0] == "played":
                return writes
            line, level, before_ns, after_ns = map(int, words)
            writes.append(Write(line, level, before_ns, after_ns))
        raise RuntimeError(f"the toggler ended with status {self._process.wait()} while playing")


if __name__ == "__main__":
    made = make_chip(label=sys.argv[1] if sys.argv[1:] else LABEL)
    print(made.device, made.lines)
