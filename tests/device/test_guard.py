"""Tests of guards: a failing part is reported once, retried, and shown where people need to know."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.messages import msg
from referee.core.model.events import Cue
from referee.core.model.view import Lamp, View
from referee.core.units import S
from referee.device.guard import STEADY_S, GuardedOutput, Guards, OutputPlan
from referee.drivers.health import FIRST_PAUSE_NS, LONGEST_PAUSE_NS
from tests.device.one_thread import Loop
from tests.device.test_live import Room

LOG = logging.getLogger("referee")


class Desk(Loop):
    """An event loop, and guards that use its clock."""

    def __init__(self) -> None:
        super().__init__(0)
        self.guards = Guards(LOG, self.clock)

    def wait(self, ns: int) -> None:
        """Advance the time and run each scheduled call at its time."""
        self.until(self.now_ns + ns)

    def guarded(self, output: Faulty, *, remakes: bool = False) -> GuardedOutput:
        plan = OutputPlan("lamps", msg("toast.no_lamps"), output.made, remakes)
        return GuardedOutput(plan, self.guards, self, self.clock)


class Faulty:
    """An output that raises while `broken` names the called method, or "make" for its construction."""

    def __init__(self, *broken: str) -> None:
        self.broken = set(broken)
        self.done: list[str] = []
        self.tries = self.closed = 0

    def made(self) -> tuple[Any, Callable[[], object]]:
        self._does("make")
        return self, self.close

    def show(self, view: View) -> None:
        self._does("show")

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        self._does("lamps")

    def sound(self, cue: Cue) -> None:
        self._does("sound")

    def close(self) -> None:
        self.closed += 1

    def _does(self, what: str) -> None:
        self.tries += 1
        if what in self.broken:
            raise ArithmeticError(f"{what} is broken")
        self.done.append(what)


VIEW = Room().seen.views[-1]
CUE = Cue("call", 0)


@pytest.mark.parametrize("what", ["make", "show", "lamps", "sound"])
def test_an_output_that_fails_is_said_once_tried_again_and_shows_the_newest_when_it_is_back(
    what: str, caplog: pytest.LogCaptureFixture
) -> None:
    desk, output = Desk(), Faulty(what)
    with caplog.at_level(logging.INFO):
        guarded = desk.guarded(output)
        for _ in range(3):
            guarded.show(VIEW)
            guarded.lamps(VIEW.lamps)
            guarded.sound(CUE)
        assert desk.guards.word() == msg("toast.no_lamps")
        tried = output.tries
        desk.wait(FIRST_PAUSE_NS // 2)
        assert output.tries == tried
        desk.wait(60 * S)
        assert 0 < output.tries - tried < 2 * (60 * S // LONGEST_PAUSE_NS + 6)
        output.broken.clear()
        desk.wait(2 * LONGEST_PAUSE_NS)
    assert desk.guards.word() is None
    assert {"show", "lamps"} <= set(output.done)
    assert [record.getMessage() for record in caplog.records] == [f"lamps lost: {what} is broken", "lamps is back"]
    assert caplog.records[0].exc_info


def test_an_output_whose_state_nobody_knows_is_made_anew(caplog: pytest.LogCaptureFixture) -> None:
    desk, output = Desk(), Faulty()
    guarded = desk.guarded(output, remakes=True)
    output.broken.add("show")
    guarded.show(VIEW)
    assert output.closed == 1
    assert output.closed == 1
    desk.wait(60 * S)
    assert output.closed < 15
    assert desk.planned == 1
    output.broken.clear()
    while output.done[-2:] != ["make", "show"]:
        desk.wait(S // 10)
    assert desk.guards.word() == msg("toast.no_lamps")
    guarded.show(VIEW)
    desk.wait(round(STEADY_S * S))
    assert desk.guards.word() is None
    assert [record.getMessage() for record in caplog.records] == ["lamps lost: show is broken", "lamps is back"]


def test_an_output_that_looks_after_itself_is_asked_again_when_it_wants() -> None:
    """A lamp chain that did not answer stays dark until it is written again, even if nothing else changes."""

    class Chain(Faulty):
        next_ns: int | None = None
        lost = False

    desk, chain = Desk(), Chain()
    guarded = desk.guarded(chain)
    chain.next_ns, chain.lost = 1 * S, True
    guarded.show(VIEW)
    assert desk.guards.word() == msg("toast.no_lamps")
    before = len(chain.done)
    chain.next_ns, chain.lost = None, False
    desk.wait(2 * S)
    assert len(chain.done) == before + 1
    assert desk.planned == 0


def test_what_is_closed_is_asked_nothing_any_more() -> None:
    desk, output = Desk(), Faulty("show")
    guarded = desk.guarded(output)
    guarded.show(VIEW)
    guarded.close()
    tried = output.tries
    desk.wait(60 * S)
    guarded.show(VIEW)
    assert output.tries == tried
    assert output.closed == 1


@given(st.lists(st.tuples(st.integers(0, 20 * S), st.sampled_from(["", "show", "lamps", "make"])), max_size=30))
def test_whenever_it_fails_and_comes_back_the_log_alternates_and_no_two_tries_are_planned(
    life: list[tuple[int, str]],
) -> None:
    desk, said = Desk(), []
    log = logging.Logger("ours")
    log.addHandler(handler := logging.Handler())
    handler.emit = lambda record: said.append("lost" if "lost" in record.getMessage() else "back")  # type: ignore[method-assign]
    desk.guards = Guards(log, lambda: desk.now_ns)
    output = Faulty()
    guarded = desk.guarded(output)
    for ns, broken in life:
        output.broken = {broken} - {""}
        guarded.show(VIEW)
        guarded.lamps(VIEW.lamps)
        assert desk.planned <= 1
        desk.wait(ns)
    assert said == ["lost", "back"] * (len(said) // 2) + ["lost"] * (len(said) % 2)
