"""The fairness experiment without a kernel: recordings of a good kernel, real verdicts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.rig import judge
from tests.rig.contacts import Series
from tests.rig.fairness import STATED_ERROR_NS, Finding, Rush, broken_promises, everything, examine
from tests.rig.trials import Record, Trial

PAIRS = 8
TRIALS = {trial.name: trial for trial in everything(PAIRS, PAIRS)}
ALWAYS_TIE_MS = 90
TOOK_NS, LATE_NS = 150_000, 100_000
"""Duration of a write in the emulator, and the delay of its stamp after its beginning, in ns."""
NO_RUSH = Rush(0, 0, 0, 0)


def recording(series: Series, stalled_ns: int = 0) -> dict[str, Any]:
    """Return a recording as the toggler plays: the script gives the distance from a write's end to the next start.

    stalled_ns: delay before the second press of each pair.
    """
    writes: list[tuple[int, int, int, int]] = []
    seconds = {
        next(n for n in range(start, len(series.steps)) if series.steps[n].line == pair.second)
        for pair, start in zip(series.pairs, series.starts, strict=True)
    }
    done_us, done_ns = 0, 10**9
    for number, step in enumerate(series.steps):
        before_ns = done_ns + (step.at_us - done_us) * 1000 + (stalled_ns if number in seconds else 0)
        done_us, done_ns = step.at_us, before_ns + TOOK_NS
        writes.append((step.line, step.level, before_ns, done_ns))
    rows = [(line, level, before_ns + LATE_NS, 0) for line, level, before_ns, _ in writes]
    return {"writes": writes, "rows": rows}


def judged(trial: Trial, work: Path, stalled_ns: int = 0) -> Finding:
    record, series = Record(trial), trial.series(2 * PAIRS, 0)
    record.add(series, recording(series, stalled_ns))
    return examine(record, STATED_ERROR_NS, work)[0]


def broken(trial: Trial, work: Path) -> list[str]:
    """Return the broken promises without the trial's name."""
    return [sentence.partition(": ")[2] for sentence in broken_promises([judged(trial, work)], NO_RUSH)]


def idle(kind: str, question: str) -> Trial:
    return next(trial for name, trial in TRIALS.items() if name.startswith(kind) and name.endswith(f"-idle-{question}"))


@pytest.mark.parametrize("kind", ["clean", "bouncing", "safe"])
def test_slaps_within_the_band_tie_and_those_beyond_it_are_told_apart(kind: str, tmp_path: Path) -> None:
    found = judged(idle(kind, "slap"), tmp_path)
    assert (found.pairs, found.spoilt) == (PAIRS, 0)
    assert found.clear == (PAIRS if kind == "safe" else 0)
    assert broken_promises([found], NO_RUSH) == []


@pytest.mark.parametrize("question", ["slap", "last"])
def test_an_arbiter_that_always_says_tie_is_found(
    question: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    safe = idle("safe", question)
    assert broken(safe, tmp_path) == []
    monkeypatch.setitem(judge.QUESTIONS, question, replace(judge.QUESTIONS[question], tie_ms=ALWAYS_TIE_MS))
    assert f"{PAIRS} pairs not clear" in broken(safe, tmp_path)
