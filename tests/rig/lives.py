"""Compare the outputs of an evening in the rig with its journal, for each life of the daemon.

While the daemon is dead the outputs need only be silent. All are checked from its return on, so an output that did not
recover is found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from referee.core.match.advance import advance
from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Opened, Resumed, Sealed
from referee.core.model.registry import game_of
from referee.core.model.state import State
from referee.core.model.table import Setup
from referee.core.phases.lobby import new_state
from referee.core.phases.over import Over
from referee.core.units import MS, S
from referee.drivers.sound.motifs import MOTIFS
from tests.rig import verify
from tests.rig.follow import FOR_EVER_NS, LAMP, START_LATE_NS, TONE, Timeline, follows
from tests.rig.stalls import Stalls, Wrong
from tests.rig.verify import Story

SILENT_NS = 2 * S
"""Maximum time that a tone may outlive the daemon."""
UNWRITTEN_NS = 500 * MS
"""Time after a press in which a death may lose a shown call.

The stop tone and its lamps do not wait for the journal, and an emulated daemon takes 20 to 150 ms to write the row.
"""
FIRST_TUNE_NS = (MOTIFS["power_back"].duration_ms + 1) * MS
START_NS, SLOW_NS = 300 * MS, 3 * S
"""Lateness of the first tone on a quiet machine, and the time in which lamps may be later than usual."""
CALLS_IN = ("PLAYING", "STUCK", "SEARCH")
TRILL = {hz for hz, _ in MOTIFS["call"].notes}


def story(rows: Sequence[JournalRow]) -> tuple[object, ...]:
    """Return the result of an evening as Play.story does: phase, sealed counts, totals, winners."""
    state = Engine.derived(rows).state
    sealed = [event.counts for _, event in rows if isinstance(event, Sealed)]
    table, phase = state.table, state.phase
    totals = tuple(str(place.total) for place in game_of(table).standings(table)) if table.teams else ()
    return phase.name, sealed, totals, phase.winners if isinstance(phase, Over) else ()


def lives_of(rows: Sequence[JournalRow]) -> list[Story]:
    """Return the journal's content, cut where the daemon came back."""
    seq, opened = rows[0]
    assert isinstance(opened, Opened)
    state: State = new_state(Setup.from_document(opened.setup), opened.at_ns, opened.boot, opened.closed, seq - 1)
    found: list[Story] = []
    for _, event in rows:
        step = advance(state, event)
        state = step.state
        if isinstance(event, Opened | Resumed):
            found.append(Story((), (), (), ()))
        cues = tuple((state.now_ns, cue) for cue in step.cues)
        found[-1] = replace(found[-1], states=(*found[-1].states, state), cues=(*found[-1].cues, *cues))
    return found


def differences(rows: Sequence[JournalRow], boots: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> Iterator[Wrong]:
    """Yield each output that did not match the journal.

    boots: files left by each boot of the machine, and what was seen in it.
    """
    due = [(ends_ns, boot) for boot in boots for ends_ns in (*_deaths(boot[0]), boot[0]["ends_ns"])]
    lives = lives_of(rows)
    if len(lives) != len(due):
        yield Wrong(f"the daemon has come back {len(lives) - 1} times, and was killed {len(due) - 1} times")
        return
    for number, (life, (ends_ns, (evening, seen))) in enumerate(zip(lives, due, strict=True), 1):
        known = seen if number == len(lives) else without_unwritten_call(life, ends_ns, evening["presses"], seen)
        yield from _differences_of(life, ends_ns, known)
    for evening, seen in boots:
        yield from _sounding_on(evening, seen)


def without_unwritten_call(
    life: Story, died_ns: int, presses: Sequence[Sequence[int]], seen: dict[str, Any]
) -> dict[str, Any]:
    """Remove a call without a row in the last instants: its lamps, which all come on, and its trill.

    Only if a press came just before (`presses`: seat, time by the toggler), and it had to be a call.
    """
    calls = [at_ns for _, at_ns in presses if died_ns - UNWRITTEN_NS <= at_ns <= died_ns]
    if not calls or life.states[-1].phase.name not in CALLS_IN:
        return seen
    lamps = [(at_ns, lit) for at_ns, lit in seen["lamps"] if min(calls) < at_ns <= died_ns]
    trill = [at_ns for at_ns, hz in seen["tones"] if min(calls) < at_ns <= died_ns and hz in TRILL]
    lamps_ns = lamps[0][0] if lamps and _one_by_one(lamps) else FOR_EVER_NS
    return {
        **seen,
        "lamps": [lamp for lamp in seen["lamps"] if not lamps_ns <= lamp[0] <= died_ns],
        "tones": [tone for tone in seen["tones"] if not min(trill, default=FOR_EVER_NS) <= tone[0] <= died_ns],
    }


def _one_by_one(lamps: Sequence[tuple[int, Sequence[int]]]) -> bool:
    """Return whether lamps come on one after the other and none goes out.

    The last may be missing.
    """
    return all(set(before) < set(after) for (_, before), (_, after) in pairwise(lamps)) and bool(lamps[0][1])


def _sounding_on(evening: dict[str, Any], seen: dict[str, Any]) -> Iterator[Wrong]:
    """Yield tones that sounded on too long after a death of the daemon."""
    stalls = Stalls(seen["stalls"])
    for phase, died_ns, back_ns in evening["deaths"]:
        silent_ns = died_ns + SILENT_NS + 4 * stalls.longest_ns(died_ns, died_ns + SILENT_NS)
        hz = [hz for at_ns, hz in seen["tones"] if at_ns <= silent_ns][-1]
        if hz and silent_ns < back_ns:
            sentence = f"the piezo sounded on with {hz} Hz when the daemon had died in {phase}, at {died_ns / S:.3f} s"
            yield stalls.wrong(sentence, died_ns, silent_ns)


def _deaths(evening: dict[str, Any]) -> list[int]:
    return [died_ns for _, died_ns, _ in evening["deaths"]]


def _differences_of(life: Story, ends_ns: int, seen: dict[str, Any]) -> Iterator[Wrong]:
    begins_ns, stalls = life.states[0].now_ns, Stalls(seen["stalls"])
    during = {what: _within(seen[what], begins_ns, ends_ns) for what in ("frames", "lamps", "tones")}
    first = verify.pictures_of(life, ends_ns)[0][1].hex()
    if during["frames"] and during["frames"][0][1] != first:
        during["frames"].pop(0)  # the panel keeps the last life's picture until this one draws
    yield from verify.display(life, during, ends_ns, stalls)
    patience = replace(LAMP, slow_until_ns=begins_ns + SLOW_NS)
    yield from verify.lamps(life, during, ends_ns, stalls, patience)
    due = late_start(verify.tones_of(life), during["tones"], begins_ns)
    sounds = [(at_ns, hz) for at_ns, hz in due if at_ns < ends_ns]
    yield from follows("the piezo", sounds, during["tones"], TONE, ends_ns, stalls)


def late_start(due: Timeline[int], seen: Timeline[int], begins_ns: int) -> Timeline[int]:
    """Delay what is due at a life's start if its first tone was late: a late tune is played whole."""
    first, heard = (
        next((at_ns for at_ns, hz in tones if hz and at_ns >= begins_ns), begins_ns) for tones in (due, seen)
    )
    late_ns = min(max(heard - first - START_NS, 0), START_LATE_NS)
    return [(at_ns + late_ns if begins_ns <= at_ns < begins_ns + FIRST_TUNE_NS else at_ns, hz) for at_ns, hz in due]


def _within(seen: Timeline[Any], begins_ns: int, ends_ns: int) -> Timeline[Any]:
    """Return what was seen of a life, beginning with the state at its start."""
    before = [value for at_ns, value in seen if at_ns <= begins_ns]
    return [
        *((begins_ns, value) for value in before[-1:]),
        *((at_ns, value) for at_ns, value in seen if begins_ns < at_ns <= ends_ns),
    ]
