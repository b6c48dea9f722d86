"""What a run of evenings is told and ends with: what is wrong goes before what could not be told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rig import tapes
from tests.rig.kills import Plan
from tests.rig.tapes import Outcome, Report
from tests.rig.vm import BUSY_STATUS, BusyError


@pytest.mark.parametrize(
    ("evenings", "status"),
    [
        ([Outcome((), 100, ())], 0),
        ([Outcome((), 100, ()), Outcome(("a lamp",), 100, ("READY",))], 1),
        ([BusyError("stalled"), Outcome((), 100, ())], BUSY_STATUS),
        ([BusyError("stalled"), Outcome(("a lamp",), 100, ())], 1),
    ],
)
def test_the_worst_of_all_evenings_is_the_status(
    evenings: list[Outcome | BusyError], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And whatever becomes of one, the others are played."""
    left = iter(evenings)

    def played(plan: Plan, wheel: Path, keep: Path | None) -> Outcome:
        outcome = next(left)
        if isinstance(outcome, BusyError):
            raise outcome
        return outcome

    monkeypatch.setattr(tapes, "play_until_sound", played)
    report = Report(Path("a.whl"), None)
    report.play([Plan("family")] * len(evenings))
    assert report.status == status
    assert next(left, None) is None
