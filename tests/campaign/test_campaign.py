"""A short campaign, and that a campaign sees what it is there to see."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from referee.core.match.engine import Engine
from referee.core.model import phase as core_phase
from referee.core.model.events import Event, Ruled
from referee.core.model.state import State
from referee.core.model.view import CountScreen, MenuScreen, View
from referee.core.phases import common
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from referee.core.values import replace
from referee.table.contact import Action, KnobTurn, Move, press
from tests.campaign.__main__ import main
from tests.campaign.judge import Phases, Verdicts, WrongError
from tests.campaign.plan import WIRED, Plan, plan_of
from tests.campaign.release import Change, released, tuned
from tests.campaign.run import played
from tests.campaign.world import Contacts, World
from tests.english import all_en

HANDS = 110
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
    change=None,
    tape=None,
)


def test_a_short_campaign_finds_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Tapes, faults, restarts, companies, presets and options at random, the same ones every time."""
    status = main(["--hands", str(HANDS), "--seed", "ci"])
    assert status == 0, capsys.readouterr().out


def test_an_evening_is_the_same_each_time() -> None:
    """Row by row, whatever was played before it."""

    def rows(plan: Plan) -> object:
        world = World(plan)
        world.run()
        return world.rows

    killed = replace(PLAIN, cuts=plan_of("1/1").cuts, err_ns=3_000_000, grazes_s=7)
    first = rows(killed)
    played(PLAIN)
    assert rows(killed) == first


def test_tables_of_nine_to_twelve_are_played() -> None:
    """Whoever has no wire hangs on a pod, which is unplugged now and then; one evening of each size."""
    plans = [plan for n in range(200) if len((plan := plan_of(f"wide/{n}")).seats) > len(WIRED)]
    assert {len(plan.seats) for plan in plans} == {9, 10, 11, 12}
    assert all({*plan.seats} - {*WIRED} <= {*plan.remote} for plan in plans)
    for count in range(9, 13):
        plan = next(plan for plan in plans if len(plan.seats) == count and plan.preset != "31")
        assert played(replace(plan, hands=2)).hands >= 2


def test_a_list_that_hides_the_count_lengthens_it_and_one_that_never_closes_is_seen() -> None:
    """Three times twenty seconds when all are ready at once; seconds behind a list beside them, up to twice."""
    count = View(0, 0, "COUNTING", CountScreen(1, (), ()), ())
    listed = replace(count, screen=MenuScreen("", (), 0))

    def lasts_s(hidden: Callable[[int], bool], *, held: bool = False) -> int:
        phases = Phases(pace=0)
        for second in range(1000):
            try:
                phases.look(listed if hidden(second) else count, second * S, held=held)
            except WrongError:
                return second
        return 1000

    assert lasts_s(lambda second: False) == 61
    assert lasts_s(lambda second: second // 20 % 4 == 0) == 101
    assert lasts_s(lambda second: True) == 121
    assert lasts_s(lambda second: False, held=True) == 121


def test_what_lies_on_a_button_is_known_also_while_the_device_is_off() -> None:
    """For longer than anybody presses; a hand at the knob is none, nor is one that lets go."""
    contacts = Contacts(Random(1), PLAIN)
    for contact in ("1", "2", "knob"):
        contacts.move(0, Move(10 * S, contact, closed=True))  # no device saw it: no row was made
    contacts.move(0, Move(11 * S, "2", closed=False))
    assert not contacts.held(13 * S)
    assert contacts.held(13 * S + 1)
    contacts.move(0, Move(14 * S, "1", closed=False))
    assert not contacts.held(20 * S)


def test_a_wrong_verdict_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another caller than the finger that came down, and not grey."""
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
    """A table that comes back with a sealed hand less."""
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
    """Bots that no lamp reaches: READY lasts, and helping at the knob does not help."""
    world = World(PLAIN)
    monkeypatch.setattr("referee.table.person.ASKS", ())
    with pytest.raises(WrongError, match="has lasted for"):
        world.run()


def test_nobody_helps_at_a_quiet_table() -> None:
    """Without a pod, a child, an arm on a button or another company, the device goes on by itself after each death."""
    cuts = tuple(replace(cut, strangers=False, torn=0) for n in range(30) for cut in plan_of(f"1/{n}").cuts)
    quiet = [cut for cut in cuts if cut.kind in ("kill", "power")][:3]
    world = World(replace(PLAIN, hands=5, cuts=tuple(replace(cut, after_s=40) for cut in quiet)))
    world.run()
    assert dict(world.helper.helped) == {}


def test_a_phase_in_which_nobody_should_have_to_help_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody had to, and no trouble of the plan's explains it."""
    world = World(PLAIN)
    monkeypatch.setattr("referee.table.person.ASKS", ())
    monkeypatch.setattr("tests.campaign.people.WHY_HELPED", {})
    with pytest.raises(WrongError, match="had to help in AGREEMENT"):
        world.run()


def test_another_release_has_one_constant_otherwise_and_only_as_long_as_it_runs() -> None:
    """Wherever the constant was imported to."""
    guard_ns = core_phase.GUARD_NS
    with released(Change("GUARD_NS", 50)):
        assert guard_ns // 2 == core_phase.GUARD_NS
        assert guard_ns // 2 == getattr(common, "GUARD_NS", guard_ns // 2)
    assert guard_ns == core_phase.GUARD_NS
    assert all(tuned(change) > 0 for change in {plan_of(f"1/{n}").change for n in range(99)} - {None})


def test_a_failing_evening_says_how_to_repeat_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Seed and number, and status 1."""
    monkeypatch.setattr("referee.table.person.ASKS", ())
    monkeypatch.setattr("tests.campaign.__main__.MOST_FAILURES", 1)
    assert main(["--hands", "2", "--seed", "x"]) == 1
    assert 'make campaign SEED=x ARGS="--only ' in capsys.readouterr().out


class Parent:
    """Somebody who takes line after line from the knob's list, by their beginnings, as soon as the list is there."""

    def __init__(self, world: World, *lines: str) -> None:
        self._world, self._lines = world, list(lines)
        self._due_ns: int | None = world.now_ns

    def next_ns(self) -> int | None:
        """See Hand."""
        return self._due_ns

    def moves(self, until_ns: int) -> list[Action]:
        """See Hand."""
        at_ns = self._due_ns
        if at_ns is None or at_ns > until_ns:
            return []
        self._due_ns = at_ns + S
        screen, turned = self._world.view.screen, list[Action]()
        if isinstance(screen, MenuScreen):
            items, line = all_en(screen.items), self._lines.pop(0)
            turned = [KnobTurn(at_ns, next(n for n, text in enumerate(items) if text.startswith(line)) - screen.cursor)]
            self._due_ns = at_ns + S if self._lines else None
        return [*turned, *press(Random(1), KNOB, at_ns + 100 * MS, 100 * MS)]


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_whoever_is_given_an_empty_button_sits_there_and_plays_on(seed: str) -> None:
    """Of two at 31 one is moved between two hands; all hands that are left are played, and nobody has to help."""
    world = World(replace(PLAIN, seed=f"{seed}/1", preset="31", options=(), seats=("1", "2"), pace=40, hands=4))
    while not (world.hands and world.view.phase == "READY"):
        world.step()
    world.join(Parent(world, "Teams", "Other button", "1", "Button 3"))
    world.run()
    assert [team.stations for team in world.engine.state.table.teams] == [("3",), ("2",)]
    assert world.hands == 4
    assert not world.helper.helped


def test_a_press_less_sure_than_the_cap_may_be_missing_in_a_verdict_and_a_sure_one_may_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Somebody else came down 5 ms after the caller, within the tie window; the verdict names the caller alone."""
    found: list[tuple[State, Ruled]] = []

    def kept(verdicts: Verdicts, state: State, event: Event) -> None:
        if isinstance(event, Ruled) and not event.verdict.grey and len(event.verdict.presses) == 1:
            found.append((state, event))

    with monkeypatch.context() as patched:
        patched.setattr(Verdicts, "ruled", kept)
        World(PLAIN).run()
    state, event = found[0]
    (caller,) = event.verdict.presses
    other = next(station for station in PLAIN.seats if station != caller.station)

    def judged(err_ns: int) -> None:
        verdicts = Verdicts()
        verdicts.pressed(caller.station, caller.t_ns, 0)
        verdicts.pressed(other, caller.t_ns + 5 * MS, err_ns)
        verdicts.ruled(state, event)
        assert verdicts.checked == 1

    cap_ns = state.table.setup.max_err_ns
    judged(cap_ns + 1)
    with pytest.raises(WrongError, match="called have"):
        judged(cap_ns)
