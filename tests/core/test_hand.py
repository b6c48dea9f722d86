"""A hand from the lobby to the standings, and its interruptions, through the Engine."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from referee.core.match.engine import DisagreementError, Engine
from referee.core.model.events import Cue, Joined, Linked, Sealed, Tick, Undone
from referee.core.model.table import Setup
from referee.core.model.view import (
    CountdownScreen,
    CountScreen,
    Label,
    LobbyScreen,
    MenuScreen,
    OverScreen,
    PhotoScreen,
    PlayingScreen,
    PowerBackScreen,
    ReadyScreen,
    StandingsScreen,
    StopScreen,
    VerdictScreen,
    WaitScreen,
)
from referee.core.presses.signals import KNOB, Edge
from referee.core.units import MS, S
from tests.core.evenings import counted
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import all_en, en


def names(table: Sitting) -> list[str | None]:
    return [seat.name for seat in table.screen(LobbyScreen).seats]


# -- lobby ---------------------------------------------------------------------------------------------------------


def test_a_tap_joins_and_a_second_one_changes_nothing() -> None:
    table = Sitting().taps("2", 3)
    assert names(table) == [None, "Blue", None, None]
    assert len(table.decisions(Joined)) == 1
    assert table.wait(1 * S).lit == "slow steady slow slow"


def test_the_knob_turns_the_latest_name_for_five_seconds() -> None:
    table = Sitting(Setup(stations=("1", "2", "3"), names=(("1", "Anna"), ("2", "Ben")))).tap("1", "3")
    assert names(table) == ["Anna", None, "Green"]
    assert table.screen(LobbyScreen).naming == 3
    table.turn(1)
    assert names(table)[2] == "Gold"
    table.turn(-2)
    assert names(table)[2] == "Gold"  # a new name is between them, and changes nothing
    assert table.screen(LobbyScreen).fresh
    table.turn(-1)
    assert names(table)[2] == "Ben"
    table.wait(5 * S + 1 * MS).turn(1)
    assert names(table)[2] == "Ben"
    assert table.screen(LobbyScreen).naming is None


def test_a_remembered_name_that_somebody_else_took_gives_way_to_a_deck_back() -> None:
    table = Sitting(Setup(stations=("1", "2"), names=(("1", "Anna"), ("2", "Ben")))).tap("2").turn(1)
    assert names(table) == [None, "Anna"]
    assert names(table.tap("1")) == ["Red", "Anna"]


def test_of_two_who_are_called_alike_the_second_turns_to_the_first_other_name() -> None:
    called = (("1", "Ben"), ("2", "Ben"), ("3", "Cleo"))
    table = Sitting(Setup(stations=("1", "2", "3"), names=called)).tap("1", "2")
    assert names(table) == ["Ben", "Ben", None]
    assert names(table.turn(1)) == ["Ben", "Cleo", None]


def test_somebody_paired_is_not_paired_again() -> None:
    table = Sitting().press("1", "2", ns=900 * MS).press("2", "3", ns=900 * MS)
    assert en(table.screen(LobbyScreen).hint) == "ALREADY A PAIR"
    assert table.screen(LobbyScreen).teams == 2


def flashes(table: Sitting, station: str, ns: int) -> int:
    """Return how often that lamp goes on in the next `ns`."""
    index = table.setup.stations.index(station)
    lit = [table.wait(10 * MS).view.lamps[index].lit for _ in range(ns // (10 * MS))]
    return sum(now and not before for before, now in pairwise(lit))


def test_a_hold_in_the_lobby_winks_twice_and_a_tap_once() -> None:
    """Players who look at their cards notice what was taken."""
    table = Sitting()
    assert flashes(table.close("1"), "1", 300 * MS) == 1
    table.open("1").tap("2").wait(1 * S)
    for together in (True, False):
        assert flashes(table.close("1", "2").wait(800 * MS), "1", 700 * MS) == 2
        table.open("1", "2").wait(1 * S)
        assert (table.screen(LobbyScreen).seats[0].pair == 2) is together
    assert flashes(table.close("1").wait(2 * S - 2 * MS), "1", 700 * MS) == 2
    assert names(table) == [None, "Blue", None, None]


def test_one_team_alone_cannot_start() -> None:
    table = Sitting().press("1", "2", ns=900 * MS).push()
    assert "item.start" not in [getattr(item, "key", "") for item in table.screen(MenuScreen).items]
    table.choose("Back").tap("3").push()
    assert "item.start" in [getattr(item, "key", "") for item in table.screen(MenuScreen).items]


def test_a_list_that_still_offers_a_start_begins_no_match_of_one_team() -> None:
    table = Sitting().tap("1", "2").push().press("2", ns=2500 * MS)
    assert "item.start" in [getattr(item, "key", "") for item in table.screen(MenuScreen).items]
    assert table.push().phase == "LOBBY"
    assert "refused" in table.heard()


# -- ready and start -----------------------------------------------------------------------------------------------


def test_all_tap_and_the_beats_run_to_go() -> None:
    """Ready, set and go are a second apart, the first one 1 s after the last release."""
    table = Sitting().seated("1", "2")
    assert [label.name for label in table.screen(ReadyScreen).waiting] == ["Red", "Blue"]
    table.taps("1", 3)
    assert [label.name for label in table.screen(ReadyScreen).waiting] == ["Blue"]
    table.heard()
    table.tap("2")
    go = table.view.go_ns
    assert go is not None
    assert [(cue.name, go - cue.at_ns) for cue in table.cues] == [("beat", 2 * S), ("beat", 1 * S), ("go", 0)]
    words = [table.until(go - at).screen(CountdownScreen).word for at in (2500 * MS, 2 * S, 1 * S, 0)]
    assert [en(word) for word in words] == [None, "READY", "SET", "GO!"]
    inverted = table.view.invert
    assert inverted
    assert table.lit == "beat beat dark dark"
    table.until(go + 150 * MS)
    assert table.phase == "PLAYING"
    assert en(table.screen(CountdownScreen).word) == "GO!"
    assert table.until(go + 500 * MS).screen(PlayingScreen).played_ns == 0
    assert table.view.invert is False
    assert table.wait(61 * S).screen(PlayingScreen).played_ns == 61 * S


@pytest.mark.parametrize(("early_ns", "phase"), [(1, "READY"), (0, "STOPPED")])
def test_a_press_stops_a_start_from_the_first_beat_on(early_ns: int, phase: str) -> None:
    table = Sitting().seated("1", "2").tap("1", "2")
    assert table.view.go_ns is not None
    assert table.until(table.view.go_ns - 2 * S - early_ns).close("2").wait(100 * MS).phase == phase
    assert table.cues[-1].cancels  # neither its beats nor GO are played any more


def test_a_button_that_blocks_the_start_is_heard_once() -> None:
    assert "fault" not in Sitting().seated("1", "2").wait(BREATH_NS).close("2").tap("1").heard()
    table = Sitting().seated("1", "2").wait(BREATH_NS).close("2").wait(1 * S)
    assert "fault" not in table.heard()
    assert table.tap("1").heard() == ["fault"]
    assert table.tap("1").heard() == []
    assert table.open("2").heard() == ["beat", "beat", "go"]


@pytest.mark.parametrize("every_ms", [150, 250, 340, 500])
@pytest.mark.parametrize("late_ms", [0, 260, 520])
def test_no_lamp_flashes_more_than_three_times_in_a_second(every_ms: int, late_ms: int) -> None:
    """Winks that come too close merge, and the blinking waits until the tapping ends."""
    table, lit_at, dark = Sitting().counting("1", "1", "2").wait(late_ms * MS), list[int](), False

    def look(ns: int) -> None:
        nonlocal dark
        for _ in range(ns // (10 * MS)):
            lit = table.wait(10 * MS).view.lamps[1].lit
            lit_at.extend([table.now_ns] if lit and dark else [])
            dark = not lit

    for _ in range(9):
        table.edges(("2", True, 0))
        look(80 * MS)
        table.edges(("2", False, 0))
        look(every_ms * MS - 80 * MS)
    look(3 * S)
    assert table.screen(CountScreen).cells[1].fields[0] == "9"
    assert all(sum(at <= other < at + 1 * S for other in lit_at) <= 3 for at in lit_at)
    assert len(lit_at) >= 5


def test_a_press_that_has_just_begun_is_no_fault() -> None:
    """A press is certain after 1 ms. No screen says LET GO before."""
    for table in (Sitting(), Sitting().seated("1", "2").wait(BREATH_NS), Sitting().counting("1", "1", "2")):
        lit, screen = table.lit, table.view.screen
        table.edges(("1", True, 0)).wait(500_000)
        assert (table.lit, table.view.screen) == (lit, screen)


def test_the_hand_goes_on_without_a_button_that_is_held() -> None:
    table = Sitting().seated("1", "2", "3").close("2").wait(BREATH_NS).tap("1").close("3").wait(200 * MS)
    table.push()
    lines = all_en(table.screen(MenuScreen).items)
    assert lines.index("Undo: start") + 1 < lines.index("Start without 2")  # a slip of the knob leaves nobody out
    table.open("3").choose("Start without 2")
    assert table.phase == "STARTING"
    assert table.engine.state.table.absent == {"2"}


def test_a_button_still_down_at_the_first_beat_goes_back_to_ready() -> None:
    table = Sitting().seated("1", "2").tap("1", "2").close("1")
    assert table.phase == "STARTING"
    assert table.wait(1 * S).phase == "READY"
    assert "hush" in table.heard()
    assert table.open("1").phase == "STARTING"


@pytest.mark.parametrize("after_go_ms", [-1999, -500, 0, 99, 100])
def test_a_press_from_the_first_beat_to_go_plus_100_ms_stops_the_start(after_go_ms: int) -> None:
    table = Sitting().seated("1", "2").tap("1", "2")
    go = table.view.go_ns
    assert go is not None
    table.until(go + after_go_ms * MS).press("2")
    assert table.phase == "STOPPED"
    assert [label.name for label in table.screen(WaitScreen).labels] == ["Blue"]
    assert "stop_start" in table.heard()
    table.wait(BREATH_NS).tap("1")
    assert table.phase == "STOPPED"
    assert table.tap("2").phase == "STARTING"


def test_a_press_101_ms_after_go_is_a_call() -> None:
    table = Sitting().seated("1", "2").tap("1", "2")
    go = table.view.go_ns
    assert go is not None
    assert table.until(go + 101 * MS).press("2").phase in ("CALLED", "VERDICT")


def test_the_push_that_begins_a_start_does_not_stop_it_however_long_it_is() -> None:
    table = Sitting().seated("1", "2", "3").tap("1", "2").push()
    lines = [en(line) for line in table.screen(MenuScreen).items]
    table.turn(lines.index("Start without 3") - table.screen(MenuScreen).cursor).press(KNOB, ns=2 * S)
    assert table.phase == "STARTING"


def test_the_knob_stops_a_start_and_goes_on() -> None:
    table = Sitting().seated("1", "2").tap("1", "2").wait(1500 * MS)
    table.heard()
    table.close(KNOB).wait(400 * MS)
    assert table.phase == "STOPPED"
    assert [(cue.name, cue.cancels) for cue in table.cues] == [
        ("stop_start", True)
    ]  # no tone of the start comes after it
    table.open(KNOB)
    assert table.screen(WaitScreen) == WaitScreen((), by_knob=True)
    table.wait(BREATH_NS).close("1").choose("Go on")
    assert table.phase == "STOPPED"
    assert en(table.view.toast) == "LET GO 1"
    table.wait(1 * S)
    assert table.screen(WaitScreen) == WaitScreen((), held=(Label((1,), "Red"),))
    assert table.open("1").phase == "STARTING"
    table.wait(1500 * MS).press(KNOB, ns=400 * MS).choose("Go on")
    assert table.phase == "STARTING"


# -- play and call -------------------------------------------------------------------------------------------------


def test_a_clear_call_names_its_caller_and_nobody_before() -> None:
    table = Sitting().playing("1", "2", "3")
    table.heard()
    table.close("2")
    assert table.phase == "CALLED"
    assert table.screen(StopScreen)
    assert table.view.invert
    assert table.lit == "all_on all_on all_on dark"
    assert table.cues == [Cue("call", table.cues[0].at_ns, urgent=True, cancels=True)]
    assert table.cues[0].at_ns - (table.now_ns - 2 * MS) == 1 * MS
    table.wait(40 * MS)
    verdict = table.screen(VerdictScreen)
    assert (verdict.kind, verdict.grey, [c.name for c in verdict.callers]) == ("clear", False, ["Blue"])
    assert table.heard() == ["call", "verdict_clear"]
    assert table.lit == "pulse3 steady pulse3 dark"
    table.open("2").wait(260 * MS).press("3")
    later = table.screen(VerdictScreen)
    assert later.next_caller is not None
    assert later.next_caller.name == "Green"
    assert table.wait(4 * S).phase == "COUNTING"


def test_two_presses_in_the_tie_window_tie() -> None:
    table = Sitting().playing("1", "2").edges(("2", True, 0), ("1", True, 10 * MS)).wait(60 * MS)
    verdict = table.screen(VerdictScreen)
    assert (verdict.kind, verdict.grey, [c.name for c in verdict.callers]) == ("tie", False, ["Blue", "Red"])
    assert verdict.gap_ns == 10 * MS
    assert table.lit == "alternate alternate dark dark"
    assert table.heard()[-1] == "verdict_tie"


def test_a_gap_within_the_errors_of_the_window_is_grey_and_stands_as_measured() -> None:
    """20.3 ms with 0.3 ms of error each: too close to measure, so it counts as measured."""
    table = Sitting().playing("1", "2").edges(("2", True, 0), ("1", True, 20_300_000)).wait(60 * MS)
    verdict = table.screen(VerdictScreen)
    assert (verdict.kind, verdict.grey) == ("tie", True)
    assert table.heard()[-1] == "verdict_grey"
    assert table.lit == "alternate alternate dark dark"
    table = Sitting().playing("1", "2").edges(("2", True, 0), ("1", True, 20_700_000)).wait(60 * MS)
    verdict = table.screen(VerdictScreen)
    assert (verdict.kind, verdict.grey) == ("clear", False)


def test_two_presses_of_one_pair_are_one_call() -> None:
    table = Sitting().press("1", "2", ns=900 * MS).tap("3").choose("Start").wait(BREATH_NS).tap("1", "2", "3")
    table.wait(4 * S).edges(("2", True, 0), ("1", True, 3 * MS)).wait(60 * MS)
    verdict = table.screen(VerdictScreen)
    assert (verdict.kind, [c.numbers for c in verdict.callers]) == ("clear", [(1, 2)])


def test_a_bystander_cannot_call() -> None:
    table = Sitting().playing("1", "2").press("4")
    assert table.phase == "PLAYING"
    table.close("1").close("4").wait(40 * MS)
    assert table.phase == "VERDICT"
    assert len(table.screen(VerdictScreen).later) == 0
    assert table.press("3").screen(VerdictScreen).later == ()


def test_the_photo_finish_stays_while_it_is_looked_at() -> None:
    table = Sitting().playing("1", "2")
    table.edges(("2", True, 0), ("2", False, 300_000), ("2", True, 600_000), ("1", True, 50 * MS)).wait(100 * MS)
    photo = table.turn(1).screen(PhotoScreen)
    assert [(line.label.name, line.press_ns, line.caller) for line in photo.lines] == [("Blue", 0, True)]
    assert photo.lines[0].closed == ((0, 300_000), (600_000, photo.span_ns))
    assert table.wait(19 * S).screen(PhotoScreen)
    assert table.turn(-1).screen(VerdictScreen)
    assert table.wait(4 * S + 1).phase == "COUNTING"


# -- counting ------------------------------------------------------------------------------------------------------


def test_a_count_by_taps_and_holds_is_scored_and_sealed() -> None:
    """4 left and 28 played are 4 taps, hold, 2, hold, 8, hold."""
    table = Sitting().counting("1", "1", "2")
    cells = table.screen(CountScreen).cells
    assert [cell.fields for cell in cells] == [("0", None, None), (None, None, None)]
    table.count("2", 4, 28)
    assert table.screen(CountScreen).cells[1].done
    table.heard()
    table.taps("1", 2).count("1", 0, 41, caller=True)
    assert table.heard() == ["all_counted"]
    assert table.phase == "READY"
    assert [
        (line.label.name, int(line.total), int(line.delta or 0)) for line in table.screen(StandingsScreen).lines
    ] == [
        ("Red", 41, 41),
        ("Blue", 20, 20),
    ]
    assert table.decisions(Sealed)[0].counts == (("1", (0, 4, 1)), ("2", (4, 2, 8)))
    assert table.wait(4 * S).screen(ReadyScreen).hand == 2


def test_taps_wrap_round_an_overshoot() -> None:
    table = Sitting().counting("1", "1", "2").taps("2", 14)
    assert table.screen(CountScreen).cells[1].fields[0] == "0"


def test_an_impossible_count_is_refused_at_the_third_hold() -> None:
    """13 left and 45 played are more than 52 cards."""
    table = Sitting().counting("1", "1", "2")
    table.heard()
    table.count("2", 13, 45)
    cell = table.screen(CountScreen).cells[1]
    assert (cell.done, cell.cursor) == (False, 0)
    assert en(cell.refusal) == "13+45? YOU HAVE 52"
    assert table.heard() == ["refused"]
    assert table.tap("2").screen(CountScreen).cells[1].refusal is None


def sealed() -> Sitting:
    """Return READY after a count, sealed 50 ms ago. 1 called."""
    return Sitting().counting("1", "1", "2").count("1", 0, 10, caller=True).count("2", 1, 10)


def test_a_hold_in_the_first_seconds_of_ready_reopens_only_that_count() -> None:
    table = sealed().wait(BREATH_NS).hold("2")
    assert [cell.cursor for cell in table.screen(CountScreen).cells] == [None, 0]
    assert [cell.fields for cell in table.screen(CountScreen).cells] == [("0", "1", "0"), ("1", "1", "0")]
    table.wait(10 * S)
    assert table.phase == "COUNTING"
    table.tap("2").hold("2", "2", "2")
    assert table.phase == "READY"
    assert table.decisions(Sealed)[-1].counts == (("1", (0, 1, 0)), ("2", (2, 1, 0)))
    assert [(int(line.total), int(line.delta or 0)) for line in table.screen(StandingsScreen).lines] == [
        (10, 10),
        (6, 6),
    ]
    assert Engine.restored(table.rows).state == table.engine.state
    Engine.derived(table.rows)


def test_a_hold_after_the_standings_is_ready_and_no_new_count() -> None:
    table = sealed().wait(4 * S).hold("2")
    assert (table.phase, table.decisions(Undone)) == ("READY", [])
    assert table.asked == ("1",)


def test_a_tap_in_the_first_seconds_of_ready_is_ready() -> None:
    table = sealed().wait(S).tap("2")
    assert (table.phase, table.asked, table.decisions(Undone)) == ("READY", ("1",), [])


def test_a_hold_reopens_the_count_that_ended_the_match() -> None:
    table = Sitting(Setup(options=(("target", 30),))).counting("1", "1", "2")
    table.count("1", 0, 30, caller=True).count("2", 1, 10)
    assert table.screen(OverScreen).winners
    table.wait(BREATH_NS).hold("1").hold("1").taps("1", 5).hold("1").hold("1")
    assert (table.phase, table.decisions(Sealed)[-1].counts[0]) == ("READY", ("1", (0, 2, 0)))


def test_a_hold_reopens_no_other_decision() -> None:
    table = sealed().wait(S).choose("Undo: count").choose("Void hand").wait(BREATH_NS).tap("1", "2")
    assert table.phase == "READY"
    assert table.hold("2").phase == "READY"
    assert not [undone for undone in table.decisions(Undone) if undone.recounts]


def test_a_sealed_count_survives_a_power_cut_and_a_reopened_one_too() -> None:
    table = sealed().power_cut()
    assert len(table.engine.state.table.hands) == 1
    table = sealed().wait(BREATH_NS).hold("2").power_cut().wait(BREATH_NS).tap("1", "2").wait(BREATH_NS)
    assert [cell.cursor for cell in table.screen(CountScreen).cells] == [None, 0]
    assert table.hold("2", "2", "2").phase == "READY"


def test_the_callers_are_shown_for_the_first_seconds_of_the_count() -> None:
    table = Sitting().playing("1", "2").press("1").wait(2 * S + 100 * MS)
    assert [who.name for who in table.screen(CountScreen).called] == ["Red"]
    assert table.wait(2 * S).screen(CountScreen).called == ()


def test_before_the_first_entry_a_turn_goes_back_to_the_photo_finish() -> None:
    table = Sitting().playing("1", "2").press("1").wait(4 * S).turn(1)
    assert table.screen(PhotoScreen)
    assert table.turn(-1).screen(VerdictScreen)
    assert table.wait(5 * S).tap("2").turn(1).screen(CountScreen).cells[1].fields[0] == "1"


def test_the_pen_of_a_pair_is_taken_by_a_tap_and_taken_over_by_a_hold() -> None:
    table = Sitting().press("1", "2", ns=900 * MS).tap("3").choose("Start").wait(BREATH_NS).tap("1", "2", "3")
    table.wait(4 * S).press("3").wait(5 * S).wait(BREATH_NS)
    table.tap("1", "2", "1")
    assert table.screen(CountScreen).cells[0].fields[0] == "2"
    table.hold("2").tap("2")
    cell = table.screen(CountScreen).cells[0]
    assert (cell.fields[0], cell.cursor) == ("3", 0)


def test_the_match_ends_at_its_target_and_a_rematch_begins() -> None:
    table = Sitting().counting("1", "1", "2")
    for _ in range(3):
        table.count("1", 0, 41, caller=True).count("2", 13, 9).wait(3 * S)
        if table.phase == "READY":
            table.counting("1", "1", "2")
    over = table.screen(OverScreen)
    assert [label.name for label in over.winners] == ["Red"]
    assert over.waiting == ()
    assert "winner" in table.heard()
    table.tap("1")
    assert table.phase == "OVER"
    table.wait(BREATH_NS).taps("1", 2)
    assert [label.name for label in table.screen(OverScreen).waiting] == ["Blue"]
    table.tap("4", "2")
    assert table.phase == "READY"
    assert [int(line.total) for line in table.screen(ReadyScreen).lines] == [0, 0]


# -- pause, past, power --------------------------------------------------------------------------------------------


def test_the_knob_stops_the_clock_and_three_beats_start_it() -> None:
    table = Sitting().playing("1", "2").wait(9900 * MS)
    assert table.press(KNOB, ns=200 * MS).phase == "PLAYING"
    table.heard()
    table.press(KNOB, ns=400 * MS)
    assert table.phase == "TIMEOUT"
    assert table.heard() == ["time_out"]
    played = table.engine.state.phase.play.played_ns  # type: ignore[attr-defined]
    assert en(table.screen(MenuScreen).title) == "TIME OUT"
    table.wait(60 * S).push()
    assert table.phase == "RESUMING"
    assert [en(table.wait(ns).screen(CountdownScreen).word) for ns in (0, 1 * S, 1 * S, 1 * S)] == [
        "3",
        "2",
        "1",
        "GO!",
    ]
    table.wait(700 * MS)
    assert table.phase == "PLAYING"
    assert 0 <= table.screen(PlayingScreen).played_ns - played <= 1 * S


def test_any_press_in_the_resuming_beats_waits_and_the_knob_pauses_again() -> None:
    """The stop rule is that of a start."""
    table = Sitting().playing("1", "2").press(KNOB, ns=400 * MS).push().wait(500 * MS).press("1")
    assert table.phase == "STOPPED"
    assert table.wait(BREATH_NS).tap("1").phase == "RESUMING"
    assert table.wait(500 * MS).press(KNOB, ns=400 * MS).phase == "TIMEOUT"
    assert table.close("1").wait(BREATH_NS).push().phase == "TIMEOUT"


def test_a_call_before_the_timeout_wins_and_after_it_nobody_can_call() -> None:
    table = Sitting().playing("1", "2").close(KNOB).wait(298 * MS - 500_000)
    table.edges(("1", True, 0)).wait(3 * MS)
    assert table.phase == "CALLED"
    table = Sitting().playing("1", "2").press(KNOB, ns=400 * MS).press("1")
    assert table.phase == "TIMEOUT"
    assert en(table.view.toast) == "TIME OUT: NO CALLS"


def test_undoing_a_verdict_lands_in_a_timeout_and_redoing_brings_it_back() -> None:
    table = Sitting().playing("1", "2").press("1").wait(1 * S).choose("Undo: verdict")
    assert table.phase == "TIMEOUT"
    assert en(table.view.toast) == "UNDONE: VERDICT"
    assert len(table.decisions(Undone)) == 1
    table.choose("Redo")
    assert table.phase == "VERDICT"
    table.choose("Undo").choose("Go on").wait(5 * S)
    assert table.phase == "PLAYING"
    assert table.press("2").wait(100 * MS).phase == "VERDICT"
    assert [c.name for c in table.screen(VerdictScreen).callers] == ["Blue"]


def test_undoing_a_sealed_count_opens_it_with_its_values() -> None:
    table = Sitting().counting("1", "1", "2").count("1", 0, 10, caller=True).count("2", 1, 10).wait(8 * S)
    table.choose("Undo: count").wait(BREATH_NS)
    assert [cell.fields for cell in table.screen(CountScreen).cells] == [("0", "1", "0"), ("1", "1", "0")]
    table.tap("2").hold("2", "2", "2", "1", "1", "1").wait(4 * S)
    assert table.decisions(Sealed)[1].counts == (("1", (0, 1, 0)), ("2", (2, 1, 0)))
    assert len(table.engine.state.table.hands) == 1


def test_a_button_down_at_boot_does_not_join_and_is_named() -> None:
    table = Sitting().power_cut(closed=("3",)).wait(11 * S)
    assert en(table.screen(LobbyScreen).hint) == "3: LET GO"
    assert names(table) == [None] * 4
    table.open("3").tap("3")
    assert names(table) == [None, None, "Green", None]


# -- the Engine ----------------------------------------------------------------------------------------------------


def test_a_replay_notices_a_decision_that_the_facts_do_not_lead_to() -> None:
    table = Sitting().tap("1")
    index = next(i for i, (_, event) in enumerate(table.rows) if isinstance(event, Joined))
    seq, joined = table.rows[index]
    assert isinstance(joined, Joined)
    forged = [*table.rows[:index], (seq, Joined(joined.at_ns, "1", "Eve")), *table.rows[index + 1 :]]
    told = f"event {seq}: the journal has {forged[index][1]}, but from its facts follows {joined}"
    with pytest.raises(DisagreementError, match=f"^{re.escape(told)}$"):
        Engine.derived(forged)
    with pytest.raises(DisagreementError, match=r"^event 4 is out of order: expected was 3$"):
        Engine.derived([*table.rows[:2], *table.rows[3:]])
    with pytest.raises(ValueError, match=r"^a journal begins with the event Opened$"):
        Engine.derived(table.rows[1:])


def test_a_decision_cut_off_from_its_fact_is_derived_at_recovery() -> None:
    table = Sitting().tap("1")
    index = next(i for i, (_, event) in enumerate(table.rows) if isinstance(event, Joined))
    for engine in (Engine.restored(table.rows[:index]), Engine.derived(table.rows[:index])):
        assert engine.state.table.seats[0].name == "Red"


def test_who_has_just_answered_a_question_to_all_has_not_said_ready_by_that() -> None:
    table = counted(Sitting().playing("1", "2", "3"), "1", 20, "2", "3").wait(5 * S)
    table.choose("More").choose("End match").wait(BREATH_NS).hold("1", "2", "3")
    assert (table.phase, table.close("1").view.invert) == ("READY", True)
    table.open("1").wait(5 * S)
    assert len(table.screen(ReadyScreen).waiting) == 3
    assert len(table.tap("1").screen(ReadyScreen).waiting) == 2


def test_what_makes_no_sense_changes_nothing_but_the_clock() -> None:
    table = Sitting().tap("1")
    before = table.view.screen
    table.engine.intake([Edge("99", True, table.now_ns), Linked(table.now_ns, "pod:x", False)], table.now_ns)
    table.engine.intake([Tick(table.now_ns)], table.now_ns)
    assert table.view.screen == before
    table.wait(6 * S).turn(3)
    assert table.decisions(Joined)[0].name == "Red"


def test_a_tap_before_answers_count_makes_the_question_blink_once_and_no_lamp_asks_until_then() -> None:
    table = Sitting().playing("1", "2")
    table.power_cut()
    asked_ns = table.now_ns
    assert table.lit == "dark dark dark dark"
    flashes, was = 0, False
    for _ in range(4):
        table.press("1", ns=40 * MS).wait(50 * MS)
        flashes, was = flashes + (table.view.invert and not was), table.view.invert
    assert flashes == 2  # of four taps within half a second: never more than three a second
    table.until(asked_ns + 700 * MS)
    assert table.lit == "slow slow dark dark"
    assert len(table.screen(PowerBackScreen).waiting) == 2
    assert not table.wait(200 * MS).tap("1").view.invert
    assert len(table.screen(PowerBackScreen).waiting) == 1


def one_starts(*stations: str) -> Sitting:
    """Return a table in its first READY at which one player's tap starts."""
    return Sitting(Setup("racing-demon", stations=("1", "2", "3", "4"))).seated(*stations).wait(BREATH_NS)


def test_one_tap_starts_for_all_where_the_rules_say_so() -> None:
    table = one_starts("1", "2", "3")
    assert table.lit == "slow slow slow dark"
    assert "one tap starts" in all_en(table.screen(ReadyScreen).notes)
    table.close("2")
    assert (table.phase, table.lit) == ("READY", "steady wink steady dark")
    table.wait(100 * MS).open("2")
    assert table.phase == "STARTING"
    assert table.tap("1").phase == "STARTING"
    assert table.wait(4 * S).phase == "PLAYING"


def test_the_table_may_choose_who_starts() -> None:
    all_start = Sitting(Setup("racing-demon", (("start_by", "all"),), stations=("1", "2"))).seated("1", "2")
    assert all_start.wait(BREATH_NS).tap("1").wait(1 * S).phase == "READY"
    one = Sitting(Setup("nna", (("start_by", "one"),), stations=("1", "2"))).seated("1", "2")
    assert one.wait(BREATH_NS).tap("1").phase == "STARTING"
