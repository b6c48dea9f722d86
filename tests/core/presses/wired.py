"""Traces without clocks, by seed, and what the arbiter said of them before it knew of any (tests/vectors/wired.json).

The vectors were made by the commit that the file names. `python -m tests.core.presses.wired COMMIT` makes them anew,
which is right only where the rules themselves have changed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from random import Random

from referee.core.documents.trace import document
from referee.core.presses.arbiter import CallRules, arbitrate
from referee.core.presses.signals import Edge
from referee.core.units import MS
from tests.core.presses.arbiter_rows import GAPS_NS, STATIONS

VECTORS = Path(__file__).parent.parents[1] / "vectors" / "wired.json"
SEEDS = range(400)
ERRS_NS = (0, 1, 40_000, 300_000, 5 * MS, 12 * MS, 60 * MS)
LAGS_NS = (0, 0, 0, MS, 30 * MS, 70 * MS, 600 * MS)
PAIRS = {"red": "A", "blue": "A", "gold": "B", "mint": "B"}


def rules(dice: Random) -> CallRules:
    """Settings as tables have them, and at their ends."""
    ties, caps = (0, 5 * MS, 20 * MS, 45 * MS), (0, MS, 10 * MS)
    return CallRules(
        dice.choice(ties), dice.choice(caps), dice.choice((0, 30 * MS)), dice.choice((100 * MS, 2_000 * MS))
    )


def rows(dice: Random, *, one_error: bool) -> list[Edge]:
    """A table's bouncing contacts, rows late and early; with one stated error for all, or one a row."""
    found = []
    stated = dice.choice(ERRS_NS)
    for station in STATIONS[: dice.randint(1, len(STATIONS))]:
        t_ns, arrived_ns = dice.randrange(40 * MS), -(10**12)
        for _ in range(dice.randint(1, 14)):
            t_ns += dice.choice(GAPS_NS)
            err_ns = stated if one_error else dice.choice(ERRS_NS)
            arrived_ns = max(arrived_ns, t_ns + dice.choice(LAGS_NS))
            found.append(Edge(station, dice.random() < 0.65, t_ns, err_ns, arrived_ns))
    return sorted(found, key=lambda edge: edge.arrived_ns)


def digest(seed: int, team_of: Mapping[str, str]) -> str:
    """What the arbiter says of one trace. Pairs have one stated error: with several, their rule has changed since."""
    dice = Random(seed)
    told = document(arbitrate(rows(dice, one_error=bool(team_of)), rules(dice), team_of))
    return sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]


def digests() -> dict[str, list[str]]:
    """Of every seed, for stations alone and for pairs."""
    return {"alone": [digest(seed, {}) for seed in SEEDS], "pairs": [digest(seed, PAIRS) for seed in SEEDS]}


if __name__ == "__main__":
    VECTORS.write_text(json.dumps({"made_by": sys.argv[1], **digests()}, indent=1) + "\n", encoding="utf-8")
