"""What a run of evenings is told and ends with: what is wrong goes before what could not be told."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from referee.core.units import MS, S
from tests.rig import tapes
from tests.rig.kills import Plan
from tests.rig.stalls import Stalls, Wrong
from tests.rig.tapes import Outcome, Report
from tests.rig.tries import TRIES
from tests.rig.vm import BUSY_STATUS, BusyError

LAMP = Wrong("a lamp")
SPOILT = Wrong("a lamp", "the guest stood still")


@pytest.mark.parametrize(
    ("evenings", "status"),
    [
        ([Outcome((), 100, ())], 0),
        ([Outcome((), 100, ()), Outcome((LAMP,), 100, ("READY",))], 1),
        ([BusyError("stalled"), Outcome((), 100, ())], BUSY_STATUS),
        ([BusyError("stalled"), Outcome((LAMP,), 100, ())], 1),
    ],
)
def test_the_worst_of_all_evenings_is_the_status(
    evenings: list[Outcome | BusyError], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And whatever becomes of one, the others are played."""
    left = iter(evenings)

    def played(self: Report, plan: Plan) -> Outcome:
        outcome = next(left)
        if isinstance(outcome, BusyError):
            raise outcome
        return outcome

    monkeypatch.setattr(Report, "_until_sound", played)
    report = Report(Path("a.whl"), None)
    report.play([Plan("family")] * len(evenings))
    assert report.status == status
    assert next(left, None) is None


@pytest.mark.parametrize(
    ("tried", "status"),
    [
        ([()], 0),
        ([(LAMP,)], 1),
        ([(SPOILT,), ()], 0),
        ([(SPOILT, LAMP)], 1),
        ([(SPOILT,), (LAMP,)], 1),
        ([(SPOILT,)] * TRIES, BUSY_STATUS),
    ],
)
def test_an_evening_that_was_wrong_once_is_wrong(
    tried: list[tuple[Wrong, ...]],
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Only what a measured stall excuses is played again, and with everything that it excuses; what was wrong beside it
    decides. The evidence is kept and named, and what was right, or spoilt, leaves nothing behind."""
    left = iter(tried)

    def played(plan: Plan, wheel: Path, share: Path) -> Outcome:
        (share / "seen.json").write_text('{"lamps": [[5000000000, [1, 2]]]}')
        return Outcome(next(left), 100, ())

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(tapes, "play", played)
    report = Report(Path("a.whl"), None)
    report.play([Plan("family")])
    assert (report.status, next(left, None)) == (status, None)
    kept = list(tmp_path.iterdir())
    assert len(kept) == (status == 1)
    if kept:
        assert str(kept[0]) in capsys.readouterr().out
        assert "lamps lit: 1 2" in (kept[0] / "evidence.txt").read_text()


def test_a_stall_excuses_what_it_covers_and_nothing_else() -> None:
    """A fifth of a second lost within one by one CPU, at once or bit by bit, before or while something went wrong.
    Not what came after it, or long before, and not many losses that are small and far from each other."""
    stalls = Stalls([(0, 5_000 * MS, 5_150 * MS, 150 * MS), (0, 5_400 * MS, 5_600 * MS, 50 * MS)])
    assert "200 ms of the second from 5.000 s on" in stalls.excuse(5_600 * MS, 6_000 * MS)
    assert stalls.excuse(4_000 * MS, 5_050 * MS)
    assert not stalls.excuse(4_000 * MS, 4_900 * MS)
    assert not stalls.excuse(7_000 * MS, 9_000 * MS)
    assert (stalls.longest_ns(), stalls.longest_ns(5_200 * MS)) == (150 * MS, 0)
    each = [(n % 2, n * 700 * MS, n * 700 * MS + 60 * MS, 60 * MS) for n in range(50)]
    assert not Stalls(each).excuse(0, 35_000 * MS)


def test_hands_that_were_late_excuse_what_the_tape_then_said_in_vain() -> None:
    """By the toggler's times, since all was last right; not what was late before that."""
    evening = {"wrong_ns": (5 * S, 9 * S), "late": [(4 * S, 900 * MS), (6 * S, 300 * MS)]}
    assert tapes._late(evening) == "the people's hands were 300 ms late at 6.000 s, by the toggler's times"
    assert tapes._late({**evening, "late": evening["late"][:1]}) == ""
