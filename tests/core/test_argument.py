"""Disputes at the table: contests, votes, a stuck table, burns and void hands."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from referee.core.match.engine import Engine
from referee.core.messages import msg
from referee.core.model.events import Ended, Overruled, Voided
from referee.core.model.table import Setup
from referee.core.model.view import (
    BurnScreen,
    CountdownScreen,
    CountScreen,
    MenuScreen,
    PhotoScreen,
    PlayingScreen,
    ReadyScreen,
    StandingsScreen,
    VerdictScreen,
    VoteScreen,
)
from referee.core.phases.contest import ContestCall
from referee.core.presses.signals import KNOB, Edge
from referee.core.units import MS, S
from tests.core.games.thirtyone.table import table as table_of_31
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import all_en, en

THREE = ("1", "2", "3")


def called(by: str = "1") -> Sitting:
    """Return three at the table with a shown verdict."""
    return Sitting().playing(*THREE).press(by).wait(1200 * MS)  # the call's lockout is over when a vote is asked


def stuck(preset: str = "nna", *players: str) -> Sitting:
    """Return a table that has pushed TIME OUT and chosen Stuck."""
    table = Sitting(Setup(preset, stations=("1", "2", "3", "4")))
    return table.playing(*(players or THREE)).press(KNOB, ns=400 * MS).choose("Stuck")


def searched(table: Sitting, *players: str) -> Sitting:
    """Let everybody search without finding a play."""
    return table.wait(5 * S).wait(BREATH_NS).tap(*(players or THREE))


# -- contest -------------------------------------------------------------------------------------------------------


def test_a_false_call_that_the_caller_admits_ends_at_once_and_play_goes_on() -> None:
    table = called("2")
    played = table.engine.state.phase.play.clock_ns(table.now_ns)  # type: ignore[attr-defined]
    table.choose("False call").wait(BREATH_NS)
    vote = table.screen(VoteScreen)
    assert (en(vote.question), [label.name for label in vote.subject]) == ("FALSE CALL?", ["Blue"])
    assert table.lit == "slow slow slow dark"
    table.tap("2")
    assert table.phase == "RESUMING"
    assert table.decisions(Overruled)[0].ruling == "false_call"
    table.wait(4 * S)
    assert table.phase == "PLAYING"
    assert abs(table.screen(PlayingScreen).played_ns - played) <= 2 * S
    table.press("2").wait(5 * S)
    assert table.phase == "COUNTING"


@pytest.mark.parametrize(
    ("policy", "key", "points"),
    [
        ("play-on", "toast.false_call", None),
        ("points:5", "toast.false_points", "-5"),
        ("zero", "toast.false_zero", None),
    ],
)
@pytest.mark.parametrize("voters", [("2",), ("1", "3")], ids=["admitted", "outvoted"])
def test_a_vote_on_a_false_call_says_its_result(
    policy: str, key: str, points: str | None, voters: tuple[str, ...]
) -> None:
    table = Sitting(Setup(options=(("false_call", policy),), stations=("1", "2", "3", "4")))
    table.playing(*THREE).press("2").wait(1200 * MS).choose("False call").wait(BREATH_NS).tap(*voters)
    if voters != ("2",):
        table.hold("2")
    toast = table.view.toast
    assert table.phase == "RESUMING"
    assert toast is not None
    values = dict(toast.values)
    assert (toast.key, values.get("points")) == (key, points)
    assert [label.name for label in values["who"]] == ["Blue"]  # type: ignore[union-attr]


def test_a_call_that_no_majority_finds_false_stands_and_says_so() -> None:
    table = called("2").choose("False call").wait(BREATH_NS).hold("1", "2", "3")
    assert table.phase == "VERDICT"
    assert table.view.toast == msg("toast.call_stands")


def test_of_two_tied_callers_the_one_who_admits_is_out_and_the_other_stands() -> None:
    table = Sitting(Setup(options=(("bonus", 10), ("false_call", "points:5")), stations=("1", "2", "3", "4")))
    table.playing(*THREE).edges(("1", True, 0), ("2", True, 5 * MS)).wait(200 * MS).open("1", "2").wait(1 * S)
    assert table.screen(VerdictScreen).kind == "tie"
    table.choose("False call").choose("2 ").wait(BREATH_NS).tap("2")
    assert [(e.teams, e.admitted) for e in table.decisions(Overruled)] == [(("2",), True)]
    shown = table.screen(VerdictScreen)
    assert (shown.kind, [c.name for c in shown.callers]) == ("clear", ["Red"])
    assert Engine.restored(table.rows).state == table.engine.state
    table.wait(5 * S)
    assert [cell.locked[0] for cell in table.screen(CountScreen).cells] == [True, False, False]
    table.count("1", 0, 20, caller=True).count("2", 3, 10).count("3", 1, 9)
    assert [int(line.total) for line in table.screen(StandingsScreen).lines] == [30, 7, -1]
    table.choose("Undo: count").choose("Undo: overrule")
    assert table.screen(VerdictScreen).kind == "tie"


def tied(*at_ms: float, stations: tuple[str, ...] = ("1", "2", "3", "4"), **options: object) -> Sitting:
    """Press these buttons so many ms after the first, from seat 2 on, and show the verdict."""
    table = Sitting(Setup(options=tuple(options.items()), stations=stations)).playing(*stations)
    presses = tuple((str(n), True, int(ms * MS)) for n, ms in enumerate(at_ms, 2))
    return table.edges(*presses).wait(300 * MS).open(*(station for station, _, _ in presses)).wait(S)


def accused(table: Sitting, who: str, *says_yes: str) -> Sitting:
    """Begin the vote on whether that caller's call was false."""
    table.choose("False call").choose(who).wait(BREATH_NS)
    assert [label.numbers for label in table.screen(VoteScreen).subject] == [(int(who),)]
    return table.tap(*says_yes).hold(*{*table.setup.stations} - {*says_yes})


def shown_verdict(table: Sitting) -> tuple[list[str], list[str], int | None, list[tuple[str, int]]]:
    """Return the callers, the false calls, the gap, and the later presses."""
    shown = table.screen(VerdictScreen)
    later = [(label.name, ns // MS) for label, ns in shown.later]
    return [c.name for c in shown.callers], [c.name for c in shown.refuted], shown.gap_ns, later


def test_a_false_call_in_a_tie_is_one_caller_s_and_the_other_presses_are_judged_again() -> None:
    assert shown_verdict(accused(tied(0, 5.3), "2", "1", "4")) == (["Blue", "Green"], [], 5_300_000, [])
    table = accused(tied(0, 5.3, 185.3), "2", "1", "2", "4")
    assert shown_verdict(table) == (["Green"], ["Blue"], 180_000_000, [("Gold", 180)])
    assert table.decisions(Overruled)[0].teams == ("2",)
    table.edges(("3", True, 0), ("3", False, 50 * MS)).wait(100 * MS)
    assert shown_verdict(table)[3] == [("Gold", 180)]
    table.choose("Undo: overrule")
    assert table.screen(VerdictScreen).kind == "tie"
    table.choose("Redo")
    assert shown_verdict(table)[:2] == (["Green"], ["Blue"])
    table.power_cut().wait(BREATH_NS).tap("1", "2", "3", "4")
    assert shown_verdict(table)[:2] == (["Green"], ["Blue"])
    assert Engine.restored(table.chapter).state == table.engine.state


def after_false_call(gap_ns: int) -> Sitting:
    """Let seat 2 press so long after seat 1, whose player then admits a false call."""
    table = Sitting(Setup(options=(("false_call", "points:5"),), stations=("1", "2", "3"))).playing(*THREE)
    table.close("1").wait(gap_ns - 2 * MS).close("2").wait(100 * MS).open("1", "2").wait(1500 * MS)
    return table.choose("False call").wait(BREATH_NS).tap("1")


@pytest.mark.parametrize("gap_ms", [22, 100, 299])
def test_another_press_soon_after_a_false_call_is_judged_again(gap_ms: int) -> None:
    assert shown_verdict(after_false_call(gap_ms * MS))[:2] == (["Blue"], ["Red"])


def test_in_an_evening_of_an_older_release_play_goes_on_after_a_false_call() -> None:
    table = Sitting(Setup(stations=("1", "2", "3"), age_ns=None)).playing(*THREE)
    table.close("1").wait(98 * MS).close("2").wait(100 * MS).open("1", "2").wait(1500 * MS)
    assert table.choose("False call").wait(BREATH_NS).tap("1").phase == "RESUMING"


@pytest.mark.parametrize("it_was", [True, False])
def test_another_press_long_after_a_false_call_is_asked_about(it_was: bool) -> None:
    table = after_false_call(302 * MS).wait(BREATH_NS)
    vote = table.screen(VoteScreen)
    assert (vote.question.key, [label.name for label in vote.subject]) == ("ask.was_call", ["Blue"])
    (table.tap if it_was else table.hold)(*THREE)
    if it_was:
        assert shown_verdict(table)[:2] == (["Blue"], ["Red"])
        assert Engine.restored(table.rows).state == table.engine.state
    else:
        assert table.wait(S).phase == "RESUMING"
        play = table.wait(4 * S).engine.state.phase
        assert play.false_calls == ("1",)  # type: ignore[attr-defined]
        assert Engine.derived(table.rows).state == table.engine.state


def test_someone_else_first_charges_the_caller_who_pressed_before() -> None:
    table = tied(0, 200, false_call="points:5").choose("Someone else first").choose("3 ").wait(BREATH_NS)
    table.tap(*table.setup.stations)
    assert shown_verdict(table)[:2] == (["Green"], ["Blue"])
    assert table.engine.state.phase.play.false_calls == ("2",)  # type: ignore[attr-defined]


def test_a_tied_caller_who_admits_while_all_count_says_what_is_left() -> None:
    table = Sitting().playing(*THREE).edges(("1", True, 0), ("2", True, 5 * MS)).wait(200 * MS).open("1", "2")
    table.wait(5 * S).count("1", 0, 30, caller=True).count("2", 0, 20, caller=True)
    table.choose("False call").choose("1 ").wait(BREATH_NS).tap("1")
    assert table.phase == "COUNTING"
    cells = table.screen(CountScreen).cells
    assert [cell.done for cell in cells] == [False, True, False]
    assert [cell.fields for cell in cells[:2]] == [(None, "3", "0"), ("0", "2", "0")]


def test_a_count_that_a_new_verdict_makes_impossible_is_made_again() -> None:
    """In Ligretto, a caller's ten cards of the pile cannot lie in the row."""
    table = Sitting(Setup("ligretto", stations=THREE)).playing(*THREE)
    table.edges(("1", True, 0), ("2", True, 200 * MS)).wait(S).open("1", "2").wait(5 * S)
    table.count("1", 0, 20, caller=True).count("2", 5, 5)
    table.choose("Someone else first").choose("2 ").wait(BREATH_NS).tap(*THREE)
    cells = table.screen(CountScreen).cells
    assert [cell.done for cell in cells] == [False] * 3
    assert [cell.refusal.key if cell.refusal else None for cell in cells] == [None, "refusal.lake", None]
    table.wait(BREATH_NS).taps("1", 1).hold("1", "1", "1").count("3", 0, 15)
    assert table.phase == "COUNTING"
    table.hold("2").taps("2", 1).hold("2").taps("2", 5).hold("2").wait(S)
    assert table.phase == "READY"


def test_who_is_out_of_the_hand_by_a_false_call_calls_no_more_in_it() -> None:
    for policy, out in (("zero", True), ("play-on", False)):
        table = Sitting(Setup(options=(("false_call", policy),), stations=("1", "2", "3"))).playing(*THREE)
        table.press("2").wait(1200 * MS).choose("False call").wait(BREATH_NS).tap("2").wait(5 * S)
        assert table.phase == "PLAYING"
        table.press("2").wait(1200 * MS)
        assert table.phase == ("PLAYING" if out else "VERDICT")
    table = Sitting(Setup(options=(("false_call", "zero"),), stations=("1", "2", "3"))).playing(*THREE)
    table.press("2").wait(1200 * MS).choose("False call").wait(BREATH_NS).tap("2").wait(5 * S)
    table.press(KNOB, ns=400 * MS).choose("Stuck")
    searched(table).wait(5 * S)
    assert table.phase == "PLAYING"
    table.press("2").wait(S)
    assert table.phase == "PLAYING"
    table.power_cut().wait(BREATH_NS).tap(*THREE).wait(5 * S).press("2").wait(S)
    assert table.phase == "PLAYING"
    table.press("3").wait(1200 * MS).choose("Someone else first")
    assert all_en(table.screen(MenuScreen).items) == ("1 Red", "Back")
    table.choose("Back").choose("Back").wait(10 * S)
    assert table.phase == "COUNTING"


@pytest.mark.parametrize("found", ["VERDICT", "COUNTING"])
def test_a_hand_in_which_nobody_may_call_any_more_is_over_without_a_score(found: str) -> None:
    table = Sitting(Setup(options=(("false_call", "zero"),), stations=("1", "2", "3"))).playing(*THREE)
    for station in THREE:
        assert table.phase == "PLAYING"
        last = station == THREE[-1]
        table.press(station).wait(6 * S if last and found == "COUNTING" else 1200 * MS)
        assert table.phase == (found if last else "VERDICT")
        table.choose("False call").wait(BREATH_NS).tap(station).wait(BREATH_NS if last else 5 * S)
    assert table.phase == "READY"
    assert en(table.view.toast) == "ALL OUT: HAND IS 0"
    assert {line.total for line in table.wait(3 * S).screen(StandingsScreen).lines} == {0}
    table.tap(*THREE).wait(5 * S)
    assert table.phase == "PLAYING"
    assert table.screen(PlayingScreen).hand == 2


def test_a_majority_decides_and_equal_votes_leave_the_measured_verdict() -> None:
    table = Sitting().playing(*THREE).edges(("1", True, 0), ("2", True, 50 * MS)).wait(200 * MS).open("1", "2")
    table.choose("Tie").wait(2 * S).tap("1").hold("2")
    assert [vote for _, vote in table.screen(VoteScreen).votes] == [True, False, None]
    table.wait(13 * S)
    assert [c.name for c in table.screen(VerdictScreen).callers] == ["Red"]
    assert table.decisions(Overruled) == []
    table.choose("Tie").wait(BREATH_NS).tap("1").hold("2").tap("3")
    assert [c.name for c in table.screen(VerdictScreen).callers] == ["Red", "Blue"]
    assert table.screen(VerdictScreen).kind == "tie"
    table.wait(5 * S)
    assert [cell.locked[0] for cell in table.screen(CountScreen).cells] == [True, True, False]


def test_a_push_that_comes_with_the_question_ends_no_vote_and_is_seen() -> None:
    table = called("2").choose("False call")
    assert (table.press(KNOB, ns=20 * MS).phase, table.view.invert) == ("VOTE", True)
    table.wait(BREATH_NS)
    assert (table.view.invert, table.push().phase) == (False, "VERDICT")


def test_the_knob_names_another_first() -> None:
    table = called("1").wait(5 * S)
    assert table.phase == "COUNTING"
    table.wait(BREATH_NS).taps("3", 2).choose("Someone else first")
    assert all_en(table.screen(MenuScreen).items) == ("2 Blue", "3 Green", "Back")
    table.choose("3 Green").wait(BREATH_NS).tap("1", "2")
    assert table.phase == "VOTE"
    table.hold("3")
    cells = table.screen(CountScreen).cells
    assert [cell.locked[0] for cell in cells] == [False, False, True]
    assert cells[2].fields[0] == "0"


def test_a_tie_is_asked_about_the_next_press_and_another_first_is_called_so() -> None:
    rows = [("1", True, 0), ("2", True, 50 * MS), ("3", True, 70 * MS)]
    table = Sitting().playing(*THREE).edges(*rows).wait(200 * MS).open(*THREE).wait(1 * S)
    table.choose("Tie").wait(BREATH_NS).tap(*THREE)
    assert [(event.ruling, event.teams) for event in table.decisions(Overruled)] == [("tie", ("1", "2"))]
    table.choose("Someone else first").choose("3 Green").wait(BREATH_NS).tap(*THREE)
    assert table.decisions(Overruled)[1].ruling == "first"


@pytest.mark.parametrize(("line", "kind", "who"), [("Someone else first", "clear", [2]), ("Tie", "tie", [1, 2])])
def test_a_verdict_by_vote_tells_no_time_and_its_photo_what_was_measured(line: str, kind: str, who: list[int]) -> None:
    table = Sitting().playing(*THREE).edges(("1", True, 0), ("2", True, 50 * MS)).wait(200 * MS).open("1", "2")
    assert table.wait(1 * S).screen(VerdictScreen).gap_ns == 50 * MS
    table.choose(line)
    table = table.choose("2 Blue") if kind == "clear" else table
    table.wait(BREATH_NS).tap(*THREE)
    shown = table.screen(VerdictScreen)
    assert (shown.kind, [label.numbers[0] for label in shown.callers], shown.by_vote) == (kind, who, True)
    assert (shown.next_caller, shown.gap_ns, shown.later) == (None, None, ())
    photo = table.turn(1).screen(PhotoScreen)
    assert ([one.press_ns for one in photo.lines], photo.alone) == ([0], False)


def grey(kind: str = "tie") -> Sitting:
    """Return two calls, the later one too close to measure ("clear": by a clock's large error)."""
    setup = Setup(stations=("1", "2", "3", "4"), latency_ns=0 if kind == "tie" else 30 * MS)
    table = Sitting(setup).playing(*THREE)
    at_ns, err_ns = (20_300_000, 300_000) if kind == "tie" else (32 * MS, 14 * MS)
    rows = [("1", True, 0), ("2", True, at_ns), ("1", False, 100 * MS), ("2", False, 110 * MS)]
    facts = [Edge(s, closed, table.now_ns + at, err_ns if s == "2" else 300_000) for s, closed, at in rows]
    table.engine.intake(facts, table.now_ns + 110 * MS)
    table.wait(170 * MS)
    assert (table.screen(VerdictScreen).grey, table.screen(VerdictScreen).kind) == (True, kind)
    return table


CONTEST = ("Verdict stands", "False call", "Someone else first", "Photo finish", "Void hand", "Back")


def test_a_grey_verdict_offers_the_contest_when_its_four_seconds_are_over() -> None:
    table = grey().wait(3 * S)
    assert table.screen(VerdictScreen)
    table.wait(1 * S)
    menu = table.screen(MenuScreen)
    assert (en(menu.title), all_en(menu.items), menu.cursor) == ("CLOSE: 1Re ~ 2Bl", CONTEST, 0)
    assert table.lit == "alternate alternate pulse3 dark"
    assert table.wait(1 * S).push().wait(1 * MS).phase == "COUNTING"
    assert isinstance(table.view.screen, CountScreen)


def test_an_offered_contest_keeps_the_count_waiting_fifteen_seconds_at_most() -> None:
    assert grey().wait(14 * S).phase == "VERDICT"
    assert isinstance(grey().wait(15 * S).view.screen, CountScreen)
    assert isinstance(called("1").wait(3 * S).view.screen, CountScreen)


def test_the_offer_says_what_is_too_close() -> None:
    menu = grey("clear").wait(4 * S).screen(MenuScreen)
    assert (en(menu.title), all_en(menu.items[:3])) == ("CLOSE: 1 Red", ("Verdict stands", "False call", "Tie"))
    rows = (("1", True, 0), ("2", True, 5 * MS), ("3", True, 20_300_000))
    table = Sitting().playing(*THREE).edges(*rows).wait(100 * MS).open(*THREE).wait(4 * S)
    assert en(table.screen(MenuScreen).title) == "CLOSE: TIE"
    assert Engine.restored(table.rows).state == table.engine.state


def test_a_count_is_not_sealed_while_a_list_is_open() -> None:
    table = called("1").wait(5 * S).count("1", 0, 30, caller=True).count("2", 2, 20)
    table.push().count("3", 1, 20).wait(10 * S)
    assert (table.phase, type(table.view.screen)) == ("COUNTING", MenuScreen)
    assert table.choose("Back").wait(1200 * MS).phase == "READY"


@pytest.mark.parametrize("moment", ["verdict", "counting", "timeout"])
def test_a_void_hand_is_dealt_again(moment: str) -> None:
    table = Sitting().playing(*THREE)
    table = table.press(KNOB, ns=400 * MS) if moment == "timeout" else table.press("1").wait(1200 * MS)
    if moment == "counting":
        table.wait(5 * S)
    table.choose("Void").wait(BREATH_NS).tap(*THREE)
    assert len(table.decisions(Voided)) == 1
    assert table.screen(ReadyScreen).hand == 1
    table.choose("Undo: void")
    assert table.phase == {"verdict": "VERDICT", "counting": "COUNTING", "timeout": "TIMEOUT"}[moment]


# -- stuck ---------------------------------------------------------------------------------------------------------


def test_burn_stands_for_half_a_second_and_then_the_hand_s_clock() -> None:
    table = searched(stuck()).wait(3 * S)
    burnt_ns = table.engine.state.phase.go_at_ns  # type: ignore[attr-defined]
    first, *later = (table.engine.view(burnt_ns + ns).screen for ns in (0, 500 * MS - 1, 500 * MS))
    assert isinstance(first, BurnScreen)
    assert (first.pile, first.burns) == ("stream", 1)
    assert [type(screen) for screen in later] == [BurnScreen, PlayingScreen]
    hand = Sitting().playing(*THREE)
    go = hand.engine.view(hand.engine.state.phase.go_at_ns).screen  # type: ignore[attr-defined]
    assert go == CountdownScreen(msg("beat.go")), "a hand begins with GO"


@pytest.mark.parametrize(("preset", "pile"), [("pagat", "waste"), ("reeves", "stock"), ("dutch-blitz", "hand")])
def test_after_a_no_the_table_may_go_round_once_more(preset: str, pile: str) -> None:
    table = searched(stuck(preset))
    assert table.screen(BurnScreen).pile == pile
    table.wait(4 * S).press(KNOB, ns=400 * MS)
    assert "Once more" not in all_en(table.screen(MenuScreen).items)
    searched(table.choose("Stuck, no play")).wait(BREATH_NS).hold(*THREE)
    assert (table.phase, all_en(table.screen(MenuScreen).items)[0]) == ("TIMEOUT", "Once more")
    table.push()
    assert table.screen(BurnScreen).burns == 2
    table.wait(4 * S).press(KNOB, ns=400 * MS)
    assert table.phase == "TIMEOUT"
    assert "Once more" not in all_en(table.screen(MenuScreen).items)
    searched(table.choose("Stuck, no play"))
    assert en(table.screen(VoteScreen).question) == "END HAND?"


@pytest.mark.parametrize("preset", ["nna", "pagat", "reeves", "racing-demon", "dutch-blitz", "ligretto"])
def test_every_table_may_end_a_hand_by_consent(preset: str) -> None:
    table = Sitting(Setup(preset, stations=("1", "2", "3", "4"))).playing(*THREE).press(KNOB, ns=400 * MS)
    table.choose("End hand")
    assert en(table.screen(VoteScreen).question) == "END HAND?"
    table.wait(BREATH_NS).hold(*THREE)
    assert table.phase == "TIMEOUT"
    table.choose("End hand").wait(BREATH_NS).tap(*THREE)
    ended = table.decisions(Ended)[0].end
    assert (ended, table.phase) == (("abandoned", "READY") if preset == "racing-demon" else ("stuck", "COUNTING"))


# -- cases found by the bots ---------------------------------------------------------------------------------------


def test_a_press_at_the_end_of_a_resume_stops_it_and_keeps_the_hand() -> None:
    table = Sitting().playing(*THREE).wait(20 * S).press(KNOB, ns=400 * MS).push()
    table.until(table.engine.state.phase.armed_at_ns - 500_000)  # type: ignore[attr-defined]
    table.press("1")
    assert table.phase == "STOPPED"
    table.wait(BREATH_NS).tap("1").wait(4 * S)
    assert table.screen(PlayingScreen).played_ns >= 20 * S


def test_a_caller_who_pounds_is_not_their_own_rival() -> None:
    """Later presses of the caller's button are no claims."""
    table = called("2").taps("2", 3)
    assert table.screen(VerdictScreen).next_caller is None
    assert table.screen(VerdictScreen).later == ()


def test_a_table_that_named_the_callers_names_those_that_stand() -> None:
    table = tied(0, 200).choose("Tie").wait(BREATH_NS).tap("1", "2", "3", "4")
    accused(table.wait(BREATH_NS), "2", "1", "2", "4")
    assert shown_verdict(table) == (["Green"], ["Blue"], None, [])
    table.wait(BREATH_NS).choose("Someone else first").choose("2 ").wait(BREATH_NS).tap("1", "2", "3", "4")
    assert shown_verdict(table)[:2] == (["Blue"], [])
    assert table.engine.state.phase.play.false_calls == ()  # type: ignore[attr-defined]


@given(st.sampled_from(["VERDICT", "COUNTING", "DECLARED"]), st.lists(st.integers(1, 59), max_size=6))
@settings(max_examples=20, phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_no_deadline_ends_a_phase_under_an_open_claim_list(phase: str, inputs_s: list[int]) -> None:
    """The list closes 60 s after its last input, and says so."""
    table: Sitting
    if phase == "DECLARED":
        table = table_of_31(3).dealt().says("2", 2)
    else:
        table = called() if phase == "VERDICT" else Sitting().counting("1", *THREE)
    table.push()
    if phase == "COUNTING":  # all count below the list: it would be sealed
        table.count("1", 0, 30, caller=True).count("2", 1, 10).count("3", 1, 10).turn(1)
    for seconds in inputs_s:
        table.wait(seconds * S).turn(1)
    table.wait(59 * S)
    assert (table.phase, type(table.view.screen)) == (phase, MenuScreen)
    table.wait(S)
    assert table.view.toast == msg("toast.list_closed")
    assert not isinstance(table.view.screen, MenuScreen)
    assert table.wait(2 * S).phase != phase


@pytest.mark.parametrize("callers", [("1",), ("1", "2")])
def test_false_call_is_one_push_away_under_the_same_name_in_the_count(callers: tuple[str, ...]) -> None:
    texts = []
    for wait_ns in (1200 * MS, 8 * S):
        table = Sitting().playing(*THREE).press(*callers).wait(wait_ns).push()
        lines = table.engine.state.menu.items  # type: ignore[union-attr]
        texts += [line.text for line in lines if isinstance(line.action, ContestCall)]
        assert lines
    assert table.phase == "COUNTING"
    assert texts == [msg("item.false_call")] * 2


def test_the_photo_finish_is_reached_before_the_offer_and_from_it() -> None:
    table = grey().turn(1).wait(10 * S).turn(-1).wait(4 * S)
    assert en(table.screen(MenuScreen).title) == "CLOSE: 1Re ~ 2Bl"
    table.choose("Photo finish")
    assert table.screen(PhotoScreen)
    table.wait(19 * S).turn(-1).wait(4 * S)
    assert all_en(table.screen(MenuScreen).items) == CONTEST
    assert table.wait(11 * S).phase == "COUNTING"
