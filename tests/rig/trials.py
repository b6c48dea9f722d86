"""The trials of the fairness experiment, repeated until there are enough pairs.

An emulator on a busy host stalls, and a stall in the middle of a bouncing press can change it. Such pairs are left out
(by the toggler's brackets alone, see judge.py) and as many are played again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any

from tests.rig.contacts import Series, pair_series
from tests.rig.judge import Played, played_pairs
from tests.rig.vm import CPUS, Image, read_json, run_script, shared_directory

SEATS = (17, 27)
GAPS_US = (500, 1000)
BOUNCE_TIME_S = 0.01  # as long as contacts bounce, the minimum of usual debouncing
WANDERING_PAIRS = 100
ASKED_PAIRS = 40
"""Pairs of each kind with another question than who was first.

A submission plays fewer: the stamps are the same, and their evaluation is tested without a kernel too.
"""

SPARE = 10  # one extra pair for this many
HELPINGS = 6  # a host that spoils more rounds is no place to measure
GUEST_MINUTES = 9


@dataclass(frozen=True)
class Trial:
    """One kind of pair, played to one listener.

    `together`: interrupt threads stay on the interrupted CPU. Otherwise a thread may wait milliseconds for a virtual
    CPU that the host is not running; on a real one it is tens of microseconds. `asked`: the question to the arbiter
    (judge.QUESTIONS).
    """

    name: str
    gap_us: int
    bouncing: bool
    busy: bool
    wanted: int
    listener: str = "factory"
    bounce_s: float | None = None
    together: bool = True
    asked: str = "first"

    def series(self, count: int, helping: int) -> Series:
        """Return the steps; equal for equal gap, contacts and helping, for any listener."""
        return pair_series(f"{self.gap_us}/{helping}", SEATS, self.gap_us, count, bouncing=self.bouncing)

    def plan(self, series: Series) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.listener,
            "bounce_s": self.bounce_s,
            "load": CPUS if self.busy else 0,
            "together": self.together,
            "lines": SEATS,
            "steps": [astuple(step) for step in series.steps],
        }


@dataclass
class Record:
    """The result of one trial: the usable pairs, and the number of others."""

    trial: Trial
    pairs: list[Played] = field(default_factory=list)
    spoilt: int = 0

    @property
    def missing(self) -> int:
        return max(0, self.trial.wanted - len(self.pairs))

    def add(self, series: Series, recording: dict[str, Any]) -> None:
        played = played_pairs(series, recording)
        self.spoilt += len(series.pairs) - len(played)
        self.pairs += played[: self.missing]


def trials(pairs: int, safe_gaps_us: Mapping[str, int], asked_pairs: int = ASKED_PAIRS) -> list[Trial]:
    """Return all trials. A bouncing trial and its debounced twin play the same steps.

    `safe_gaps_us`: by question, the distance at which presses must always be distinguished.
    """
    few = min(pairs, asked_pairs)
    found = []
    for busy in (False, True):
        load = "busy" if busy else "idle"
        for gap_us in GAPS_US:
            found += [
                Trial(f"clean-{gap_us}-{load}", gap_us, False, busy, pairs),
                Trial(f"bouncing-{gap_us}-{load}", gap_us, True, busy, pairs),
                Trial(f"debounced-{gap_us}-{load}", gap_us, True, busy, pairs, "lgpio", BOUNCE_TIME_S),
            ]
            for asked in ("slap", "last"):
                found += [
                    Trial(f"clean-{gap_us}-{load}-{asked}", gap_us, False, busy, few, asked=asked),
                    Trial(f"bouncing-{gap_us}-{load}-{asked}", gap_us, True, busy, few, asked=asked),
                ]
        found += [
            Trial(f"safe-{safe_gaps_us[asked]}-{load}-{asked}", safe_gaps_us[asked], True, busy, few, asked=asked)
            for asked in ("slap", "last")
        ]
        wandering = min(pairs, WANDERING_PAIRS)
        found += [
            Trial(f"safe-{safe_gaps_us['first']}-{load}", safe_gaps_us["first"], True, busy, pairs),
            Trial(f"wandering-1000-{load}", 1000, True, busy, wandering, together=False),
        ]
    return found


def record_all(todo: Sequence[Trial], image: Image) -> list[Record]:
    """Play the trials until each has its pairs, up to a number of rounds."""
    records = [Record(trial) for trial in todo]
    for helping in range(HELPINGS):
        for busy in (False, True):  # a boot each, because of time limits
            short = [record for record in records if record.missing and record.trial.busy == busy]
            _record_round(short, image, helping)
    return records


def _record_round(records: Sequence[Record], image: Image, helping: int) -> None:
    if not records:
        return
    # a pair is played twice, the second time with the seats swapped, hence an even number
    counts = [(record.missing + record.missing // SPARE) // 2 * 2 + 2 for record in records]
    series = [record.trial.series(count, helping) for record, count in zip(records, counts, strict=True)]
    plans = [record.trial.plan(some) for record, some in zip(records, series, strict=True)]
    recordings = play(plans, image)
    for record, some in zip(records, series, strict=True):
        record.add(some, recordings[record.trial.name])


def play(plans: Sequence[dict[str, Any]], image: Image, cpus: int = CPUS) -> dict[str, Any]:
    """Play the plans in one boot; return the results by name."""
    with shared_directory() as share:
        (share / "plan.json").write_text(json.dumps(plans))
        run_script("python3 -m tests.rig.recorder", share, cpus=cpus, image=image, timeout_s=GUEST_MINUTES * 60)
        return {plan["name"]: read_json(share / f"{plan['name']}.json") for plan in plans}
