"""After a match in the rig: is what was shown what must be, all of it?

The journal is folded once more, and says what had to stand on the display, which lamps had to be lit and what had to
sound, at every instant. What was seen must be that, in that order; an emulated machine may be late and may skip what
stands only briefly. The decisions themselves are compared with what the script's people did, written down here by
hand, and the press times with the brackets of the toggler's writes.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from referee.core.events import Began, Cue, Decision, Joined, Opened, Ruled, Sealed
from referee.core.match import advance
from referee.core.signals import PRESS_NS, Edge, presses_of
from referee.core.state import Setup, State, new_state
from referee.core.units import MS, S
from referee.core.view import View
from referee.core.viewer import view
from referee.drivers.buzzer import Player
from referee.drivers.journal_read import read_match
from referee.drivers.sounds import MOTIFS
from tests.rig.chip import Write
from tests.rig.table import drawn
from tests.rig.vm import PROJECT, read_json

EXPOSURE_MAX = 2.0  # systemd's own measure, 0 to 10


@dataclass(frozen=True)
class Patience:
    """What is conceded to an emulated machine on a busy host; the product's own figures are in the benchmarks.

    What is seen may be late by `late_ns`. What has to stand for `least_ns` must have been seen. What fits nothing but
    stands less than `torn_ns` is half of a change: a picture goes over the bus in pieces, a tone is set in three files,
    and a lamp follows the old state's pattern until the new state is durable.
    """

    late_ns: int
    least_ns: int
    torn_ns: int

    def and_stalls(self, stall_ns: int) -> Patience:
        """With what the emulator was seen to lose at a time. What the daemon does may take several such turns."""
        turns_ns = 4 * stall_ns
        return Patience(self.late_ns + turns_ns, self.least_ns + turns_ns, self.torn_ns + stall_ns)


PICTURE = Patience(2_500 * MS, 3_500 * MS, 300 * MS)
LAMP = Patience(600 * MS, 400 * MS, 60 * MS)
TONE = Patience(600 * MS, 250 * MS, 60 * MS)

# What was decided: (kind, what of it matters).
DECISIONS: list[tuple[str, Any]] = [
    *(("Joined", seat) for seat in ((1, "Anna"), (2, "Ben"), (3, "Max"), (4, "Lea"))),
    ("Began", None),
    ("Ruled", ("tie", False, ("1", "2"), "1")),
    ("Sealed", {"1": (0, 3, 0), "2": (0, 2, 4), "3": (4, 2, 1), "4": (7, 1, 2)}),
    ("Ruled", ("tie", True, ("3", "4"), "3")),
    ("Sealed", {"1": (3, 3, 2), "2": (6, 2, 0), "3": (0, 2, 6), "4": (0, 1, 8)}),
]

T = TypeVar("T")
Timeline = list[tuple[int, T]]


@dataclass(frozen=True)
class Story:
    """What the journal says: the states one after the other, the decisions, and the sounds that were ordered."""

    states: tuple[State, ...]
    decisions: tuple[Decision, ...]
    cues: tuple[tuple[int, Cue], ...]  # when it was ordered
    edges: tuple[Edge, ...]


def differences(share: Path) -> list[str]:
    """A sentence for everything that was not as it must be."""
    story = read_story(share / "journal.db")
    seen = read_json(share / "seen.json")
    stall_ns = seen["stall_ns"]
    ends_ns = max(at_ns for at_ns, _ in seen["lamps"])
    return [
        *replay(share, hands=2, verdicts=2),
        *_decisions(story),
        *_stamps(story, seen),
        *_spikes(story, seen),
        *display(story, seen, ends_ns, PICTURE.and_stalls(stall_ns)),
        *lamps(story, seen, ends_ns, LAMP.and_stalls(stall_ns)),
        *follows("the piezo", tones_of(story), _tones(seen), TONE.and_stalls(stall_ns), ends_ns),
        *_service(share),
    ]


# -- what had to be ----------------------------------------------------------------------------------------------------


def read_story(journal: Path) -> Story:
    """Fold the journal's only match."""
    rows = read_match(journal, 1).rows
    opened = rows[0][1]
    assert isinstance(opened, Opened)
    state = new_state(Setup.from_document(opened.setup), opened.at_ns, opened.boot, opened.closed, rows[0][0] - 1)
    states, decisions, cues, edges = [], [], [], []
    for _, event in rows:
        step = advance(state, event)
        state = step.state
        states.append(state)
        cues += [(state.now_ns, cue) for cue in step.cues]
        if isinstance(event, Decision):
            decisions.append(event)
        elif isinstance(event, Edge):
            edges.append(event)
    return Story(tuple(states), tuple(decisions), tuple(cues), tuple(edges))


def views_of(story: Story, ends_ns: int) -> Iterator[View]:
    """Every view there was, one for each change, by events or by time alone."""
    nexts = [state.now_ns for state in story.states[1:]] + [ends_ns]
    for state, until_ns in zip(story.states, nexts, strict=True):
        shown = view(state, state.now_ns)
        yield shown
        while shown.changes_at_ns is not None and shown.changes_at_ns < until_ns:
            shown = view(state, shown.changes_at_ns)
            yield shown


def pictures_of(story: Story, ends_ns: int) -> Timeline[bytes]:
    return changes((v.now_ns, drawn(v.screen, v.invert, v.toast)) for v in views_of(story, ends_ns))


def lamp_could_be(story: Story, seat: int) -> Callable[[int, bool], bool]:
    """Whether a lamp may be so at an instant because the outputs are late: until a new state is durable they follow
    the pattern of the one before."""
    starts = [state.now_ns for state in story.states]

    def could_be(at_ns: int, lit: bool) -> bool:
        first = max(bisect_right(starts, at_ns - LAMP.late_ns) - 1, 0)
        return any(_shows(state, seat, at_ns, lit) for state in story.states[first : bisect_right(starts, at_ns)])

    return could_be


def _shows(state: State, seat: int, at_ns: int, lit: bool) -> bool:
    """Whether this state's pattern has the lamp so at the instant, or had it within the lateness before."""
    shown = view(state, max(state.now_ns, at_ns - LAMP.late_ns))
    while shown.lamps[seat - 1].lit != lit:
        if shown.changes_at_ns is None or shown.changes_at_ns > at_ns:
            return False
        shown = view(state, shown.changes_at_ns)
    return True


def lamp_of(story: Story, seat: int, ends_ns: int) -> Timeline[bool]:
    return changes((v.now_ns, v.lamps[seat - 1].lit) for v in views_of(story, ends_ns))


def tones_of(story: Story) -> Timeline[int]:
    """The piezo's frequencies by the motifs and their order of precedence; 0 is silence."""
    player = Player()
    tones: Timeline[int] = [(0, 0)]
    ordered = [*story.cues, (story.states[-1].now_ns + 60 * S, None)]
    wake_ns: int | None = None
    for at_ns, cue in ordered:
        while wake_ns is not None and wake_ns <= at_ns:
            now_ns = wake_ns
            hz, wake_ns = player.at(now_ns)
            tones.append((now_ns, hz))
        if cue is not None:
            if cue.cancels:
                player.hush()
            if cue.name in MOTIFS:
                player.schedule(MOTIFS[cue.name], max(cue.at_ns, at_ns))
            hz, wake_ns = player.at(at_ns)
            tones.append((at_ns, hz))
    return changes(tones)


def changes(values: Any) -> Timeline[Any]:
    """Only what differs from the one before; of several at one instant the last."""
    kept: Timeline[Any] = []
    for at_ns, value in values:
        if kept and kept[-1][0] == at_ns:
            kept.pop()
        if not kept or kept[-1][1] != value:
            kept.append((at_ns, value))
    return kept


# -- what was --------------------------------------------------------------------------------------------------------


def follows(
    what: str,
    due: Timeline[T],
    seen: Timeline[T],
    patience: Patience,
    watched_ns: int,
    tell: Callable[[T], str] = str,
    could_be: Callable[[int, T], bool] = lambda at_ns, value: False,
) -> Iterator[str]:
    """Whether `seen`, watched until `watched_ns`, is `due` in its order: nothing else, nothing early, nothing too late,
    and everything that stood long enough. `could_be` excuses what fits nowhere."""
    if not seen:
        yield f"{what} showed nothing"
        return
    ends_ns = [at_ns for at_ns, _ in due[1:]] + [2**63]
    seen_ends_ns = [at_ns for at_ns, _ in seen[1:]] + [2**63]
    at = 0
    for (seen_ns, value), seen_end_ns in zip(seen, seen_ends_ns, strict=True):
        fits = (
            place
            for place in reversed(range(at, len(due)))
            if due[place][1] == value and due[place][0] <= seen_ns <= ends_ns[place] + patience.late_ns
        )
        place = next(fits, None)  # the latest that it can be: it is seldom late
        if place is not None:
            at = place
        elif seen_end_ns - seen_ns >= patience.torn_ns and not could_be(seen_ns, value):
            yield f"{what} at {seen_ns / S:.3f} s: {tell(value)}, when it had to be {_due_at(due, seen_ns, tell)}"
    watched = range(seen[0][0], watched_ns - patience.late_ns)
    stood = list(zip(seen, seen_ends_ns, strict=True))
    for (at_ns, value), end_ns in zip(due, ends_ns, strict=True):
        # it may have stood since before: what was due in between may have been too short to be shown
        if end_ns - at_ns >= patience.least_ns and at_ns in watched:
            last_ns = end_ns + patience.late_ns
            if not any(it == value and began_ns <= last_ns and until_ns > at_ns for (began_ns, it), until_ns in stood):
                yield f"{what} never showed {tell(value)}, due at {at_ns / S:.3f} s"


def _due_at(due: Timeline[T], at_ns: int, tell: Callable[[T], str]) -> str:
    return next((tell(value) for due_ns, value in reversed(due) if due_ns <= at_ns), "nothing")


def _tones(seen: dict[str, Any]) -> Timeline[int]:
    return [(at_ns, hz) for at_ns, hz in seen["tones"]]


def lamps(story: Story, seen: dict[str, Any], ends_ns: int, patience: Patience) -> Iterator[str]:
    """Lamp by lamp: they are switched one after the other."""
    for seat in range(1, len(story.states[0].table.setup.stations) + 1):
        lit = changes((at_ns, seat in seats) for at_ns, seats in seen["lamps"])
        late = lamp_could_be(story, seat)
        yield from follows(
            f"the lamp of seat {seat}", lamp_of(story, seat, ends_ns), lit, patience, ends_ns, could_be=late
        )


def display(story: Story, seen: dict[str, Any], ends_ns: int, patience: Patience) -> Iterator[str]:
    frames = [(at_ns, bytes.fromhex(packed)) for at_ns, packed in seen["frames"]]
    shown = [(at_ns, frame) for at_ns, frame in frames if any(frame)]  # blank: before its first picture
    due = pictures_of(story, ends_ns)
    half = half_drawn(due, patience.late_ns)
    yield from follows("the display", due, shown, patience, ends_ns, lambda f: f"\n{_ascii(f)}\n", half)


def half_drawn(due: Timeline[bytes], late_ns: int) -> Callable[[int, bytes], bool]:
    """Whether a picture could be one on its way to the next: where the two agree it is like both. A busy emulated
    machine takes its time over the bus; that the next one comes is seen to elsewhere."""

    def could_be(at_ns: int, frame: bytes) -> bool:
        steps = ((old, new) for (_, old), (new_ns, new) in pairwise(due) if at_ns - late_ns <= new_ns <= at_ns)
        drawn_so_far = int.from_bytes(frame, "big")
        for pair in steps:
            old, new = (int.from_bytes(packed, "big") for packed in pair)
            if not (drawn_so_far ^ old) & ~(old ^ new):
                return True
        return False

    return could_be


def _ascii(packed: bytes) -> str:
    rows = (packed[at : at + 16] for at in range(0, len(packed), 16))
    return "\n".join(f"{int.from_bytes(row, 'big'):0128b}".replace("0", ".").replace("1", "#") for row in rows)


def replay(share: Path, *, hands: int, verdicts: int) -> Iterator[str]:
    """What `referee replay` finds wrong with the journal."""
    words = ["-m", "referee", "replay", "1", "--state", str(share), "--json"]
    done = subprocess.run([sys.executable, *words], cwd=PROJECT, capture_output=True, text=True, check=False)
    if done.returncode:
        yield f"referee replay ended with status {done.returncode}: {done.stdout}{done.stderr}"
        return
    report = json.loads(done.stdout)
    if (report["hands"], report["verdicts"], report["gaps"]) != (hands, verdicts, []):
        yield f"referee replay tells of another match: {report}"


def _decisions(story: Story) -> Iterator[str]:
    made = [_told(decision) for decision in story.decisions]
    if made != DECISIONS:
        yield f"the decisions were {made}, not {DECISIONS}"


def _told(decision: Decision) -> tuple[str, Any]:
    kind = type(decision).__name__
    match decision:
        case Joined():
            return kind, (int(decision.station), decision.name)
        case Ruled(verdict=verdict):
            return kind, (verdict.kind, verdict.grey, verdict.callers, verdict.first)
        case Sealed():
            return kind, dict(decision.counts)
        case Began():
            return kind, None
    return kind, decision


def _stamps(story: Story, seen: dict[str, Any]) -> Iterator[str]:
    """Each press of a verdict, against the write that began it."""
    writes = [(str(seat), Write(*write)) for seat, write in seen["presses"]]
    for verdict in (decision.verdict for decision in story.decisions if isinstance(decision, Ruled)):
        for called in verdict.presses:
            mine = [write for seat, write in writes if seat == called.station]
            if not any(w.before_ns <= called.t_ns <= w.after_ns + called.err_ns for w in mine):
                yield f"the press of seat {called.station} at {called.t_ns} ns belongs to no write of the toggler"


def _spikes(story: Story, seen: dict[str, Any]) -> Iterator[str]:
    """None was a press, except where a stall of the emulator had made it as long as one."""
    presses = presses_of(story.edges)
    for seat, from_ns, until_ns in _short_spikes(seen):
        if any(press.station == str(seat) and from_ns <= press.t_ns <= until_ns for press in presses):
            yield f"a spike of {(until_ns - from_ns) / MS:.2f} ms on seat {seat} was taken for a press"


def _short_spikes(seen: dict[str, Any]) -> list[tuple[int, int, int]]:
    return [(seat, from_ns, until_ns) for seat, from_ns, until_ns in seen["spikes"] if until_ns - from_ns < PRESS_NS]


def _service(share: Path) -> Iterator[str]:
    properties = dict(row.split("=", 1) for row in (share / "unit.properties").read_text().splitlines() if "=" in row)
    wanted = {"ActiveState": "active", "NRestarts": "0", "User": "referee", "Type": "notify", "WatchdogUSec": "10s"}
    for name, value in wanted.items():
        if properties.get(name) != value:
            yield f"systemd says {name}={properties.get(name)}, not {value}"
    exposure = re.search(r"exposure level for .*: ([0-9.]+)", (share / "security.txt").read_text())
    if exposure is None or float(exposure[1]) > EXPOSURE_MAX:
        yield f"the unit is too open: {exposure and exposure[1]}, not {EXPOSURE_MAX} at most"
    said = [row for row in (share / "journal.log").read_text().splitlines() if " systemd[1]: " not in row]
    if said:
        yield "the daemon complained:\n" + "\n".join(said)


def summary(share: Path) -> Sequence[str]:
    """What was compared, in figures."""
    story = read_story(share / "journal.db")
    seen = read_json(share / "seen.json")
    return [
        f"the longest stall of the emulator: {seen['stall_ns'] / MS:.0f} ms, allowed for",
        f"journal: {len(story.states)} rows, {len(story.decisions)} decisions, replayed alike",
        f"display: {len(seen['frames'])} pictures decoded; lamps: {len(seen['lamps'])} changes; "
        f"piezo: {len(seen['tones'])} changes",
        f"spikes: {len(_short_spikes(seen))} of {len(seen['spikes'])} shorter than a press, none was taken for one",
    ]
