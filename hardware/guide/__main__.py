"""`python -m hardware.guide` writes the guide's page and every PDF that is out of date."""

from __future__ import annotations

import sys

from hardware.guide import paper
from hardware.make import made
from hardware.make.catalogue import HARDWARE


def main() -> int:
    """Run as a command; return 0: written; 1: a page cannot be printed."""
    try:
        print(*paper.write(), sep="\n")
        made.write(HARDWARE)
    except paper.PaperError as exc:
        print(exc, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
