"""`python -m hardware.guide`: the guide's page and every PDF that is not of today's page."""

from __future__ import annotations

import sys

from hardware.guide import paper


def main() -> int:
    """0: written; 1: a page cannot be printed as it is."""
    try:
        print(*paper.write(), sep="\n")
    except paper.PaperError as exc:
        print(exc, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
