"""Late contact evidence concerns a verdict only in its call, from a button that can call."""

from __future__ import annotations

import pytest

from referee.core.phases.armed import in_call, verdict_of
from referee.core.phases.race import Race
from referee.core.presses.arbiter import ArmedSpan, rule, with_press
from referee.core.presses.signals import RELEASE_NS, Contact, Press
from tests.core.sitting import ERR_NS, Sitting


def called() -> ArmedSpan:
    """Return a call in which buttons 1 and 2 may call, and 1 has called."""
    table = Sitting().playing("1", "2")
    play = table.engine.state.phase
    assert isinstance(play, Race)
    return with_press(play.armed, Press("1", table.now_ns, ERR_NS, table.now_ns, 0))


@pytest.mark.parametrize("at", ["first", "last"])
def test_a_row_is_in_the_call_from_a_release_before_its_first_press_to_its_end(at: str) -> None:
    verdict = rule(called())
    begin_ns, end_ns = verdict.presses[0].t_ns - RELEASE_NS, verdict.deadline_ns
    inside, outside = (begin_ns, begin_ns - 1) if at == "first" else (end_ns, end_ns + 1)
    assert in_call(verdict, inside)
    assert not in_call(verdict, outside)


@pytest.mark.parametrize(("station", "grey"), [("1", True), ("2", True), ("3", False)])
def test_a_bystander_s_contact_makes_no_verdict_grey(station: str, grey: bool) -> None:
    armed = called()
    doubted = Contact(station, doubted_ns=armed.presses[0].t_ns)
    assert not verdict_of(armed, [Contact(station)]).grey
    assert verdict_of(armed, [doubted]).grey is grey
