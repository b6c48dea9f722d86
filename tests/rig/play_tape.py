"""Plays the tape of /share/plan.json at the service, in the guest. Leaves /share/evening.json and /share/seen.json.

The plan is a kills.Plan as JSON. Whatever was not as it must be stands in
evening.json under "failed"; whether the emulator is to blame for it is the host's to say. Where the plan has the
plug pulled, /share/plug is the host's sign to do it.
"""

from __future__ import annotations

import json
import time
from dataclasses import astuple
from pathlib import Path

from referee.core.engine import DisagreementError
from tests.rig.evening import Evening, RigPlay, UnpluggedError
from tests.rig.match import leave
from tests.rig.service import Service
from tests.rig.table import Table, UnexpectedError
from tests.tapes.tape import cut, read

SHARE = Path("/share")
UNPLUG_S = 60  # the host is quicker
WRONG = (AssertionError, DisagreementError, UnexpectedError)


def main() -> None:
    plan = json.loads((SHARE / "plan.json").read_text())
    tape = cut(read(plan["tape"]))
    kills = {int(line): after_ns for line, after_ns in plan["kills"].items()}
    table = Table(seats=len(tape.setup.stations))
    failed, unplugged, began = None, None, time.monotonic()
    with table:
        table.keep_together()
        evening = Evening(tape.setup, table, Service())
        try:
            if plan["begin"]:
                evening.after_boot()
            RigPlay(tape, evening, kills, plan["last"], plug=plan["plug"], begin=plan["begin"]).play()
        except WRONG as error:
            failed = str(error) or repr(error)
        except UnpluggedError as error:
            unplugged = error.line
    left = {
        "failed": failed,
        "unplugged": unplugged,
        "seconds": time.monotonic() - began,
        "deaths": [astuple(death) for death in evening.deaths],
        "races": evening.races,
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
