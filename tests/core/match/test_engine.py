"""The Engine: a journal that begins in the middle of an evening, and when an evening is over."""

from __future__ import annotations

from referee.core.match.engine import REST_NS, Engine, rests
from referee.core.model.events import Opened
from referee.core.model.table import Setup
from referee.core.stored import decode, encode
from referee.core.units import MS, S
from tests.core.evenings import at_table, counted
from tests.core.sitting import BREATH_NS, Sitting

THREE = ("1", "2", "3")


def test_the_evidence_holds_twelve_buttons_that_bounce_sixteen_times_each() -> None:
    """The newest rows of all that there were, whatever came before them, and with each row that comes after them."""
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
    """A second power cut finds the same hand, the same scores, the same phase."""
    table = counted(at_table(*THREE).playing(*THREE), "1", 20, "2", "3").wait(BREATH_NS)
    table.playing(*THREE).wait(20 * S).reopened().wait(3 * S)
    shown = table.view
    assert Engine.restored(table.chapter).view(table.now_ns) == shown
    table.power_cut().wait(BREATH_NS).tap(*THREE).wait(4 * S)
    assert table.phase == "PLAYING"
    assert [len(table.engine.state.table.hands), table.rows[-1][0]] == [1, table.engine.state.seq]


def test_nothing_is_to_be_undone_that_the_journal_does_not_hold() -> None:
    """What was decided before is beyond undo; what is decided from then on is not."""
    table = at_table(*THREE).playing(*THREE).press("1").wait(200 * MS).reopened()
    assert table.engine.state.undo is None
    table.wait(5 * S).wait(BREATH_NS).choose("Void hand").wait(BREATH_NS).tap(*THREE).choose("Undo: void")
    assert table.phase == "COUNTING"


def test_a_row_that_opens_anew_can_be_read_again() -> None:
    """It goes through the journal like any other; what it opened the journal with stands in it, too."""
    table = at_table(*THREE).playing(*THREE).reopened()
    _, row = table.chapter[0]
    assert isinstance(row, Opened)
    assert decode(encode(row)) == row
    assert row.setup == table.setup.document()


def resting(table: Sitting, at_ns: int = 0) -> bool:
    """Whether the evening is over by then."""
    return rests(table.engine.state, table.now_ns + at_ns)


def test_an_evening_is_over_in_the_lobby_and_an_hour_after_a_match() -> None:
    """While somebody may still take something back, or has a match to go on with, it is not."""
    table = at_table("1", "2")
    assert resting(table)
    assert not resting(table.push())
    table.wait(20 * S).close("1")
    assert not resting(table)
    table.open("1").playing("1", "2")
    assert not resting(table, 2 * REST_NS)
    counted(table, "1", 20, "2")
    away = table.power_cut(away_s=20_000)
    assert away.phase == "LOBBY"
    assert not resting(away)


def test_an_hour_after_the_last_touch_a_match_that_is_over_rests() -> None:
    """Until then its last count may be undone."""
    table = Sitting(Setup(options=(("target", 10),), stations=("1", "2"))).playing("1", "2")
    counted(table, "1", 20, "2").wait(BREATH_NS)
    assert table.phase == "OVER"
    assert not resting(table, REST_NS - 10 * S)
    assert resting(table, REST_NS)
    table.power_cut(away_s=20_000)
    assert (table.phase, resting(table)) == ("LOBBY", True)


def test_only_a_long_evening_is_left_behind() -> None:
    """Of five thousand rows: a device that is switched on and off writes no more than it must."""
    table = at_table("1", "2").wait(20 * S)
    assert not table.engine.has_rested(table.now_ns)
    while table.engine.state.seq < 5_000:
        table.turn(1)
    assert not table.engine.has_rested(table.now_ns)
    table.turn(1)
    assert table.engine.has_rested(table.now_ns)
    assert not table.reopened().engine.has_rested(table.now_ns)
