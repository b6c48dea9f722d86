"""31 at the table, through the Engine: turns, knocks, 31s, values, lives and interruptions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.core.documents.chronicle import records
from referee.core.documents.match import score_document
from referee.core.games.thirtyone.play import GAME
from referee.core.games.thirtyone.rules import OPTIONS, PRESETS
from referee.core.games.thirtyone.scoring import ThirtyOneHand, ThirtyOneTally
from referee.core.games.thirtyone.table import shown
from referee.core.match.engine import Engine
from referee.core.model.events import Played, Sealed
from referee.core.model.view import (
    CountScreen,
    DeclaredScreen,
    MenuScreen,
    OverScreen,
    PowerBackScreen,
    ReadyScreen,
    StandingsScreen,
    TurnScreen,
    VoteScreen,
)
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.games.thirtyone.model import Lives, Points
from tests.core.games.thirtyone.table import Thirtyone, table
from tests.core.lists import way_to
from tests.english import all_en, en

KNOCKER = ("knocker_tied", "knocker_after_31", "knocker_not_highest")


def numbers(labels: Any) -> list[int]:
    """Return the seats of these labels."""
    return [label.numbers[0] for label in labels]


# -- turns ---------------------------------------------------------------------------------------------------------


def test_a_hand_begins_without_beats_left_of_the_dealer() -> None:
    """Nobody races, so the start needs no countdown."""
    sitting = table(3)
    assert all_en(sitting.wait(S).screen(ReadyScreen).notes) == ("1An deals",)
    sitting.dealt()
    assert sitting.on_turn == "2"
    assert sitting.view.go_ns is None
    assert sitting.lit == "dark slow dark dark"


def winks(sitting: Thirtyone) -> tuple[str, int]:
    """Return whose lamp has winked last, and how often."""
    last = sitting.engine.state.winks[-1]
    return last.station, last.times


def test_a_lamp_winks_once_for_a_tap_and_twice_for_a_hold() -> None:
    """Players need not look at the display."""
    sitting = table(3).dealt()
    assert winks(sitting.press("2")) == ("2", 1)  # done
    assert winks(sitting.rested().hold("3")) == ("3", 2)  # a knock?
    assert winks(sitting.rested().press("3")) == ("3", 1)
    assert winks(sitting.rested().hold("2")) == ("2", 2)  # off turn: a 31?
    assert winks(sitting.rested().press("2")) == ("2", 1)
    assert sitting.screen(DeclaredScreen)
    assert winks(sitting.rested().press("1")) == ("1", 1)  # none
    assert winks(sitting.rested().hold("3")) == ("3", 2)  # a 31, too?
    assert winks(sitting.rested().press("3")) == ("3", 1)


def test_a_tap_by_who_is_on_turn_passes_it_on_and_the_next_lamp_is_lit_at_once() -> None:
    sitting = table(3).dealt()
    sitting.press("1")
    assert sitting.on_turn == "2"
    sitting.press("2")
    assert sitting.on_turn == "3"
    assert sitting.view.lamps[2].lit
    sitting.press("3")
    assert sitting.on_turn == "3"
    assert sitting.rested().done().on_turn == "1"


def test_a_tap_that_comes_too_early_is_seen_to_be_none() -> None:
    sitting = table(3).dealt()
    sitting.press("2")
    assert not sitting.view.invert
    assert sitting.close("3").view.invert
    assert not sitting.open("3").wait(S).view.invert
    assert not sitting.close("3").view.invert, "a tap in time is answered, not refused"
    sitting.open("3").wait(S)
    sitting.hold("2")
    sitting.rested().press("2")
    assert sitting.screen(DeclaredScreen)
    assert sitting.close("3").view.invert
    assert not sitting.open("3").wait(S).close("3").view.invert


def test_holding_climbs_the_ladder_and_falls_off_it() -> None:
    sitting = table(3).dealt()
    asked = []
    for station in ("2", "2", "2", "1", "1"):
        sitting.hold(station)
        asked.append([(q.label.numbers[0], en(q.question)) for q in sitting.screen(TurnScreen).questions])
        sitting.rested()
    assert asked == [[(2, "KNOCK?")], [(2, "31?")], [], [(1, "31?")], []]
    assert sitting.decisions(Played) == []


def test_an_answer_is_a_fresh_press() -> None:
    """An answer needs a press from 0.7 s after the question on. A very long hold asks once."""
    sitting = table(3).dealt().press("2", ns=2500 * MS)
    assert [en(q.question) for q in sitting.screen(TurnScreen).questions] == ["KNOCK?"]
    sitting = table(3).dealt().hold("2")
    sitting.press("2")
    assert sitting.decisions(Played) == []
    sitting.rested().press("2")
    assert [event.move for event in sitting.decisions(Played)] == ["knock"]


# -- the knock -----------------------------------------------------------------------------------------------------


def test_after_a_knock_everybody_else_has_one_more_turn() -> None:
    sitting = table(4).dealt().done(1)
    assert (sitting.screen(TurnScreen).knocker, sitting.screen(TurnScreen).left) == (None, 0)
    screen = sitting.knocks().screen(TurnScreen)
    assert (screen.knocker.numbers, screen.left, sitting.on_turn) == ((3,), 3, "4")  # type: ignore[union-attr]
    assert sitting.lit == "dark dark steady slow"
    sitting.done(2)
    assert sitting.screen(TurnScreen).left == 1
    sitting.hold("2")
    assert [en(q.question) for q in sitting.screen(TurnScreen).questions] == ["31?"]
    sitting.rested().hold("2")
    sitting.rested().done()
    assert sitting.phase == "COUNTING"
    assert numbers(cell.label for cell in sitting.screen(CountScreen).cells) == [1, 2, 3, 4]


def test_the_last_two_may_take_back_their_own_discard() -> None:
    two = table(2).dealt()
    assert two.screen(TurnScreen).own_discard is False
    assert two.knocks().screen(TurnScreen).own_discard is True
    assert table(3).dealt().knocks().screen(TurnScreen).own_discard is False


def test_a_value_can_be_entered_by_the_knob() -> None:
    """For a broken button."""
    sitting = table(2).dealt().knocks().done().rested()
    sitting.enters("1", 20).choose("Count by knob").choose("2 Ben").turn(1).push().turn(9).push().wait(5 * S)
    assert sitting.left == {"1": 3, "2": 1}


def test_values_make_the_standings_and_these_the_lives() -> None:
    sitting = table(3).dealt().knocks().done(2).rested()
    for station, value in (("1", 27), ("2", 30), ("3", 9)):
        sitting.enters(station, value)
    screen = sitting.screen(StandingsScreen)
    assert [line.shown for line in screen.lines] == ["♥♥♥", "♥♥♥", "♥♥"]
    assert [(line.label.numbers[0], en(line.told)) for line in screen.lines] == [
        (1, "3 lives"),
        (2, "3 lives"),
        (3, "2 lives"),
    ]
    assert sitting.left == {"1": 3, "2": 3, "3": 2}


def test_who_has_knocked_with_too_little_takes_it_back_or_the_hand_is_dealt_again() -> None:
    for way in ("Undo: knock", "Void hand"):
        sitting = table(2, minimum_knock=17).dealt().knocks().done(1).rested().enters("2", 16)
        assert way_to(sitting.engine.state, way)
    sitting.choose("Undo: knock").choose("Go on").wait(S)
    assert (sitting.phase, sitting.on_turn, sitting.screen(TurnScreen).knocker) == ("PLAYING", "2", None)


def test_a_half_is_a_field_where_three_of_a_kind_count_it() -> None:
    sitting = table(2, three_of_a_kind="30.5").dealt().knocks().done(1)
    assert all_en(sitting.screen(CountScreen).field_names) == ("VALUE", "VALUE", "½")
    sitting.rested().enters("1", 30.5)
    assert sitting.screen(CountScreen).cells[0].fields == ("3", "0", "½")
    sitting.enters("2", 30).wait(4 * S)
    assert sitting.left == {"1": 3, "2": 1}
    plain = table(2).dealt().knocks().done(1).rested()
    plain.taps("1", 3).hold("1").taps("1", 9).hold("1")
    assert en(plain.screen(CountScreen).cells[0].refusal) == "39 > 30"


def test_without_early_knock_everybody_has_a_turn_first() -> None:
    sitting = table(3, early_knock=False).dealt()
    sitting.hold("2")
    assert [en(q.question) for q in sitting.screen(TurnScreen).questions] == ["31?"]
    sitting.rested().hold("2")
    sitting.rested().done(3).hold("2")
    assert [en(q.question) for q in sitting.screen(TurnScreen).questions] == ["KNOCK?"]


# -- 31 ------------------------------------------------------------------------------------------------------------


def test_a_31_ends_the_hand_when_all_have_said_that_they_have_none() -> None:
    sitting = table(3).dealt().knocks().declares("1")
    screen = sitting.screen(DeclaredScreen)
    assert (numbers(screen.declared), numbers(screen.waiting), screen.left_s) == ([1], [2, 3], 15)
    assert sitting.lit == "steady slow slow dark"
    assert sitting.rested().hold("1").screen(DeclaredScreen).questions == (), "who has declared is not asked"
    sitting.press("2")
    sitting.press("2").wait(S)
    assert sitting.lit == "steady steady slow dark"
    sitting.press("3").wait(S)
    assert sitting.left == {"1": 3, "2": 2, "3": 2}
    assert sitting.decisions(Sealed)[-1].counts == ()


def test_the_knob_ends_the_waiting() -> None:
    sitting = table(3).dealt().declares("1")
    sitting.choose("No other 31").wait(S)
    assert sitting.left == {"1": 3, "2": 2, "3": 2}


def test_a_31_that_is_none_goes_back_by_a_vote() -> None:
    sitting = table(3).dealt().knocks().done().declares("1").choose("Not a 31").wait(S)
    assert en(sitting.screen(VoteScreen).question) == "NOT A 31?"
    sitting.press("1").wait(S)
    screen = sitting.screen(TurnScreen)
    assert (sitting.on_turn, screen.knocker.numbers, screen.left) == ("1", (2,), 1)  # type: ignore[union-attr]


def test_a_late_31_while_values_are_entered_is_put_to_the_vote() -> None:
    sitting = table(3).dealt().knocks().done(2).rested()
    sitting.choose("Late 31").choose("3 Max").wait(S)
    assert en(sitting.screen(VoteScreen).question) == "31?"
    sitting.hold("1").hold("2").wait(16 * S)
    assert sitting.phase == "COUNTING"
    sitting.choose("Late 31").choose("3 Max").wait(S).press("1").press("2").press("3").wait(S)
    assert numbers(sitting.screen(DeclaredScreen).declared) == [3]
    sitting.wait(16 * S)
    assert sitting.left == {"1": 2, "2": 2, "3": 3}


def test_a_31_may_be_said_by_word_of_mouth() -> None:
    """For a button that does not work."""
    sitting = table(3).dealt().choose("A 31").choose("1 Anna").wait(S)
    sitting.press("2").press("3").press("1").wait(S)
    assert numbers(sitting.screen(DeclaredScreen).declared) == [1]


# -- the match -----------------------------------------------------------------------------------------------------


def test_the_county_then_out_then_the_last_one_in_wins() -> None:
    sitting = table(3)
    for _ in range(3):
        sitting.dealt().declares("1").wait(16 * S)
    lines = sitting.screen(StandingsScreen).lines
    assert [(line.label.numbers[0], line.shown) for line in lines] == [(1, "♥♥♥"), (2, "⌂"), (3, "⌂")]
    sitting.dealt().declares("1").declares("2").wait(16 * S)
    assert sitting.out == {"3"}
    sitting.dealt()
    assert sitting.on_turn in "12"
    sitting.press("3").declares("1").wait(16 * S)
    screen = sitting.screen(OverScreen)
    assert numbers(screen.winners) == [1]
    assert [(line.label.numbers[0], line.place, en(line.told)) for line in screen.lines] == [
        (1, 1, "3 lives"),
        (2, 2, "out"),
        (3, 3, "out"),
    ]


def looks(preset: str, left: int, *, is_out: bool = False, levels: int = 0) -> tuple[str | None, str | None]:
    """Return the picture of players with so many losses left, and its words."""
    tally = ThirtyOneTally({"A": left}, {"A": 7}, {"A": 3} if is_out else {}, levels)
    signs, told = shown(PRESETS[preset], tally, "A")
    return signs, None if told is None else en(told)


def test_lives_are_hearts_and_the_bus_is_drawn_with_its_rider() -> None:
    signs = [looks("31", left) for left in (0, 1, 4, 5, 6)]
    assert signs == [("⌂", "no life"), ("♥", "1 life"), ("♥♥♥♥", "4 lives"), ("5♥", "5 lives"), ("6♥", "6 lives")]
    bus = [looks("ride-the-bus", left) for left in (3, 2, 1, 0)]
    assert bus == [("■□□_", "back"), ("□■□_", "middle"), ("□□■_", "front"), ("□□□■", "steps")]
    longer = [looks("ride-the-bus", left, levels=2) for left in (5, 2, 1, 0)]
    steps = [("□□□■__", "steps"), ("□□□_■_", "second step"), ("□□□__■", "asks the driver")]
    assert longer == [("■□□___", "back"), *steps]
    longest = [looks("ride-the-bus", left, levels=6) for left in (9, 5, 4, 1, 0)]
    steps = [("5/10", "second step"), ("6/10", "step 3"), ("9/10", "step 6"), ("10/10", "asks the driver")]
    assert longest == [("1/10", "back"), *steps]
    assert looks("31", 0, is_out=True) == ("✗", "out")
    assert looks("ride-the-bus", 0, is_out=True) == ("✗", "off")
    assert looks("31-quebec", 0) == (None, None)


def test_standings_have_the_last_hand_shared_places_and_whose_value_was_corrected() -> None:
    state = table(3).engine.state.table
    assert [f"{p.total} {p.place} {p.delta}" for p in GAME.standings(state)] == ["3 1 None"] * 3
    knocked = ThirtyOneHand(("1", "2", "3"), "2", {"1": Fraction(9), "2": Fraction(20), "3": Fraction(25)})
    hands = (replace(knocked, corrected=("3",)), ThirtyOneHand(("1", "2"), None, {}, ("2",)))
    found = GAME.standings(replace(state, hands=hands))
    told = [f"{p.total} {p.place} {p.delta} {p.shared:d}{p.corrected:d}" for p in found]
    assert told == ["1 3 -1 00", "3 1 0 10", "3 1 0 11"]


def test_the_bus_moves_who_loses_and_gets_longer_by_a_vote() -> None:
    sitting = table(2, "ride-the-bus")
    assert sitting.wait(S).screen(ReadyScreen).lines[0].shown == "■□□_"
    sitting.dealt().declares("1").wait(16 * S)
    lines = sitting.wait(5 * S).screen(ReadyScreen).lines
    assert [(line.shown, en(line.told)) for line in lines] == [("■□□_", "back"), ("□■□_", "middle")]
    longer = (["1/7", "2/7"], ["1/8", "2/8"], ["1/9", "2/9"], ["1/10", "2/10"])
    for pictures in (["■□□__", "□■□__"], ["■□□___", "□■□___"], *longer):
        sitting.choose("One place more").wait(S).press("1").press("2").wait(S)
        assert [line.shown for line in sitting.screen(ReadyScreen).lines] == pictures
    assert not any(item.startswith("One") for item in all_en(sitting.push().screen(MenuScreen).items))
    sitting.wait(21 * S)
    for _ in range(9):
        sitting.dealt().declares("1").wait(16 * S)
    assert [en(line.told) for line in sitting.screen(OverScreen).lines] == ["back", "off"]
    (record,) = records(sitting.rows, {})
    assert record is not None
    assert score_document(record.match)["places"] == {"Anna": "back", "Ben": "off"}
    sitting.wait(S).press("1").press("2").wait(S)
    assert [line.shown for line in sitting.screen(ReadyScreen).lines] == ["■□□_", "■□□_"], "a rematch starts anew"


def test_the_knob_sets_what_a_preset_leaves_open() -> None:
    lines = {}
    hand, knock = ["Three", "Flush"], ["Knock from", "Knock at once"]
    knocker = ["Knock, tied", "Not best", "Knock, then 31"]
    for preset in ("31", "ride-the-bus", "31-quebec"):
        lobby = Thirtyone(table(2, preset).setup).tap("1", "2").choose("House rules")
        lines[preset] = [item.partition(":")[0] for item in all_en(lobby.screen(MenuScreen).items[:-2])]
        lobby.choose("Knocking")
        lines[preset] += [item.partition(":")[0] for item in all_en(lobby.screen(MenuScreen).items[:-1])]
    assert lines == {
        "31": ["Lives", "County", *hand, *knock, *knocker],
        "ride-the-bus": [*hand, "Places", *knock, *knocker],
        "31-quebec": [*hand, "Ends", *knock],
    }


def test_nine_players_are_possible_where_there_is_a_ninth_button() -> None:
    """The core does not limit the number of seats."""
    sitting = table(9).dealt().knocks()
    assert sitting.screen(TurnScreen).left == 8
    assert sitting.done(8).phase == "COUNTING"
    sitting.values({str(n): 20 + n for n in range(1, 10)}).wait(5 * S)
    assert sitting.left == {**dict.fromkeys("23456789", 3), "1": 2}


# -- trouble -------------------------------------------------------------------------------------------------------


def test_a_knock_is_undone_and_redone() -> None:
    sitting = table(3).dealt().done().knocks().choose("Undo: knock")
    assert sitting.phase == "TIMEOUT"
    sitting.choose("Go on").wait(S)
    assert (sitting.on_turn, sitting.screen(TurnScreen).knocker) == ("3", None)
    sitting.rested().choose("Redo: knock")
    assert sitting.choose("Go on").screen(TurnScreen).knocker is not None


def test_an_undone_31_hand_asks_everybody_anew() -> None:
    sitting = table(3).dealt().declares("1")
    sitting.press("2").press("3").wait(S).choose("Undo: count").wait(S)
    screen = sitting.screen(DeclaredScreen)
    assert (numbers(screen.declared), numbers(screen.waiting)) == ([1], [2, 3])
    sitting.declares("3").wait(16 * S)
    assert sitting.left == {"1": 3, "2": 2, "3": 3}
    sitting.choose("Undo: count").choose("Undo: 31").choose("Undo: 31")
    assert sitting.choose("Go on").rested().on_turn == "2"


def test_a_pause_hears_no_button_and_goes_on_where_it_was() -> None:
    """In a game of turns no call can be late."""
    sitting = table(3).dealt().done().choose("Time out")
    sitting.press("3")
    assert (sitting.phase, en(sitting.view.toast)) == ("TIMEOUT", None)
    sitting.close("1").choose("Void hand").open("1")
    sitting.wait(16 * S).choose("Go on")
    assert sitting.on_turn == "3"


@pytest.mark.parametrize("where", ["turn", "declared", "counting", "pause"])
def test_a_hand_is_void_by_a_vote_from_everywhere(where: str) -> None:
    sitting = table(3).dealt()
    if where == "declared":
        sitting.declares("1")
    elif where == "counting":
        sitting.knocks().done(2)
    elif where == "pause":
        sitting.choose("Time out")
    sitting.rested().choose("Void hand").wait(S).press("1").press("2").press("3").wait(S)
    assert all_en(sitting.screen(ReadyScreen).notes) == ("1An deals",)
    assert sitting.left == {"1": 3, "2": 3, "3": 3}


def test_somebody_gets_up_and_the_hand_is_dealt_again() -> None:
    sitting = table(3).dealt().choose("Time out").choose("Players").choose("Leave").choose("3 leaves").wait(S)
    assert sitting.phase == "READY"
    sitting.dealt().declares("1").wait(16 * S)
    assert sitting.left == {"1": 3, "2": 2, "3": 3}
    sitting.wait(5 * S).press("3").wait(S)
    assert len(sitting.screen(ReadyScreen).lines) == 3
    (record,) = records(sitting.rows, {})
    assert record is not None
    assert record.played == [{"players": ["Anna", "Ben"], "thirtyone": ["Anna"]}]


def test_a_muted_seat_is_served_by_the_knob() -> None:
    sitting = (
        table(3).dealt().choose("Time out").choose("Players").choose("Mute").choose("2 Ben").choose("Go on").rested()
    )
    sitting.push()
    assert en(sitting.screen(MenuScreen).items[0]) == "Knock"
    sitting.choose("Knock").wait(S)
    assert numbers([sitting.screen(TurnScreen).knocker]) == [2]
    sitting.declares("1").press("3").wait(S)
    assert sitting.left == {"1": 3, "2": 2, "3": 2}


@pytest.mark.parametrize("where", ["turn", "question", "last round", "declared", "counting"])
def test_a_power_cut_loses_nothing(where: str) -> None:
    sitting = table(3).dealt().done()
    if where == "question":
        sitting.hold("1")
    elif where in ("last round", "counting"):
        sitting.knocks().done(2 if where == "counting" else 0)
    elif where == "declared":
        sitting.declares("1").wait(5 * S)
    before = sitting.view.screen
    sitting.power_cut()
    assert sitting.screen(PowerBackScreen).hand == 1
    sitting.wait(S).press("1").press("2").press("3").wait(S)
    after = sitting.view.screen
    if where == "question":
        assert (after.turn, after.questions) == (before.turn, ())  # type: ignore[attr-defined]
    elif where == "declared":
        assert 8 <= after.left_s <= 15  # type: ignore[attr-defined]
    else:
        assert type(after) is type(before)
        assert getattr(after, "turn", None) == getattr(before, "turn", None)
        assert getattr(after, "knocker", None) == getattr(before, "knocker", None)
    assert Engine.restored(sitting.rows).state.phase == sitting.engine.state.phase


def test_a_newcomer_starts_with_the_fewest_lives_while_nobody_is_out() -> None:
    sitting = table(2).dealt().declares("1").wait(16 * S)
    sitting.wait(5 * S).press("3").wait(S)
    assert en(sitting.screen(MenuScreen).items[0]) == "3 joins, as last"
    sitting.choose("3 joins").wait(S)
    sitting.dealt().declares("1").wait(16 * S)
    assert sitting.left == {"1": 3, "2": 1, "3": 1}
    (record,) = records(sitting.rows, {})
    assert record is not None
    assert record.match["joined"] == {"Max": 2}
    assert record.played[0] == {"players": ["Anna", "Ben"], "thirtyone": ["Anna"]}
    assert score_document(record.match)["lives"] == {"Anna": 3, "Ben": 1, "Max": 1}


def test_an_old_value_is_corrected() -> None:
    sitting = table(2, three_of_a_kind="30.5").dealt().declares("1").wait(16 * S)
    sitting.dealt().knocks().done().values({"1": 20, "2": 19})
    assert sitting.left == {"1": 3, "2": 1}
    sitting.wait(5 * S).choose("Fix counts").wait(S).taps("2", 2).hold("2").taps("2", 2).hold("2").hold(
        "2"
    ).push().wait(S)
    assert sitting.left == {"1": 1, "2": 2}
    (record,) = records(sitting.rows, {})
    assert record is not None
    assert record.played[1]["corrected"] == ["Ben"]
    assert score_document(record.match)["lives"] == {"Anna": 1, "Ben": 2}


# -- whole matches -------------------------------------------------------------------------------------------------


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data(), st.sampled_from(("31", "ride-the-bus", "31-quebec")), st.integers(2, 4))
def test_any_legal_turns_end_with_what_the_model_gives(data: st.DataObject, preset: str, players: int) -> None:
    house = {name: data.draw(st.sampled_from(OPTIONS[name].choices)) for name in KNOCKER}
    house |= {"lives": 2, "county": data.draw(st.booleans())} if preset == "31" else {}
    sitting = table(players, preset, **({} if preset == "31-quebec" else house))
    names = [str(n) for n in range(1, players + 1)]
    model = Points(names) if preset == "31-quebec" else Lives(names, 2 if preset == "31" else 3, house)
    for _ in range(3):
        if model.winner:
            break
        model.play(_hand(data, sitting.dealt()))
    assert (sitting.points if preset == "31-quebec" else sitting.left) == (
        model.points if isinstance(model, Points) else model.left
    )
    assert sitting.out == set(getattr(model, "gone", ()))
    assert [str(label.numbers[0]) for label in getattr(sitting.view.screen, "winners", ())] == model.winner
    assert Engine.restored(sitting.rows).state == sitting.engine.state
    (record,) = records(sitting.rows, {})
    assert record is not None
    assert list(score_document(record.match)["winners"]) == list(record.winners)


ACTS = st.one_of(
    st.tuples(st.sampled_from(("press", "hold", "close", "open")), st.sampled_from("1234")),
    st.tuples(st.just("turn"), st.sampled_from((-1, 1, 2))),
    st.tuples(st.just("push"), st.none()),
    st.tuples(st.just("wait"), st.sampled_from((20 * MS, 800 * MS, 5 * S, 16 * S))),
    st.tuples(st.just("power_cut"), st.none()),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(("31", "ride-the-bus", "31-quebec")), st.lists(ACTS, max_size=40))
def test_whatever_hands_do_nothing_breaks_and_the_journal_says_it_again(preset: str, acts: list[Any]) -> None:
    sitting = table(3, preset).dealt()
    for act, argument in acts:
        getattr(sitting, act)(*(() if argument is None else (argument,)))
        assert sitting.view.screen is not None
        assert sitting.engine.deadline_ns is None or sitting.engine.deadline_ns > sitting.now_ns
    assert Engine.restored(sitting.rows).state == sitting.engine.state


def _hand(data: st.DataObject, sitting: Thirtyone) -> dict[str, Any]:
    """Return a played hand in the form of a document."""
    inside = [str(number) for number in numbers(line.label for line in sitting.screen(TurnScreen).lines)]
    inside = [station for station in inside if station not in sitting.out]
    sitting.done(data.draw(st.integers(0, 3)))
    if data.draw(st.booleans()):
        sitting.turn(data.draw(st.integers(-2, 2)))
        if sitting.screen(TurnScreen).look is not None:
            sitting.push().wait(S)
    if data.draw(st.integers(0, 3)) == 0:
        return _declared(data, sitting, inside)
    knocker = sitting.on_turn
    sitting.knocks()
    if data.draw(st.integers(0, 4)) == 0:
        return {"knocker": knocker, **_declared(data, sitting, inside)}
    sitting.done(len(inside) - 1)
    values = {station: data.draw(st.integers(18, 22)) for station in inside}
    sitting.values(values)
    return {"knocker": knocker, "values": values}


def _declared(data: st.DataObject, sitting: Thirtyone, inside: list[str]) -> dict[str, Any]:
    declared = data.draw(st.permutations(inside))[: data.draw(st.integers(1, 2))]
    for station in declared:
        sitting.declares(station)
    sitting.wait(16 * S)
    return {"thirtyone": list(declared)}


def test_a_press_that_began_before_the_pause_is_nothing_either() -> None:
    """31 has no call that could win over the pause."""
    sitting = table(3).dealt().push().turn(1)
    assert en(sitting.screen(MenuScreen).items[sitting.screen(MenuScreen).cursor]) == "Time out"
    sitting.edges((KNOB, True, 0), ("2", True, MS // 2)).wait(300 * MS).open(KNOB, "2")
    assert (sitting.phase, en(sitting.view.toast)) == ("TIMEOUT", None)
