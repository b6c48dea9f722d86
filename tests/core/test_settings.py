"""What a table sets at the knob: game, house rules, sound, target, the end; and a start that is only noted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from referee.core.documents.match import account, score_document
from referee.core.match.engine import Engine
from referee.core.messages import Msg
from referee.core.model.events import Adjusted, Closed
from referee.core.model.options import RuleError
from referee.core.model.registry import all_games, game_named, game_of, presets, rulebook
from referee.core.model.table import Setup, Table
from referee.core.model.transitions import ClaimGame
from referee.core.model.view import LobbyScreen, MenuScreen, OverScreen, ReadyScreen, VoteScreen
from referee.core.phases.agreement import pages_of
from referee.core.phases.points import PointsGame
from referee.core.phases.settings import DEVICE, Adjust, adjust, offered_settings
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from referee.core.values import replace
from referee.language.told import BY_KEY
from tests.core.evenings import counted, only
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import all_en, en

TWO = ("1", "2")


def lobby(preset: str = "nna", **options: object) -> Sitting:
    """A lobby of three buttons."""
    return Sitting(Setup(preset, options=tuple(options.items()), stations=("1", "2", "3")))


def items(table: Sitting) -> tuple[str, ...]:
    """The list's lines."""
    return all_en(table.screen(MenuScreen).items)


# -- the lobby -----------------------------------------------------------------------------------------------------


def test_the_lobby_s_list() -> None:
    """Start, the game, its rules, the sound, the rulebook, in this order; other lines may stand between them."""
    known = ("Start: 2 teams", "Game", "House rules", "Sound, language", "Rulebook", "Device", "Back")
    found = items(lobby().tap(*TWO).push())
    assert tuple(line for line in found if line in known) == known
    assert (found[0], found[-1]) == (known[0], known[-1])


def test_a_match_s_list() -> None:
    """First what the phase itself has, then undo, people, the rulebook, the rest; last the way out."""
    table = counted(lobby().tap(*TWO).choose("Start").playing(*TWO), "1", 5, "2").wait(5 * S)
    known = ("Undo: count", "Teams", "Rulebook", "More", "Back")
    assert tuple(line for line in items(table.push()) if line in known) == known
    assert items(table)[-1] == "Back"
    table.choose("Back").tap(*TWO).wait(6 * S).press(KNOB, ns=400 * MS)
    assert items(table)[0] == "Go on"
    assert "Back" not in items(table)  # the pause's own list stays open
    assert tuple(line for line in items(table.wait(60 * S)) if line in known) == known[:-1]


@pytest.mark.parametrize(("preset", "title"), [("nna", "NNA Nertz to 100"), ("31", "31"), ("snap", "Snap to 20")])
def test_a_list_that_a_push_opens_is_called_by_what_is_played(preset: str, title: str) -> None:
    """And to how many points, where it is played to any; the list that a line opens is called by that line."""
    assert en(lobby(preset).push().screen(MenuScreen).title) == title
    assert en(lobby(preset).choose("Game").screen(MenuScreen).title) == "Game"


def test_another_game_brings_its_own_rules() -> None:
    """The list stands at the present one; every preset is there, and house rules of the old one are gone."""
    table = lobby(target=200).choose("Game")
    assert len(items(table)) == len(presets()) + 2  # and "Teach us", and "Back"
    table.choose("Nerts +25")
    assert (table.screen(LobbyScreen).preset, table.screen(LobbyScreen).target) == ("Nerts +25", 100)
    table.choose("Game")
    assert table.screen(MenuScreen).cursor == 1 + tuple(presets()).index("pagat25")
    assert table.choose("Back").phase == "LOBBY"


def test_house_rules_are_turned_in_place_and_the_list_stays_open() -> None:
    """Push, turn, push; the next one."""
    table = lobby().choose("House rules")
    assert {"Target: 100", "Bonus: 0", "Penalty: 2"} < set(items(table))
    table.choose("Target")
    assert en(table.screen(MenuScreen).value) == "100"
    table.turn(1).push()
    assert items(table)[0] == "Target: 150"
    assert (table.screen(MenuScreen).cursor, en(table.screen(MenuScreen).title)) == (0, "House rules")
    table.choose("False").turn(2).push().choose("Tie").turn(-9).push().choose("Back")
    assert [event.value for event in table.decisions(Adjusted)] == [150, "points:10", 0]
    assert table.screen(LobbyScreen).target == 150
    assert Engine.restored(table.rows).state == table.engine.state
    assert table.power_cut().screen(LobbyScreen).target == 150


def test_a_value_of_the_configuration_stands_first() -> None:
    """A target of 120 is none of the usual ones, and is kept until another is chosen."""
    table = lobby(target=120).choose("House rules").choose("Target")
    assert en(table.screen(MenuScreen).value) == "120"
    assert en(table.turn(1).screen(MenuScreen).value) == "50"
    assert items(table.turn(-1).push())[0] == "Target: 120"
    assert table.decisions(Adjusted) == []


def test_a_value_that_its_name_does_not_explain_is_explained_below() -> None:
    """While it is chosen: of the line as it stands, and of each value that the knob turns to."""
    table = lobby().choose("House rules")
    at = next(i for i, line in enumerate(items(table)) if line.startswith("Handicap"))
    assert table.turn(at - table.screen(MenuScreen).cursor).screen(MenuScreen).about is None
    table.push().turn(3)
    screen = table.screen(MenuScreen)
    assert (en(screen.value), en(screen.about)) == ("3x below", "3 hands < 0: -1 card")
    assert en(table.push().screen(MenuScreen).about) == "3 hands < 0: -1 card"


def test_what_the_rules_forbid_is_not_offered() -> None:
    """On the bus the places count, not the lives."""
    assert items(lobby("31").choose("House rules"))[0] == "Lives: 3"
    assert "Lives: 3" not in items(lobby("ride-the-bus").choose("House rules"))


def test_every_choice_can_be_shown_and_is_a_value_of_its_option() -> None:
    """At most eight characters; each is taken by some preset."""
    for game in all_games():
        for setting in (*game.settings, *DEVICE):
            assert all(len(en(text)) <= 8 for _, text in setting.choices)
            assert len({en(text) for _, text in setting.choices}) == len(setting.choices)


def numbers(*values: int) -> dict[object, str]:
    """Values that are shown as they are."""
    return {value: str(value) for value in values}


OFFERED: dict[str, dict[str, dict[object, str]]] = {
    "nna": {
        "target": numbers(50, 75, 99, 100, 150, 200, 250, 300, 400, 500),
        "bonus": numbers(0, 5, 10, 20, 25),
        "penalty": numbers(0, 1, 2, 3),
        "stuck": {"burn": "burn", "rotate": "rotate", "redeal-stock": "redeal", "abandon": "abandon", "score": "score"},
        "false_call": {"play-on": "play on", "points:5": "-5", "points:10": "-10", "points:20": "-20", "zero": "zero"},
        "tie_ms": {0: "0 ms", 5: "5 ms", 10: "10 ms", 20: "20 ms", 30: "30 ms", 50: "50 ms", 100: "100 ms"},
        "stacking": {False: "no", True: "yes"},
        "call_word": {
            "": "preset",
            "NERTZ": "NERTZ",
            "NERTS": "NERTS",
            "POUNCE": "POUNCE",
            "PEANUTS": "PEANUTS",
            "SQUEAL": "SQUEAL",
            "SCROOGE": "SCROOGE",
            "RACING": "RACING",
        },
        "start_words": {"ready": "Ready", "numbers": "1-2-3"},
        "start_by": {"all": "all", "one": "one"},
        "handicap": {
            "none": "none",
            "winner": "winner",
            "negative": "below 0",
            "negative-three": "3x below",
            "distance": "distance",
        },
        "reserve": numbers(8, 9, 10, 11, 12, 13, 15, 20),
        "river": numbers(3, 4, 5, 6),
        "layout": {"row": "row", "klondike": "klondike"},
        "turn": numbers(1, 3),
        "turn_order": {"kept": "kept", "reversed": "reversed"},
        "jokers": numbers(0, 2),
        "foundations": {"suit": "suit", "by-players": "players"},
        "same_place": {"first": "first", "both": "both", "table": "table"},
        "in_flight": {"lands": "lands", "returns": "returns"},
        "withholding": {True: "yes", False: "no"},
        "river_transfer": {True: "yes", False: "no"},
        "king_bonus": numbers(0, 3, 5, 10),
        "tiebreak": {"calls": "calls", "hand": "hand", "share": "share"},
        "tiebreak_teams": {"tied": "tied", "all": "all"},
        "settlement": {"none": "none", "difference": "lead", "each-hand": "a hand"},
        "pile_control": {"free": "free", "alternate": "in turn"},
        "shuffle_for": {"self": "self", "left": "left"},
        "rotate_seats": {True: "yes", False: "no"},
        "pack_check": {True: "yes", False: "no"},
        "start": {"stop": "stops", "note": "noted"},
    },
    "31": {
        "lives": numbers(1, 2, 3, 4, 5, 6, 7, 8, 9),
        "county": {True: "yes", False: "no"},
        "three_of_a_kind": {"none": "none", "30": "30", "30.5": "30½"},
        "straight_flush": {False: "none", True: "30"},
        "minimum_knock": {0: "any", 15: "15", 17: "17", 19: "19", 21: "21", 23: "23", 25: "25", 27: "27"},
        "early_knock": {True: "yes", False: "no"},
        "knocker_tied": {"safe": "safe", "loses-one": "-1", "loses-two": "-2"},
        "knocker_not_highest": {"safe": "safe", "loses-one": "-1"},
        "knocker_after_31": {"one": "-1", "two": "-2"},
        "levels": {0: "4", 1: "5", 2: "6"},
        "end": {"lives": "one left", "first-31": "first 31", "31-points": "at 31"},
    },
    "snap": {
        "target": numbers(10, 20, 50, 75, 100),
        "penalty": numbers(0, 1, 2, 3),
        "gift": numbers(0, 1, 2, 3),
        "tie_ms": {0: "0 ms", 5: "5 ms", 10: "10 ms", 20: "20 ms", 30: "30 ms", 50: "50 ms", 100: "100 ms"},
    },
    "spoons": {
        "lives": numbers(1, 3, 4, 5, 6),
        "limit_s": {2: "2 s", 3: "3 s", 5: "5 s", 10: "10 s"},
        "tie_ms": {0: "0 ms", 5: "5 ms", 10: "10 ms", 20: "20 ms", 30: "30 ms", 50: "50 ms", 100: "100 ms"},
    },
}
"""A preset of each game, its settings in the list's order, and what the knob turns to: value -> how it is shown."""


@pytest.mark.parametrize("preset", OFFERED)
def test_the_list_offers_these_settings_and_values(preset: str) -> None:
    """What a table can make of a game without a configuration, in the order in which the knob comes to it."""
    found = {s.name: {value: en(shown) for value, shown in s.choices} for s in game_named(preset).settings}
    assert [(name, list(choices.items())) for name, choices in found.items()] == [
        (name, list(choices.items())) for name, choices in OFFERED[preset].items()
    ]


EXPLAINED = {
    "handicap": {
        "winner": "hand's winner +1 card",
        "negative": "below 0: 1 card less",
        "negative-three": "3 hands < 0: -1 card",
        "distance": "leading: more cards",
    }
}
"""Settings with values that their names do not explain, and what stands below them."""


def test_every_line_of_the_house_rules_has_its_words() -> None:
    """The line itself, each value that is a word, and what explains one."""
    for game in all_games():
        for setting in (*game.settings, *DEVICE):
            told = [shown for _, shown in (*setting.choices, *setting.abouts) if isinstance(shown, Msg)]
            assert {setting.line, *(message.key for message in told)} <= BY_KEY.keys()
    settings = {setting.name: setting for setting in game_named("nna").settings}
    assert {
        name: {value: en(about) for value, about in setting.abouts}
        for name, setting in settings.items()
        if setting.abouts
    } == EXPLAINED


@pytest.mark.parametrize("preset", presets())
def test_every_option_can_be_set_at_the_knob(preset: str) -> None:
    """Each of the game has a line, and each value that the line offers is one that some preset of the game takes."""
    game, documents = game_of(Table(Setup(preset), ())), presets()[preset]
    options = {option.name: option for option in documents.options()}
    assert {setting.name for setting in game.settings} == set(options)
    for setting in game.settings:
        assert len(setting.choices) > 1
        for value, _ in setting.choices:
            assert any(_takes(other, setting.name, value) for other in documents.TITLES), (setting.name, value)


def _takes(preset: str, name: str, value: object) -> bool:
    try:
        presets()[preset].check_options(preset, {name: value})
    except RuleError:
        return False
    return True


def test_what_lies_on_the_table_is_set_at_the_knob() -> None:
    """Work piles, how many are turned, who shuffles: a push, a turn, a push, and READY and the cards follow."""
    table = lobby().tap(*TWO).choose("House rules")
    table.choose("layout").turn(1).push().choose("turn: ").turn(-1).push().choose("seats move").turn(-1).push()
    assert {"layout: klondike", "turn: 1", "seats move: yes"} < set(items(table))
    assert dict(table.engine.state.table.setup.options) == {"layout": "klondike", "turn": 1, "rotate_seats": True}
    assert Engine.restored(table.rows).state == table.engine.state


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
"""Preset, what the table has set, and the options that change nothing then."""


@pytest.mark.parametrize(("preset", "options", "idle"), IDLE)
def test_an_option_that_changes_nothing_is_not_offered(preset: str, options: dict[str, object], idle: str) -> None:
    """Not in the list of house rules, not among what all agree on; the others are."""
    setup = Setup(preset, tuple(options.items()), ("1", "2"))
    table = Sitting(setup).tap("1", "2").choose("House rules")
    shown = {setting.line for setting in offered_settings(setup)}
    assert {item.key for item in table.screen(MenuScreen).items if isinstance(item, Msg)} - {"item.back"} == shown
    idle_lines = {one.line for one in game_named(preset).settings if one.name in idle.split()}
    assert not shown & idle_lines
    left = (
        {one.name for one in game_named(preset).settings}
        - {one.name for one in offered_settings(setup)}
        - {*idle.split()}
    )
    assert all(not _changes(setup, name) for name in left), left


def _changes(setup: Setup, name: str) -> bool:
    """Whether another value of that setting is allowed at this table."""
    setting = next(one for one in game_named(setup.preset).settings if one.name == name)
    return sum(_takes(setup.preset, name, value) for value, _ in setting.choices) > 1


def test_agreed_rules_leave_out_what_changes_nothing() -> None:
    """The order of three cards that are turned, where one is; the number of cards is there."""
    table = lobby(turn_order="reversed", turn=1).engine.state.table
    lines = [line.key for page in pages_of(table) for line in page]
    assert "agree.turn" in lines
    assert "agree.turn_order" not in lines


@pytest.mark.parametrize("preset", presets())
def test_every_option_that_is_offered_changes_what_the_rulebook_says(preset: str) -> None:
    """At each preset of every game, but for what is about the device's own words."""
    spoken = {"start_words", "call_word"}
    for setting in offered_settings(Setup(preset)):
        options = [{setting.name: value} for value, _ in setting.choices if _takes(preset, setting.name, value)]
        books = {repr(rulebook(preset, one)) for one in options}
        assert len(books) > 1 or setting.name in spoken, setting.name


@pytest.mark.parametrize("preset", presets())
def test_every_preset_can_be_chosen_and_its_rules_listed(preset: str) -> None:
    """Every line of it opened and set to what it already is."""
    table = lobby().choose("Game").turn(tuple(presets()).index(preset)).push()
    lines = [line for line in items(table.choose("House rules")) if line != "Back"]
    for line in lines:
        assert en(table.choose(line).screen(MenuScreen).value) == line.partition(": ")[2]
        table.push()
    assert [line for line in items(table) if line != "Back"] == lines


def test_the_device_s_own_settings_and_their_values() -> None:
    """Each with its line, and its values in the order in which the knob turns through them."""
    found = {one.name: (one.line, [(value, en(text)) for value, text in one.choices]) for one in DEVICE}
    assert found == {
        "volume_percent": ("item.volume", [(0, "off"), (25, "low"), (50, "mid"), (100, "loud")]),
        "language": ("item.language", [("en", "English"), ("de", "Deutsch"), ("it", "Italiano")]),
        "hold_ns": ("item.hold", [(500 * MS, "0.5 s"), (800 * MS, "0.8 s"), (1200 * MS, "1.2 s")]),
        "brightness_percent": ("item.bright", [(20, "low"), (50, "mid"), (100, "high")]),
    }


def test_sound_language_hold_and_brightness() -> None:
    """They are in the view that every output reads; a longer hold is a longer hold."""
    table = lobby().choose("Sound, language")
    assert items(table)[:4] == ("Volume: loud", "Language: English", "Hold: 0.8 s", "Bright: high")
    table.choose("Volume").turn(-3).push().choose("Language").turn(1).push()
    table.choose("Hold").turn(1).push().choose("Bright").turn(-1).push().choose("Back")
    view = table.view
    assert (view.volume_percent, view.language, view.brightness_percent) == (0, "de", 50)
    table.tap("3").press("1", "2", ns=900 * MS)
    assert table.screen(LobbyScreen).teams == 3
    table.press("1", "2", ns=1_300 * MS)
    assert table.screen(LobbyScreen).teams == 2


def test_a_table_that_nobody_has_configured_is_one_of_eight_who_play_nna() -> None:
    """Without names, with a hold of 0.8 s, loud and bright, in English."""
    setup = Setup()
    assert (setup.preset, setup.options, setup.names) == ("nna", (), ())
    assert setup.stations == ("1", "2", "3", "4", "5", "6", "7", "8")
    assert (setup.hold_ns, setup.volume_percent, setup.brightness_percent) == (800 * MS, 100, 100)
    assert setup.language == "en"


def test_a_setup_as_a_document_has_every_field() -> None:
    """What is set comes back from the journal whole, a setting that is new among it."""
    usual = Setup()
    other = {name: other_value(getattr(usual, name)) for name in Setup.__struct_fields__}
    setup = Setup(**other | {"options": (("target", 50),), "names": (("1", "Anna"),)})
    assert all(getattr(setup, name) != getattr(usual, name) for name in Setup.__struct_fields__)
    assert Setup.from_document(setup.document()) == setup


def other_value(value: object) -> Any:
    """One of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return f"{value}x"
    return ("9",)


# -- in a match ----------------------------------------------------------------------------------------------------


def test_the_sound_is_set_in_a_pause() -> None:
    """And the pause goes on."""
    table = lobby().playing(*TWO).press(KNOB, ns=400 * MS).choose("More").choose("Sound")
    assert (en(table.screen(MenuScreen).title), table.screen(MenuScreen).big) == ("Sound, language", False)
    assert en(table.choose("Volume").screen(MenuScreen).title) == "Sound, language"
    table.turn(-1).push()
    assert table.phase == "TIMEOUT"
    assert table.view.volume_percent == 50


def test_another_target_between_hands() -> None:
    """READY shows it; undo brings the old one back; a game without a target has no line."""
    table = lobby().seated(*TWO).choose("More").choose("Target").turn(-2).push()
    assert table.screen(ReadyScreen).target == 75
    table.choose("Undo: setting")
    assert table.screen(ReadyScreen).target == 100
    assert items(lobby("pagat", settlement="each-hand", target=0).seated(*TWO).choose("More"))[0] == "Sound, language"


def test_rules_that_leave_the_book_as_it_is_are_a_question_to_all_in_mid_match() -> None:
    """The list has every house rule; those by which a hand was counted say that they hold until the match is over."""
    table = Sitting(Setup("nna", (), ("1", "2", "3"), agreement=True)).seated(*TWO)
    table.wait(BREATH_NS).tap(*TWO).wait(BREATH_NS).tap(*TWO).wait(5 * S)
    table = counted(table, "1", 5, "2").wait(5 * S)
    table.choose("More").choose("House rules")
    assert {item.partition(":")[0] for item in items(table)} >= {"Bonus", "Penalty", "Stacking", "Handicap"}
    table.choose("Bonus")
    assert (en(table.view.toast), table.phase) == ("NEXT MATCH ONLY", "READY")
    table.choose("More").choose("House rules").choose("Tie").turn(1).push().wait(BREATH_NS)
    assert table.phase == "VOTE"
    table.tap(*TWO).wait(BREATH_NS)
    assert [(one.setting, one.agreed) for one in table.decisions(Adjusted)] == [("tie_ms", True)]
    assert table.phase == "READY"


def test_a_value_that_a_hand_forbids_is_refused_however_it_is_chosen() -> None:
    """A list that was open before the hand was in the book decides nothing either."""
    state = counted(lobby().playing(*TWO), "1", 5, "2").engine.state
    step = adjust(state, state.phase, Adjust("bonus", 5))
    assert (step.decisions, [cue.name for cue in step.cues]) == ((), ["refused"])
    assert step.state.table == state.table


def test_before_a_hand_is_in_the_book_every_rule_may_be_changed() -> None:
    """There is nothing yet that it could count anew."""
    table = lobby().seated(*TWO).choose("More").choose("House rules").choose("Bonus").turn(1).push()
    assert dict(table.engine.state.table.setup.options)["bonus"] == 5


def book_of(preset: str) -> dict[str, object]:
    """A match document of two players with two hands."""
    game = game_named(preset)
    if isinstance(game, PointsGame):
        return {"preset": preset, "players": ["A", "B"], "hands": [{"end": end, "callers": ["A"]} for end in game.ENDS]}
    if isinstance(game, ClaimGame):
        hand = {"end": "call", "callers": ["A"], "counts": {"A": [20, 0], "B": [15, 4]}}
        return {"preset": preset, "teams": ["A", "B"], "hands": [hand, {**hand, "false_calls": ["B"]}]}
    return {"preset": preset, "players": ["A", "B"], "hands": [{"knocker": "A", "values": {"A": 20, "B": 30}}] * 2}


def booked(preset: str, end: str = "call") -> Table:
    """A table with a hand in its book."""
    return replace(lobby(preset).engine.state.table, hands=(SimpleNamespace(end=end),))


@pytest.mark.parametrize("preset", presets())
def test_what_may_change_in_mid_match_leaves_every_hand_as_it_was(preset: str) -> None:
    """Each value of each house rule that no book fixes, tried on a match document: the same scores, hand by hand."""
    match, game, table = book_of(preset), game_named(preset), booked(preset)
    before, tried = account(match), 0
    for setting in game.settings:
        for value in (value for value, _ in setting.choices if setting.name != "target"):
            if game.is_fixed(table, setting.name, value):
                continue
            tried += 1
            after = account({**match, "options": {setting.name: value}})
            assert (after.hands, after.totals) == (before.hands, before.totals), (setting.name, value)
    assert tried > 1
    assert not any(game.is_fixed(replace(table, hands=()), setting.name, 1) for setting in game.settings)


FIXED = {
    "nna": {
        *("bonus", "penalty", "king_bonus", "false_call", "handicap"),  # what a hand scores
        *("reserve", "river", "jokers", "layout"),  # what could be counted
        *("tiebreak", "tiebreak_teams"),  # who played
    },
    "31": {setting.name for setting in game_named("31").settings} - {"early_knock"},
    "snap": {"penalty", "gift"},
    "spoons": {"lives"},
}
"""A preset of each game, and its house rules by which a hand in the book would be another one."""


def test_what_a_hand_was_counted_by_is_fixed_once_it_is_in_the_book() -> None:
    """All else may still be changed, and everything may before."""
    for preset, fixed in FIXED.items():
        game, names = game_named(preset), {setting.name for setting in game_named(preset).settings}
        assert {name for name in names if game.is_fixed(booked(preset), name, 1)} == fixed
        assert not any(game.is_fixed(lobby(preset).engine.state.table, name, 1) for name in names)


def test_a_stuck_hand_in_the_book_forbids_to_abandon_stuck_hands() -> None:
    """One that was scored could not have been; nothing else of it is fixed."""
    game = game_named("nna")
    assert game.is_fixed(booked("nna", "stuck"), "stuck", "abandon")
    assert not game.is_fixed(booked("nna"), "stuck", "abandon")
    assert not game.is_fixed(booked("nna", "stuck"), "stuck", "rotate")


def test_a_lower_target_may_end_the_match() -> None:
    """Asked, not done: OVER AT HAND 1?"""
    table = counted(lobby().playing(*TWO), "1", 50, "2").wait(BREATH_NS)
    table.choose("More").choose("Target").turn(-9).push()
    assert en(table.screen(MenuScreen).title) == "OVER AT HAND 1?"
    assert table.choose("End match").screen(OverScreen).hands == 1
    assert score_document(only(table).match)["winners"] == ["Red"]


def test_a_higher_target_plays_on_after_the_end() -> None:
    """OVER, and the table wants more; a target that is reached anyway leaves it over."""
    table = counted(lobby(target=50).playing(*TWO), "1", 50, "2").wait(BREATH_NS)
    assert table.phase == "OVER"
    table.choose("More").choose("Sound").choose("Bright").turn(-1).push()
    assert table.phase == "OVER"
    table.choose("More").choose("Target").turn(1).push().wait(5 * S)
    assert table.screen(ReadyScreen).target == 75


def test_the_end_of_a_match_is_a_question_to_all() -> None:
    """Whoever leads has won; without a majority nothing happens; before the first hand there is nothing to end."""
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


def test_a_match_is_ended_in_mid_hand() -> None:
    """The hand that was being played is not counted."""
    table = counted(lobby().playing(*TWO), "1", 20, "2").wait(BREATH_NS).playing(*TWO).press(KNOB, ns=400 * MS)
    table.choose("More").choose("End match").wait(BREATH_NS).tap(*TWO)
    assert table.screen(OverScreen).hands == 1


# -- start=note ----------------------------------------------------------------------------------------------------


def test_a_press_in_the_beats_is_noted_where_the_table_wants_it_so() -> None:
    """The countdown goes on, calls are armed at GO, and the press before it is no call."""
    table = lobby(start="note").seated(*TWO).tap(*TWO).wait(1_200 * MS).tap("2")
    assert table.phase == "STARTING"
    assert en(table.view.toast) == "2 BLUE EARLY"
    assert table.tap("3").phase == "STARTING"
    go_ns = table.engine.state.phase.go_at_ns  # type: ignore[attr-defined]
    table.until(go_ns + 20 * MS).press("1")
    assert table.phase == "VERDICT"


def test_a_game_of_turns_has_no_beats_to_note() -> None:
    """31 begins when all are ready."""
    table = lobby("31").seated(*TWO).tap(*TWO)
    assert not game_of(table.engine.state.table).start_noted(table.engine.state.table)
    assert table.phase not in ("READY", "STARTING")


def test_a_press_just_before_go_that_is_confirmed_after_it_is_noted_too() -> None:
    """Its first edge decides."""
    table = lobby(start="note").seated(*TWO).tap(*TWO)
    table.until(table.engine.state.phase.go_at_ns - 500_000).press("1")  # type: ignore[attr-defined]
    assert (table.phase, str(en(table.view.toast))) == ("PLAYING", "1 RED EARLY")
