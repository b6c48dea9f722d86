"""The Engine: a journal that begins in mid-evening, and the end of an evening."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from referee.core.match import engine
from referee.core.match.engine import REST_NS, Engine
from referee.core.model.events import Fact, Opened, PhoneSat
from referee.core.model.table import Setup
from referee.core.presses.signals import KNOB, Edge
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.evenings import at_table, counted
from tests.core.sitting import BREATH_NS, Sitting

THREE = ("1", "2", "3")


def test_the_evidence_holds_twelve_buttons_that_bounce_sixteen_times_each() -> None:
    stations = tuple(str(n) for n in range(1, 13))
    table, sent = Sitting(Setup(stations=stations)), list[tuple[str, bool, int]]()
    bounces = [(s, n % 2 == 0, (n * 12 + at) * MS) for n in range(16) for at, s in enumerate(stations)]
    for rows in (bounces, bounces, [("1", True, 0)], [("1", False, 0)]):
        begun_ns = table.now_ns
        table.edges(*rows)
        sent += [(station, closed, begun_ns + at_ns) for station, closed, at_ns in rows]
        trail = [(edge.station, edge.closed, edge.t_ns) for edge in table.engine.state.trail]
        assert trail[-len(bounces) :] == sent[-len(bounces) :]
        table.wait(S)


def test_a_match_goes_on_in_a_journal_that_lacks_its_beginning() -> None:
    table = counted(at_table(*THREE).playing(*THREE), "1", 20, "2", "3").wait(BREATH_NS)
    table.playing(*THREE).wait(20 * S).reopened().wait(3 * S)
    shown = table.view
    assert Engine.restored(table.chapter).view(table.now_ns) == shown
    table.power_cut().wait(BREATH_NS).tap(*THREE).wait(4 * S)
    assert table.phase == "PLAYING"
    assert [len(table.engine.state.table.hands), table.rows[-1][0]] == [1, table.engine.state.seq]


def test_nothing_is_to_be_undone_that_the_journal_does_not_hold() -> None:
    table = at_table(*THREE).playing(*THREE).press("1").wait(200 * MS).reopened()
    assert table.engine.state.undo is None
    table.wait(5 * S).wait(BREATH_NS).choose("Void hand").wait(BREATH_NS).tap(*THREE).choose("Undo: void")
    assert table.phase == "COUNTING"


PRESS = [Edge("1", True, 0)]
PUSH = [Edge(KNOB, True, 0)]
SITS = [PhoneSat(0, "phone-1", "1", "Anna")]


def rests(table: Sitting, facts: Sequence[Fact], after_ns: int = 0) -> bool:
    """Return whether another evening begins if these facts come `after_ns` later."""
    return table.engine.has_rested(table.now_ns + after_ns, facts)


def match_over() -> Sitting:
    table = Sitting(Setup(options=(("target", 10),), stations=("1", "2"))).playing("1", "2")
    counted(table, "1", 20, "2").wait(BREATH_NS)
    assert table.phase == "OVER"
    return table


def test_an_hour_at_rest_after_a_match_ends_the_evening() -> None:
    table = match_over()
    for touch in (PRESS, PUSH, SITS):
        assert not rests(table, touch, REST_NS - 10 * S)
        assert rests(table, touch, REST_NS)
    table.reopened()
    assert not rests(table, PRESS, REST_NS)
    table.tap("1", "2").wait(BREATH_NS)
    counted(table.playing("1", "2"), "1", 20, "2").wait(BREATH_NS)
    assert rests(table, PRESS, REST_NS)


def test_a_match_that_is_not_over_never_ends_an_evening() -> None:
    table = counted(at_table("1", "2").playing("1", "2"), "1", 20, "2").wait(BREATH_NS)
    assert not rests(table, PRESS, 100 * REST_NS)
    table.power_cut(away_s=20_000)
    assert table.phase == "LOBBY"
    assert not rests(table, PRESS, 100 * REST_NS)


def test_another_table_ends_the_evening_when_it_sits_down() -> None:
    table = match_over().choose("Other table").wait(BREATH_NS)
    assert table.phase == "LOBBY"
    assert not rests(table, PUSH)
    assert rests(table, PRESS)
    assert rests(table, SITS)
    assert not rests(table.push(), PRESS)


def test_a_lobby_that_has_seen_no_match_goes_on_in_its_evening() -> None:
    table = at_table("1", "2")
    assert not rests(table, PRESS, 2 * REST_NS)
    table.choose("Start").wait(BREATH_NS).choose("Undo: start").wait(20 * S)
    assert not rests(table, PRESS)


def test_a_long_file_ends_with_its_match_at_the_first_button(monkeypatch: pytest.MonkeyPatch) -> None:
    table = match_over()
    assert not rests(table, PRESS)
    monkeypatch.setattr(engine, "LONG_FILE", table.engine.state.seq - 2)
    assert rests(table, PRESS)
    assert not rests(table, PUSH)
    assert not rests(table.close("1"), PRESS)
    assert not rests(table.open("1").reopened(), PRESS)


def test_an_evening_that_comes_back_knows_whether_it_has_seen_a_match() -> None:
    table = match_over()
    table.engine = Engine.restored(table.rows)
    assert rests(table, PRESS, REST_NS)
    table.engine = Engine.restored(table.reopened().chapter)
    assert not rests(table, PRESS, REST_NS)


def test_an_option_that_the_game_no_longer_allows_is_left_out() -> None:
    table = Sitting().playing("1", "2")
    (first, opened), *others = table.rows
    assert isinstance(opened, Opened)
    strange = replace(opened, setup={**opened.setup, "options": {"target": 150, "moon": 1}})
    engine = Engine.restored([(first, strange), *others])
    assert engine.sentence.startswith("the game does not allow moon 1: left out")
    assert engine.state.table.setup.options == (("target", 150),)
    assert engine.state.phase == table.engine.state.phase
