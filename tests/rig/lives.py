"""After an evening in the rig, life by life of the daemon: did the outputs show what the journal says?

While the daemon is dead nothing is asked of the outputs but silence. From its being back on, everything is: an output
that did not come back with the rest is found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from referee.core.engine import Engine, JournalRow
from referee.core.events import Opened, Resumed, Sealed
from referee.core.games.registry import game_of
from referee.core.match import advance
from referee.core.state import Over, Setup, State, new_state
from referee.core.units import MS, S
from referee.drivers.sounds import MOTIFS
from tests.rig import verify
from tests.rig.verify import LAMP, PICTURE, TONE, Story, Timeline, follows

SILENT_NS = 2 * S
"""So long a tone may outlive the daemon."""
UNWRITTEN_NS = 500 * MS
"""The stop tone and its lamps do not wait for the journal: who dies so soon after them has told of a call that no row
knows."""
TRILL = {hz for hz, _ in MOTIFS["call"].notes}


def story(rows: Sequence[JournalRow]) -> tuple[object, ...]:
    """What an evening leaves behind, as Play.story tells it: phase, sealed counts, totals, winners."""
    state = Engine.derived(rows).state
    sealed = [event.counts for _, event in rows if isinstance(event, Sealed)]
    table, phase = state.table, state.phase
    totals = tuple(str(place.total) for place in game_of(table).standings(table)) if table.teams else ()
    return phase.name, sealed, totals, phase.winners if isinstance(phase, Over) else ()


def lives_of(rows: Sequence[JournalRow]) -> list[Story]:
    """What the journal says, cut where the daemon came back."""
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


def differences(rows: Sequence[JournalRow], boots: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> Iterator[str]:
    """A sentence for everything that an output did not show as the journal has it.

    boots: what was left of each boot of the machine, and what was seen in it.
    """
    due = [(ends_ns, seen) for evening, seen in boots for ends_ns in (*_deaths(evening), evening["ends_ns"])]
    lives = lives_of(rows)
    if len(lives) != len(due):
        yield f"the daemon has come back {len(lives) - 1} times, and was killed {len(due) - 1} times"
        return
    for number, (life, (ends_ns, seen)) in enumerate(zip(lives, due, strict=True), 1):
        known = seen if number == len(lives) else _without_unwritten_call(life, ends_ns, seen)
        yield from _differences_of(life, ends_ns, known)
    for evening, seen in boots:
        yield from _sounding_on(evening, seen)


def _without_unwritten_call(life: Story, died_ns: int, seen: dict[str, Any]) -> dict[str, Any]:
    """What was seen, less a call in the last instants: from the lamp on with which all come on, and from its trill."""
    since_ns, seats = died_ns - UNWRITTEN_NS, len(life.states[0].table.setup.stations)
    lamps = [(at_ns, lit) for at_ns, lit in seen["lamps"] if since_ns < at_ns <= died_ns]
    trill = [at_ns for at_ns, hz in seen["tones"] if since_ns < at_ns <= died_ns and hz in TRILL]
    lamps_ns = lamps[0][0] if lamps and len(lamps[-1][1]) == seats else died_ns + 1
    return {
        **seen,
        "lamps": [lamp for lamp in seen["lamps"] if not lamps_ns <= lamp[0] <= died_ns],
        "tones": [tone for tone in seen["tones"] if not min(trill, default=died_ns + 1) <= tone[0] <= died_ns],
    }


def _sounding_on(evening: dict[str, Any], seen: dict[str, Any]) -> Iterator[str]:
    """A tone outlives whoever has begun it: somebody must end it when the daemon has died in one."""
    for phase, died_ns, back_ns in evening["deaths"]:
        silent_ns = died_ns + SILENT_NS + 4 * seen["stall_ns"]
        hz = [hz for at_ns, hz in seen["tones"] if at_ns <= silent_ns][-1]
        if hz and silent_ns < back_ns:
            yield f"the piezo sounded on with {hz} Hz when the daemon had died in {phase}, at {died_ns / S:.3f} s"


def _deaths(evening: dict[str, Any]) -> list[int]:
    return [died_ns for _, died_ns, _ in evening["deaths"]]


def _differences_of(life: Story, ends_ns: int, seen: dict[str, Any]) -> Iterator[str]:
    begins_ns, stall_ns = life.states[0].now_ns, seen["stall_ns"]
    during = {what: _within(seen[what], begins_ns, ends_ns) for what in ("frames", "lamps", "tones")}
    first = verify.pictures_of(life, ends_ns)[0][1].hex()
    if during["frames"] and during["frames"][0][1] != first:
        during["frames"].pop(0)  # the panel keeps what the life before has left, until this one draws
    yield from verify.display(life, during, ends_ns, PICTURE.and_stalls(stall_ns))
    yield from verify.lamps(life, during, ends_ns, LAMP.and_stalls(stall_ns))
    sounds = [(at_ns, hz) for at_ns, hz in verify.tones_of(life) if at_ns < ends_ns]
    yield from follows("the piezo", sounds, during["tones"], TONE.and_stalls(stall_ns), ends_ns)


def _within(seen: Timeline[Any], begins_ns: int, ends_ns: int) -> Timeline[Any]:
    """What was seen of a life, beginning with what stood when it began."""
    before = [value for at_ns, value in seen if at_ns <= begins_ns]
    return [
        *((begins_ns, value) for value in before[-1:]),
        *((at_ns, value) for at_ns, value in seen if begins_ns < at_ns <= ends_ns),
    ]
