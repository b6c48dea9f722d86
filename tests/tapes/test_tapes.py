"""Each evening is as its tape says, and no kill -9 at any of its events changes its end."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import pytest

from referee.core.match.engine import Engine
from referee.core.model.events import Resumed
from referee.core.model.registry import pile_game
from referee.core.model.view import VoteScreen
from referee.core.presses.signals import KNOB, RELEASE_NS, Edge
from referee.core.units import MS, S
from tests.core.grammar import agree, faults
from tests.english import keys_at
from tests.tapes.kill import BOOT, RACES, continued, go_on, in_the_middle, kept, killed, leads_to, restored_everywhere
from tests.tapes.play import Play, TapeFailedError
from tests.tapes.tape import Line, cut, names, parse, read

TAPES = names()
EVERY = max(round(4 / float(os.environ.get("EXPLORE", "0.5"))), 1)
"""Interval of places between two gestures at which the device is killed and the evening played to its end.

An eighth of the places, different ones for each tape; all of them with EXPLORE=4 or more (tests/conftest.py).
"""
every_tape = pytest.mark.parametrize("name", TAPES)


@cache
def watched(name: str) -> tuple[Play, tuple[set[str], set[str], set[str]]]:
    """Return the evening, played once, with its phases, its questions to all and the patterns of its lamps."""
    play = Play(read(name))
    phases, questions, lamps = set[str](), set[str](), set[str]()

    def look(line: Line) -> None:
        view = play.table.view
        phases.add(play.table.phase)
        lamps.update(lamp.pattern for lamp in view.lamps)
        if isinstance(view.screen, VoteScreen):
            questions.add(view.screen.question.key)

    return play.run(watch=look), (phases, questions, lamps)


def played(name: str) -> Play:
    return watched(name)[0]


# -- the evenings --------------------------------------------------------------------------------------------------


@every_tape
def test_an_evening_is_as_its_tape_says(name: str) -> None:
    assert faults(played(name).table.rows) == []


NO_TAPE = {"ask.31", "ask.not_a_31", "ask.ride_on", "ask.call"}
"""Questions that occur in no tape: `core/test_grammar.py` has their moments."""


def test_the_tapes_come_through_every_phase_question_and_lamp() -> None:
    """Kills and grammar below therefore cover every phase and question."""
    found = [watched(name)[1] for name in TAPES]
    phases, questions, lamps = (set[str]().union(*seen) for seen in zip(*found, strict=True))
    assert questions == keys_at("ask") - NO_TAPE
    assert lamps >= {"dark", "slow", "double", "steady", "wink", "beat"}
    assert phases >= {*RACES, "LOBBY", "READY", "STARTING", "STOPPED", "CALLED", "VERDICT", "COUNTING", "OVER"}
    assert phases >= {"VOTE", "POWER_BACK", "FIXING", "CHECK"}


@every_tape
def test_lamp_and_press_agree_all_evening(name: str) -> None:
    """Checked before each gesture for every button."""
    play = Play(read(name))

    def look(line: Line) -> None:
        for number, station in enumerate(play.tape.setup.stations):
            agree(play.table.engine, play.table.now_ns, station, hold=(line.number + number) % 3 == 0)

    play.run(watch=look)


# -- kill -9 -------------------------------------------------------------------------------------------------------


@every_tape
def test_after_every_row_the_journal_holds_all_of_the_table(name: str) -> None:
    """Restored after each single row, also without decisions that were not yet written, the table is the same."""
    rows = played(name).table.rows
    lengths = []
    for length, engine, must in restored_everywhere(rows):
        assert engine.state == must
        lengths.append(length)
    assert lengths == list(range(2, len(rows) + 1))


@every_tape
def test_the_rest_of_the_evening_leads_to_the_same_rows(name: str) -> None:
    """From a restored table the same facts give the same ticks, decisions and end, to the last row."""
    rows = played(name).table.rows
    for length, engine, _ in restored_everywhere(rows):
        if length % 97 == 0:
            begin = engine.state.seq - rows[0][0] + 1  # derived decisions count as written
            assert continued(engine, rows[begin:]) == rows[begin:]


@every_tape
def test_a_kill_at_any_event_loses_nothing_and_everybody_goes_on(name: str) -> None:
    """After each row: hands, seats, counts and verdict are kept, the phase is kept or asks, taps lead back to it."""
    for length, engine, must in restored_everywhere(played(name).table.rows):
        engine.intake([Resumed(7 * S, BOOT, None)], 7 * S)
        kept(must, engine.state)
        if engine.state.phase.name == "POWER_BACK":
            beats = pile_game(must.table) is not None
            was: Any = must.phase.inner if must.phase.name == "POWER_BACK" else must.phase  # type: ignore[attr-defined]
            assert _everybody_taps(engine) == leads_to(was, beats=beats), f"row {length}, in {was.name}"


def _everybody_taps(engine: Engine) -> str:
    """Return the phase after one tap of each asked player, once the last finger is up."""
    now_ns = engine.state.now_ns + S
    for lamp in engine.view(now_ns).lamps:
        if lamp.pattern in ("slow", "double"):
            engine.intake([Edge(lamp.station, True, now_ns), Edge(lamp.station, False, now_ns + 90 * MS)], now_ns)
            engine.intake([], now_ns + 90 * MS + RELEASE_NS)
            now_ns += 200 * MS
    return str(engine.state.phase.name)


@every_tape
def test_an_evening_that_was_killed_between_two_gestures_ends_as_it_would_have(name: str) -> None:
    whole = played(name).story()
    tape = read(name)
    gestures = tuple(line for line in tape.lines if not line.told)
    first = sum(map(ord, name)) % EVERY
    play, done = Play(tape), 0
    for place in range(first, len(gestures), EVERY):
        play.run(gestures[done:place])
        done = place
        if in_the_middle(play.table.engine.state):
            continue
        again = Play(tape)
        at_ns = play.table.now_ns
        again.table = go_on(killed(play.table, at_ns + 60 * S), play.table.engine.state, at_ns)
        again.run(gestures[place:])
        assert again.story() == whole, f"killed before line {gestures[place].number}"


# -- for a real device -------------------------------------------------------------------------------------------------


@every_tape
def test_an_evening_without_waiting_for_people_is_the_same_and_takes_five_minutes(name: str) -> None:
    play = Play(cut(read(name))).run()
    assert play.story() == played(name).story()
    assert faults(play.table.rows) == []
    away_ns = sum(event.away_s or 0 for event in play.table.decisions(Resumed)) * S
    assert play.table.now_ns - play.began_ns - away_ns <= 300 * S


# -- the format --------------------------------------------------------------------------------------------------------


def test_a_tape_that_tells_another_story_fails() -> None:
    tape = parse("wrong", "table nna\n0:02 1 tap\n+1 2 tap\nis asking 3 4 5 6 7 8\nis READY")
    with pytest.raises(TapeFailedError, match="wrong, line 5: is READY\\? It was LOBBY"):
        Play(tape).run()


def test_times_are_kept() -> None:
    tape = parse("times", "table nna\n+1 1 tap\n0:10 2 down\n+0.5 2 up\n0:01:30 knob push")
    play = Play(tape).run()
    edges = [event for event in play.table.decisions(Edge) if event.closed]
    pressed = [(edge.station, edge.t_ns - 1 * S) for edge in edges]
    assert pressed == [("1", 1 * S), ("2", 10 * S), (KNOB, 90 * S)]
