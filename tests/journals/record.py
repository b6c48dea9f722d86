"""Evenings as the checked-out commit plays and writes them: run from its root, with a folder to write to.

    git worktree add /tmp/then COMMIT && cd /tmp/then && PYTHONPATH=. python .../tests/journals/record.py FOLDER

A set is a folder: NAME.db.xz is a journal as that commit has written it, NAME.json what that commit's own Engine makes
of its first rows: the number of rows, phase, seats, teams, settings and every sealed hand.
"""

from __future__ import annotations

import json
import lzma
import sys
import tempfile
from pathlib import Path
from typing import Any

from referee.core.match.engine import Engine
from referee.core.model.events import Opened, Resumed, Tick, Turned
from referee.core.model.table import Setup
from referee.core.presses.signals import Edge
from referee.drivers.journal.writer import Journal

FACTS = (Edge, Tick, Turned, Resumed)
CUTS = 24
KEPT = {
    *("argument", "people_leaving", "stuck", "two_books", "power_cuts"),
    *("time_outs", "settlement", "a_table_that_disagrees", "roles", "newcomers"),
}
"""The tapes of which a set is made, where that commit has them."""
SHORT = len(sys.argv) > 2
"""Another word behind the folder: the evening by hand alone."""


def tapes() -> dict[str, list[Any]]:
    """Evenings by hand: the tapes, where that commit has them."""
    try:
        from tests.tapes.play import Play
        from tests.tapes.tape import names, read
    except ImportError:
        return {}
    kept = [name for name in names() if name in KEPT]
    return {name: Play(read(name)).run().table.rows for name in kept}


def hands() -> dict[str, list[Any]]:
    """A hand, counted, undone, counted again, and a second one that is played when the rows end."""
    from tests.core.sitting import Sitting

    table = Sitting().counting("1", "1", "2").count("1", 0, 21, caller=True).count("2", 3, 12).wait(8 * 10**9)
    table.playing("1", "2").wait(20 * 10**9)
    table.power_cut()
    table.wait(10**9).tap("1", "2").wait(5 * 10**9)
    rows = {"by_hand": list(table.rows)}
    if hasattr(table, "reopened"):
        table.reopened().wait(3 * 10**9).press("1").wait(10**10).tap("1", "2")
        rows["reopened"] = list(table.rows)
    return rows


def phones() -> dict[str, list[Any]]:
    """Phones pair, name and vote, give points and count a past hand otherwise, where that commit knows such wishes."""
    try:
        from referee.core.model.events import PhoneCorrected, PhoneGave, PhonePaired, PhoneVoted
    except ImportError:
        return {}
    from tests.core.sitting import Sitting
    from tests.core.test_fixing import table_of

    together = Sitting().tap("1", "2", "3", "4")

    def asks(table: Any, fact: Any) -> None:
        table.engine.intake([fact], table.now_ns)
        table._collect()

    asks(together, PhonePaired(together.now_ns, "phone-1", ("1", "3"), True))
    together.wait(3 * 10**9)
    table = table_of(20, 18)
    asks(table, PhoneCorrected(table.now_ns, "phone-1", 1, "2", (0, 12), "miscount"))
    table.wait(10**9)
    asks(table, PhoneGave(table.now_ns, "phone-1", "2", -5, "penalty"))
    table.wait(5 * 10**9).power_cut()
    asked = Sitting().counting("1", "1", "2", "3").choose("False call").wait(2 * 10**9)
    asks(asked, PhoneVoted(asked.now_ns, "phone-1", "2", True))
    asked.tap("3").hold("1").wait(5 * 10**9)
    return {"paired_by_phone": list(together.rows), "voted_by_phone": list(asked.rows), "phones": list(table.rows)}


def bots() -> dict[str, list[Any]]:
    """Matches of bots."""
    from referee.table.bots import Bots
    from referee.table.evening import Evening

    found: dict[str, list[Any]] = {}
    for preset in ("nna", "31"):
        rows: list[Any] = []
        try:
            Evening(Setup(preset), Bots(["1", "2", "3"], 5, pace_percent=20), journal=rows.extend).play(1)
        except Exception as error:
            sys.stderr.write(f"{preset}: {error!r}\n")  # a commit that does not play it yet
            continue
        found[f"bots_{preset}"] = rows
    return {**found, **twelve()}


def twelve() -> dict[str, list[Any]]:
    """A short match of twelve, four of whom hang on pods, where that commit has so many seats."""
    try:
        from referee.core.model.table import SEATS
        from referee.table.bots import Bots
        from referee.table.evening import Evening
    except ImportError:
        return {}
    rows: list[Any] = []
    setup = Setup("nna", (("target", 30),), stations=SEATS, remote=SEATS[8:], latency_ns=30_000_000)
    Evening(setup, Bots(SEATS, 4, pace_percent=20), journal=rows.extend).play(1)
    return {"twelve": rows}


def told(state: Any) -> dict[str, Any]:
    """What must come back."""
    phase = state.phase
    table = (phase.name == "LOBBY" and getattr(phase, "kept", None)) or state.table
    inner: Any = getattr(phase, "inner", None)
    return {
        "phase": phase.name,
        "inner": inner.name if phase.name == "POWER_BACK" else None,
        "seats": [[seat.station, seat.name, seat.partner] for seat in table.seats],
        "teams": [[team.id, list(team.stations)] for team in table.teams],
        "setup": {key: table.setup.document()[key] for key in ("preset", "options", "stations", "hold_ns")},
        "hands": [hand(result) for result in table.hands],
        "noted": noted(table),
    }


def noted(table: Any) -> dict[str, Any]:
    """What a table has agreed on, and put on record beside its hands; nothing where that commit knows no such thing."""
    adjustments = [[one.after, one.team, str(one.points), one.reason] for one in getattr(table, "adjustments", ())]
    timeouts = [[one.hand, one.team, one.why] for one in getattr(table, "timeouts", ())]
    return {
        "adjustments": adjustments,
        "timeouts": timeouts,
        "agreed": dict(getattr(table, "agreed", ())),
        "agreed_by": list(getattr(table, "agreed_by", ())),
    }


def hand(result: Any) -> Any:
    """A sealed hand: who called, what was counted."""
    if hasattr(result, "values"):
        values = {team: str(value) for team, value in result.values.items()}
        return [list(result.thirtyone), values]
    counts = {team: [count.foundation, count.reserve] for team, count in result.counts.items()}
    return [list(result.callers), counts]


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in {**hands(), **({} if SHORT else {**tapes(), **phones(), **bots()})}.items():
        first = max(index for index, (_, event) in enumerate(rows) if isinstance(event, Opened))
        ends = [end for end in range(first + 1, len(rows)) if isinstance(rows[end][1], FACTS)]
        cuts = [*ends[:: max(len(ends) // CUTS, 1)], len(rows)]
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "journal.db"
            journal = Journal(path, boot="then")
            journal.append(rows)
            assert journal.close(60)
            (folder / f"{name}.db.xz").write_bytes(lzma.compress(path.read_bytes(), preset=9))
        restored = [[end - first, told(Engine.restored(rows[first:end]).state)] for end in cuts]
        (folder / f"{name}.json").write_text(json.dumps(restored, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
