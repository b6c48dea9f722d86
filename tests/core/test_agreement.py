"""AGREEMENT: the table agrees on the rules before the first hand and after a change."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.documents.chronicle import records
from referee.core.documents.course import summarize
from referee.core.documents.record import from_document, to_document
from referee.core.match.engine import Engine
from referee.core.model.events import Adjusted, Agreed
from referee.core.model.registry import pile_game, presets
from referee.core.model.table import Setup
from referee.core.model.view import MenuScreen, ReadyScreen, VoteScreen
from referee.core.phases.agreement import LINES, AgreementScreen
from referee.core.units import MS, S
from referee.language.speech import speech_of
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import en


def table(preset: str = "nna", stations: int = 4, **options: object) -> Sitting:
    """Return a table that agrees on its rules."""
    seats = tuple(str(n) for n in range(1, stations + 1))
    return Sitting(Setup(preset, tuple(options.items()), seats, agreement=True))


def told(sitting: Sitting) -> list[str]:
    return [en(line) for line in sitting.screen(AgreementScreen).lines]


def lamps(sitting: Sitting) -> list[str]:
    return [lamp.pattern for lamp in sitting.view.lamps]


def counted(sitting: Sitting, caller: str, lake: int, *others: str) -> Sitting:
    """Call and count the hand, up to the next question."""
    sitting.press(caller).wait(6 * S).count(caller, 0, lake, caller=True)
    for other in others:
        sitting.count(other, 3, 10)
    return sitting.wait(4 * S)


@pytest.mark.parametrize("order", list(permutations(("1", "2", "3"))))
def test_all_tap_in_any_order_and_the_hand_is_dealt(order: tuple[str, ...]) -> None:
    sitting = table(bonus=10).seated("1", "2", "3")
    assert sitting.phase == "AGREEMENT"
    assert lamps(sitting)[:3] == ["slow"] * 3
    assert sitting.screen(AgreementScreen).waiting == ()
    sitting.tap(*order[:2])
    assert [label.numbers for label in sitting.screen(AgreementScreen).waiting] == [(int(order[2]),)]
    assert sitting.tap(order[0]).phase == "AGREEMENT"
    assert sitting.tap(order[2]).phase == "READY"
    agreed = sitting.decisions(Agreed)[0]
    assert dict(agreed.rules).items() >= {"preset": "nna", "target": 100, "stuck": "burn"}.items()
    assert agreed.stations == ("1", "2", "3")


def test_the_knob_turns_through_the_pages_and_no_further() -> None:
    sitting = table(bonus=10, target=150, turn=1, river=5).seated("1", "2")
    first = told(sitting)
    assert len(first) == LINES
    assert told(sitting.turn(5)) == ["turn cards: 1"]
    assert sitting.screen(AgreementScreen).page == sitting.screen(AgreementScreen).pages == 2
    assert told(sitting.turn(-7)) == first


@pytest.mark.parametrize("preset", list(presets()))
def test_a_preset_s_own_rules_are_agreed_on_by_being_ready(preset: str) -> None:
    sitting = table(preset).seated("1", "2", "3")
    notes = [en(note) for note in sitting.screen(ReadyScreen).notes]
    assert "knob: other rules" in notes
    assert ("no stacking" in notes) == (pile_game(sitting.engine.state.table) is not None)
    assert dict(sitting.engine.state.table.agreed)["preset"] == preset


def test_other_rules_before_the_first_hand_are_shown_and_agreed_on() -> None:
    sitting = table().seated("1", "2").choose("House rules").choose("Target").turn(1).push()
    assert sitting.phase == "AGREEMENT"
    sitting.choose("Back").wait(BREATH_NS)
    assert told(sitting) == ["Target: 150"]
    assert sitting.tap("1", "2").phase == "READY"
    counted(sitting.playing("1", "2"), "1", 20, "2")
    assert "knob: other rules" not in [en(note) for note in sitting.wait(4 * S).screen(ReadyScreen).notes]


def test_stacking_needs_everybody_s_yes() -> None:
    sitting = table(stacking=True).seated("1", "2", "3")
    assert told(sitting)[-1] == "hold: no stacking"
    assert sitting.screen(AgreementScreen).refusable
    sitting.tap("1", "2").hold("3")
    assert dict(sitting.engine.state.table.setup.options)["stacking"] is False
    assert en(sitting.view.toast or "") == "3 SAYS NO STACKING"
    assert speech_of(sitting.view).endswith("Green at 3 says no: no stacking.")
    assert not sitting.screen(AgreementScreen).refusable
    assert lamps(sitting.wait(2 * S))[:3] == ["slow"] * 3
    assert sitting.tap("1", "2", "3").phase == "READY"
    assert dict(sitting.decisions(Agreed)[0].rules)["stacking"] is False


def test_a_bystander_s_hold_and_a_hold_for_ever_say_nothing() -> None:
    sitting = table(stacking=True).seated("1", "2").hold("4")
    assert sitting.screen(AgreementScreen).refusable
    assert not sitting.decisions(Adjusted)
    assert len(sitting.press("2", ns=3 * S).decisions(Adjusted)) == 1
    early = table(stacking=True).tap("1", "2").choose("Start").hold("1")
    assert not early.decisions(Adjusted)


def test_who_is_away_can_be_left_out() -> None:
    sitting = table(bonus=10).seated("1", "2", "3").tap("1", "2").choose("Start without 3")
    assert sitting.phase == "READY"
    assert [label.numbers for label in sitting.screen(ReadyScreen).waiting] == [(1,), (2,)]
    assert len(sitting.wait(1 * S).tap("3").screen(ReadyScreen).waiting) == 2
    stale = table(stacking=True).seated("1", "2", "3").tap("1", "2").push().hold("1").turn(3).push()
    assert en(stale.view.toast or "") == "TWO TEAMS AT LEAST"
    two = table(bonus=10).seated("1", "2").tap("1").push()
    assert "Start without 2" not in [en(item) for item in two.screen(MenuScreen).items]


def test_the_same_table_is_not_asked_again() -> None:
    sitting = table(target=10).seated("1", "2").tap("1", "2").playing("1", "2")
    counted(sitting, "1", 20, "2")
    assert sitting.phase == "OVER"
    assert sitting.wait(1 * S).tap("1", "2").phase == "READY"
    counted(sitting.playing("1", "2"), "1", 20, "2")
    sitting.power_cut(away_s=10 * 3600)
    assert sitting.phase == "LOBBY"
    assert sitting.choose("Rematch").phase == "READY"


@pytest.mark.parametrize("comes", [True, False])
def test_a_rematch_with_somebody_new_is_asked(comes: bool) -> None:
    sitting = table(target=10).seated("1", "2", "3").tap("1", "2", "3").playing("1", "2", "3")
    counted(sitting, "1", 20, "2", "3").power_cut(away_s=10 * 3600)
    sitting.press("3", ns=2500 * MS)
    sitting.tap("3") if comes else None
    assert sitting.wait(1 * S).choose("Rematch" if comes else "Start").phase == ("AGREEMENT" if comes else "READY")


def test_another_table_is_asked_and_so_are_other_rules() -> None:
    sitting = table(target=10).seated("1", "2").tap("1", "2").playing("1", "2")
    counted(sitting, "1", 20, "2").choose("Other table").tap("1", "2")
    assert sitting.choose("Start").phase == "AGREEMENT"
    other = table(target=10).seated("1", "2").tap("1", "2").playing("1", "2")
    counted(other, "1", 20, "2").power_cut(away_s=10 * 3600).choose("House rules").choose("Target").turn(1).push()
    assert other.choose("Back").choose("Rematch").phase == "AGREEMENT"


def test_a_target_in_mid_match_is_a_question_to_all() -> None:
    """A majority decides. If a team has said no, the new rule is shown and everybody taps."""
    sitting = counted(table().seated("1", "2", "3").playing("1", "2", "3"), "1", 20, "2", "3").wait(4 * S)
    sitting.choose("More").choose("Target").turn(1).push()
    assert en(sitting.screen(VoteScreen).question) == "Target: 150?"
    sitting.wait(1 * S).tap("1", "2").hold("3")
    assert sitting.phase == "AGREEMENT"
    assert told(sitting) == ["Target: 150"]
    assert sitting.wait(1 * S).tap("1", "2", "3").phase == "READY"


def test_everybody_s_yes_to_a_change_is_the_agreement() -> None:
    sitting = table(target=50).seated("1", "2").tap("1", "2").playing("1", "2")
    counted(sitting, "1", 20, "2").wait(4 * S)
    sitting.choose("More").choose("Target").turn(1).push().wait(1 * S).tap("1", "2")
    assert (sitting.phase, sitting.screen(ReadyScreen).target) == ("READY", 75)
    assert dict(sitting.engine.state.table.agreed)["target"] == 75


def test_a_newcomer_plays_by_what_was_agreed_and_is_asked_about_stacking() -> None:
    sitting = table().seated("1", "2").wait(1 * S).tap("4").wait(1 * S).push()
    assert sitting.phase == "READY"
    stacked = table(stacking=True).seated("1", "2").tap("1", "2").wait(1 * S).tap("4").wait(1 * S).push()
    assert stacked.phase == "AGREEMENT"
    assert dict(stacked.wait(1 * S).hold("4").engine.state.table.setup.options)["stacking"] is False


def test_what_was_agreed_stands_in_the_record_of_the_match() -> None:
    sitting = counted(table(target=10).seated("1", "2").tap("1", "2").playing("1", "2"), "1", 20, "2")
    record = records(sitting.rows, {})[0]
    assert record is not None
    assert record.agreed is not None
    assert record.agreed.items() >= {"preset": "nna", "target": 10, "stuck": "burn", "stacking": False}.items()
    assert summarize(record).agreed == record.agreed
    document = json.loads(json.dumps(to_document(record)))
    assert from_document(document) == record
    del document["agreed"]
    assert from_document(document).agreed is None
    silent = records(counted(Sitting().playing("1", "2"), "1", 20, "2").rows, {})[0]
    assert silent is not None
    assert summarize(silent).agreed is None


def test_an_agreement_can_be_undone() -> None:
    sitting = table(bonus=10).seated("1", "2").tap("1", "2").choose("Undo: agreement")
    assert sitting.phase == "AGREEMENT"
    assert sitting.screen(AgreementScreen).waiting == ()
    assert sitting.choose("Undo: start").phase == "LOBBY"


@pytest.mark.no_cover
@given(st.lists(st.sampled_from(("1", "2", "3", "hold 2", "knob", "turn", "cut", "wait")), max_size=12))
def test_whatever_people_do_the_journal_leads_to_the_same_agreement(gestures: list[str]) -> None:
    sitting = table(stacking=True).seated("1", "2", "3")
    for gesture in gestures:
        deeds: dict[str, Callable[[], object]] = {
            "hold 2": partial(sitting.hold, "2"),
            "knob": sitting.push,
            "turn": partial(sitting.turn, 1),
            "cut": partial(sitting.power_cut, sitting.now_ns),
            "wait": partial(sitting.wait, BREATH_NS),
        }
        deeds.get(gesture, partial(sitting.tap, gesture))()
    assert not sitting.astray
    assert Engine.derived(sitting.chapter).state.table == sitting.engine.state.table


def test_many_house_rules_are_counted_where_no_more_fit() -> None:
    sitting = table(river=5, turn=1, penalty=1, jokers=2, reserve=12, target=150, bonus=5).seated("1", "2").turn(1)
    assert told(sitting)[-1] == "and 2 more rules"


def test_a_sound_can_be_set_and_nobody_taps_again() -> None:
    sitting = table(bonus=10).seated("1", "2").tap("1").choose("More").choose("Sound").choose("Volume").turn(-1).push()
    assert sitting.view.volume_percent == 50
    sitting.wait(21 * S)
    assert sitting.tap("2").phase == "READY"


def test_a_second_change_while_the_first_is_agreed_on_is_a_question_too() -> None:
    sitting = table(target=50).seated("1", "2", "3").tap("1", "2", "3").playing("1", "2", "3")
    counted(sitting, "1", 20, "2", "3")
    for target in (75, 99):
        sitting.wait(1 * S).choose("More").choose("Target").turn(1).push().wait(1 * S).tap("1", "2").hold("3")
        assert (sitting.phase, told(sitting)) == ("AGREEMENT", [f"Target: {target}"])
        assert sitting.screen(AgreementScreen).waiting == ()
        assert "House rules" not in [en(item) for item in sitting.push().screen(MenuScreen).items]
        sitting.wait(21 * S).tap("1")
    assert [label.numbers for label in sitting.screen(AgreementScreen).waiting] == [(2,), (3,)]
