"""Measure fairness on a real kernel: the arbiter on its stamps, compared with usual methods.

Pairs of presses are 0.5 and 1 ms apart, in random order and with the seats swapped, contacts clean and bouncing, the
machine idle and all its CPUs busy. The toggler's brackets are the truth. `tie_ms` is 0. Of some pairs the arbiter is
asked what Slap asks, with its game's band, and who was last. Pairs whose name begins with "safe" are farther apart than
band and stated errors: these must be distinguished, so a verdict that always says "tie" fails.

    python3 -m tests.rig.fairness [--pairs N] [--asked-pairs N]

Exit status 1 if a promise was not kept.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.figures import quantile
from tests.rig import judge
from tests.rig.judge import StampError
from tests.rig.trials import ASKED_PAIRS, BOUNCE_TIME_S, SEATS, Record, Trial, play, record_all, trials
from tests.rig.vm import BUSY_STATUS, Image, RigError, give_up, provision, shared_directory

PAIRS = 500

# The error stated by a GPIO source in this emulation: a setting, justified by the printed distribution. The bound
# concerns the emulator (a write takes 0.2 ms here); on a Pi it is tens of microseconds.
STATED_ERROR_NS = 2_000_000
COVERED_SHARE = 0.999

SAFE_GAP_MIN_US = 5_000
EDGES_A_SECOND = 10_000
RUSH_EDGES = 40_000
RUSH_BURST, RUSH_GAP_US = 100, 30  # back to back within a burst; the emulated kernel takes some 40 µs per edge


def safe_gap_us(tie_ms: int) -> int:
    """Return the distance at which presses must always be distinguished with that band."""
    return tie_ms * 1000 + max(SAFE_GAP_MIN_US, (2 * STATED_ERROR_NS + 1_000_000) // 1000)


def everything(pairs: int, asked_pairs: int) -> list[Trial]:
    """Return all trials; pairs that must be distinguished are as close as the stated error allows."""
    return trials(pairs, {name: safe_gap_us(asked.tie_ms) for name, asked in judge.QUESTIONS.items()}, asked_pairs)


@dataclass(frozen=True)
class Finding:
    """The result of one trial."""

    name: str
    wanted: int
    pairs: int
    gap_us: int  # median of the distances really played, at least
    spoilt: int  # left out and repeated: the emulator stalled in a burst and changed it
    unheard: int  # pairs that did not give exactly one call
    order_wrong: int  # the arbiter's `first` was the later one
    verdict_wrong: int  # a verdict that was neither grey nor true
    clear: int
    grey: int
    uncovered: int  # stamps farther from their bracket than stated
    stamps: int
    when_pressed_wrong: int
    swap_holds: bool


def examine(record: Record, err_ns: int, work: Path) -> tuple[Finding, list[StampError]]:
    """Judge one trial of the arbiter."""
    pairs = record.pairs
    asked, named = record.trial.asked, judge.QUESTIONS[record.trial.asked].named
    calls = judge.verdicts(pairs, err_ns, work, asked)
    heard = [(played, call) for played, call in zip(pairs, calls, strict=True) if call is not None]
    errors = judge.stamp_errors(pairs)
    finding = Finding(
        name=record.trial.name,
        wanted=record.trial.wanted,
        pairs=len(pairs),
        gap_us=round(statistics.median([played.gap_ns for played in pairs] or [0]) / 1000),
        spoilt=record.spoilt,
        unheard=len(pairs) - len(heard),
        order_wrong=sum(call.first != named(played.pair)[0] for played, call in heard),
        verdict_wrong=sum(
            not call.grey and call.callers != tuple(sorted(named(played.pair))) for played, call in heard
        ),
        clear=sum(call.clear and not call.grey for _, call in heard),
        grey=sum(call.grey for _, call in heard),
        uncovered=sum(error.latest > err_ns for error in errors),
        stamps=len(errors),
        when_pressed_wrong=judge.wrong_by(pairs, judge.by_when_pressed),
        swap_holds=judge.swapping_holds(pairs, err_ns, work, asked),
    )
    return finding, errors


@dataclass(frozen=True)
class Debounced:
    """Results of `bounce_time` for the same steps."""

    name: str
    pairs: int
    called_wrong: int
    stamped_wrong: int


def examine_debounced(record: Record) -> Debounced:
    return Debounced(
        record.trial.name,
        len(record.pairs),
        judge.wrong_by(record.pairs, judge.by_when_pressed),
        judge.wrong_by(record.pairs, judge.by_library_stamp),
    )


@dataclass(frozen=True)
class Rush:
    """Edges written, events read, events missing by the kernel's numbers, and their rate."""

    written: int
    read: int
    lost: int
    a_second: int


def rush(image: Image) -> Rush:
    """Send as many edges as the character device must carry, on two lines in turn.

    With one CPU: in emulation, waking a thread on another one takes longer than the rest of an edge.
    """
    steps = []
    at_us = 0
    for number in range(RUSH_EDGES):
        at_us += RUSH_BURST * RUSH_GAP_US if number % RUSH_BURST == 0 else 0
        steps.append((at_us, SEATS[number % 2], number // 2 % 2))
    plan = {"name": "rush", "kind": "raw", "load": 0, "lines": SEATS, "steps": steps}
    recording: dict[str, Any] = play([plan], image, cpus=1)["rush"]
    writes = recording["writes"]
    spent_ns = writes[-1][3] - writes[0][2]
    return Rush(len(writes), recording["count"], recording["lost"], len(writes) * 1_000_000_000 // spent_ns)


def broken_promises(findings: Sequence[Finding], hurry: Rush) -> list[str]:
    """Return a sentence for each broken promise.

    Trials with wandering threads promise nothing.
    """
    promised = [found for found in findings if not found.name.startswith("wandering")]
    broken = [sentence for found in promised for sentence in _broken_by(found)]
    uncovered, stamps = sum(found.uncovered for found in promised), sum(found.stamps for found in promised)
    if uncovered > (1 - COVERED_SHARE) * stamps:
        broken.append(f"the stated error does not cover {uncovered} of {stamps} stamps")
    if hurry.lost:
        broken.append(f"{hurry.lost} of {hurry.written} events were lost in the rush")
    return broken


def left_untold(findings: Sequence[Finding], hurry: Rush) -> list[str]:
    """Return a sentence for each result that a busy machine could not show."""
    untold = [
        f"{found.name}: only {found.pairs} pairs of {found.wanted} could be judged, the emulator stalled in others"
        for found in findings
        if found.pairs < found.wanted and not found.name.startswith("wandering")
    ]
    if hurry.a_second < EDGES_A_SECOND:
        untold.append(f"the rush reached {hurry.a_second} edges a second, not {EDGES_A_SECOND}")
    return untold


def _broken_by(found: Finding) -> list[str]:
    clean, safe = (found.name.startswith(kind) for kind in ("clean", "safe"))
    sentences = [
        (found.unheard, f"{found.unheard} pairs did not give exactly one call"),
        (clean and found.order_wrong, f"{found.order_wrong} orders wrong"),
        (found.verdict_wrong, f"{found.verdict_wrong} verdicts wrong that were not grey"),
        (safe and found.clear < found.pairs, f"{found.pairs - found.clear} pairs not clear"),
        (not found.swap_holds, "swapping the seats changed more than the winner"),
    ]
    return [f"{found.name}: {sentence}" for broken, sentence in sentences if broken]


def report(
    findings: Sequence[Finding], debounced: Sequence[Debounced], errors: dict[str, list[StampError]], hurry: Rush
) -> None:
    print("Trials: contacts, gap in µs, machine; gap: the median of what was really played. Wrong: the later press put")
    print(
        "first. Spoilt: played again, since a stall of the emulator made something else of the pair, by the toggler's"
    )
    print("own account. Wandering: bouncing, and interrupt threads may wait for another virtual CPU.\n")
    headings = [
        "trial",
        "pairs",
        "gap",
        "spoilt",
        "order wrong",
        "wrong, not grey",
        "clear",
        "grey",
        "when_pressed wrong",
    ]
    print_table(headings, [_finding_row(found) for found in findings])
    print(f"\nThe bouncing trials' steps with bounce_time = {BOUNCE_TIME_S * 1000:g} ms (gpiozero on lgpio).\n")
    print_table(
        ["trial", "pairs", "when_pressed wrong", "its stamp wrong"],
        [
            [slow.name, slow.pairs, _share(slow.called_wrong, slow.pairs), _share(slow.stamped_wrong, slow.pairs)]
            for slow in debounced
        ],
    )
    print("\nA press's stamp and the bracket of its first edge, µs: late by at most (stamp - before the write),")
    print("and by at least (beyond the bracket).\n")
    promised = [error for name, some in errors.items() if not name.startswith("wandering") for error in some]
    print_table(
        ["trial", "stamps", "median", "p99", "p99.9", "most", "outside", "by at least"],
        [_error_row(name, some) for name, some in {**errors, "all but wandering": promised}.items() if some],
    )
    covered = sum(error.latest <= STATED_ERROR_NS for error in promised)
    print(
        f"\nStated error {STATED_ERROR_NS / 1e6:g} ms: covers {_share(covered, len(promised), 3)} of the stamps, "
        f"asked {COVERED_SHARE:.1%}."
    )
    print(f"Rush: {hurry.written} edges at {hurry.a_second} a second, {hurry.read} events read, {hurry.lost} lost.")


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print aligned columns, names to the left and figures to the right."""
    lines = [list(map(str, row)) for row in (headings, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for name, *figures in lines:
        cells = [figure.rjust(width) for figure, width in zip(figures, widths[1:], strict=True)]
        print("  ".join([name.ljust(widths[0]), *cells]))


def _finding_row(found: Finding) -> list[object]:
    return [
        *(found.name, found.pairs, found.gap_us, found.spoilt),
        *(found.order_wrong, found.verdict_wrong, found.clear, found.grey),
        _share(found.when_pressed_wrong, found.pairs),
    ]


def _error_row(name: str, errors: Sequence[StampError]) -> list[object]:
    latest = [error.latest for error in errors]
    outside = [error.outside for error in errors if error.outside]
    figures = [statistics.median(latest), *(quantile(latest, share) for share in (0.99, 0.999, 1))]
    return [
        name,
        len(errors),
        *(round(figure / 1000) for figure in figures),
        len(outside),
        max(outside, default=0) // 1000,
    ]


def _share(part: int, whole: int, places: int = 1) -> str:
    return f"{part} ({part / whole:.{places}%})" if whole else "0"


def measure(pairs: int, asked_pairs: int) -> tuple[list[Finding], list[Debounced], dict[str, list[StampError]], Rush]:
    """Run all trials in a guest."""
    image = provision()
    hurry = rush(image)
    records = record_all(everything(pairs, asked_pairs), image)
    findings: list[Finding] = []
    errors: dict[str, list[StampError]] = {}
    with shared_directory() as work:
        for record in (record for record in records if record.trial.bounce_s is None):
            finding, errors[record.trial.name] = examine(record, STATED_ERROR_NS, work)
            findings.append(finding)
    debounced = [examine_debounced(record) for record in records if record.trial.bounce_s is not None]
    return findings, debounced, errors, hurry


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure who was first, on a real kernel.")
    parser.add_argument("--pairs", type=int, default=PAIRS, help=f"of each kind ({PAIRS})")
    parser.add_argument(
        "--asked-pairs",
        type=int,
        default=ASKED_PAIRS,
        help=f"of each kind where a game asks something else than who was first ({ASKED_PAIRS})",
    )
    arguments = parser.parse_args()
    try:
        findings, debounced, errors, hurry = measure(arguments.pairs, arguments.asked_pairs)
    except RigError as error:
        return give_up(error)
    report(findings, debounced, errors, hurry)
    broken, untold = broken_promises(findings, hurry), left_untold(findings, hurry)
    for sentence in broken:
        print(f"NOT KEPT: {sentence}")
    for sentence in untold:
        print(f"NOT SHOWN: {sentence}")
    return 1 if broken else BUSY_STATUS if untold else 0


if __name__ == "__main__":
    sys.exit(main())
