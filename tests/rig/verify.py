"""Check after a match in the rig that everything shown was right.

The journal is folded again and gives the display, the lit lamps and the sounds at every instant. The observations must
match in that order; an emulated machine may be late and may skip short states. The decisions are compared with a list
written here by hand, and the press times with the brackets of the toggler's writes.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.core.match.advance import advance
from referee.core.match.viewer import view
from referee.core.model.events import Began, Cue, Decision, Joined, Opened, Ruled, Sealed
from referee.core.model.state import State
from referee.core.model.table import Setup
from referee.core.model.view import View
from referee.core.phases.lobby import new_state
from referee.core.presses.signals import PRESS_NS, Edge, presses_of
from referee.core.units import MS, S
from referee.drivers.sound.buzzer import MotifPlayer
from referee.drivers.sound.motifs import MOTIFS
from referee.storage.evenings.folder import evenings_in, find_latest
from tests.rig.chip import Write
from tests.rig.follow import LAMP, PICTURE, TONE, Patience, Timeline, changes, follows, half_drawn
from tests.rig.stalls import Stalls, Wrong
from tests.rig.table import drawn
from tests.rig.vm import PROJECT, read_json

EXPOSURE_MAX = 2.0  # systemd's own measure, 0 to 10


# Decisions: (kind, the relevant fields).
DECISIONS: list[tuple[str, Any]] = [
    *(("Joined", seat) for seat in ((1, "Anna"), (2, "Ben"), (3, "Max"), (4, "Lea"))),
    ("Began", None),
    ("Ruled", ("tie", False, ("1", "2"), "1")),
    ("Sealed", {"1": (0, 3, 0), "2": (0, 2, 4), "3": (4, 2, 1), "4": (7, 1, 2)}),
    ("Ruled", ("tie", True, ("3", "4"), "3")),
    ("Sealed", {"1": (3, 3, 2), "2": (6, 2, 0), "3": (0, 2, 6), "4": (0, 1, 8)}),
]


@dataclass(frozen=True)
class Story:
    """The journal's content: states in order, decisions, and ordered sounds."""

    states: tuple[State, ...]
    decisions: tuple[Decision, ...]
    cues: tuple[tuple[int, Cue], ...]  # when it was ordered
    edges: tuple[Edge, ...]


def differences(share: Path) -> list[Wrong]:
    """Return all failures."""
    story = read_story(share)
    seen = read_json(share / "seen.json")
    stalls = Stalls(seen["stalls"])
    ends_ns = max(at_ns for at_ns, _ in seen["lamps"])
    said = [*replay(share, hands=2, verdicts=2), *_decisions(story), *_stamps(story, seen), *_spikes(story, seen)]
    return [
        *map(Wrong, said),
        *display(story, seen, ends_ns, stalls),
        *lamps(story, seen, ends_ns, stalls),
        *follows("the piezo", tones_of(story), _tones(seen), TONE, ends_ns, stalls),
        *map(Wrong, _service(share)),
    ]


# -- what had to be shown ----------------------------------------------------------------------------------------------


def read_story(share: Path) -> Story:
    """Fold the evening's only match."""
    rows = find_latest(evenings_in(share)).tape.rows
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
    """Yield every view, one for each change, by events or by time alone."""
    nexts = [state.now_ns for state in story.states[1:]] + [ends_ns]
    for state, until_ns in zip(story.states, nexts, strict=True):
        shown = view(state, state.now_ns)
        yield shown
        while shown.changes_at_ns is not None and shown.changes_at_ns < until_ns:
            shown = view(state, shown.changes_at_ns)
            yield shown


def pictures_of(story: Story, ends_ns: int) -> Timeline[bytes]:
    return changes((v.now_ns, drawn(v.screen, v.invert, v.toast)) for v in views_of(story, ends_ns))


def lamp_could_be(story: Story, seat: int, stalls: Stalls, patience: Patience) -> Callable[[int, bool], bool]:
    """Return whether late outputs explain a lamp: until a new state is durable they follow the old pattern."""
    starts = [state.now_ns for state in story.states]

    def could_be(at_ns: int, lit: bool) -> bool:
        late_ns = patience.at(at_ns, stalls).late_ns
        first = max(bisect_right(starts, at_ns - late_ns) - 1, 0)
        states = story.states[first : bisect_right(starts, at_ns)]
        return any(_shows(state, seat, at_ns, lit, late_ns) for state in states)

    return could_be


def _shows(state: State, seat: int, at_ns: int, lit: bool, late_ns: int) -> bool:
    """Return whether this state's pattern has the lamp so at the instant, or had within the lateness before."""
    shown = view(state, max(state.now_ns, at_ns - late_ns))
    while shown.lamps[seat - 1].lit != lit:
        if shown.changes_at_ns is None or shown.changes_at_ns > at_ns:
            return False
        shown = view(state, shown.changes_at_ns)
    return True


def lamp_of(story: Story, seat: int, ends_ns: int) -> Timeline[bool]:
    return changes((v.now_ns, v.lamps[seat - 1].lit) for v in views_of(story, ends_ns))


def tones_of(story: Story) -> Timeline[int]:
    """Return the piezo's frequencies by the motifs and their precedence; 0 is silence."""
    player = MotifPlayer()
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


# -- what was shown ----------------------------------------------------------------------------------------------------


def _tones(seen: dict[str, Any]) -> Timeline[int]:
    return [(at_ns, hz) for at_ns, hz in seen["tones"]]


def lamps(
    story: Story, seen: dict[str, Any], ends_ns: int, stalls: Stalls, patience: Patience = LAMP
) -> Iterator[Wrong]:
    """Check lamp by lamp: they are switched one after the other."""
    for seat in range(1, len(story.states[0].table.setup.stations) + 1):
        lit = changes((at_ns, seat in seats) for at_ns, seats in seen["lamps"])
        what, late = f"the lamp of seat {seat}", lamp_could_be(story, seat, stalls, patience)
        yield from follows(what, lamp_of(story, seat, ends_ns), lit, patience, ends_ns, stalls, could_be=late)


def display(story: Story, seen: dict[str, Any], ends_ns: int, stalls: Stalls) -> Iterator[Wrong]:
    frames = [(at_ns, bytes.fromhex(packed)) for at_ns, packed in seen["frames"]]
    shown = [(at_ns, frame) for at_ns, frame in frames if any(frame)]  # blank before its first picture
    due = pictures_of(story, ends_ns)
    half = half_drawn(due, lambda at_ns: PICTURE.at(at_ns, stalls).late_ns)
    yield from follows("the display", due, shown, PICTURE, ends_ns, stalls, lambda f: f"\n{_ascii(f)}\n", half)


def _ascii(packed: bytes) -> str:
    rows = (packed[at : at + 16] for at in range(0, len(packed), 16))
    return "\n".join(f"{int.from_bytes(row, 'big'):0128b}".replace("0", ".").replace("1", "#") for row in rows)


def replay(share: Path, *, hands: int, verdicts: int) -> Iterator[str]:
    """Yield the faults that `referee replay` finds in the evening, also in one without a counted hand."""
    [evening] = evenings_in(share).iterdir()
    words = ["-m", "referee", "replay", str(evening), "--json"]
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
    """Compare each press of a verdict with the write that began it."""
    writes = [(str(seat), Write(*write)) for seat, write in seen["presses"]]
    for verdict in (decision.verdict for decision in story.decisions if isinstance(decision, Ruled)):
        for called in verdict.presses:
            mine = [write for seat, write in writes if seat == called.station]
            if not any(w.before_ns <= called.t_ns <= w.after_ns + called.err_ns for w in mine):
                yield f"the press of seat {called.station} at {called.t_ns} ns belongs to no write of the toggler"


def _spikes(story: Story, seen: dict[str, Any]) -> Iterator[str]:
    """Check that no spike was a press, except where a stall of the emulator had made it long enough."""
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
    """Return how much was compared."""
    story = read_story(share)
    seen = read_json(share / "seen.json")
    return [
        f"the longest stall of the emulator: {Stalls(seen['stalls']).longest_ns() / MS:.0f} ms, allowed for",
        f"journal: {len(story.states)} rows, {len(story.decisions)} decisions, replayed alike",
        f"display: {len(seen['frames'])} pictures decoded; lamps: {len(seen['lamps'])} changes; "
        f"piezo: {len(seen['tones'])} changes",
        f"spikes: {len(_short_spikes(seen))} of {len(seen['spikes'])} shorter than a press, none was taken for one",
    ]
