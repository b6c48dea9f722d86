"""A stuck table: the time of each step, and the lines of its lists."""

from __future__ import annotations

import pytest

from referee.core.games.nertz.settings import Playing
from referee.core.model.events import Cue, Ended
from referee.core.model.table import Setup
from referee.core.model.view import BurnScreen, CallNowScreen, MenuScreen, SearchScreen, VoteScreen
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import all_en, en

THREE = ("1", "2", "3")
CALL_NOW_NS = 5 * S
"""How long a team with an empty reserve may still call."""
GUARD_NS = 700 * MS
"""A press in the first 0.7 s of the search is still a call."""
BEAT_NS = 800 * MS
"""The interval of 3, 2, 1, BURN."""


def pausing(preset: str = "nna", **options: object) -> Sitting:
    """Return a stopped hand of three players, with a free fourth seat."""
    setup = Setup(preset, tuple(options.items()), ("1", "2", "3", "4"))
    return Sitting(setup).playing(*THREE).wait(10 * S).press(KNOB, ns=400 * MS)


def stuck(preset: str = "nna", **options: object) -> Sitting:
    return pausing(preset, **options).choose("Stuck")


def searching(preset: str = "nna", **options: object) -> Sitting:
    """Return a table that searches because no team has called."""
    table = stuck(preset, **options)
    return table.until(table.engine.state.phase.asked_at_ns + CALL_NOW_NS)


def burning(preset: str = "nna", **options: object) -> Sitting:
    """Return a table that burns because no team has found a play."""
    return searching(preset, **options).wait(BREATH_NS).tap(*THREE)


def burnt(times: int = 1, preset: str = "nna") -> Sitting:
    """Return a stopped hand after `times` burns."""
    table = burning(preset)
    for _ in range(times - 1):
        table.wait(4 * S).press(KNOB, ns=400 * MS).choose("Stuck, no play").wait(6 * S).tap(*THREE)
    return table.wait(4 * S).press(KNOB, ns=400 * MS)


def play_of(table: Sitting) -> Playing:
    """Return the hand that the phase keeps."""
    phase = table.engine.state.phase
    play = getattr(phase, "play", phase)
    assert isinstance(play, Playing)
    return play


# -- call now ------------------------------------------------------------------------------------------------------


def test_the_seconds_are_counted_down_in_which_an_empty_reserve_may_be_called() -> None:
    table = stuck()
    begun_ns = table.engine.state.phase.asked_at_ns
    shown = []
    for ns in (0, S - 1, S, 4 * S - 1, 4 * S, 5 * S - 1):
        screen = table.engine.view(begun_ns + ns).screen
        assert isinstance(screen, CallNowScreen)
        shown.append(screen.left_s)
    assert shown == [5, 5, 4, 2, 1, 1]
    assert table.until(begun_ns + CALL_NOW_NS - 1).phase == "STUCK"
    assert table.until(begun_ns + CALL_NOW_NS).phase == "SEARCH"


@pytest.mark.parametrize(("after_ns", "called"), [(0, True), (GUARD_NS - 1, True), (GUARD_NS, False)])
def test_a_press_as_the_search_begins_is_still_a_call(after_ns: int, called: bool) -> None:
    table = searching()
    table.edges(("2", True, after_ns)).wait(100 * MS).open("2").wait(S)
    assert (table.phase == "VERDICT") == called
    assert called or table.screen(SearchScreen).answered == 1


def test_a_tap_of_a_team_that_is_out_of_the_hand_is_told_that_it_came_too_early() -> None:
    setup = Setup("nna", (("false_call", "zero"),), THREE)
    table = Sitting(setup).playing(*THREE).press("1").wait(2 * S).choose("False call").wait(BREATH_NS).tap("1")
    table.wait(5 * S).press(KNOB, ns=400 * MS).choose("Stuck")
    table.until(table.engine.state.phase.asked_at_ns + CALL_NOW_NS).wait(100 * MS)
    before = table.engine.state.blinked_at_ns
    table.press("1")
    assert (table.phase, table.screen(SearchScreen).answered) == ("SEARCH", 0)
    assert table.engine.state.blinked_at_ns not in (None, before)
    assert table.wait(BREATH_NS).tap("1").screen(SearchScreen).answered == 1


def test_a_call_then_costs_the_hand_s_clock_nothing() -> None:
    """Cards have not moved since the pause."""
    table = pausing()
    played_ns = play_of(table).played_ns
    table.choose("Stuck").wait(3 * S).press("2").wait(S)
    assert table.phase == "VERDICT"
    assert play_of(table).clock_ns(play_of(table).go_at_ns) == played_ns
    assert play_of(table).go_at_ns > table.now_ns - 2 * S


# -- search --------------------------------------------------------------------------------------------------------


def test_each_team_says_once_that_it_has_found_nothing() -> None:
    table = searching().wait(BREATH_NS)
    table.tap("2").tap("4").tap("2")
    screen = table.screen(SearchScreen)
    assert (screen.answered, screen.teams, [label.numbers for label in screen.waiting]) == (1, 3, [(1,), (3,)])
    assert (table.engine.state.winks[-1].station, table.engine.state.winks[-1].times) == ("2", 1)
    assert table.tap("1").lit.split()[1] == "steady"
    assert table.tap("3").phase == "BURNING"


def test_whoever_has_found_a_play_holds_and_the_hand_goes_on_as_if_nobody_were_stuck() -> None:
    table = burnt().choose("Stuck, no play").wait(6 * S)
    table.hold("4")
    assert table.phase == "SEARCH"
    table.hold("1")
    wink = table.engine.state.winks[-1]
    assert (table.phase, wink.station, wink.times) == ("RESUMING", "1", 2)
    assert (play_of(table).burns, play_of(table).stream_burns) == (0, 0)
    table.wait(5 * S).press(KNOB, ns=400 * MS)
    listed = all_en(table.screen(MenuScreen).items)
    assert "Stuck" in listed
    assert "Stuck, no play" not in listed


@pytest.mark.parametrize(("after_ns", "phase"), [(GUARD_NS - 1, "VERDICT"), (GUARD_NS, "RESUMING")])
def test_a_hold_is_a_find_from_when_the_lamps_ask(after_ns: int, phase: str) -> None:
    """A hold that began before is a call, however long it is."""
    table = searching().edges(("1", True, after_ns)).wait(1200 * MS).open("1")
    assert table.phase == phase


# -- burn ----------------------------------------------------------------------------------------------------------


def test_the_beats_are_eight_tenths_of_a_second_apart() -> None:
    table = burning()
    begun_ns = table.engine.state.phase.asked_at_ns
    words = []
    for ns in (0, BEAT_NS - 1, BEAT_NS, 2 * BEAT_NS - 1, 2 * BEAT_NS, 3 * BEAT_NS - 1, 3 * BEAT_NS):
        screen = table.until(begun_ns + ns).screen(BurnScreen)
        words.append(en(screen.word))
        assert not ns or table.view.lamps[0].lit == (ns % BEAT_NS == 0), "a lamp flashes with the word"
        assert (screen.pile, screen.burns) == ("stream", 1)
    assert words == ["3", "3", "2", "2", "1", "1", "BURN"]
    assert table.phase == "PLAYING"


def test_a_press_in_the_beats_stops_them_and_their_sound() -> None:
    table = burning().tap("4")
    assert table.phase == "BURNING"
    table.cues.clear()
    table.close("1")
    assert (table.phase, en(table.view.toast)) == ("TIMEOUT", "WAIT")
    assert table.cues == [Cue("stop_start", table.cues[0].at_ns, cancels=True)]


def test_calls_are_armed_at_the_burn() -> None:
    """The hand goes on from the burn, without Go's 100 ms."""
    table = burning().wait(4 * S)
    play = play_of(table)
    assert play.go_at_ns == play.armed_at_ns == play.asked_at_ns
    assert (play.burns, play.stream_burns, play.burnt, play.searched, play.resumed) == (1, 1, "stream", False, True)
    now = burning()
    burn_ns = now.engine.state.phase.burn_at_ns  # type: ignore[attr-defined]
    now.until(burn_ns + 1).press("2").wait(S)
    assert now.phase == "VERDICT"


def test_the_reserve_may_be_burnt_after_three_burns_of_the_stream_and_three_more() -> None:
    lists = [all_en(burnt(times).screen(MenuScreen).items) for times in (2, 3)]
    assert ["Burn Nertz pile" in listed for listed in lists] == [False, True]
    table = burnt(3).choose("Burn Nertz pile")
    assert table.wait(6 * S).screen(SearchScreen).times == 1
    table.tap(*THREE)
    assert (table.screen(BurnScreen).pile, table.screen(BurnScreen).burns) == ("reserve", 4)
    assert (play_of(table.wait(4 * S)).burns, play_of(table).stream_burns, play_of(table).burnt) == (4, 0, "reserve")
    for again in (False, False, True):
        table.press(KNOB, ns=400 * MS).choose("Stuck, no play").wait(6 * S).tap(*THREE).wait(4 * S)
        table.press(KNOB, ns=400 * MS)
        assert ("Burn Nertz pile" in all_en(table.screen(MenuScreen).items)) == again
        table.choose("Go on").wait(5 * S)


# -- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("preset", "options", "end"),
    [
        ("ligretto", {}, "stuck"),
        ("racing-demon", {}, "abandoned"),
        ("nna", {"stuck": "score"}, "stuck"),
        ("nna", {"stuck": "abandon"}, "abandoned"),
    ],
)
def test_where_nothing_is_turned_over_a_search_for_nothing_asks_for_the_end(
    preset: str, options: dict[str, object], end: str
) -> None:
    table = burning(preset, **options)
    assert en(table.screen(VoteScreen).question) == "END HAND?"
    table.wait(BREATH_NS).hold(*THREE)
    assert table.phase == "TIMEOUT"
    assert "Once more" not in all_en(table.screen(MenuScreen).items)
    table.choose("End hand").wait(BREATH_NS).tap(*THREE)
    assert [decision.end for decision in table.decisions(Ended)] == [end]
