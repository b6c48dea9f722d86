"""Random faults in the hardware's sources: `make hardware-faults ARGS="--seed 1"`.

Each fault changes one source in a copy of the tree. Everything that needs no other program is generated anew, so no
file is out of date. A fault is caught when the generator refuses it, or a rule, a test of the guide or, where it is
installed, KiCad complains. The program prints what escapes. A fault takes some ten seconds.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.hardware import bench

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("hardware", "referee", "firmware", "docs", "systemd", "tests/hardware", "Makefile", "README.md")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "node_modules", "*.stl", "*.3mf", "*.step", "parts")
TESTS = ("test_guide.py", "test_steps.py", "test_breadboard.py", "test_spice.py")
"""What a fault has to pass after the rules."""
TIMEOUT_S = 900
ENOUGH = 0.95
"""The share of faults that must be caught."""
KICAD = """
import sys
from pathlib import Path
from hardware.make import kicad
found = list(kicad.check(Path("hardware")))
print(*found[:1])
sys.exit(1 if found else 0)
"""
"""KiCad's rules, for what all else lets pass."""
RULES = """
import sys
from pathlib import Path
from hardware.make import checks, outputs
try:
    outputs.write(Path("hardware"))
    found = [*checks.apart_from_copper(Path("hardware")), *checks.of_copper(Path("hardware"))]
except (ValueError, AssertionError) as refused:
    found = [str(refused)]
print(*found[:1])
sys.exit(1 if found else 0)
"""
Change = Callable[[random.Random, re.Match[str], list[str]], str]
"""Dice, the match that is changed, and what other places of this kind have -> the new text of its group "n"."""


@dataclass(frozen=True)
class Fault:
    """A text of a source in place of another."""

    kind: str
    path: str
    start: int
    end: int
    text: str

    def changed(self, source: str) -> str:
        """Return the source with the fault in it."""
        return source[: self.start] + self.text + source[self.end :]

    def __str__(self) -> str:
        source = (ROOT / self.path).read_text(encoding="utf-8")
        line = source.count("\n", 0, self.start) + 1
        return f"{self.kind}, {self.path}:{line}: {source[self.start : self.end]!r} -> {self.text!r}"


def scale(dice: random.Random, match: re.Match[str], _: list[str]) -> str:
    """Return ten times, a tenth, twice or half the number."""
    value = float(match["n"]) * dice.choice((10, 0.1, 2, 0.5))
    return f"{value:g}" if "." in match["n"] or value != int(value) else str(int(value))


def near(dice: random.Random, match: re.Match[str], _: list[str]) -> str:
    """Return a number close by, at least 0."""
    return str(max(0, int(match["n"]) + dice.choice((-2, -1, 1, 2))))


def far(dice: random.Random, match: re.Match[str], _: list[str]) -> str:
    """Return a place some millimetres away."""
    return f"{float(match['n']) + dice.choice((-9, -5, 5, 9)):g}"


def other(dice: random.Random, _: re.Match[str], others: list[str]) -> str:
    """Return what another place of this kind has."""
    return dice.choice(others)


def swap(_: random.Random, match: re.Match[str], __: list[str]) -> str:
    """Exchange the names of two neighbouring pins of a symbol."""
    (one, first), (two, second) = (pin.split(":") for pin in match["n"].split(" "))
    return f"{one}:{second} {two}:{first}"


PARTS, BLOCKS = "hardware/bom/parts.toml", "hardware/make/blocks.py"
NUMBER = r"(?P<n>\d+(?:\.\d+)?)(?![\w.])"
STEP = (
    r"(?:(?<=[JURCD])|(?<=TP)|(?<=M3×)|(?<=wire )|(?<=wires )|(?<=screw )|(?<=XH )|(?<=pin )|(?<=in B [ef])|"
    r"(?<![\w.])(?=\d+ (?:screws|mm)\b))(?P<n>\d+)(?!\w)"
)
"""A count, a size, a wire, a hole, a pin or a reference in the guide's text."""
KINDS: dict[str, tuple[str, str, Change]] = {
    "value": (PARTS, r'^value = "(?P<n>\d+)(?=[kRnup"m ])', scale),
    "tolerance": (PARTS, r"^tolerance = (?P<n>0\.\d+)$", scale),
    "number": (PARTS, r'^mpn = "(?P<n>.*)"$', other),
    "footprint": (PARTS, r'^footprint = "(?P<n>.*)"$', other),
    "count": (PARTS, r"(?<=[{,] )\w+ = (?P<n>\d+)(?=[,} ])", near),
    "part": (BLOCKS, r'"(?P<n>(?:[rc]\d|tvs|polyfuse|nmos|hct595|uln2803|tc4428)\w*)"', other),
    "net": (BLOCKS, r'"(?P<n>\+5V|\+3V3|GND|(?:LED|SPI|OLED|I2C|KNOB|POWER|SYNC|I2S)_\w+|BUZZER)"', other),
    "terminal": (BLOCKS, r'\.pin\("(?P<n>\d)"\)', other),
    "symbol": ("hardware/make/symbols.py", r"(?P<n>\d+:[\w~{}'+-]+ \d+:[\w~{}'+-]+)", swap),
    "pad": ("hardware/make/footprints.py", r'(?<=by hand", )(?P<n>\d\.\d+)(?=, \()', scale),
    "place": ("hardware/make/board.py", r'"[A-Z]+\d+": \((?P<n>[\d.]+),', far),
    "gpio": ("hardware/pinmap.toml", r"gpio = (?P<n>\d+)(?=, net)", other),
    "role": ("hardware/pinmap.toml", r'(?:role|pull|boot|active) = "(?P<n>\w+)"', other),
    "dimension": ("hardware/enclosure/parameters.toml", rf"(?<=[= \[]){NUMBER}", scale),
    "preset": ("hardware/enclosure/presets.toml", rf"(?<=[= \[]){NUMBER}", scale),
    "hole": ("hardware/guide/holes.py", r'(?<=[(, ])"[ABC]:[a-j](?P<n>\d+)"(?=[,)])', near),
    "step": ("hardware/README.md", STEP, near),
}
"""Kind of fault -> the source that it is put into, the places there, and how one is changed."""


def faults(count: int, seed: int) -> Iterator[Fault]:
    """Yield different faults, the kinds in turn."""
    dice = random.Random(seed)
    seen: set[Fault] = set()
    while len(seen) < count:
        kind = list(KINDS)[len(seen) % len(KINDS)]
        if (fault := _fault(kind, dice)) and fault not in seen:
            seen.add(fault)
            yield fault


def _fault(kind: str, dice: random.Random) -> Fault | None:
    """Return a fault of a kind, or None if the dice change nothing."""
    path, pattern, change = KINDS[kind]
    source = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".toml"):  # a number in a comment is no fault
        source = re.sub(r"(?:^| )#[^\"\n]*$", lambda comment: " " * len(comment[0]), source, flags=re.MULTILINE)
    found = list(re.finditer(pattern, source, re.MULTILINE))
    match = dice.choice(found)
    alike = sorted({one["n"] for one in found if _before(one) == _before(match)})
    text = change(dice, match, alike)
    return None if text == match["n"] else Fault(kind, path, match.start("n"), match.end("n"), text)


def _before(match: re.Match[str]) -> str:
    return match[0][: match.start("n") - match.start()]


def judge(fault: Fault | None) -> str:
    """Return what catches a fault: the first complaint or failed test; "" if nothing does."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for one in COPIED:
            if (ROOT / one).is_dir():
                shutil.copytree(ROOT / one, folder / one, ignore=LEFT_OUT)
            else:
                shutil.copy(ROOT / one, folder / one)
        if fault:
            path = folder / fault.path
            path.write_text(fault.changed(path.read_text(encoding="utf-8")), encoding="utf-8")
        said = _run(folder, "-c", RULES)
        tests = [f"tests/hardware/{test}" for test in TESTS]
        said = said or _run(folder, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *tests)
        return said or (_run(folder, "-c", KICAD) if bench.has_kicad() else "")


def _run(folder: Path, *arguments: str) -> str:
    """Return "" if the program succeeds, otherwise its last line."""
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "EXPLORE": "0.2"}
    call = [sys.executable, *arguments]
    done = subprocess.run(
        call, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    lines = (done.stdout + done.stderr).strip().splitlines() or ["no word"]
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return "" if done.returncode == 0 else (failed or lines)[-1]


def main() -> int:
    """Run as a command; return 1 if too many faults escape."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.hardware.faults", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="print what is caught, too")
    asked = parser.parse_args()
    if said := judge(None):
        print(f"Without a fault: {said}")
        return 2
    made = list(faults(asked.count, asked.seed))
    caught: Counter[str] = Counter()
    with ThreadPoolExecutor(asked.jobs) as pool:
        for fault, said in zip(made, pool.map(judge, made), strict=True):
            caught[fault.kind] += bool(said)
            if asked.all or not said:
                print(f"{'caught' if said else 'escaped'}: {fault}  {said}", flush=True)
    for kind, count in Counter(fault.kind for fault in made).items():
        print(f"{kind:>10}: {caught[kind]} of {count}")
    print(f"{caught.total()} of {len(made)} caught")
    return 0 if caught.total() >= ENOUGH * len(made) else 1


if __name__ == "__main__":
    sys.exit(main())
