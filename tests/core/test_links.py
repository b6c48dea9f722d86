"""Stations on a link: lost links, levels, late rows, and when presses are certain."""

from __future__ import annotations

from typing import Any

from referee.core.match.engine import Engine
from referee.core.model.events import Linked, Ruled
from referee.core.model.table import Setup
from referee.core.model.view import LobbyScreen, VerdictScreen
from referee.core.presses.signals import DRAIN_NS, Edge
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.evenings import at_table
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import en

LAG_NS = 30 * MS
FOUR = Setup(stations=("1", "2", "3", "4"), remote=("3", "4"), latency_ns=LAG_NS)


def linked(table: Sitting, up: bool, *stations: str, closed: tuple[str, ...] = ()) -> Sitting:
    """Bring the links of these stations up or down now."""
    table.engine.intake([Linked(table.now_ns, "pod:ab12", up, stations, closed)], table.now_ns)
    table._collect()
    return table


def late(table: Sitting, *rows: tuple[str, bool, int], by_ns: int = 2 * MS) -> Sitting:
    """Deliver rows (station, closed, ns from now) of a link, each `by_ns` after it happened."""
    for station, closed, at in rows:
        edge = Edge(station, closed, table.now_ns + at, 200_000, table.now_ns + at + by_ns)
        table.engine.intake([edge], edge.arrived_ns)
    table.now_ns += rows[-1][2] + by_ns
    table._collect()
    return table


def playing(setup: Setup = FOUR) -> Sitting:
    """Return a table in play with two wired players and two on a pod."""
    table = linked(Sitting(setup), True, "3", "4")
    table.tap("1", "2")
    for station in ("3", "4"):
        late(table, (station, True, 0), (station, False, 100 * MS)).wait(100 * MS)
    table.choose("Start").wait(1 * S).tap("1", "2")
    for station in ("3", "4"):
        late(table, (station, True, 0), (station, False, 100 * MS)).wait(100 * MS)
    table.wait(4 * S)
    assert table.view.phase == "PLAYING"
    return table


def verdict(table: Sitting) -> Ruled:
    [ruled] = [event for _, event in table.rows if isinstance(event, Ruled)]
    return ruled


# -- lost links ----------------------------------------------------------------------------------------------------


def test_a_link_that_is_lost_is_heard_but_never_in_play() -> None:
    table = linked(Sitting(FOUR), True, "3", "4")
    table.heard()
    assert linked(table, False, "3", "4").heard() == ["fault"]
    assert linked(table, False, "3", "4").heard() == []
    table = playing()
    table.heard()
    assert linked(table, False, "3", "4").heard() == []


def test_stations_without_a_link_are_named_until_it_is_there() -> None:
    table = Sitting(FOUR)
    banners = [table.view.banner]
    for up, stations in ((True, "3"), (True, "4"), (False, "34")):
        banners.append(linked(table, up, *stations).view.banner)
    assert [en(banner) for banner in banners] == ["NO LINK 3,4", "NO LINK 4", None, "NO LINK 3,4"]
    table.tap("1")
    assert isinstance(table.view.screen, LobbyScreen)
    assert table.view.screen.seats[0].name


def test_a_link_that_is_down_survives_undo_and_a_power_cut() -> None:
    """A link is no state that undo restores. After a new boot every link must come up again."""
    table = linked(Sitting(FOUR), True, "3", "4").tap("1", "2")
    table.choose("Start")
    linked(table, False, "4")
    table.choose("Undo")
    assert en(table.view.banner) == "NO LINK 4"
    table.power_cut()
    assert en(table.view.banner) == "NO LINK 3,4"


# -- levels --------------------------------------------------------------------------------------------------------


def test_a_contact_found_closed_with_its_link_is_a_level() -> None:
    table = linked(Sitting(FOUR), True, "3", "4", closed=("3",)).wait(2 * S)
    screen = table.view.screen
    assert isinstance(screen, LobbyScreen)
    assert (en(screen.hint), screen.seats[2].name) == ("3: LET GO", None)
    late(table, ("3", False, 0)).wait(100 * MS)
    late(table, ("3", True, 0), ("3", False, 50 * MS)).wait(100 * MS)
    assert isinstance(table.view.screen, LobbyScreen)
    assert table.view.screen.seats[2].name


def test_a_link_that_is_back_with_the_same_levels_changes_nothing() -> None:
    table = playing()
    late(table, ("3", True, 0), by_ns=1 * MS)
    linked(table, False, "3", "4")
    linked(table, True, "3", "4", closed=("3",))
    table.wait(200 * MS)
    assert verdict(table).verdict.callers == ("3",)


def test_a_link_that_comes_back_with_a_button_up_lets_the_hand_begin() -> None:
    table = linked(Sitting(FOUR), True, "3", "4").tap("1")
    late(table, ("3", True, 0), ("3", False, 50 * MS)).wait(100 * MS)
    table.choose("Start").wait(BREATH_NS).tap("1")
    late(table, ("3", True, 0)).wait(100 * MS)
    linked(table, False, "3", "4")
    assert table.wait(2 * S).phase == "READY"
    assert linked(table, True, "3", "4").wait(100 * MS).phase == "STARTING"


# -- rows that come late -------------------------------------------------------------------------------------------


def test_a_remote_press_is_not_certain_while_a_row_may_be_under_way() -> None:
    table = playing()
    at = table.now_ns
    table.engine.intake([Edge("3", True, at, 100_000, at + 1 * MS)], at + 5 * MS)
    table.engine.intake([Edge("3", False, at + 600_000, 100_000, at + 20 * MS)], at + 21 * MS)
    table.now_ns = at + 21 * MS
    table.wait(1 * S)
    assert table.view.phase == "PLAYING"


def test_a_row_that_repeats_the_level_makes_a_remote_press_certain_at_once() -> None:
    """The row says that nothing else happened, so the stop tone need not wait for the lag."""
    table = playing()
    at = table.now_ns
    late(table, ("3", True, 0), by_ns=1 * MS)
    assert table.view.phase == "PLAYING"
    late(table, ("3", True, 300_000), by_ns=1 * MS)
    assert table.view.phase == "CALLED"
    assert table.now_ns - at < 4 * MS


def test_without_such_a_row_it_is_certain_when_the_lag_is_over() -> None:
    """60 ms later than on a wire: 30 for a first row, 30 for bounces. D is over by then."""
    table = playing()
    late(table, ("3", True, 0), by_ns=1 * MS).wait(59 * MS)
    assert table.view.phase == "PLAYING"
    table.wait(1 * MS)
    assert table.view.phase == "VERDICT"


def test_who_pressed_first_wins_whoever_s_row_came_first() -> None:
    table = playing()
    at = table.now_ns
    rows = [
        Edge("1", True, at + 25 * MS, 300_000),
        Edge("3", True, at, 200_000, at + 37 * MS),
        Edge("3", True, at + 2 * MS, 200_000, at + 38 * MS),
    ]
    for row in rows:
        table.engine.intake([row], row.arrived_ns)
    table.now_ns = at + 38 * MS
    table.wait(500 * MS)
    found = verdict(table).verdict
    assert (found.kind, found.callers, found.grey) == ("clear", ("3",), False)
    assert isinstance(table.view.screen, VerdictScreen)


def test_what_a_pod_kept_through_an_unplug_is_late_evidence() -> None:
    table = playing()
    at = table.now_ns
    linked(table, False, "3", "4")
    table.wait(100 * MS).close("1").wait(300 * MS)
    assert verdict(table).verdict.callers == ("1",)
    linked(table, True, "3", "4")
    now = table.now_ns
    table.engine.intake([Edge("3", c, at + ns, 300_000, now) for c, ns in ((True, 0), (False, 80 * MS))], now)
    table.wait(100 * MS)
    assert table.view.phase == "VERDICT"
    judged: Any = table.engine.state.phase
    assert judged.verdict.callers == ("1",)
    [(press, would_be_first)] = judged.verdict.late
    assert (press.station, press.t_ns, would_be_first) == ("3", at, True)
    table.wait(10 * S)
    assert table.view.phase == "VERDICT"  # the offered contest has 15 s


def test_a_press_of_before_the_start_calls_and_stops_nothing() -> None:
    table = playing()
    now = table.now_ns
    rows = [Edge("3", c, now - 20 * S + ns, 300_000, now) for c, ns in ((True, 0), (False, 80 * MS))]
    table.engine.intake(rows, now)
    table.wait(100 * MS)
    assert (table.view.phase, en(table.view.toast)) == ("PLAYING", "TOO LATE")


# -- one clock -----------------------------------------------------------------------------------------------------


def on_pods(*presses: tuple[str, str, int]) -> Sitting:
    """Return presses (station, clock, ns) of two pods, each up to 4 ms off, in photo mode."""
    table = playing(setup=replace(FOUR, options=(("tie_ms", 0),)))
    begun_ns = table.now_ns
    rows = [
        Edge(station, True, begun_ns + at, 4 * MS, begun_ns + 10 * MS, clock, 400) for station, clock, at in presses
    ]
    rows += [replace(row, t_ns=row.t_ns + 2 * MS, arrived_ns=begun_ns + 12 * MS) for row in rows]
    table.engine.intake(rows, begun_ns + 12 * MS)
    table.now_ns = begun_ns + 12 * MS
    table._collect()
    return table.wait(100 * MS)


def test_two_buttons_of_one_pod_are_told_apart_by_a_microsecond() -> None:
    ruled = verdict(on_pods(("4", "ab12:1", 0), ("3", "ab12:1", 1_000))).verdict
    assert (ruled.kind, ruled.grey, ruled.presses[0].station) == ("clear", False, "4")
    assert verdict(on_pods(("4", "ab12:1", 0), ("3", "cd34:1", 1_000))).verdict.grey
    table = on_pods(("4", "ab12:1", 0), ("3", "ab12:1", 1_000))
    assert Engine.restored(table.rows).state == table.engine.state


def test_a_press_waits_for_its_pod_s_rows_as_long_as_its_clock_may_be_off() -> None:
    for clock, certain_ns in ((None, 1 * MS + LAG_NS + DRAIN_NS), ("ab12:1", 5 * MS + LAG_NS + DRAIN_NS)):
        table = playing()
        begun_ns = table.now_ns
        table.engine.intake([Edge("3", True, begun_ns, 4 * MS, begun_ns, clock, 400)], begun_ns)
        assert table.wait(certain_ns - 1).view.phase == "PLAYING"
        assert table.wait(1).view.phase != "PLAYING"


# -- the last one to let go is a link -------------------------------------------------------------------------------


def let_go_by_link(table: Sitting, station: str, *others: str) -> Sitting:
    """Hold the button while others tap, lose its link, and restore it with the button open."""
    table.wait(BREATH_NS).tap(station, *others[:-1]).close(station).tap(*others[-1:])
    return linked(linked(table.wait(1 * S), False, station), True, station)


def test_after_a_power_cut_a_link_that_comes_back_with_the_button_open_is_the_last_to_let_go() -> None:
    starting = at_table("1", "2", "3").choose("Start").wait(BREATH_NS).tap("1", "2", "3").wait(1 * S)
    assert starting.phase == "STARTING"
    assert let_go_by_link(starting.power_cut(), "1", "2", "3").phase == "STARTING"
    verdict = at_table("1", "2", "3").playing("1", "2", "3").press("1").wait(1 * S)
    assert verdict.phase == "VERDICT"
    assert let_go_by_link(verdict.power_cut(), "1", "2", "3").phase == "VERDICT"
