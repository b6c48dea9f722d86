"""The places where the rig kills the daemon: each phase occurs, and people can go on afterwards."""

from __future__ import annotations

import pytest

from referee.core.units import MS
from tests.rig import calls
from tests.rig.evening import Evening, RigPlay, UnpluggedError
from tests.rig.kills import Plan, all_phases, played
from tests.rig.lives import story
from tests.rig.rehearsal import Rehearsal
from tests.rig.tapes import DEFAULT_COUNT, DEFAULT_SEED, PLUGS, SHORT, kill_plans
from tests.tapes.play import Play
from tests.tapes.tape import cut, read, wired_names


def rehearsed(plan: Plan) -> tuple[RigPlay, list[str]]:
    """Return the evening, and the phases in which the daemon died."""
    tape = plan.score
    with Rehearsal(setup=tape.setup) as table:
        evening = Evening(tape.setup, table, table)
        return RigPlay(tape, evening, plan.kills, plan.last).play(), [death.phase for death in evening.deaths]


def test_tapes_can_be_played_with_fingers_and_with_the_deaths_of_the_usual_seed() -> None:
    """The plans of `tests/rig/run kills`, and the tapes that they leave out."""
    plans = kill_plans(DEFAULT_SEED, DEFAULT_COUNT, wired_names())
    whole = {plan.tape for plan in plans if plan.last is None} | {SHORT.tape}
    died_in: set[str] = set()
    for plan in (*plans, *(Plan(name) for name in wired_names() if name not in whole)):
        evening, phases = rehearsed(plan)
        died_in |= set(phases)
        if plan.last is None:
            assert evening.story() == played(plan.tape)[1], plan
    assert died_in >= all_phases() - {"CALLED"}  # the rig tries again until it has this phase


def test_the_short_evening_can_be_played() -> None:
    """The plan of `tests/rig/run`: a tape with a few deaths, one of them in a call."""
    evening, phases = rehearsed(SHORT)
    assert evening.story() == played(SHORT.tape)[1]
    assert len(phases) == len(SHORT.kills)
    assert phases[1] in ("CALLED", "VERDICT")  # by a few ms


def test_an_evening_goes_on_after_the_machine_has_lost_its_power() -> None:
    tape = cut(read("power_cuts"))
    with Rehearsal(setup=tape.setup) as table:
        begin = 0
        for _ in PLUGS["power_cuts"]:
            with pytest.raises(UnpluggedError) as unplugged:
                _play(table, begin)
            begin = unplugged.value.line
            table.lose_power(600)
        _play(table, begin)
        assert story(table.written) == Play(tape).run().story()


def _play(table: Rehearsal, begin: int) -> RigPlay:
    evening = Evening(table.setup, table, table)
    if begin:
        evening.after_boot()
    return RigPlay(cut(read("power_cuts")), evening, plug=PLUGS["power_cuts"], begin=begin).play()


def test_the_deaths_in_calls_can_be_played() -> None:
    plans = calls.evenings(calls.DEATHS)
    assert sorted(ns or 0 for plan in plans for ns in plan.kills.values()) == [n * MS for n in range(calls.DEATHS)]
    _, phases = rehearsed(plans[0])
    assert len(phases) == calls.AN_EVENING
    assert {"CALLED", "VERDICT"} & set(phases)
