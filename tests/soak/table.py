"""Run the device with bots that wait for nothing: `python -m tests.soak.table run --simulate --bots 4`.

The page's fastest bots take a minute for a hand. Here it is some fifteen seconds: enough hands for a leak to show.
What a table keeps by design is full after hours: the open evening and the decisions that can be undone. Here it is full
within the warm-up.
"""

from __future__ import annotations

import sys

from referee.cli import main
from referee.core.match import engine, past
from referee.core.units import MS
from referee.device import simulated
from referee.simulator.table import skill

PACE_PERCENT = 3
READY_NS = (200 * MS, 600 * MS)
PATIENCE_NS = 3_000 * MS
LONG_FILE, UNDONE = 1_000, 4
TAP_NS, CADENCE_NS = (30 * MS, 50 * MS), (110 * MS, 150 * MS)


def hasten() -> None:
    """Let bots play faster than any page can ask for, and let the table keep less."""
    engine.LONG_FILE, past.KEPT = LONG_FILE, UNDONE
    simulated.BOT_PACE_PERCENT = PACE_PERCENT
    simulated.BOT_READY_NS = READY_NS
    simulated.BOT_PATIENCE_NS = PATIENCE_NS
    skill.TAP_NS, skill.CADENCE_NS = TAP_NS, CADENCE_NS


if __name__ == "__main__":
    hasten()
    sys.exit(main())
