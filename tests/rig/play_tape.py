"""Play the tape of /share/plan.json at the service, in the guest.

Writes /share/evening.json and /share/seen.json. The plan is a kills.Plan as JSON. Failures are in evening.json under
"failed", with the instants between which they happened; the host decides whether the emulator is to blame. Where the
plan has the plug pulled, /share/plug is the sign for the host.
"""

from __future__ import annotations

import json
import time
from dataclasses import astuple
from pathlib import Path

from referee.core.match.engine import DisagreementError
from tests.rig.evening import Evening, RigPlay, UnpluggedError
from tests.rig.kills import Plan
from tests.rig.match import leave
from tests.rig.service import Service
from tests.rig.table import Table, UnexpectedError

SHARE = Path("/share")
UNPLUG_S = 60  # the host is quicker
WRONG = (AssertionError, DisagreementError, UnexpectedError)


def main() -> None:
    plan = json.loads((SHARE / "plan.json").read_text())
    kills = {int(line): after_ns for line, after_ns in plan["kills"].items()}
    tape = Plan(plan["tape"], text=plan["text"]).score
    table = Table(seats=len(tape.setup.stations))
    failed, wrong_ns, unplugged, began = None, None, None, time.monotonic()
    with table:
        table.keep_together()
        evening = Evening(tape.setup, table, Service())
        try:
            if plan["begin"]:
                evening.after_boot()
            RigPlay(tape, evening, kills, plan["last"], plug=plan["plug"], begin=plan["begin"]).play()
        except WRONG as error:
            failed, wrong_ns = str(error) or repr(error), (table.right_ns, time.monotonic_ns())
        except UnpluggedError as error:
            unplugged = error.line
    left = {
        "failed": failed,
        "wrong_ns": wrong_ns,
        "unplugged": unplugged,
        "seconds": time.monotonic() - began,
        "deaths": [astuple(death) for death in evening.deaths],
        "presses": evening.presses,
        "races": evening.races,
        "late": evening.late,
        "detents": evening.detents,
        "lost_detents": evening.lost_detents,
        "ends_ns": time.monotonic_ns(),
    }
    leave(table, SHARE)
    (SHARE / "evening.json").write_text(json.dumps(left))
    if unplugged:
        (SHARE / "plug").touch()
        time.sleep(UNPLUG_S)


if __name__ == "__main__":
    main()
