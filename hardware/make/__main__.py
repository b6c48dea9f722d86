"""Generate all files of the electronics.

With `--check`, report what is out of date, shorted or floating.

    pinmap.toml ────► schematics ──► netlist, read back from the drawing ─┬─► wiring drawings, tables
    bom/parts.toml ─►                                                     ├─► bills of materials
                                                                          ├─► carrier board
                                                                          └─► skew budget, default of gpio_err_us

The drivers and `referee pins` read the same pinmap.toml. The output is the same byte for byte each time. What the
drawings connect is read from the drawings, never from the code that drew them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from hardware.enclosure import threemf
from hardware.make import checks, drawn, kicad, made, outputs
from hardware.make.catalogue import HARDWARE
from hardware.make.tools import ToolMissingError


def main(arguments: list[str] | None = None) -> int:
    """Run as a command.

    Return 0: no complaints, 1: complaints, one a line, 2: a tool or a source is missing.
    """
    parser = argparse.ArgumentParser(prog="python -m hardware.make", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, complain of what is wrong")
    parser.add_argument("--pure", action="store_true", help="without KiCad, and without what other programs draw")
    parser.add_argument("--rules", action="store_true", help="with --check: what needs only KiCad")
    parser.add_argument("--root", type=Path, default=HARDWARE, help="the folder that holds pinmap.toml")
    asked = parser.parse_args(arguments)
    try:
        if asked.check:
            return _rules(asked.root) if asked.rules else _check(asked.root, pure=asked.pure)
        return _make(asked.root, pure=asked.pure)
    except (ToolMissingError, OSError, ValueError) as exc:
        print(exc, file=sys.stderr)
        return 2


def _make(root: Path, *, pure: bool) -> int:
    written = outputs.write(root)
    if not pure:
        written += outputs.write(root, kicad.pour(root)) + drawn.write(root)
    made.write(root)
    print(f"hardware: {len(written)} files written")
    return 0


def _check(root: Path, *, pure: bool) -> int:
    found = _print_complaints(checks.everything(root))
    if not pure:
        found += _print_complaints(drawn.left_behind(root)) + _print_complaints(made.complaints(root))
        print(kicad.version())
        found += _print_complaints(kicad.check(root)) + _print_complaints(drawn.check(root))
    return _verdict(found)


def _rules(root: Path) -> int:
    print(kicad.version())
    kinds = (checks.everything(root), made.complaints(root), threemf.complaints(root), kicad.check(root))
    return _verdict(sum(map(_print_complaints, (*kinds, drawn.check(root, "schematic")))))


def _verdict(found: int) -> int:
    print(f"hardware: {found} complaints" if found else "hardware: nothing to complain of")
    return 1 if found else 0


def _print_complaints(complaints: Iterable[str]) -> int:
    told = 0
    for text in complaints:
        print(text)
        told += 1
    return told


if __name__ == "__main__":
    sys.exit(main())
