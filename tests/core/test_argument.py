"""What a table argues about: contests and votes, a stuck table and its burns, a hand that is void."""

from __future__ import annotations

import pytest

from referee.core.engine import Engine
from referee.core.events import Ended, Overruled, Voided
from referee.core.signals import KNOB
from referee.core.state import Setup
from referee.core.units import MS, S
from referee.core.view import (
    BurnScreen,
    CallNowScreen,
    CountScreen,
    MenuScreen,
    PlayingScreen,
    ReadyScreen,
    SearchScreen,
    StandingsScreen,
    VerdictScreen,
    VoteScreen,
)
from tests.core.sitting import BREATH_NS, Sitting

THREE = ("1", "2", "3")


def called(by: str = "1") -> Sitting:
    """Three at the table, one has called, and the verdict stands."""
    return Sitting().playing(*THREE).press(by).wait(1200 * MS)  # the call's lockout is over when a vote is asked


def stuck(preset: str = "nna", *players: str) -> Sitting:
    """A table that has pushed TIME OUT and chosen Stuck."""
    table = Sitting(Setup(preset, stations=("1", "2", "3", "4")))
    return table.playing(*(players or THREE)).press(KNOB, ns=400 * MS).choose("Stuck")


def searched(table: Sitting, *players: str) -> Sitting:
    """Everybody has searched and found nothing."""
    return table.wait(5 * S).wait(BREATH_NS).tap(*(players or THREE))


# -- contest -------------------------------------------------------------------------------------------------------


def test_a_false_call_that_the_caller_admits_ends_at_once_and_play_goes_on() -> None:
    """One tap of the caller's own button, three beats, and the hand's clock goes on without the argument."""
    table = called("2")
    played = table.engine.state.phase.play.clock_ns(table.now_ns)  # type: ignore[attr-defined]
    table.choose("False call").wait(BREATH_NS)
    vote = table.screen(VoteScreen)
    assert (vote.question, [label.name for label in vote.subject]) == ("FALSE CALL?", ["Blue"])
    assert table.lit == "slow slow slow dark"
    table.tap("2")
    assert table.phase == "RESUMING"
    assert table.decisions(Overruled)[0].ruling == "false_call"
    table.wait(4 * S)
    assert table.phase == "PLAYING"
    assert abs(table.screen(PlayingScreen).played_ns - played) <= 2 * S
    table.press("2").wait(5 * S)
    assert table.phase == "COUNTING"


def test_a_majority_decides_and_equal_votes_leave_the_measured_verdict() -> None:
    """Two of three say tie; with one yes and one no nothing changes, after 15 s."""
    table = Sitting().playing(*THREE).edges(("1", True, 0), ("2", True, 50 * MS)).wait(200 * MS).open("1", "2")
    table.wait(1 * S).choose("Tie").wait(BREATH_NS).tap("1").hold("2")
    assert [vote for _, vote in table.screen(VoteScreen).votes] == [True, False, None]
    table.wait(15 * S)
    assert [c.name for c in table.screen(VerdictScreen).callers] == ["Red"]
    assert table.decisions(Overruled) == []
    table.choose("Tie").wait(BREATH_NS).tap("1").hold("2").tap("3")
    assert [c.name for c in table.screen(VerdictScreen).callers] == ["Red", "Blue"]
    assert table.screen(VerdictScreen).kind == "tie"
    table.wait(5 * S)
    assert [cell.locked[0] for cell in table.screen(CountScreen).cells] == [True, True, False]


def test_a_later_answer_of_a_team_counts_until_all_have_voted() -> None:
    """Somebody changes their mind; a bystander and a press from before the question have none."""
    table = called("1").close("3").choose("False call").wait(BREATH_NS).open("3").tap("4", "2").hold("2")
    assert [vote for _, vote in table.screen(VoteScreen).votes] == [None, False, None]
    table.push()
    assert table.phase == "VERDICT"


def test_the_knob_names_another_first() -> None:
    """The list of teams, the vote, and the named one is the caller, its pile counted as empty."""
    table = called("1").wait(5 * S)
    assert table.phase == "COUNTING"
    table.wait(BREATH_NS).taps("3", 2).choose("Another first")
    assert table.screen(MenuScreen).items == ("2 Blue", "3 Green", "Back")
    table.choose("3 Green").wait(BREATH_NS).tap("1", "2")
    assert table.phase == "VOTE"
    table.hold("3")
    cells = table.screen(CountScreen).cells
    assert [cell.locked[0] for cell in cells] == [False, False, True]
    assert cells[2].fields[0] == "0"


def test_who_is_no_caller_any_more_says_what_is_left() -> None:
    """The locked LEFT of a done count was nobody's answer: it is asked now, and nothing is sealed before."""
    table = called("1").wait(5 * S).count("1", 0, 30, caller=True).count("2", 2, 20).count("3", 1, 20)
    table.wait(1 * S).choose("Another first").choose("2 Blue").wait(BREATH_NS).tap("1", "2", "3").wait(5 * S)
    cells = table.screen(CountScreen).cells
    assert [cell.done for cell in cells] == [False, True, True]
    assert [cell.fields[0] for cell in cells] == [None, "0", "1"]
    table.taps("1", 4).hold("1").hold("1").hold("1").wait(4 * S)
    assert [int(line.total) for line in table.screen(StandingsScreen).lines] == [22, 20, 18]


def test_a_tie_voted_in_the_count_leaves_what_was_counted() -> None:
    """The first caller still is one, and is done; the other's LEFT is nothing now."""
    table = Sitting().playing(*THREE).edges(("1", True, 0), ("2", True, 50 * MS)).wait(200 * MS).open("1", "2")
    table.wait(5 * S).count("1", 0, 30, caller=True).count("2", 2, 20)
    table.choose("Tie").wait(BREATH_NS).tap("1", "2", "3")
    cells = table.screen(CountScreen).cells
    assert [cell.done for cell in cells] == [True, True, False]
    assert [cell.fields[0] for cell in cells] == ["0", "0", None]


def test_back_in_the_list_of_teams_changes_nothing() -> None:
    """Looking is free."""
    assert called("1").choose("Another first").choose("Back").phase == "VERDICT"


def test_verdict_stands_opens_the_count_at_once() -> None:
    """Nobody need wait for the offered contest."""
    table = Sitting().playing(*THREE).edges(("1", True, 0), ("2", True, 20_300_000)).wait(100 * MS).open("1", "2")
    assert table.screen(VerdictScreen).grey
    table.wait(10 * S)
    assert table.phase == "VERDICT"
    table.choose("Verdict stands").wait(1 * MS)
    assert table.phase == "COUNTING"


def test_a_grey_verdict_waits_fifteen_seconds_for_a_contest() -> None:
    """Then counting opens by itself."""
    table = Sitting().playing(*THREE).edges(("1", True, 0), ("2", True, 20_300_000)).wait(100 * MS).open("1", "2")
    assert table.wait(14 * S).phase == "VERDICT"
    assert table.wait(2 * S).phase == "COUNTING"


@pytest.mark.parametrize("moment", ["verdict", "counting", "timeout"])
def test_a_void_hand_is_dealt_again(moment: str) -> None:
    """Nothing of it counts, and undo brings it back."""
    table = Sitting().playing(*THREE)
    table = table.press(KNOB, ns=400 * MS) if moment == "timeout" else table.press("1").wait(1200 * MS)
    if moment == "counting":
        table.wait(5 * S)
    table.choose("Void").wait(BREATH_NS).tap(*THREE)
    assert len(table.decisions(Voided)) == 1
    assert table.screen(ReadyScreen).hand == 1
    table.choose("Undo: void")
    assert table.phase == {"verdict": "VERDICT", "counting": "COUNTING", "timeout": "TIMEOUT"}[moment]


def test_a_vote_without_answers_changes_nothing() -> None:
    """Silence abstains."""
    assert called("1").choose("Void hand").wait(16 * S).phase in ("VERDICT", "COUNTING")


def test_an_overrule_is_replayed_and_undone() -> None:
    """Corrections are appended: the fold reproduces them, undo steps back over them."""
    table = called("1").choose("Another first").choose("2 Blue").wait(BREATH_NS).tap(*THREE)
    assert [c.name for c in table.screen(VerdictScreen).callers] == ["Blue"]
    assert Engine.restored(table.rows).state == table.engine.state
    table.choose("Undo: overrule")
    assert [c.name for c in table.screen(VerdictScreen).callers] == ["Red"]


# -- stuck ---------------------------------------------------------------------------------------------------------


def test_call_now_then_search_then_burn_on_the_beat() -> None:
    """5 s in which a press is still a call, a tap each for nothing found, 3-2-1-BURN at 0.8 s, and play goes on."""
    table = stuck()
    assert table.screen(CallNowScreen).left_s == 5
    assert table.lit == "dark dark dark dark"
    table.wait(5 * S)
    search = table.screen(SearchScreen)
    assert (search.times, search.answered, search.teams) == (2, 0, 3)
    table.wait(BREATH_NS).taps("1", 2).tap("4", "2")
    assert table.screen(SearchScreen).answered == 2
    table.heard()
    table.tap("3")
    assert table.phase == "BURNING"
    assert table.heard() == ["burn"]
    words = [table.screen(BurnScreen).word] + [table.wait(800 * MS).screen(BurnScreen).word for _ in range(3)]
    assert words == ["3", "2", "1", "BURN"]
    assert table.phase == "PLAYING"
    assert table.wait(600 * MS).screen(PlayingScreen)
    assert table.press("2").phase == "VERDICT"


@pytest.mark.parametrize("when_ms", [100, 4_900, 5_300])
def test_a_press_before_the_question_accepts_answers_is_a_call(when_ms: int) -> None:
    """CALL NOW, and the first 0.7 s of the search; a bystander's press is nothing."""
    table = stuck().wait(when_ms * MS).tap("4")
    assert table.phase in ("STUCK", "SEARCH")
    table.press("2").wait(100 * MS)
    assert [c.name for c in table.screen(VerdictScreen).callers] == ["Blue"]


def test_somebody_who_can_play_resumes_the_hand() -> None:
    """A hold: said, and three beats."""
    table = stuck().wait(5 * S).wait(BREATH_NS).tap("1").hold("4").hold("2")
    assert table.phase == "RESUMING"
    assert table.view.toast == "2 BLUE CAN PLAY"


def test_a_press_in_the_burn_beats_stops_them() -> None:
    """As in a start; a bystander's is nothing."""
    table = searched(stuck()).wait(500 * MS).press("4")
    assert table.phase == "BURNING"
    assert table.press("1").phase == "TIMEOUT"
    assert table.view.toast == "WAIT"


def test_the_reserve_is_burnt_after_three_burns_without_a_play() -> None:
    """Counted by the device; the next one needs three more, and a play sets it back."""
    table = stuck()
    for burn in (1, 2, 3):
        searched(table).wait(4 * S).press(KNOB, ns=400 * MS)
        items = table.screen(MenuScreen).items
        assert ("Burn Nertz pile" in items) == (burn == 3)
        if burn < 3:
            table.choose("Stuck, no play")
            assert table.wait(5 * S).screen(SearchScreen).times == 1
    table.choose("Burn Nertz pile")
    searched(table)
    assert table.screen(BurnScreen).pile == "reserve"
    table.wait(4 * S).press(KNOB, ns=400 * MS)
    assert "Burn Nertz pile" not in table.screen(MenuScreen).items
    table.choose("Stuck after play")
    assert table.wait(5 * S).screen(SearchScreen).times == 2


@pytest.mark.parametrize(("preset", "pile"), [("pagat", "waste"), ("reeves", "stock")])
def test_other_presets_turn_once_and_then_ask_for_the_end(preset: str, pile: str) -> None:
    """Stuck again without a play: END HAND?, and it is counted as it lies with no caller."""
    table = searched(stuck(preset))
    assert table.screen(BurnScreen).pile == pile
    table.wait(4 * S).press(KNOB, ns=400 * MS).choose("Stuck, no play")
    searched(table)
    assert table.screen(VoteScreen).question == "END HAND?"
    table.wait(BREATH_NS).tap(*THREE)
    assert table.decisions(Ended)[0].end == "stuck"
    assert [cell.locked[0] for cell in table.screen(CountScreen).cells] == [False] * 3


def test_a_table_that_does_not_want_to_end_goes_back_to_its_list() -> None:
    """No majority: TIMEOUT, as before."""
    table = searched(stuck("ligretto")).wait(BREATH_NS).hold("1", "2", "3")
    assert table.phase == "TIMEOUT"


def test_racing_demon_abandons_without_a_score() -> None:
    """The hand is in the book and scores nothing; the next one is dealt."""
    table = searched(stuck("racing-demon")).wait(BREATH_NS).tap(*THREE)
    assert table.phase == "READY"
    assert [int(line.total) for line in table.screen(StandingsScreen).lines] == [0, 0, 0]


def test_a_power_cut_while_stuck_comes_back_to_the_timeout() -> None:
    """Clocks stand; go on is three beats."""
    table = stuck().wait(6 * S).power_cut().wait(BREATH_NS).tap(*THREE)
    assert table.phase == "RESUMING"


# -- what the bots found -------------------------------------------------------------------------------------------


def test_a_press_at_the_end_of_a_resume_stops_it_and_keeps_the_hand() -> None:
    """Confirmed after Go + 100 ms, begun before: the resume is counted again, not a new hand."""
    table = Sitting().playing(*THREE).wait(20 * S).press(KNOB, ns=400 * MS).push()
    table.until(table.engine.state.phase.armed_at_ns - 500_000)  # type: ignore[attr-defined]
    table.press("1")
    assert table.phase == "STOPPED"
    table.wait(BREATH_NS).tap("1").wait(4 * S)
    assert table.screen(PlayingScreen).played_ns >= 20 * S


def test_the_clock_of_a_hand_survives_a_power_cut() -> None:
    """Twenty seconds played are twenty seconds played."""
    table = Sitting().playing(*THREE).wait(20 * S).tap("4").power_cut().wait(BREATH_NS).tap(*THREE).wait(4 * S)
    assert table.screen(PlayingScreen).played_ns >= 19 * S


def test_a_power_cut_between_the_last_ready_and_its_release_asks_again() -> None:
    """No table is left waiting for a finger that went up in the dark."""
    table = Sitting().seated(*THREE).tap("1", "2").close("3").power_cut().wait(BREATH_NS)
    assert len(table.screen(ReadyScreen).waiting) == 3
    assert table.tap(*THREE).phase == "STARTING"


def test_a_caller_who_pounds_is_not_their_own_rival() -> None:
    """Later presses of the caller's button are nobody's claim."""
    table = called("2").taps("2", 3)
    assert table.screen(VerdictScreen).next_caller is None
    assert table.screen(VerdictScreen).later == ()
