"""Run a short campaign, and check that a campaign detects the faults it looks for."""

from __future__ import annotations

import pytest

from referee.core.match.engine import Engine
from referee.core.model.events import Ruled
from referee.core.values import replace
from tests.campaign.__main__ import main
from tests.campaign.judge import WrongError
from tests.campaign.plan import WIRED, plan_of
from tests.campaign.run import played
from tests.campaign.world import World

HANDS = 20
PLAIN = replace(
    plan_of("plain/1"),
    preset="nna",
    options=(("target", 60),),
    seats=("1", "2", "3"),
    stations=WIRED,
    company="calm",
    pace=10,
    hands=3,
    cuts=(),
    remote=(),
    grazes_s=0,
    leans_s=0,
    links_s=0,
    child_s=0,
    filed=False,
)


def test_a_short_campaign_finds_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["--hands", str(HANDS), "--seed", "ci"])
    assert status == 0, capsys.readouterr().out


def test_tables_of_nine_to_twelve_are_played() -> None:
    """A player without a wire is on a pod that is sometimes unplugged."""
    plans = [plan for n in range(200) if len((plan := plan_of(f"wide/{n}")).seats) > len(WIRED)]
    assert {len(plan.seats) for plan in plans} == {9, 10, 11, 12}
    assert all({*plan.seats} - {*WIRED} <= {*plan.remote} for plan in plans)
    for count in (9, 12):
        plan = next(plan for plan in plans if len(plan.seats) == count and plan.preset != "31")
        assert played(replace(plan, hands=1)).hands >= 1


def test_a_wrong_verdict_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(PLAIN)
    seen = world.verdicts.ruled

    def swapped(state: object, event: object) -> None:
        if isinstance(event, Ruled):
            others = {"1": "2", "2": "3", "3": "1"}
            callers = tuple(others[team] for team in event.verdict.callers)
            event = replace(event, verdict=replace(event.verdict, callers=callers, grey=False))
        seen(state, event)  # type: ignore[arg-type]

    monkeypatch.setattr(world.verdicts, "ruled", swapped)
    with pytest.raises(WrongError, match="the verdict is"):
        world.run()


def test_a_lost_hand_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = next(cut for n in range(99) for cut in plan_of(f"1/{n}").cuts if cut.kind == "kill")
    world = World(replace(PLAIN, hands=9, options=(), cuts=(replace(cut, after_s=90, torn=0),)))
    restored = Engine.restored.__func__  # type: ignore[attr-defined]

    def forgetful(rows: object) -> Engine:
        engine: Engine = restored(Engine, rows)
        engine.state = replace(engine.state, table=replace(engine.state.table, hands=engine.state.table.hands[:-1]))
        return engine

    monkeypatch.setattr(Engine, "restored", forgetful)
    with pytest.raises(WrongError, match="hands were sealed"):
        world.run()


def test_a_table_where_nobody_moves_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(PLAIN)
    monkeypatch.setattr("referee.simulator.table.person.ASKS", ())
    with pytest.raises(WrongError, match="has lasted for"):
        world.run()


def test_nobody_helps_at_a_quiet_table() -> None:
    cuts = tuple(replace(cut, strangers=False, torn=0) for n in range(30) for cut in plan_of(f"1/{n}").cuts)
    quiet = [cut for cut in cuts if cut.kind in ("kill", "power")][:3]
    world = World(replace(PLAIN, hands=5, cuts=tuple(replace(cut, after_s=40) for cut in quiet)))
    world.run()
    assert dict(world.helper.helped) == {}
