"""What is said of an evening in the rig: nothing when every output was as due, a sentence when one was not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from functools import cache
from typing import Any

import pytest

from referee.core.match.engine import JournalRow
from referee.core.units import MS, S
from tests.rig import lives
from tests.rig.evening import Evening, RigPlay
from tests.rig.rehearsal import Rehearsal
from tests.rig.verify import tones_of
from tests.tapes.play import TapeFailedError
from tests.tapes.tape import cut, parse

TAPE = """table nna target=40 bonus=10 stations=2 agreement=false
names Anna Ben
+1 1,2 tap
+4 knob choose Start
+20 1,2 tap
+4 wait
+20 2 call
is verdict clear 2
+6 wait
+1 1 count 3 21
+1 2 count 0 24
+5 wait
is totals 15 34
"""


@cache
def evening() -> tuple[tuple[JournalRow, ...], dict[str, Any], dict[str, Any]]:
    """Rows, what the players left and what was seen of a hand in which the daemon died in READY and in play."""
    tape = cut(parse("a hand", TAPE))
    with Rehearsal(setup=tape.setup) as table:
        played = Evening(tape.setup, table, table)
        RigPlay(tape, played, {5: None, 7: None}).play()
        left: dict[str, Any] = {"deaths": [astuple(death) for death in played.deaths], "ends_ns": table.now_ns()}
        left["presses"] = played.presses
        ends = [death.died_ns for death in played.deaths] + [left["ends_ns"]]
        tones = [(0, 0)] + [
            tone
            for life, ends_ns in zip(lives.lives_of(played.rows), ends, strict=True)
            for tone in tones_of(life)
            if life.states[0].now_ns <= tone[0] <= ends_ns
        ]
        seen = {
            "frames": [(at_ns, frame.packed.hex()) for at_ns, frame in table.seen.frames],
            "lamps": table.wires.lamps,
            "tones": tones,
            "stalls": [],
        }
        return tuple(played.rows), left, seen


def told(pressed: Sequence[tuple[int, int]] = (), **changed: Sequence[Any]) -> list[str]:
    """What is said when something else was seen. pressed: what else the toggler did, seat and when."""
    rows, left, seen = evening()
    left = {**left, "presses": [*left["presses"], *pressed]}
    return [wrong.sentence for wrong in lives.differences(rows, [(left, {**seen, **changed})])]


def test_an_evening_as_it_must_be() -> None:
    """Not a word, though the daemon has died twice."""
    assert told() == []


def test_a_lamp_that_does_not_light_is_found() -> None:
    """Ben's stays dark all evening, or does not come back with the daemon."""
    _, left, seen = evening()
    dark = [(at_ns, tuple(seat for seat in lit if seat != 2)) for at_ns, lit in seen["lamps"]]
    assert any("the lamp of seat 2 never showed True" in sentence for sentence in told(lamps=dark))
    died_ns = left["deaths"][1][1]
    lost = [(at_ns, lit) for at_ns, lit in seen["lamps"] if at_ns < died_ns] + [(died_ns, ())]
    assert any("the lamp of seat 1 never showed True" in sentence for sentence in told(lamps=lost))


def test_a_call_that_was_told_and_not_written_is_no_fault() -> None:
    """Somebody pressed in play, stop tone and lamps came, and half a second later the daemon was dead. Lamps that
    nobody has pressed for are a fault, and so are others than all of them, and lamps before the press."""
    _, left, seen = evening()
    died_ns = left["deaths"][1][1]
    life = lives.lives_of(evening()[0])[1]

    def excused(press_ns: int | None, lit_ns: int, *lit: tuple[int, ...]) -> bool:
        lamps = [(lit_ns + n, seats) for n, seats in enumerate(lit)]
        tones = [(lit_ns, 800), (lit_ns + 80 * MS, 1200)]
        more = {"lamps": [*seen["lamps"][:9], *lamps], "tones": [*seen["tones"][:3], *tones]}
        known = lives.without_unwritten_call(life, died_ns, [(1, press_ns)] if press_ns else [], more)
        return known == {"lamps": seen["lamps"][:9], "tones": seen["tones"][:3]}

    lit_ns = died_ns - 200 * MS
    assert excused(lit_ns - 10 * MS, lit_ns, (1,), (1, 2))
    assert excused(lit_ns - 10 * MS, lit_ns, (1,)), "it died between two lamps"
    assert not excused(lit_ns - 310 * MS, lit_ns, (1,), (1, 2)), "any call is written in half a second"
    assert not excused(None, lit_ns, (1,), (1, 2))
    assert not excused(lit_ns + 10 * MS, lit_ns, (1,), (1, 2))
    assert not excused(lit_ns - 10 * MS, lit_ns, (1,), ())
    answered = lives.without_unwritten_call(lives.lives_of(evening()[0])[0], died_ns, [(1, lit_ns)], seen)
    assert answered == seen, "in READY a press is no call"


def test_a_display_that_does_not_come_back_is_found() -> None:
    """It shows until the end what stood when the daemon died."""
    _, left, seen = evening()
    died_ns = left["deaths"][0][1]
    assert any("the display" in text for text in told(frames=[f for f in seen["frames"] if f[0] < died_ns]))


def test_a_tone_that_nobody_ordered_is_found() -> None:
    """The piezo sounds on after the daemon's death, and is not silenced when it is back."""
    _, left, seen = evening()
    died_ns, back_ns = left["deaths"][1][1:]
    stuck = [tone for tone in seen["tones"] if tone[0] < died_ns] + [(died_ns, 440)]
    assert any("the piezo" in text for text in told(tones=[*stuck, (back_ns + 5 * S, 0)]))


def test_a_tone_that_outlives_the_daemon_is_found() -> None:
    """It died in a beat, and the piezo sounds until it is back."""
    _, left, seen = evening()
    died_ns, back_ns = left["deaths"][0][1:]
    tones = [tone for tone in seen["tones"] if tone[0] < died_ns or tone[0] >= back_ns]
    sounding = sorted([*tones, (died_ns - 1, 600)])
    assert any("the piezo sounded on with 600 Hz" in text for text in told(tones=sounding))


def test_a_daemon_that_died_by_itself_is_found() -> None:
    """It was back once more often than it was killed."""
    rows, left, seen = evening()
    fewer = {**left, "deaths": left["deaths"][1:]}
    assert [wrong.sentence for wrong in lives.differences(rows, [(fewer, seen)])] == [
        "the daemon has come back 2 times, and was killed 1 times"
    ]


def test_a_tape_with_a_wrong_total_fails() -> None:
    """The sentence names the line, what it says and what was."""
    tape = cut(parse("a hand", TAPE.replace("totals 15 34", "totals 15 35")))
    with Rehearsal(setup=tape.setup) as table, pytest.raises(TapeFailedError, match="is totals 15 35\\? It was totals"):
        RigPlay(tape, Evening(tape.setup, table, table)).play()


def test_the_first_tune_of_a_life_may_begin_late_as_a_whole() -> None:
    """A second and a half, no more; its notes keep their distances, and what comes long after the start is on time."""
    due = [(0, 0), (10 * S, 500), (10_600 * MS, 0), (20 * S, 600)]
    later = [(10 * S + 600 * MS, 500), (11_200 * MS, 0), (20 * S, 600)]
    assert lives.late_start(due, [(10_900 * MS, 500)], 10 * S) == [(0, 0), *later]
    assert lives.late_start(due, [(14 * S, 500)], 10 * S)[1] == (11_500 * MS, 500)
    assert lives.late_start(due, [(10_200 * MS, 500)], 10 * S) == due
    assert lives.late_start(due, [], 10 * S) == due
