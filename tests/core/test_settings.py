"""Settings at the knob: game, house rules, sound, target, end of the match, and start notes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from referee.core.documents.match import account, score_document
from referee.core.match.engine import Engine
from referee.core.messages import Msg, msg
from referee.core.model.events import Adjusted, Closed
from referee.core.model.options import RuleError
from referee.core.model.registry import game_named, game_of, presets, rulebook
from referee.core.model.table import Setup, Table
from referee.core.model.transitions import ClaimGame
from referee.core.model.view import LobbyScreen, MenuScreen, OverScreen, ReadyScreen, VoteScreen
from referee.core.phases.points import PointsGame
from referee.core.phases.settings import Adjust, adjust, offered_settings
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.evenings import counted, only
from tests.core.lists import levels, top
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import all_en, en

TWO = ("1", "2")


def lobby(preset: str = "nna", **options: object) -> Sitting:
    return Sitting(Setup(preset, options=tuple(options.items()), stations=("1", "2", "3")))


def items(table: Sitting) -> tuple[str, ...]:
    return all_en(table.screen(MenuScreen).items)


@pytest.mark.parametrize("preset", presets())
def test_choices_of_a_setting_differ(preset: str) -> None:
    for setting in game_named(preset).settings:
        values, texts = zip(*setting.choices, strict=True)
        assert len(set(values)) == len(set(texts)) == len(values), setting.name


# -- the lobby -----------------------------------------------------------------------------------------------------


def test_the_lobby_says_how_to_start_as_soon_as_two_teams_sit() -> None:
    table = lobby().tap("1")
    assert not table.screen(LobbyScreen).starts
    table.tap("2").wait(1 * S)
    said = [table.wait(4 * S).screen(LobbyScreen).starts for _ in range(4)]
    assert said in ([True, False] * 2, [False, True] * 2)
    assert all(table.wait(60 * S).screen(LobbyScreen).starts for _ in range(3))


def test_another_game_brings_its_own_rules() -> None:
    table = lobby(target=200).choose("Game")
    assert items(table)[0] == "Nertz, Pounce"
    assert items(table)[-2:] == ("Teach us: no", "Back")
    assert en(table.screen(MenuScreen).about) == "first to empty a pile"
    table.choose("Nerts +25")
    assert (table.screen(LobbyScreen).preset, table.screen(LobbyScreen).target) == ("Nerts +25", 100)
    table.choose("Game")
    assert table.screen(MenuScreen).cursor == 0
    assert en(table.push().screen(MenuScreen).items[table.screen(MenuScreen).cursor]) == "Nerts +25"
    assert table.choose("Back").phase == "LOBBY"


def test_house_rules_are_turned_in_place_and_the_list_stays_open() -> None:
    table = lobby().choose("House rules")
    assert items(table)[:2] == ("Target: 100", "Bonus: 0")
    table.choose("Target")
    assert en(table.screen(MenuScreen).value) == "100"
    table.turn(1).push()
    assert items(table)[0] == "Target: 150"
    assert (table.screen(MenuScreen).cursor, en(table.screen(MenuScreen).title)) == (0, "House rules")
    table.choose("False").turn(2).push().choose("Tie").turn(-9).push()
    assert en(table.screen(MenuScreen).title) == "Start and call"
    table.choose("Back").choose("Back").choose("Back").choose("Back")
    assert [event.value for event in table.decisions(Adjusted)] == [150, "points:10", 0]
    assert table.screen(LobbyScreen).target == 150
    assert Engine.restored(table.rows).state == table.engine.state
    assert table.power_cut().screen(LobbyScreen).target == 150


def test_a_value_that_its_name_does_not_explain_is_explained_below() -> None:
    table = lobby().choose("House rules")
    at = next(i for i, line in enumerate(items(table)) if line.startswith("Handicap"))
    about = table.turn(at - table.screen(MenuScreen).cursor).screen(MenuScreen).about
    assert en(about) == "smaller or larger reserves that help weaker teams"
    table.push().turn(3)
    screen = table.screen(MenuScreen)
    assert (en(screen.value), en(screen.about)) == ("3x below", "3 hands < 0: -1 card")
    assert en(table.push().screen(MenuScreen).about) == "3 hands < 0: -1 card"


def test_what_the_rules_forbid_is_not_offered() -> None:
    assert items(lobby("31").choose("House rules"))[0] == "Lives: 3"
    assert "Lives: 3" not in items(lobby("ride-the-bus").choose("House rules"))


@pytest.mark.parametrize("preset", presets())
def test_every_option_can_be_set_at_the_knob(preset: str) -> None:
    game, documents = game_of(Table(Setup(preset), ())), presets()[preset]
    options = {option.name: option for option in documents.OPTIONS}
    assert {setting.name for setting in game.settings} == set(options)
    for setting in game.settings:
        assert len(setting.choices) > 1
        for value, _ in setting.choices:
            assert any(_takes(other, setting.name, value) for other in documents.TITLES), (setting.name, value)


def _takes(preset: str, name: str, value: object) -> bool:
    try:
        presets()[preset].rules(preset, {name: value})
    except RuleError:
        return False
    return True


IDLE = [
    ("ligretto", {}, "river_transfer tiebreak_teams"),
    ("nna", {}, ""),
    ("nna", {"turn": 1}, "turn_order"),
    ("nna", {"layout": "klondike"}, "river"),
    ("nna", {"tiebreak": "share"}, "tiebreak_teams"),
    ("nna", {"settlement": "each-hand"}, "target tiebreak tiebreak_teams"),
    ("31", {}, ""),
    ("snap", {"target": 0}, ""),
    ("spoons", {}, ""),
]
"""Preset, the table's settings, and the options that then have no effect."""


@pytest.mark.parametrize(("preset", "options", "idle"), IDLE)
def test_an_option_that_changes_nothing_is_not_offered(preset: str, options: dict[str, object], idle: str) -> None:
    setup = Setup(preset, tuple(options.items()), ("1", "2"))
    state = Sitting(setup).tap("1", "2").choose("House rules").engine.state
    shown = {setting.line for setting in offered_settings(setup)}
    listed = {line.text for _, menu in levels(state, top(state)) for line in menu.items}
    every = {setting.line for setting in game_named(preset).settings}
    assert {text.key for text in listed if isinstance(text, Msg)} & every == shown
    idle_lines = {one.line for one in game_named(preset).settings if one.name in idle.split()}
    assert not shown & idle_lines
    left = (
        {one.name for one in game_named(preset).settings}
        - {one.name for one in offered_settings(setup)}
        - {*idle.split()}
    )
    assert all(not _changes(setup, name) for name in left), left


def _changes(setup: Setup, name: str) -> bool:
    """Return whether another value of that setting is allowed at this table."""
    setting = next(one for one in game_named(setup.preset).settings if one.name == name)
    return sum(_takes(setup.preset, name, value) for value, _ in setting.choices) > 1


@pytest.mark.parametrize("preset", presets())
def test_every_option_that_is_offered_changes_what_the_rulebook_says(preset: str) -> None:
    spoken = {"start_words", "call_word"}
    for setting in offered_settings(Setup(preset)):
        options = [{setting.name: value} for value, _ in setting.choices if _takes(preset, setting.name, value)]
        books = {repr(rulebook(preset, one)) for one in options}
        assert len(books) > 1 or setting.name in spoken, setting.name


# -- in a match ----------------------------------------------------------------------------------------------------


def test_the_sound_is_set_in_a_pause() -> None:
    table = lobby().playing(*TWO).press(KNOB, ns=400 * MS).choose("More").choose("Sound")
    assert (en(table.screen(MenuScreen).title), table.screen(MenuScreen).big) == ("Sound, language", False)
    assert en(table.choose("Volume").screen(MenuScreen).title) == "Sound, language"
    table.turn(-1).push()
    assert table.phase == "TIMEOUT"
    assert table.view.volume_percent == 50


def test_the_voice_is_set_at_the_knob_and_is_silent_with_the_sound() -> None:
    table = lobby().tap(*TWO)
    assert not table.view.speaks
    table.choose("Sound").choose("Voice").turn(1).push()
    assert (table.view.voice, table.view.speaks) == ("verdicts", True)
    table.choose("Volume").turn(-3).push()
    assert (table.view.volume_percent, table.view.speaks) == (0, False)


def test_another_target_between_hands() -> None:
    table = lobby().seated(*TWO).choose("More").choose("Target").turn(-2).push().wait(21 * S)
    assert table.screen(ReadyScreen).target == 75
    table.choose("Undo: setting")
    assert table.screen(ReadyScreen).target == 100


def test_rules_that_leave_the_book_as_it_is_are_a_question_to_all_in_mid_match() -> None:
    table = Sitting(Setup("nna", (), ("1", "2", "3"), agreement=True)).seated(*TWO)
    table.wait(BREATH_NS).tap(*TWO).wait(BREATH_NS).tap(*TWO).wait(5 * S)
    table = counted(table, "1", 5, "2").wait(5 * S)
    table.choose("More").choose("House rules")
    assert items(table)[0] == "Often changed"
    table.choose("Bonus")
    assert (en(table.view.toast), table.phase) == ("NEXT MATCH ONLY", "READY")
    table.choose("More").choose("House rules").choose("Tie").turn(1).push().wait(BREATH_NS)
    assert table.phase == "VOTE"
    table.tap(*TWO).wait(BREATH_NS)
    assert [(one.setting, one.agreed) for one in table.decisions(Adjusted)] == [("tie_ms", True)]
    assert table.phase == "READY"


def book_of(preset: str) -> dict[str, object]:
    game = game_named(preset)
    if isinstance(game, PointsGame):
        return {"preset": preset, "players": ["A", "B"], "hands": [{"end": end, "callers": ["A"]} for end in game.ENDS]}
    if isinstance(game, ClaimGame):
        hand = {"end": "call", "callers": ["A"], "counts": {"A": [20, 0], "B": [15, 4]}}
        return {"preset": preset, "teams": ["A", "B"], "hands": [hand, {**hand, "false_calls": ["B"]}]}
    return {"preset": preset, "players": ["A", "B"], "hands": [{"knocker": "A", "values": {"A": 20, "B": 30}}] * 2}


def booked(preset: str, end: str = "call") -> Table:
    return replace(lobby(preset).engine.state.table, hands=(SimpleNamespace(end=end),))


@pytest.mark.parametrize("preset", presets())
def test_what_may_change_in_mid_match_leaves_every_hand_as_it_was(preset: str) -> None:
    match, game, table = book_of(preset), game_named(preset), booked(preset)
    before, tried = account(match), 0
    for setting in game.settings:
        for value in (value for value, _ in setting.choices if setting.name != "target"):
            if game.is_fixed(table, setting.name, value):
                continue
            tried += 1
            after = account({**match, "options": {setting.name: value}})
            assert (after.hands, after.totals) == (before.hands, before.totals), (setting.name, value)
    assert tried > 1 or not game.settings
    assert not any(game.is_fixed(replace(table, hands=()), setting.name, 1) for setting in game.settings)


def test_a_lower_target_may_end_the_match() -> None:
    table = counted(lobby().playing(*TWO), "1", 50, "2").wait(BREATH_NS)
    table.choose("More").choose("Target").turn(-9).push()
    assert en(table.screen(MenuScreen).title) == "OVER AT HAND 1?"
    assert table.choose("End match").screen(OverScreen).hands == 1
    assert score_document(only(table).match)["winners"] == ["Red"]


def test_a_lower_target_drops_later_hands_only_after_a_question_that_names_them() -> None:
    table = lobby().playing(*TWO)
    for _ in range(3):
        counted(table, "1", 26, "2").wait(BREATH_NS).tap(*TWO).wait(5 * S)
    table = counted(table, "2", 1, "1").wait(BREATH_NS)
    played, before = table.engine.state.table.hands, table.decisions(Closed)
    table.choose("More").choose("Target").turn(-9).push().choose("End match")
    assert table.screen(MenuScreen).title == msg("title.drop_hands", count=2, first=3, last=4)
    assert (table.engine.state.table.hands, table.decisions(Closed)) == (played, before)
    assert table.push().phase == "READY"
    assert table.engine.state.table.hands == played
    table.choose("More").choose("Target").turn(9).push()
    table.choose("More").choose("Target").turn(-9).push().choose("End match").choose("End match")
    assert (table.screen(OverScreen).hands, table.decisions(Closed)[-1].hands) == (2, 2)
    table.choose("Undo: match end")
    assert table.engine.state.table.hands == played


def test_a_higher_target_plays_on_after_the_end() -> None:
    table = counted(lobby(target=50).playing(*TWO), "1", 50, "2").wait(BREATH_NS)
    assert table.phase == "OVER"
    table.choose("More").choose("Sound").choose("Bright").turn(-1).push()
    assert table.phase == "OVER"
    table.choose("More").choose("Target").turn(1).push().wait(5 * S)
    assert table.screen(ReadyScreen).target == 75


def test_the_end_of_a_match_is_a_question_to_all() -> None:
    table = lobby().seated(*TWO)
    assert "End match" not in items(table.choose("More"))
    table.choose("Back")
    counted(table.playing(*TWO), "1", 20, "2").wait(BREATH_NS)
    table.choose("More").choose("End match").wait(BREATH_NS)
    assert en(table.screen(VoteScreen).question) == "END MATCH?"
    assert table.hold(*TWO).phase == "READY"
    table.choose("More").choose("End match").wait(BREATH_NS).tap(*TWO)
    assert table.decisions(Closed)[0].hands == 1
    assert [label.name for label in table.screen(OverScreen).winners] == ["Red"]
    record = only(table)
    assert (record.match["ended"], record.winners) == (True, ("Red",))
    assert score_document(record.match)["winners"] == ["Red"]
    assert "End match" not in items(table.choose("More"))
    table.choose("Target").turn(1).push()
    assert table.phase == "OVER"
    assert table.choose("Undo: setting").choose("Undo: match end").phase == "READY"


# -- start=note ----------------------------------------------------------------------------------------------------


def test_a_press_in_the_beats_is_noted_where_the_table_wants_it_so() -> None:
    table = lobby(start="note").seated(*TWO).tap(*TWO).wait(1_200 * MS).tap("2")
    assert table.phase == "STARTING"
    assert en(table.view.toast) == "2 BLUE TOO EARLY"
    assert table.tap("3").phase == "STARTING"
    go_ns = table.engine.state.phase.go_at_ns  # type: ignore[attr-defined]
    table.until(go_ns + 20 * MS).press("1")
    assert table.phase == "VERDICT"


def test_a_value_that_a_hand_forbids_is_refused_however_it_is_chosen() -> None:
    state = counted(lobby().playing(*TWO), "1", 5, "2").engine.state
    step = adjust(state, state.phase, Adjust("bonus", 5))
    assert (step.decisions, [cue.name for cue in step.cues]) == ((), ["refused"])
    assert step.state.table == state.table


def test_a_press_just_before_go_that_is_confirmed_after_it_is_noted_too() -> None:
    table = lobby(start="note").seated(*TWO).tap(*TWO)
    table.until(table.engine.state.phase.go_at_ns - 500_000).press("1")  # type: ignore[attr-defined]
    assert (table.phase, str(en(table.view.toast))) == ("PLAYING", "1 RED TOO EARLY")
