"""Random faults in the hardware's sources, each regenerated and checked: `python -m hardware.mutants --count 200`.

A fault is put into a copy of the sources (the pin map, the parts, the circuits' drawing code, symbols, footprints, the
board's places, the enclosure's dimensions, counts, the guide's steps), everything that can be is generated anew from
it, and the pure checks are run. A fault is caught when a source or the generation refuses it, or a check complains;
what escapes is printed with its place, to become a rule. Generated anew, files are never out of date, so that complaint
cannot catch anything. Where a fault that no check has found changes what is joined on the carrier or where, its copper
is laid anew (hardware.make.reroute), so that what was laid before cannot catch anything, either; where the router then
finds no way ("no way") the fault is caught, but only by luck.

The drawing code of a fault runs in a process of its own, with the copy first in its path.
"""

from __future__ import annotations

import argparse
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

ROOT = Path(__file__).resolve().parent.parent
COPIED = (
    "hardware",
    "referee",
    "firmware/board.py",
    "docs",
    "Makefile",
    "systemd",
    "tests/__init__.py",
    "tests/conftest.py",
)
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pdf", "*.stl", "*.3mf", "*.step", "*.png", "parts")
TIMEOUT_S = 1800


@dataclass(frozen=True)
class Fault:
    """A text of a source in place of another."""

    kind: str
    path: str
    start: int
    end: int
    text: str
    what: str

    def put_into(self, folder: Path) -> None:
        """Change the copy's file."""
        path = folder / self.path
        source = path.read_text(encoding="utf-8")
        path.write_text(source[: self.start] + self.text + source[self.end :], encoding="utf-8")


Maker = Callable[[random.Random, str], "tuple[int, int, str] | None"]


def _pick(
    dice: random.Random, pattern: str, source: str, change: Callable[[re.Match[str]], str]
) -> tuple[int, int, str] | None:
    found = list(re.finditer(pattern, source, re.MULTILINE))
    if not found:
        return None
    match = dice.choice(found)
    text = change(match)
    return None if text == match[0] else (match.start(), match.end(), text)


def _scale(dice: random.Random) -> Callable[[re.Match[str]], str]:
    """A number in the group "n", made ten times, a tenth, twice or half of what it is."""

    def change(match: re.Match[str]) -> str:
        number = match["n"]
        value = float(number) * dice.choice((10, 0.1, 2, 0.5))
        text = f"{value:g}" if "." in number or value != int(value) else str(int(value))
        return match[0].replace(number, text, 1)

    return change


def _value(dice: random.Random, source: str) -> tuple[int, int, str] | None:
    return _pick(dice, r'^value = "(?P<n>\d+)(?=[kRnup"m ])', source, _scale(dice))


def _tolerance(dice: random.Random, source: str) -> tuple[int, int, str] | None:
    return _pick(dice, r"^tolerance = (?P<n>0\.\d+)$", source, _scale(dice))


def _number(dice: random.Random, source: str) -> tuple[int, int, str] | None:
    """Another part's maker's number under this part."""
    numbers = re.findall(r'^mpn = "(.*)"$', source, re.MULTILINE)
    return _pick(dice, r'^mpn = ".*"$', source, lambda match: f'mpn = "{dice.choice(numbers)}"')


def _footprint(dice: random.Random, source: str) -> tuple[int, int, str] | None:
    prints = sorted(set(re.findall(r'^footprint = "(.*)"$', source, re.MULTILINE)))
    return _pick(dice, r'^footprint = ".*"$', source, lambda match: f'footprint = "{dice.choice(prints)}"')


def _count(dice: random.Random, source: str) -> tuple[int, int, str] | None:
    """A count of what a build needs beyond its schematic."""
    counts = r"(?<=[{,] )(?P<key>\w+) = (?P<n>\d+)(?=[,} ])"

    def change(match: re.Match[str]) -> str:
        return f"{match['key']} = {max(0, int(match['n']) + dice.choice((-2, -1, 1, 2)))}"

    return _pick(dice, counts, source, change)


def _part_used(dice: random.Random, source: str) -> tuple[int, int, str] | None:
    """Another part in a circuit."""
    keys = sorted(set(re.findall(r'"((?:r\d\w*|c\d\w*|tvs|polyfuse|nmos|hct595|uln2803|tc4428))"', source)))
    return _pick(dice, r'"(?:r\d\w*|c\d\w*|tvs|polyfuse|nmos)"', source, lambda match: f'"{dice.choice(keys)}"')


def _net(dice: random.Random, source: str) -> tuple[int, int, str] | None:
    """Another net at a pin."""
    pattern = r'"(?:\+5V|\+3V3|GND|LED_\w+|SPI_\w+|OLED_\w+|I2C_\w+|KNOB_\w+|POWER_SW|SYNC_\w+|BUZZER|I2S_\w+)"'
    nets = sorted(set(re.findall(pattern, source)))
    return _pick(dice, pattern, source, lambda match: dice.choice(nets))


def _pins_swapped(dice: random.Random, source: str) -> tuple[int, int, str] | None:
    """Two pins of a symbol or a part exchanged: two neighbours in a list of names."""

    pattern = r"((\d+):([\w~{}\'+-]+)) ((\d+):([\w~{}\'+-]+))"

    def swap(match: re.Match[str]) -> str:
        return f"{match[2]}:{match[6]} {match[5]}:{match[3]}"

    return _pick(dice, pattern, source, swap)


def _terminal(dice: random.Random, source: str) -> tuple[int, int, str] | None:
    """Another pin of a part that the drawing code names."""
    return _pick(dice, r'\.pin\("(?P<n>\d+)"\)', source, lambda match: f'.pin("{dice.choice("1234")}")')


def _move_part(dice: random.Random, source: str) -> tuple[int, int, str] | None:
    """A part on the board some millimetres elsewhere."""

    def change(match: re.Match[str]) -> str:
        return f'"{match["ref"]}": ({float(match["n"]) + dice.choice((-9, -5, 5, 9)):g},'

    return _pick(dice, r'"(?P<ref>[A-Z]\d+)": \((?P<n>[\d.]+),', source, change)


def _gpio(dice: random.Random, source: str) -> tuple[int, int, str] | None:
    return _pick(dice, r"gpio = \d+(?=, net)", source, lambda match: f"gpio = {dice.randrange(2, 28)}")


def _role(dice: random.Random, source: str) -> tuple[int, int, str] | None:
    words = (
        'role = "in"',
        'role = "out"',
        'role = "pwm"',
        'pull = "down"',
        'boot = "high"',
        'active = "high"',
        'boot = "low"',
    )

    def change(match: re.Match[str]) -> str:
        name = match[0].split(" ")[0]
        return dice.choice([word for word in words if word.startswith(name)])

    return _pick(dice, r'(?:role|pull|boot|active) = "\w+"', source, change)


def _dimension(dice: random.Random, source: str) -> tuple[int, int, str] | None:
    """A number of the printed parts, those of lists too."""
    lines = r"^\"?[\w.]+_(?:mm|deg)\"? = [^#\n]*"
    line = dice.choice(list(re.finditer(lines, source, re.MULTILINE)))
    made = _pick(dice, r"(?<![\w.])(?P<n>\d+(?:\.\d+)?)(?![\w.])", line[0], _scale(dice))
    return (line.start() + made[0], line.start() + made[1], made[2]) if made else None


def _pad(dice: random.Random, source: str) -> tuple[int, int, str] | None:
    return _pick(dice, r'(?<=by hand", )(?P<n>\d\.\d+)(?=, \()', source, _scale(dice))


def _hole(dice: random.Random, source: str) -> tuple[int, int, str] | None:
    """Another column of a hole of the breadboards; along a rail it is all one."""
    return _pick(
        dice,
        r'(?P<board>(?<=[(, ])"[AB]:[a-j])(?P<n>\d+)"(?=[,)])',
        source,
        lambda match: f'{match["board"]}{max(1, int(match["n"]) + dice.choice((-3, -2, -1, 1, 2, 3)))}"',
    )


def _step(dice: random.Random, source: str) -> tuple[int, int, str] | None:
    """A count, a size, a wire, a hole or a reference that the guide's text names."""
    pattern = (
        r"(?:\b(\d) screws|M3×(\d+)|\| [RC](\d+) \||[JUR](\d+)\.\d|wires? (\d)|screw (\d)|XH (\d)|[RCD](\d\d)[,) ]|"
        r"\b[JU](\d+)\b|TP(\d)|leg \d in B [ef](\d+)|pin (\d+)|(?<![\d.])(\d+) mm)"
    )
    found = list(re.finditer(pattern, source))
    if not found:
        return None
    match = dice.choice(found)
    number = next(group for group in match.groups() if group)
    text = match[0].replace(number, str(int(number) + dice.choice((1, 2))), 1)
    return match.start(), match.end(), text


KINDS: dict[str, tuple[str, Maker]] = {
    "value": ("hardware/bom/parts.toml", _value),
    "tolerance": ("hardware/bom/parts.toml", _tolerance),
    "number": ("hardware/bom/parts.toml", _number),
    "footprint": ("hardware/bom/parts.toml", _footprint),
    "count": ("hardware/bom/parts.toml", _count),
    "part": ("hardware/make/blocks.py", _part_used),
    "net": ("hardware/make/blocks.py", _net),
    "terminal": ("hardware/make/blocks.py", _terminal),
    "symbol": ("hardware/make/symbols.py", _pins_swapped),
    "pad": ("hardware/make/footprints.py", _pad),
    "place": ("hardware/make/board.py", _move_part),
    "gpio": ("hardware/pinmap.toml", _gpio),
    "role": ("hardware/pinmap.toml", _role),
    "dimension": ("hardware/enclosure/parameters.toml", _dimension),
    "preset": ("hardware/enclosure/presets.toml", _dimension),
    "hole": ("hardware/guide/holes.py", _hole),
    "step": ("hardware/README.md", _step),
}
"""Kind of fault -> the source that it is put into, and who makes it."""


def faults(count: int, seed: int, kinds: tuple[str, ...] = tuple(KINDS)) -> Iterator[Fault]:
    """So many different faults, the kinds in turn."""
    dice = random.Random(seed)
    seen: set[tuple[str, int, str]] = set()
    while len(seen) < count:
        kind = kinds[len(seen) % len(kinds)]
        path, maker = KINDS[kind]
        source = (ROOT / path).read_text(encoding="utf-8")
        made = maker(dice, source)
        if made is None or (path, made[0], made[2]) in seen:
            continue
        start, end, text = made
        seen.add((path, start, text))
        line = source.count("\n", 0, start) + 1
        yield Fault(kind, path, start, end, text, f"{path}:{line}: {source[start:end]!r} -> {text!r}")


JUDGE = """
import sys
from pathlib import Path
root = Path("hardware")
try:
    from hardware.make import board, checks, netlist, outputs, reroute
    outputs.write(root)
    found = [*checks.apart_from_copper(root)]
    terminals = board.terminals(netlist.read(root / "schematic" / "full8.kicad_sch"))
    routes = board.routes(root)
    if not found and (reroute.keep_joined(routes, terminals) != routes or reroute.missing(routes, terminals)):
        anew, left = reroute.reroute(routes, terminals)
        if left:
            print(f"the router finds no way for {left[0][0]}")
            sys.exit(5)
        board.write_routes(root, anew)
        outputs.write(root)
    found = found or [*checks.everything(root)]
except Exception as exc:
    print(f"{type(exc).__name__}: {exc}")
    sys.exit(3 if isinstance(exc, (ValueError, AssertionError)) else 4)
print(*found[:3], sep="\\n")
sys.exit(1 if found else 0)
"""


def judge(fault: Fault) -> tuple[str, str]:
    """How a fault ends: "caught", "refused", "no way", "traceback" or "escaped"; and what was said."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for one in COPIED:
            source = ROOT / one
            if source.is_dir():
                shutil.copytree(source, folder / one, ignore=LEFT_OUT)
            else:
                (folder / one).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, folder / one)
        fault.put_into(folder)
        done = subprocess.run(
            [sys.executable, "-c", JUDGE], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
            env={"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        how = {0: "escaped", 1: "caught", 3: "refused", 4: "traceback", 5: "no way"}.get(done.returncode, "traceback")
        failed = done.stderr.strip()[-200:] if how == "traceback" else ""  # else the router's progress
        said = (done.stdout.strip() or failed).splitlines()
        return how, said[0] if said else ""


def main(arguments: list[str] | None = None) -> int:
    """Run as a command; 1 where less than 95 of 100 faults are caught, or one ends with a traceback."""
    parser = argparse.ArgumentParser(prog="python -m hardware.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="so many faults at once (default: %(default)s)"
    )
    parser.add_argument("--kind", action="append", choices=sorted(KINDS), help="only faults of that kind")
    parser.add_argument("--all", action="store_true", help="print every fault, not those alone that escape")
    asked = parser.parse_args(arguments)
    counts: Counter[tuple[str, str]] = Counter()
    made = list(faults(asked.count, asked.seed, tuple(asked.kind or KINDS)))
    with ThreadPoolExecutor(asked.jobs) as pool:
        for fault, (how, said) in zip(made, pool.map(judge, made), strict=True):
            counts[fault.kind, how] += 1
            if asked.all or how not in ("caught", "refused"):
                print(f"{how}: {fault.what}  {said}", flush=True)
    for kind in asked.kind or KINDS:
        print(f"{kind:>10}: " + ", ".join(f"{how} {n}" for (one, how), n in sorted(counts.items()) if one == kind))
    lost = sum(n for (_, how), n in counts.items() if how in ("escaped", "traceback"))
    print(f"{asked.count - lost} of {asked.count} caught")
    return 1 if lost * 20 > asked.count or any(how == "traceback" for _, how in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
