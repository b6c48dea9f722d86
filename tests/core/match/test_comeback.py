"""Restarts keep every recorded decision under changed rules; events that raise are skipped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.match import advance as match
from referee.core.match import aside as setting_aside
from referee.core.match import engine, past, viewer
from referee.core.match.aside import without_deadline
from referee.core.match.comeback import _check_teams, apply_decision
from referee.core.match.engine import DisagreementError, Engine, JournalRow, UndeclaredError
from referee.core.match.transition_table import rows
from referee.core.model.events import (
    DECISIONS,
    Agreed,
    Began,
    Continued,
    Corrected,
    Joined,
    Left,
    Named,
    Opened,
    Overruled,
    Paired,
    Rematched,
    Resumed,
    Ruled,
    Sealed,
    Taught,
    Tick,
    Turned,
)
from referee.core.model.registry import game_named, game_of, rules_in_force
from referee.core.model.state import State, Step, play_of
from referee.core.model.table import HandStory, Setup, Table
from referee.core.phases.counting import Counting
from referee.core.phases.device import Checking
from referee.core.phases.lobby import Lobby
from referee.core.phases.start import Starting
from referee.core.phases.verdict import Judged
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from referee.core.values import replace
from referee.simulator.table.bots import Bots
from referee.simulator.table.evening import Evening
from tests.core.changed import CONSTANTS, RULES, changed, other_rule
from tests.core.evenings import at_table, counted
from tests.core.sitting import BREATH_NS, Sitting
from tests.tapes.play import Play
from tests.tapes.tape import read

TAPES = ("argument", "four_friends", "people_leaving", "power_cuts", "stuck", "two_books")
FOLDED = ("LOBBY", "READY", "TIMEOUT", "COUNTING", "OVER", "POWER_BACK", "VERDICT", "STOPPED")
"""Phases that are safe after a restart: no card moves, and the players are asked again."""


@cache
def evening(name: str) -> tuple[JournalRow, ...]:
    """Return the rows of a tape, or of a short match of bots at that preset."""
    if name in TAPES:
        return tuple(Play(read(name)).run().table.chapter)
    rows: list[JournalRow] = []
    Evening(Setup(name), Bots(["1", "2", "3"], 5, pace_percent=20), journal=rows.extend).play(1)
    return tuple(rows)


def book(state: State) -> Table:
    """Return the table, or the one that the lobby keeps, without what only facts contain."""
    phase = state.phase
    table = phase.kept if isinstance(phase, Lobby) and phase.kept is not None else state.table
    calls = (replace(call, verdict=replace(call.verdict, late=(), ignored=()), evidence=()) for call in table.calls)
    stories = tuple(HandStory(story.seq) for story in table.stories)
    return replace(table, calls=tuple(calls), stories=stories, match="")


def cuts(rows: Sequence[JournalRow], number: int) -> list[int]:
    """Return about `number` lengths at which the journal may end, and its full length."""
    ends = [end for end in range(1, len(rows)) if not isinstance(rows[end][1], DECISIONS)]
    return [*ends[:: max(len(ends) // number, 1)], len(rows)]


# -- decisions hold ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*TAPES, "31"])
def test_decisions_alone_bring_back_the_table(name: str) -> None:
    rows = evening(name)
    alone = [row for row in rows if isinstance(row[1], (Opened, *DECISIONS))]
    back = Engine.restored(alone)
    assert book(back.state) == book(Engine.derived(rows).state)
    assert not back.take().aside


@cache
def as_it_was(name: str, cut: int) -> Engine:
    """Return the table restored by the present rules."""
    return Engine.restored(evening(name)[:cut])


@pytest.mark.parametrize(("number", "constant", "value"), [(n, *constant) for n, constant in enumerate(CONSTANTS)])
def test_a_tuned_constant_loses_nothing(number: int, constant: str, value: int) -> None:
    name = ("argument", "people_leaving", "stuck")[number % 3]
    rows = evening(name)
    for cut in cuts(rows, 5):
        then = as_it_was(name, cut)
        with changed(constant, value):
            now = Engine.restored(rows[:cut])
        assert book(now.state) == book(then.state)
        assert not then.sentence
        assert now.state.phase.name == then.state.phase.name or now.sentence or now.state.phase.name in FOLDED


def standing(state: State) -> object:
    """Return the phase, the hands, the standings, the winners and the rules."""
    table = book(state)
    game = game_of(table)
    return state.phase.name, table.hands, game.standings(table), game.winners(table), rules_in_force(table.setup)


@pytest.mark.no_cover
@pytest.mark.parametrize(("preset", "rule", "value"), RULES)
def test_a_default_of_another_release_changes_no_match_that_has_begun(preset: str, rule: str, value: object) -> None:
    rows = evening(preset)
    ends = [number for number, (_, event) in enumerate(rows, 1) if isinstance(event, Sealed | Began)]
    assert Engine.restored(rows[: ends[-1]]).state.phase.name == "OVER"
    for cut in sorted({*ends[::3], ends[-1], *cuts(rows, 2)}):
        then = standing(Engine.restored(rows[:cut]).state)
        with other_rule(preset, rule, value):
            now = Engine.restored(rows[:cut])
            begun = any(isinstance(event, Began) for _, event in rows[:cut])
            assert not begun or standing(now.state) == standing(Engine.derived(rows[:cut]).state) == then
            assert not now.sentence


def test_rules_that_cannot_be_played_any_more_are_said() -> None:
    """An unknown option and a forbidden value are dropped. The other options and the hands stay."""
    rows = list(evening("nna"))
    for at, (seq, event) in enumerate(rows):
        if isinstance(event, Began):
            other = dict(event.rules) | {"target": 150, "wild": 3, "reserve": "many"}
            rows[at] = seq, replace(event, rules=tuple(other.items()))
    cut = next(number for number, (_, event) in enumerate(rows, 1) if isinstance(event, Sealed))
    engine = Engine.restored(rows[:cut])
    assert engine.sentence == (
        "the match that began at event 59 cannot be played by its own rules (reserve many, wild 3): "
        "the table is in READY, with everything decided"
    )
    assert dict(engine.state.table.setup.options) == {"target": 150}
    assert len(engine.state.table.hands) == 1


def test_a_rematch_is_played_by_its_own_rules_too() -> None:
    over = Engine.restored(evening("nna")).state
    again = apply_decision(
        over, Rematched(over.now_ns, (*dict(rules_in_force(over.table.setup), target=150).items(),))
    ).state
    assert (again.phase.name, dict(again.table.setup.options)) == ("READY", {"target": 150})


def test_a_decision_that_these_rules_would_not_reach_holds() -> None:
    table = counted(at_table("1", "2").playing("1", "2"), "1", 20, "2")
    rows = list(table.rows)
    for at, (seq, event) in enumerate(rows):
        if isinstance(event, Joined) and event.station == "1":
            rows[at] = seq, replace(event, name="Eve")
        if isinstance(event, Ruled):
            rows[at] = seq, replace(event, verdict=replace(event.verdict, callers=("2",), first="2"))
    with pytest.raises(DisagreementError, match="Eve"):
        Engine.derived(rows)
    back = Engine.restored(rows)
    seat, [hand] = back.state.table.seat("1"), back.state.table.hands
    assert seat is not None
    assert (seat.name, hand.callers, back.state.phase.name, back.sentence) == ("Eve", ("2",), "READY", "")


def test_a_fold_that_goes_astray_lands_where_it_was_sure() -> None:
    table = at_table("1", "2").playing("1", "2")
    with changed("GUARD_NS", 2 * S):
        back = Engine.restored(table.rows)
    assert back.state.phase.name == "READY"
    ready_ns = (
        table.decisions(Began)[0].at_ns + 3 * S
    )  # the taps that no longer count, and the delay before READY's first beat
    first = next(seq for seq, event in table.rows if isinstance(event, Tick) and event.at_ns > ready_ns)
    assert back.sentence == (
        f"at event {first} nothing is due by the rules of now: the table is back in READY, with everything that was "
        "decided"
    )
    assert back.state.table == table.engine.state.table


def test_a_decision_in_doubt_changes_the_phase_that_is_sure_too() -> None:
    table = at_table("1", "2").choose("Start").wait(BREATH_NS)
    rows = [*table.rows, (table.rows[-1][0] + 1, Tick(table.now_ns))]
    rows.append((rows[-1][0] + 1, Named(table.now_ns, "1", "Zoe")))
    back = Engine.restored(rows)
    assert back.state.table.seat("1").name == "Zoe"  # type: ignore[union-attr]
    assert (back.state.phase.name, back.state.seq) == ("READY", rows[-1][0])
    assert back.sentence == (
        f"at event {rows[-2][0]} nothing is due by the rules of now: the table is back in READY, with everything that "
        "was decided"
    )


def test_what_the_rules_now_lead_to_and_the_journal_does_not_hold_is_not_decided() -> None:
    table = Sitting().tap("1").wait(S)
    rows = [row for row in table.rows if not isinstance(row[1], Joined)]
    rows = [(number, event) for number, (_, event) in enumerate(rows, 1)]
    back = Engine.restored(rows)
    assert back.state.table.seats[0].name is None
    joined = table.rows.index(next(row for row in table.rows if isinstance(row[1], Joined)))
    assert back.sentence == (
        f"before event {joined + 1} the rules now lead to Joined: the table is back in LOBBY, with everything that was "
        "decided"
    )


def test_what_a_last_fact_would_lead_to_in_doubt_is_not_decided() -> None:
    table = Sitting().tap("1").wait(S)
    facts = [event for _, event in table.rows]
    sure = len(facts)
    facts += [event for _, event in table.tap("2").rows[sure:]]
    (joined,) = (at for at, event in enumerate(facts) if isinstance(event, Joined) and event.station == "2")
    for doubt, seated in (([], 2), ([Tick(table.now_ns)], 1)):
        rows = list(enumerate([*facts[:sure], *doubt, *facts[sure:joined]], 1))
        assert len([seat for seat in Engine.restored(rows).state.table.seats if seat.name]) == seated


def test_a_power_cut_in_doubt_asks_in_the_phase_that_is_sure() -> None:
    """A verdict recorded after the power cut still applies."""
    table = at_table("1", "2").playing("1", "2").power_cut().wait(BREATH_NS).tap("1")
    astray = [*table.rows, (table.rows[-1][0] + 1, Tick(table.now_ns))]
    back = Engine.restored(astray)
    assert (back.state.phase.name, back.state.phase.ready) == ("POWER_BACK", frozenset())  # type: ignore[attr-defined]
    [ruled] = at_table("1", "2").playing("1", "2").press("2").decisions(Ruled)
    judged = apply_decision(back.state, ruled).state.phase
    assert judged.name == "POWER_BACK"
    assert isinstance(judged.inner, Judged)  # type: ignore[attr-defined]
    assert judged.inner.verdict == ruled.verdict  # type: ignore[attr-defined]


def test_a_second_life_in_doubt_begins_where_the_first_was_sure() -> None:
    table = at_table("1", "2").playing("1", "2").power_cut()
    with changed("LEAD_NS", 60 * S):
        back = Engine.restored(table.rows)
    assert (back.state.phase.name, back.state.boot) == ("READY", "boot-2")


def test_another_evening_that_these_rules_would_not_see() -> None:
    table = counted(at_table("1", "2").playing("1", "2"), "1", 20, "2").power_cut(away_s=60_000)
    for then in (lambda: table.tap("3"), lambda: table.choose("Start").wait(BREATH_NS), lambda: None):
        then()
        with changed("ANOTHER_EVENING_S", 10**6):
            back = Engine.restored(table.rows)
        assert back.state.table.seats == table.engine.state.table.seats
        assert len(book(back.state).hands) == len(book(table.engine.state).hands)
    counted(table.playing("1", "2", "3"), "1", 20, "2", "3").power_cut(away_s=60_000).choose("Other table")
    with changed("ANOTHER_EVENING_S", 10**6):
        assert Engine.restored(table.rows).state.table == table.engine.state.table


def test_another_decision_than_the_one_that_the_facts_lead_to_is_taken_and_named() -> None:
    table = Sitting().tap("1")
    rows = [(seq, Taught(event.at_ns, True) if isinstance(event, Joined) else event) for seq, event in table.rows]
    (taught,) = (seq for seq, event in rows if isinstance(event, Taught))
    back = Engine.restored(rows)
    assert (back.state.table.teaching, back.state.table.seats[0].name) == (True, None)
    assert back.sentence == (
        f"the rules now do not lead to Taught, event {taught}: the table is in LOBBY, with everything decided"
    )


def test_what_all_agreed_on_is_taken_in_the_phase_that_asks_it() -> None:
    state = at_table("1", "2").playing("1", "2").engine.state
    agreed = apply_decision(state, Agreed(state.now_ns, (("stacking", False),), ("1", "2"))).state
    assert (agreed.table.agreed, agreed.table.agreed_by) == ((("stacking", False),), ("1", "2"))
    assert (state.phase.name, agreed.phase.name) == ("PLAYING", "READY")


def test_a_decision_of_a_match_is_set_aside_at_an_empty_table() -> None:
    """All rows before it are missing, so no team sits there."""
    table = counted(at_table("1", "2").playing("1", "2"), "1", 20, "2")
    sealed = next(row for row in table.rows if isinstance(row[1], Sealed))
    back = Engine.restored([table.rows[0], sealed])
    assert (back.state.phase.name, back.state.table.hands) == ("LOBBY", ())
    assert [one.seq for one in back.take().aside] == [sealed[0]]


def test_a_decision_about_a_team_that_is_not_at_the_table_is_refused() -> None:
    state = at_table("1", "2").playing("1", "2").engine.state
    with pytest.raises(LookupError, match="no team 9"):
        _check_teams(Step(state), Sealed(state.now_ns, (("1", (0, 1, 0)), ("9", (1, 1, 0)))))


def test_a_decision_that_has_no_place_is_set_aside() -> None:
    table = at_table("1", "2").playing("1", "2")
    seq = table.rows[-1][0] + 1
    back = Engine.restored([*table.rows, (seq, Overruled(table.now_ns, "tie", ("1", "2")))])
    [aside] = back.take().aside
    assert (aside.seq, aside.reason) == (seq, "Overruled: LookupError no phase hears Overruled")
    assert back.state.table == table.engine.state.table


def test_a_decision_of_the_lobby_alone_is_taken_there_from_a_match() -> None:
    table = counted(at_table("1", "2").playing("1", "2"), "1", 20, "2")
    heard = {kind: {phase for phase, of in rows(game_named("nna")) if of is kind} for kind in DECISIONS}
    kinds = [kind for kind in DECISIONS if heard[kind] == {Lobby}]
    assert {*kinds} >= {Joined, Left, Paired}
    told: dict[str, Any] = {
        "at_ns": table.now_ns,
        "station": "3",
        "name": "Max",
        "stations": ("1", "2"),
        "together": True,
        "rules": (),
    }
    for kind in kinds:
        event = kind(**{name: told[name] for name in kind.__struct_fields__})
        after = apply_decision(table.engine.state, event).state.phase
        assert after.name == ("READY" if kind in (Began, Continued) else "LOBBY"), kind


# -- events that raise ---------------------------------------------------------------------------------------------


class Broken:
    """A match handler that raises for one kind of event."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, kind: type) -> None:
        self.kind = kind
        self.monkeypatch = monkeypatch

    def now(self) -> None:
        """Raise for events of that kind."""

        def raising(state: State, event: Any) -> Any:
            raise ZeroDivisionError("a mistake")

        self.monkeypatch.setitem(match._EVENTS, self.kind, raising)


def shown(table: Sitting) -> tuple[object, ...]:
    """Return the table, the phase and the contacts."""
    state = table.engine.state
    return state.table, state.phase, state.contacts


@pytest.mark.parametrize("kind", [Turned, Joined])
def test_an_event_that_raises_is_set_aside_and_the_hand_goes_on(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """The event keeps its number and its row is marked, so that the next start skips it."""
    table = Sitting().tap("1")
    before = shown(table)
    with monkeypatch.context() as within:
        Broken(within, kind).now()
        table.engine.intake([Turned(table.now_ns, 1)], table.now_ns) if kind is Turned else table.engine.intake(
            [Edge("2", True, table.now_ns)], table.now_ns + 2 * MS
        )
    out = table.engine.take()
    [aside] = out.aside
    assert dict(out.rows)[aside.seq].__class__ is kind
    assert aside.reason == f"{kind.__name__}: ZeroDivisionError a mistake"
    assert shown(table)[:2] == before[:2]
    rows = [*table.rows, *out.rows]
    again = Engine.restored(rows, {aside.seq})
    assert (again.state, again.sentence, again.take().aside) == (table.engine.state, "", [])
    assert Engine.derived(rows, {aside.seq}).state == table.engine.state
    table.now_ns += 1 * S
    assert table.tap("3").engine.state.table.seats[2].name == "Green"


def test_a_row_that_raises_only_at_the_next_start_is_set_aside_there(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Sitting().tap("1").turn(1)
    Broken(monkeypatch, Turned).now()
    back = Engine.restored(table.rows)
    assert [aside.reason for aside in back.take().aside] == ["Turned: ZeroDivisionError a mistake"]
    turned = next(seq for seq, event in table.rows if isinstance(event, Turned))
    assert back.sentence == (
        f"event {turned} cannot be taken (ZeroDivisionError a mistake): the table is back in LOBBY, with everything "
        "that was decided"
    )
    last = Engine.restored([row for row in table.rows if row[0] <= turned])
    assert (last.state.seq, last.state.phase.name) == (turned, "LOBBY")  # it keeps its number, even if no event follows
    assert back.state.table.seats[0].name == "Orange" or back.state.table.seats[0].name


def test_a_contact_whose_row_raises_is_as_the_row_says(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Sitting(may_set_aside=True)
    with monkeypatch.context() as within:
        Broken(within, Edge).now()
        table.edges(("1", True, 0))
    assert table.engine.state.contacts[0].closed
    table.open("1").tap("1")
    assert table.engine.state.table.seats[0].name == "Red"


def test_a_deadline_that_raises_falls_once_and_the_race_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    table = at_table("1", "2").playing("1", "2")
    table.may_set_aside = True
    with monkeypatch.context() as within:
        Broken(within, Tick).now()
        table.wait(30 * S)
    assert (table.phase, table.engine.deadline_ns) == ("TIMEOUT", None)
    assert len([event for _, event in table.rows if isinstance(event, Tick)][-1:]) == 1
    table.choose("Go on").wait(4 * S)
    assert table.phase == "PLAYING"


def calm(name: str, state: State) -> str:
    """Return the phase that replaces that one when its deadline raises."""
    return without_deadline(state).phase.name if state.phase.name == name else f"not {name}: {state.phase.name}"


def test_what_goes_on_by_itself_gives_way_to_what_waits() -> None:
    assert calm("LOBBY", Sitting().tap("1").engine.state) == "LOBBY"
    ready = at_table("1", "2").choose("Start").wait(BREATH_NS)
    assert calm("READY", ready.engine.state) == "READY"
    starting = ready.wait(BREATH_NS).tap("1", "2").engine.state
    assert isinstance(starting.phase, Starting)
    assert calm("STARTING", starting) == "READY"
    table = at_table("1", "2").playing("1", "2")
    assert calm("PLAYING", table.engine.state) == "TIMEOUT"
    table.press("1").wait(100 * MS)
    count = without_deadline(table.engine.state).phase
    assert isinstance(count, Counting)
    assert count.callers == ("1",)
    table.choose("False call").wait(3 * S).tap("1")
    assert calm("RESUMING", table.engine.state) == "TIMEOUT"
    off = Sitting().engine.state
    assert isinstance(off.phase, Lobby)
    checking = Checking(off.now_ns, closes_at_ns=off.now_ns, inner=off.phase)
    assert without_deadline(replace(off, phase=checking)).phase.name == "LOBBY"


def test_a_phase_that_cannot_even_be_left_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(then: State, now_ns: int) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(past, "landing", raising)
    assert without_deadline(at_table("1", "2").playing("1", "2").engine.state).phase.name == "READY"
    lobby = without_deadline(Sitting().engine.state).phase
    assert isinstance(lobby, Lobby)
    assert lobby.again  # the same people continue, or others sit down


def test_a_deadline_of_which_nothing_comes_falls_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be due again at once, for ever.

    In tests it is an error, such as a phase without a row for `Due`.
    """
    table = at_table("1", "2").playing("1", "2")
    with monkeypatch.context() as within:
        within.setitem(match._EVENTS, Tick, lambda state, event: Step(state.after_event(event.at_ns)))
        with pytest.raises(UndeclaredError, match=r"^PLAYING: its deadline changes nothing$"):
            table.engine.intake([], table.now_ns + 30 * S)
    table = at_table("1", "2").playing("1", "2")
    with monkeypatch.context() as within:
        within.setattr(Engine, "strict", False)
        within.setitem(match._EVENTS, Tick, lambda state, event: Step(state.after_event(event.at_ns)))
        table.engine.intake([], table.now_ns + 30 * S)
    [aside] = table.engine.take().aside
    assert aside.reason == "Tick: nothing comes of it"
    assert table.phase == "TIMEOUT"


def test_a_deadline_that_cannot_be_told_calms_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    table = at_table("1", "2").playing("1", "2")

    def raising(self: Any, contacts: Any) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(type(table.engine.state.phase), "due_ns", raising)
    assert table.engine.deadline_ns is None
    assert table.phase == "TIMEOUT"
    out = table.engine.take()
    assert out.aside == []  # the next start does not skip the last decision
    why = f"the deadline after event {table.engine.state.seq} cannot be told: ZeroDivisionError"
    assert out.notes == [f"{why}; the table is in TIMEOUT"]


def test_a_new_boot_is_taken_whatever_it_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    table = at_table("1", "2").playing("1", "2")
    real, calls = match._EVENTS[Resumed], list[State]()

    def once(state: State, event: Any) -> Any:
        calls.append(state)
        if len(calls) == 1:
            raise ZeroDivisionError
        return real(state, event)

    monkeypatch.setitem(match._EVENTS, Resumed, once)
    table.engine.intake([Resumed(5 * S, "boot-2", 3)], 5 * S)
    assert (table.phase, table.engine.state.now_ns, table.engine.state.boot) == ("POWER_BACK", 5 * S, "boot-2")


def test_what_cannot_be_shown_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Sitting()
    real = viewer.view

    def picture(state: State, now_ns: int) -> Any:
        if state.table.seats[1].name is not None:
            raise ZeroDivisionError
        return real(state, now_ns)

    monkeypatch.setattr(engine, "view", picture)
    monkeypatch.setattr(setting_aside, "view", picture)
    table.engine.intake([Edge("1", True, S), Edge("2", True, S + 1)], S + 5 * MS)
    table.engine.take_back("ZeroDivisionError")
    out = table.engine.take()
    assert [dict(out.rows)[aside.seq].__class__ for aside in out.aside] == [Joined]
    assert [seat.name for seat in table.engine.state.table.seats[:2]] == ["Red", None]
    rows = [*table.rows, *out.rows]
    assert Engine.restored(rows, {out.aside[0].seq}).state == table.engine.state
    assert Engine.restored(rows).sentence == f"event {rows[-1][0]} left what cannot be shown: back in LOBBY"


def unshowable(monkeypatch: pytest.MonkeyPatch, when: Callable[[State, int], bool]) -> None:
    """Make the view of such a table at such a time raise."""
    real = viewer.view

    def picture(state: State, now_ns: int) -> Any:
        return 1 / 0 if when(state, now_ns) else real(state, now_ns)

    monkeypatch.setattr(engine, "view", picture)
    monkeypatch.setattr(setting_aside, "view", picture)


def pressed(table: Sitting) -> None:
    """Deliver a call and its verdict in one intake."""
    at_ns = table.now_ns
    table.engine.intake([Edge("1", True, at_ns), Edge("1", False, at_ns + 50 * MS)], at_ns + 100 * MS)


def test_where_nothing_can_be_shown_nothing_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Sitting()
    Broken(monkeypatch, Turned).now()
    unshowable(monkeypatch, lambda state, now_ns: True)
    table.engine.intake([Turned(table.now_ns, 1), Edge("1", True, table.now_ns)], table.now_ns + 5 * MS)
    raised = table.engine.take().aside
    table.engine.take_back("ZeroDivisionError")
    assert len(raised) == 1
    assert table.engine.take().aside == []
    assert table.engine.state.table.seats[0].name == "Red"


def test_a_verdict_that_cannot_be_shown_stands_and_its_count_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    table = at_table("1", "2").playing("1", "2")
    unshowable(monkeypatch, lambda state, now_ns: state.phase.name == "VERDICT")
    pressed(table)
    table.engine.take_back("ZeroDivisionError")
    out = table.engine.take()
    assert out.aside == []
    (ruled,) = (seq for seq, event in out.rows if isinstance(event, Ruled))
    assert out.notes == [f"what Ruled, event {ruled}, led to cannot be shown: ZeroDivisionError"]
    count = table.engine.state.phase
    assert isinstance(count, Counting)
    assert count.callers == ("1",)


def test_a_decision_of_which_there_is_no_picture_at_all_is_not_reached_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its deadline would be due again at once, for ever."""
    table = at_table("1", "2").playing("1", "2")
    hands = frozenset({"VERDICT", "COUNTING"})
    unshowable(monkeypatch, lambda state, now_ns: state.phase.name in hands)
    pressed(table)
    table.engine.take_back("ZeroDivisionError")
    out = table.engine.take()
    assert [aside.reason for aside in out.aside] == ["Ruled cannot be shown: ZeroDivisionError"]
    assert out.notes == ["CALLED leads to what cannot be shown: ZeroDivisionError; the table is in TIMEOUT"]
    assert table.phase == "TIMEOUT"
    table.engine.intake([], table.now_ns + 60 * S)
    assert table.engine.take().rows == []


def test_a_picture_that_time_makes_impossible_ends_in_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    table = at_table("1", "2").playing("1", "2")
    late_ns = table.now_ns + 5 * S
    unshowable(monkeypatch, lambda state, now_ns: state.phase.name == "PLAYING" and now_ns >= late_ns)
    table.engine.take_back("ZeroDivisionError", late_ns - 1)
    assert (table.phase, table.engine.take().notes) == ("PLAYING", [])
    table.engine.take_back("ZeroDivisionError", late_ns)
    assert table.phase == "TIMEOUT"
    assert table.engine.take().notes == ["PLAYING cannot be shown: ZeroDivisionError; the table is in TIMEOUT"]


def test_a_question_that_a_push_has_put_comes_back_in_its_own_release_alone() -> None:
    """Another release may have another line there, so the table returns to POWER_BACK."""
    table = at_table().playing("1", "2", "3").power_cut().wait(BREATH_NS)
    before = table.rows[-1][0]
    table.choose("Void").wait(S)
    assert table.phase == "VOTE"
    assert (Engine.restored(table.rows).state.phase.name, Engine.restored(table.rows).sentence) == ("VOTE", "")
    other = Engine.restored(table.rows, release="another one")
    pushed = next(seq for seq, event in table.rows if seq > before and isinstance(event, Edge) and event.closed)
    assert other.sentence == (
        f"what was chosen at the knob before event {pushed + 2} only another release knows: the table is back in "
        "POWER_BACK, with everything that was decided"
    )
    assert other.state.table == table.engine.state.table


# -- missing rows --------------------------------------------------------------------------------------------------


def test_missing_rows_are_reported_and_put_the_phase_in_doubt() -> None:
    table = at_table("1", "2").choose("Start").wait(BREATH_NS)
    length = len(table.rows)
    table.tap("1", "2").wait(S)
    lost = range(length + 1, len(table.rows) - 1)
    back = Engine.restored([row for row in table.rows if row[0] not in lost])
    assert (back.state.phase.name, back.state.phase.ready) == ("READY", frozenset())  # type: ignore[attr-defined]
    assert back.sentence == (
        f"events {lost[0]} to {lost[-1]} are missing: the table is back in READY, with everything else that was decided"
    )


def test_nothing_that_missing_rows_may_have_said_is_guessed() -> None:
    table = counted(at_table().playing("1", "2", "3"), "1", 20, "2", "3")
    joined = [seq for seq, event in table.rows if isinstance(event, Joined)]
    sealed = next(seq for seq, event in table.rows if isinstance(event, Sealed))
    back = Engine.restored([row for row in table.rows if not joined[1] < row[0] <= joined[2]])
    assert [seat.name for seat in back.state.table.seats] == ["Anna", "Ben", None, None]
    assert [one.seq for one in back.take().aside] == [sealed]
    assert back.state.table.hands == ()
    assert f"events {joined[1] + 1} to {joined[2]} are missing; event {sealed} does not count (" in back.sentence


@settings(max_examples=12)
@given(st.data(), st.booleans())
def test_any_missing_or_skipped_row_costs_no_recorded_hand(data: st.DataObject, skipped: bool) -> None:
    rows = evening(data.draw(st.sampled_from(("four_friends", "two_books"))))
    facts = [seq for seq, event in rows[1:-1] if not isinstance(event, DECISIONS)]
    lost = data.draw(st.sampled_from(facts))
    whole = Engine.restored(rows)
    back = Engine.restored(rows, {lost}) if skipped else Engine.restored([row for row in rows if row[0] != lost])
    assert [hand.counts for hand in book(back.state).hands] == [hand.counts for hand in book(whole.state).hands]
    assert back.state.table.setup == whole.state.table.setup
    assert skipped or f"event {lost} is missing" in back.sentence
    assert back.state.seq == whole.state.seq


def test_a_correction_is_applied_where_these_rules_are_in_the_middle_of_a_hand() -> None:
    table = counted(Sitting().playing("1", "2"), "1", 20, "2").playing("1", "2")
    playing = table.engine.state
    assert (playing.phase.name, len(playing.table.hands)) == ("PLAYING", 1)
    counts = (("1", (0, 1, 9)), ("2", (3, 1, 0)))
    state = apply_decision(playing, Corrected(playing.now_ns, 1, counts)).state
    assert (playing.table.hands[0].counts["1"].foundation, state.table.hands[0].counts["1"].foundation) == (20, 19)
    assert (state.phase.name, play_of(state.phase)) == ("TIMEOUT", playing.phase.play_at_pause(playing.now_ns))


@pytest.mark.parametrize("preset", ["nna", "31"])
def test_every_decision_finds_its_place_from_anywhere(preset: str) -> None:
    begun = Sitting(Setup(preset, stations=("1", "2", "3"))).tap("1", "2").engine.state
    assert (
        apply_decision(begun, Sealed(begun.now_ns, (("1", (0, 1, 0)), ("2", (1, 1, 0))))).state.table.hands
        or preset == "31"
    )
    assert apply_decision(begun, Began(begun.now_ns)).state.phase.name == "READY"
    with pytest.raises(LookupError):
        apply_decision(begun, Overruled(begun.now_ns, "first", ("1",)))
