"""`python -m hardware.enclosure build` writes parts, drawings and guide.

`check` lists the parts' faults.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from hardware.enclosure.parameters import ParameterError, load


def main() -> int:
    """Run as a command; return 0: done, or no fault; 1: a fault; 2: bad usage."""
    parser = argparse.ArgumentParser(prog="python -m hardware.enclosure", description=__doc__)
    parser.add_argument("what", choices=("build", "check"))
    parser.add_argument(
        "--room", action="append", metavar="ROOM", help="check only console, zero, stand, station, pod, prints or files"
    )
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.OPTION=VALUE")
    parser.add_argument("--preset", default="", metavar="NAME", help="a station for another button (presets.toml)")
    parser.add_argument("--to", type=Path, metavar="FOLDER", help="build: a preset's station parts, into this folder")
    args = parser.parse_args()
    if args.what == "build" and bool(args.preset) != bool(args.to):
        parser.error("build takes --preset and --to together, or none of them")
    try:
        p = load(args.set, args.preset)
    except ParameterError as exc:
        print(exc, file=sys.stderr)
        return 2
    if args.what == "build":
        from hardware.enclosure import drawings, export, threemf

        if args.preset:
            print(*export.write_station(p, args.to), sep="\n")
            return 0
        from hardware.guide import steps
        from hardware.make import made
        from hardware.make.catalogue import HARDWARE

        for part in (export, drawings, steps):
            print(*part.write(p), sep="\n")
        print(*threemf.write(HARDWARE), sep="\n")
        made.write(HARDWARE)
        return 0
    from hardware.enclosure.check import ROOMS, faults

    try:
        rooms = ("station", "prints", "files") if args.preset else ROOMS
        found = faults(p, args.room or [room for room in rooms if room != "files" or not args.set], args.preset)
    except ParameterError as exc:
        found = [str(exc)]
    print("\n".join(found) or "The enclosure is sound.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
