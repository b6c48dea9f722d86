"""Judge a recorded experiment: the true order, the stamps, and the result of each method.

The truth is the toggler's: a press happened between `before_ns` and `after_ns` of its first write. Verdicts come from
the product's own `referee arbitrate`, each pair in its own span.
"""

from __future__ import annotations

import json
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from referee.core.phases.armed import USUAL_TIE
from tests.rig.chip import CLOSED, Write
from tests.rig.contacts import Pair, Series
from tests.rig.vm import PROJECT, RigError

SPAN_NS = 1_000_000_000  # distance of pairs in a trace, beyond every lockout
LOCKOUT_MS = 100  # the smallest allowed value
WINDOW_NS = 10_000_000  # as in core/presses/signals.py: closed for 1 ms in total within this time
CLOSED_ENOUGH_NS = 2_000_000  # twice that, because the brackets are uncertain
BRACKET_LIMIT_NS = 1_000_000  # a wider bracket does not show when its edge was
GAP_SLACK_NS = 1_000_000  # pairs that came farther apart than this beyond the script are easier than intended,
GAP_SLACK_SHARE = (
    5  # or than this part of the gap: a long wait ends later; for Slap the second press is still in the call
)
WHOLE_PAIR_NS = 60_000_000  # plus its gap: twice as long as it should take; beyond, a lockout may have ended within it

Row = tuple[int, int, int, int]  # line, level, t_ns, the kernel's number of the line's event
Names = Mapping[int, str]


@dataclass(frozen=True)
class Played:
    """One pair as it was really played and received."""

    pair: Pair
    first: Write  # the first edge of the earlier press
    second: Write
    rows: tuple[Row, ...]
    pressed: tuple[tuple[int, int, int], ...]  # line, stamp, time of the call of when_pressed

    @property
    def gap_ns(self) -> int:
        """Return the minimum time between the two presses."""
        return self.second.before_ns - self.first.after_ns


def played_pairs(series: Series, recording: Mapping[str, Any]) -> list[Played]:
    """Cut a recording into its pairs, without those spoilt by a stall of the emulator."""
    writes = [Write(*write) for write in recording["writes"]]
    starts_ns = [writes[start].before_ns for start in series.starts]
    rows = _by_pair(recording["rows"], starts_ns, stamp=2)
    pressed = _by_pair(recording.get("pressed", []), starts_ns, stamp=1)
    ends = [*series.starts[1:], len(writes)]
    played = []
    for number, pair in enumerate(series.pairs):
        mine = writes[series.starts[number] : ends[number]]
        if _as_meant(mine, pair):
            first, second = (_first_edge(mine, line) for line in (pair.first, pair.second))
            played.append(Played(pair, first, second, tuple(rows[number]), tuple(pressed[number])))
    return played


def _by_pair(items: Iterable[Sequence[int]], starts_ns: Sequence[int], stamp: int) -> list[list[Any]]:
    groups: list[list[Any]] = [[] for _ in starts_ns]
    for item in sorted(items, key=lambda item: item[stamp]):
        number = bisect_right(starts_ns, item[stamp]) - 1
        if number >= 0:
            groups[number].append(tuple(item))
    return groups


def _first_edge(writes: Sequence[Write], line: int) -> Write:
    return next(write for write in writes if write.line == line)


def _as_meant(writes: Sequence[Write], pair: Pair) -> bool:
    """Return whether the pair was played as scripted.

    Only the toggler's record is used: the received events must not matter.
    """
    first, second = (_first_edge(writes, line) for line in (pair.first, pair.second))
    gap_ns = pair.gap_us * 1000
    return (
        all(_really_pressed(writes, line) for line in (pair.first, pair.second))
        and max(first.took_ns, second.took_ns) <= BRACKET_LIMIT_NS
        and second.before_ns - first.after_ns <= gap_ns + max(GAP_SLACK_NS, gap_ns // GAP_SLACK_SHARE)
        and writes[-1].after_ns - writes[0].before_ns <= WHOLE_PAIR_NS + gap_ns
    )


def _really_pressed(writes: Sequence[Write], line: int) -> bool:
    """Return whether the line's contact was certainly closed long and soon enough to be a press."""
    mine = [write for write in writes if write.line == line]
    end_ns = mine[0].before_ns + WINDOW_NS
    closed_ns = sum(
        max(0, min(following.before_ns, end_ns) - write.after_ns)
        for write, following in pairwise(mine)
        if write.level == CLOSED
    )
    return closed_ns >= CLOSED_ENOUGH_NS


@dataclass(frozen=True)
class Question:
    """A question to the arbiter about a pair: its band, the required names for the played pair, more options."""

    tie_ms: int
    named: Callable[[Pair], tuple[int, ...]]
    more: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """Return the options of `referee arbitrate`."""
        return ("--tie-ms", str(self.tie_ms), *self.more)


SLAP_TIE_MS = USUAL_TIE[0]


def _slapped(pair: Pair) -> tuple[int, ...]:
    """Return both seats within the band, the first one beyond it."""
    return (pair.first, pair.second) if pair.gap_us <= SLAP_TIE_MS * 1000 else (pair.first,)


QUESTIONS: Mapping[str, Question] = {
    "first": Question(0, lambda pair: (pair.first,)),
    "slap": Question(SLAP_TIE_MS, _slapped),
    "last": Question(0, lambda pair: (pair.second,), ("--limit-ms", "200")),
}
"""Questions: the caller, a slap with its game's band, the last to press."""


@dataclass(frozen=True)
class Verdict:
    """The arbiter's verdict on one pair; times are the stations' stamps."""

    clear: bool
    grey: bool
    callers: tuple[int, ...]
    first: int
    stamps: Mapping[int, int]


def verdicts(pairs: Sequence[Played], err_ns: int, work: Path, asked: str = "first") -> list[Verdict | None]:
    """Return the answers of `referee arbitrate`.

    None where a pair did not give exactly one call.
    """
    lines = sorted({line for played in pairs for line in (played.pair.first, played.pair.second)})
    names = {line: str(seat) for seat, line in enumerate(lines, 1)}
    return [_verdict(call, names) for call in _arbitrate(pairs, err_ns, names, work, asked)]


def swapping_holds(pairs: Sequence[Played], err_ns: int, work: Path, asked: str = "first") -> bool:
    """Return whether swapping the two names changes only the names in the answer."""
    lines = sorted({line for played in pairs for line in (played.pair.first, played.pair.second)})
    names = dict(zip(lines, ("1", "2"), strict=bool(pairs)))
    swapped = dict(zip(lines, ("2", "1"), strict=bool(pairs)))
    straight = [_verdict(call, names) for call in _arbitrate(pairs, err_ns, names, work, asked)]
    crossed = [_verdict(call, swapped) for call in _arbitrate(pairs, err_ns, swapped, work, asked)]
    return straight == crossed


def _arbitrate(
    pairs: Sequence[Played], err_ns: int, names: Names, work: Path, asked: str
) -> list[Mapping[str, Any] | None]:
    trace = work / "trace.jsonl"
    trace.write_text("".join(_trace(pairs, err_ns, names)))
    words = [*QUESTIONS[asked].words, "--latency-ms", "0", "--lockout-ms", str(LOCKOUT_MS), "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "referee", "arbitrate", str(trace), *words],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RigError(f"referee arbitrate ended with status {done.returncode}: {done.stderr.strip()}")
    calls: list[list[Mapping[str, Any]]] = [[] for _ in pairs]
    for call in json.loads(done.stdout)["calls"]:
        calls[call["presses"][0]["t_ns"] // SPAN_NS].append(call)
    return [found[0] if len(found) == 1 else None for found in calls]


def _trace(pairs: Sequence[Played], err_ns: int, names: Names) -> Iterable[str]:
    """Yield each pair's rows, each in its own second.

    The first write of a pair is at its middle.
    """
    for number, played in enumerate(pairs):
        shift_ns = number * SPAN_NS + SPAN_NS // 2 - played.first.before_ns
        for line, level, t_ns, _ in played.rows:
            row = {"station": names[line], "closed": level == CLOSED, "t_ns": t_ns + shift_ns, "err_ns": err_ns}
            yield json.dumps(row) + "\n"


def _verdict(call: Mapping[str, Any] | None, names: Names) -> Verdict | None:
    if call is None:
        return None
    line_of = {name: line for line, name in names.items()}
    return Verdict(
        clear=call["verdict"] == "clear",
        grey=call["grey"],
        callers=tuple(sorted(line_of[name] for name in call["callers"])),
        first=line_of[call["first"]],
        stamps={line_of[press["station"]]: press["t_ns"] for press in call["presses"]},
    )


@dataclass(frozen=True)
class StampError:
    """The position of a press's stamp relative to the bracket of its first edge, in ns.

    `latest` is the largest possible error (stamp − before), `outside` the smallest (distance from the bracket); the
    truth is between the two.
    """

    latest: int
    outside: int


def stamp_errors(pairs: Sequence[Played]) -> list[StampError]:
    """Return one for each press received: its first event against its first write."""
    errors = []
    for played in pairs:
        for write in (played.first, played.second):
            stamp = first_stamp(played.rows, write.line)
            if stamp is not None:
                latest = stamp - write.before_ns
                errors.append(StampError(latest, max(stamp - write.after_ns, -latest, 0)))
    return errors


def first_stamp(rows: Iterable[Row], line: int) -> int | None:
    """Return the stamp of a line's first event."""
    return next((row[2] for row in rows if row[0] == line), None)


def wrong_by(pairs: Sequence[Played], time_of: Callable[[Played, int], int | None]) -> int:
    """Count the pairs in which a method that gives each line a time orders them wrongly or misses one."""
    wrong = 0
    for played in pairs:
        first, second = (time_of(played, line) for line in (played.pair.first, played.pair.second))
        wrong += first is None or second is None or second <= first
    return wrong


def by_when_pressed(played: Played, line: int) -> int | None:
    """Return the time that a program reads in its `when_pressed`."""
    return next((called_ns for pressed, _, called_ns in played.pressed if pressed == line), None)


def by_library_stamp(played: Played, line: int) -> int | None:
    """Return the library's stamp of the first closing it reports."""
    return next((stamp for pressed, stamp, _ in played.pressed if pressed == line), None)
