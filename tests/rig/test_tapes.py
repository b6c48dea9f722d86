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


@pytest.mark.parametrize(
    ("tries", "status"),
    [
        ([("a lamp",), ("a lamp",)], 1),
        ([("a lamp",), ()], BUSY_STATUS),
        ([None, ("a lamp",), ("a tone",)], 1),
        ([None, ()], 0),
        ([None, None, None], BUSY_STATUS),
    ],
)
def test_an_evening_is_wrong_when_it_was_so_twice(
    tries: list[tuple[str, ...] | None], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was wrong once and right the next time cannot be told; None: the emulator spoilt it."""
    left = iter(tries)

    def played(plan: Plan, wheel: Path, share: Path) -> Outcome:
        wrong = next(left)
        if wrong is None:
            raise BusyError("stalled")
        return Outcome(wrong, 100, ())

    monkeypatch.setattr(tapes, "play", played)
    report = Report(Path("a.whl"), None)
    report.play([Plan("family")])
    assert (report.status, next(left, None)) == (status, None)
