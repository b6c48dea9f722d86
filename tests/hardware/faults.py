"""Random faults in the hardware's sources: `make hardware-faults ARGS="--seed 1"`.

Each fault changes one source in a copy of the tree. The groups are the circuit with all that is made from it, the
catalogue, the guide's prose, and the boot parameters. Everything that needs no other program is generated anew, so no
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
from functools import partial
from pathlib import Path
from queue import SimpleQueue

from tests.hardware import bench

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("hardware", "referee", "firmware", "docs", "systemd", "tests/hardware", "Makefile", "README.md")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "node_modules", "*.stl", "*.3mf", "*.step", "parts")
TESTS = ("test_guide.py", "test_guide_words.py", "test_steps.py", "test_breadboard.py", "test_spice.py")
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
CATALOGUE = """
import sys
from hardware.make import catalogue, catalogue_rules, facts_rules
parts = catalogue.load()
found = [*catalogue_rules.complaints(parts), *facts_rules.complaints(parts, facts_rules.read())]
print(*found[:1])
sys.exit(1 if found else 0)
"""
BOOT = """
import sys
from hardware.make import boot_rules
from referee.drivers.pins import lint, pinmap
found = [text for one in pinmap.load().values() for text in (*lint.lint(one), *boot_rules.complaints(one))]
print(*found[:1])
sys.exit(1 if found else 0)
"""
PROSE = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist")
GUIDE_TESTS = [f"tests/hardware/{name}.py" for name in ("test_guide_words", "test_guide", "test_steps")]
QUICK = {"catalogue": ("-c", CATALOGUE), "boot": ("-c", BOOT), "prose": (*PROSE, *GUIDE_TESTS)}
"""Group -> the program that catches most of its faults, run before all others."""
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


def trade(dice: random.Random, match: re.Match[str], _: list[str]) -> str:
    """Return another word of the same class."""
    alike = next(words for words in CLASSES if match["n"] in words)
    return dice.choice([word for word in alike if word != match["n"]])


CLASSES = (
    ("SPI", "I2C"), ("pan head", "countersunk"), ("female-male", "male-male"), ("both ways", "one way"),
    ("N-channel", "P-channel"), ("X7R", "X5R", "C0G", "Y5V"), ("0805", "0603", "1206"), ("leads", "flat"),
    ("SOT-23", "SOT-523", "SOD-323", "SOD-723"), ("SO-8", "SO-16", "DIP-8", "DIP-18"), ("clear", "black", "white"),
    ("D-shaft", "splined shaft"), ("momentary", "latching"), ("with flux", "without flux"),
    ("red", "orange", "brown", "green", "blue", "yellow", "pink"),
    ("longer", "shorter"), ("plus", "minus"), ("left", "right"), ("upper", "lower"), ("above", "below"), ("NO", "NC"),
    ("more than", "less than"), ("5 V rail", "3.3 V rail", "lamp rail", "GND rail"),
    ("on", "off"), ("up", "down"), ("spi0-2cs", "spi0-1cs", "spi0-0cs"), ("pwm-2chan", "pwm"), ("true", "false"),
    ("dtparam", "dtoverlay"), ("gpio_pull", "gpio_pin", "pull"), ("pin2", "pin3"), ("func2", "func3"),
    ("no wake", "wakes"), ("low", "high"), ("i2c_arm", "i2c_vc", "spi"), ("debounce", "bounce"),
)  # fmt: skip
"""Words that a careless author exchanges."""
PARTS, BLOCKS, PINMAP = "hardware/bom/parts.toml", "hardware/make/blocks.py", "hardware/pinmap.toml"
GUIDE, FACTS = "hardware/README.md", "hardware/bom/facts.csv"


def one_of(*firsts: str) -> str:
    """Return a pattern for a word of the classes that begin with these words; of all without one."""
    words = [word for words in CLASSES if not firsts or words[0] in firsts for word in words]
    return r"(?<![\w-])(?P<n>" + "|".join(map(re.escape, words)) + r")(?![\w-])"


SAID = one_of("SPI", "red", "longer", "plus", "left", "upper", "above", "NO", "more than", "5 V rail", "true")
"""Technical words of the guide."""
ORDER = r"[A-Z0-9][\w.,/()-]*\d[\w.,/()-]*"
SPAN = r"(?<=`)(?P<n>[\w./…*-]+)(?=`)"
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
    "gpio": (PINMAP, r"gpio = (?P<n>\d+)(?=, net)", other),
    "role": (PINMAP, r'(?:role|pull|boot|active) = "(?P<n>\w+)"', other),
    "dimension": ("hardware/enclosure/parameters.toml", rf"(?<=[= \[]){NUMBER}", scale),
    "preset": ("hardware/enclosure/presets.toml", rf"(?<=[= \[]){NUMBER}", scale),
    "hole": ("hardware/guide/holes.py", r'(?<=[(, ])"[ABC]:[a-j](?P<n>\d+)"(?=[,)])', near),
    "step": (GUIDE, STEP, near),
    "order": (PARTS, r'^mpn = "(?P<n>.*)"$', other),
    "substitute": (PARTS, rf'(?<=[" ])(?P<n>{ORDER})(?=")', other),
    "words": (PARTS, r"(?<![\w.])(?P<n>\d+(?:\.\d+)?)(?![\w.])", scale),
    "term": (PARTS, one_of(), trade),
    "maker": (PARTS, r'^maker = "(?P<n>.*)"$', other),
    "lcsc": (PARTS, r'^lcsc = "(?P<n>.*)"$', other),
    "fact": (FACTS, r'(?<=,)(?P<n>[^,"\n]+)(?=,)', other),
    "said": (GUIDE, SAID, trade),
    "unit": (GUIDE, r"(?<![\w.])(?P<n>\d+(?:\.\d+)?)(?= (?:mm|V|kΩ|Ω|A|%|g|ms|hours|°C|GB)\b)", scale),
    "name": (GUIDE, SPAN, other),
    "profile": (GUIDE, r'(?<= = ")(?P<n>\w+)(?=")', other),
    "overlay": (PINMAP, r"(?<==)(?P<n>\d+)(?!\w)", near),
    "level": (PINMAP, r'(?:pull|active|boot) = "(?P<n>up|down|low|high)"', trade),
    "exchanged": (PINMAP, r"(?<==)(?P<n>\d+)(?!\w)", other),
    "speed": (PINMAP, r"(?<=(?:rate|unce)=)(?P<n>\d+)", scale),
    "parameter": (PINMAP, one_of(), trade),
    "load": (PINMAP, r"ma = (?P<n>[\d.]+)", scale),
    "pulled": (PINMAP, r'extpull = "(?P<n>\w+)"', trade),
}
"""Kind of fault -> the source that it is put into, the places there, and how one is changed."""
ONLY = {
    "substitute": r"^substitutes = ",
    "words": r"^(?:what|choose|substitutes) = ",
    "term": r"^(?:what|choose) = ",
    "overlay": r'^    "dt',
    "speed": r'^    "dt',
    "exchanged": r'^    "dt',
    "parameter": r'^(?:    "dt|title|wake)',
}
"""The lines that a kind of fault is put into; all lines if not given."""
ADDED = {
    "catalogue": ("order", "substitute", "words", "term", "maker", "lcsc", "fact"),
    "prose": ("said", "unit", "name", "profile", "step"),
    "boot": ("overlay", "exchanged", "speed", "parameter", "load", "level", "pulled"),
}
GROUPS = {"circuit": tuple(kind for kind in KINDS if all(kind not in kinds for kinds in ADDED.values())), **ADDED}
"""The kinds of each group, which are drawn in turn."""


def faults(group: str, count: int, seed: int) -> Iterator[Fault]:
    """Yield different faults, the group's kinds in turn; fewer if there are no more."""
    dice, kinds = random.Random(f"{group} {seed}"), GROUPS[group]
    seen: set[Fault] = set()
    for turn in range(count * 20):
        if (fault := _fault(kinds[turn % len(kinds)], dice)) and fault not in seen:
            seen.add(fault)
            yield fault
            if len(seen) == count:
                return


def _fault(kind: str, dice: random.Random) -> Fault | None:
    """Return a fault of a kind, or None if the dice change nothing."""
    path, pattern, change = KINDS[kind]
    source = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".toml"):  # a number in a comment is no fault
        source = re.sub(r"(?:^| )#[^\"\n]*$", lambda comment: " " * len(comment[0]), source, flags=re.MULTILINE)
    if path == GUIDE:  # an address is checked as a link
        source = re.sub(r"(?<=\]\()[^)]*", lambda address: " " * len(address[0]), source)
    if kind in ONLY:
        lines = (line if re.match(ONLY[kind], line) else " " * len(line) for line in source.split("\n"))
        source = "\n".join(lines)
    found = list(re.finditer(pattern, source, re.MULTILINE))
    match = dice.choice(found)
    alike = sorted({one["n"] for one in found if _before(one) == _before(match)})
    text = change(dice, match, alike)
    return None if text == match["n"] else Fault(kind, path, match.start("n"), match.end("n"), text)


def _before(match: re.Match[str]) -> str:
    return match[0][: match.start("n") - match.start()]


def judge(fault: Fault | None, folder: Path, group: str = "") -> str:
    """Return what catches a fault: the first complaint or failed test; "" if nothing does.

    folder: a copy of the tree for the group's quick program, which changes nothing; the others have a copy each.
    """
    if fault and group in QUICK:
        path = folder / fault.path
        source = path.read_text(encoding="utf-8")
        path.write_text(fault.changed(source), encoding="utf-8")
        said = _run(folder, *QUICK[group])
        path.write_text(source, encoding="utf-8")
        if said:
            return said
    with tempfile.TemporaryDirectory() as name:
        folder = copy(Path(name))
        if fault:
            path = folder / fault.path
            path.write_text(fault.changed(path.read_text(encoding="utf-8")), encoding="utf-8")
        said = _run(folder, "-c", RULES)
        tests = [f"tests/hardware/{test}" for test in TESTS]
        said = said or _run(folder, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *tests)
        return said or (_run(folder, "-c", KICAD) if bench.has_kicad() else "")


def copy(folder: Path) -> Path:
    """Copy what the faults are put into, and what finds them."""
    for one in COPIED:
        if (ROOT / one).is_dir():
            shutil.copytree(ROOT / one, folder / one, ignore=LEFT_OUT)
        else:
            shutil.copy(ROOT / one, folder / one)
    return folder


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
    parser.add_argument("--count", type=int, default=200, help="of each group")
    parser.add_argument("--group", choices=GROUPS, action="append", help="only this group; may be repeated")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="print what is caught, too")
    asked = parser.parse_args()
    if said := judge(None, ROOT):
        print(f"Without a fault: {said}")
        return 2
    shares = [_try(group, asked) for group in asked.group or GROUPS]
    return 0 if min(shares) >= ENOUGH else 1


def _in_turn(free: SimpleQueue[Path], group: str, fault: Fault) -> str:
    """Judge a fault in a copy that no other one is in."""
    folder = free.get()
    try:
        return judge(fault, folder, group)
    finally:
        free.put(folder)


def _try(group: str, asked: argparse.Namespace) -> float:
    """Judge a group's faults; print what escapes and the counts; return the share that is caught."""
    made = list(faults(group, asked.count, asked.seed))
    caught: Counter[str] = Counter()
    with ThreadPoolExecutor(asked.jobs) as pool, tempfile.TemporaryDirectory() as name:
        free: SimpleQueue[Path] = SimpleQueue()
        for number in range(asked.jobs):
            (place := Path(name) / str(number)).mkdir()
            free.put(copy(place))
        for fault, said in zip(made, pool.map(partial(_in_turn, free, group), made), strict=True):
            caught[fault.kind] += bool(said)
            if asked.all or not said:
                print(f"{'caught' if said else 'escaped'}: {fault}  {said}", flush=True)
    for kind, count in Counter(fault.kind for fault in made).items():
        print(f"{kind:>10}: {caught[kind]} of {count}")
    print(f"{group}: {caught.total()} of {len(made)} caught")
    return caught.total() / len(made)


if __name__ == "__main__":
    sys.exit(main())
