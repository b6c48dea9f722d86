"""Teach us: the first hand of newcomers, explained on the display from the rules of their table, and then no more."""

from __future__ import annotations

from random import Random

import pytest

from referee.core.games.nertz.cards import card_rules
from referee.core.games.nertz.rules import PRESETS as NERTZ
from referee.core.games.nertz.rules import with_options
from referee.core.match.engine import Engine
from referee.core.messages import Msg, msg
from referee.core.model.events import Taught
from referee.core.model.phase import playing_of
from referee.core.model.registry import game_named, game_of, presets
from referee.core.model.table import Setup
from referee.core.model.transitions import CountedGame
from referee.core.model.view import MenuScreen
from referee.core.phases.teaching import lesson_line
from referee.core.units import MS, S
from referee.language.catalogue import LANGUAGES
from referee.language.speech import speech_of
from referee.language.told import display_text
from referee.language.words import speaking
from referee.screens import render
from referee.table.hand import PlayedHand
from referee.table.packs import cards_of
from referee.table.player import SKILLS
from tests.core.games.first_to_three import GAME as SMALLEST
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import en

SEATS = (("1", "Anna"), ("2", "Ben"), ("3", "Max"), ("4", "Lea"))
ROUND_NS = 48 * S
"""Longer than the longest lesson takes to have shown each of its lines."""

DEAL, DO, PRESS, COUNT = "what do I deal", "what may I do now", "when do I press", "how do I count"
FAMILY = {
    DEAL: ("READY", {"teach.pack", "teach.pile", "teach.row", "teach.stock"}),
    DO: ("PLAYING", {"teach.at_once", "teach.may_fill", "teach.turn", "teach.nobody"}),
    PRESS: ("PLAYING", {"teach.may_press"}),
    COUNT: ("COUNTING", {"teach.count_first", "teach.left", "teach.lake", "teach.enter", "teach.points"}),
}
THIRTY_ONE = {
    DEAL: ("READY", {"teach.deal_three", "teach.rest_open"}),
    DO: ("PLAYING", {"teach.draw", "teach.knock_hold", "teach.knock_means"}),
    PRESS: ("PLAYING", {"teach.tap_done", "teach.has_31"}),
    COUNT: ("COUNTING", {"teach.best_suit", "teach.card_values", "teach.tens_ones"}),
}
SLAP = {
    DEAL: ("READY", {"teach.deal_all"}),
    DO: ("PLAYING", {"teach.turn_cards"}),
    PRESS: ("PLAYING", {"teach.slap_button"}),
    COUNT: ("PLAYING", {"teach.device_counts", "teach.first_to"}),
}
SPOONS = {
    DEAL: ("READY", {"teach.deal_four"}),
    DO: ("PLAYING", {"teach.pass_left"}),
    PRESS: ("PLAYING", {"teach.four_press", "teach.you_too"}),
    COUNT: ("PLAYING", {"teach.last_pays", "teach.letters_out"}),
}
IRISH_SNAP = SPOONS | {
    DEAL: ("READY", {"teach.deal_all"}),
    DO: ("PLAYING", {"teach.say_rank"}),
    PRESS: ("PLAYING", {"teach.rank_press", "teach.you_too"}),
}
WHY = {"snap": "alike", "slapjack": "jack", "ratscrew": "alike", "halli-galli": "fruit"}
ANSWERS = {
    **dict.fromkeys(NERTZ, FAMILY),
    **dict.fromkeys(("31", "ride-the-bus", "31-quebec"), THIRTY_ONE),
    **{preset: SLAP | {PRESS: ("PLAYING", {"teach.slap_button", f"teach.slap_{why}"})} for preset, why in WHY.items()},
    **dict.fromkeys(("spoons", "pig"), SPOONS),
    "irish-snap": IRISH_SNAP,
}
"""Preset -> what newcomers ask -> the phase in which they ask it, and the lines that answer."""


def table_of(preset: str, language: str = "en", seats: int = 3, options: dict[str, object] | None = None) -> Sitting:
    """Some people in the lobby who ask to be taught."""
    stations = tuple(station for station, _ in SEATS[:seats])
    given = tuple((options or {}).items())
    table = Sitting(Setup(preset, given, stations, SEATS[:seats], language=language)).tap(*stations)
    table.push()
    for line in ("item.game", "item.teach"):
        items = table.view.screen.items  # type: ignore[attr-defined]
        at = next(n for n, item in enumerate(items) if isinstance(item, Msg) and item.key == line)
        table.turn(at - table.view.screen.cursor).push()  # type: ignore[attr-defined]
    return table.wait(3 * S)


def lines_of(table: Sitting, ns: int = ROUND_NS) -> dict[str, Msg]:
    """Every line that the display had in that time, by its key."""
    seen: dict[str, Msg] = {}
    for _ in range(ns // S):
        view = table.wait(S).view
        if view.lesson:
            line = view.lesson[view.lesson_line]
            seen[line.key] = line
    return seen


def first_hand(table: Sitting) -> dict[str, dict[str, Msg]]:
    """A first hand, slowly: phase -> the lines that the display had in it."""
    stations = table.engine.state.table.setup.stations
    table.push().push() if table.phase == "LOBBY" else None
    seen = {"READY": lines_of(table)}
    table.tap(*stations)
    while table.phase in ("READY", "STARTING"):
        table.wait(S)
    seen["PLAYING"] = lines_of(table)
    if table.engine.state.table.setup.preset in ("31", "ride-the-bus", "31-quebec"):
        table.hold("2").wait(BREATH_NS).tap("2").wait(S)
        for station in (*stations[2:], "1"):
            table.wait(BREATH_NS).tap(station)
    else:
        table.press("2").wait(8 * S)
    seen["COUNTING"] = lines_of(table) if table.phase == "COUNTING" else {}
    return seen


@pytest.mark.parametrize("preset", presets())
def test_no_question_of_three_newcomers_is_left_unanswered(preset: str) -> None:
    """What do I deal, what may I do now, when do I press, how do I count: each on the display, when it is asked."""
    seen = first_hand(table_of(preset))
    for question, (phase, answers) in ANSWERS[preset].items():
        assert answers <= seen[phase].keys(), question
    assert ("teach.tap_start" if preset == "racing-demon" else "teach.tap_ready") in seen["READY"]
    assert bool(seen["COUNTING"]) == isinstance(game_named(preset), CountedGame)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", presets())
def test_display_and_screen_reader_say_each_line(preset: str, language: str) -> None:
    """The line stands whole on the display, and speech has all of them, a sentence each."""
    table = table_of(preset, language)
    table.push().push()
    for phase in ("READY", "PLAYING"):
        view = table.wait(5 * S).view
        assert table.phase == phase
        texts = "".join(mark.text for mark in render(view, language=language).marks)
        with speaking(language):
            assert display_text(view.lesson[view.lesson_line]) in texts
            assert 0 < max(len(display_text(line)) for line in view.lesson) <= 21
        assert len(view.lesson) < speech_of(view).count(".") + speech_of(view).count("!") + speech_of(view).count("?")
        table.tap("1", "2", "3")


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("preset", NERTZ)
def test_what_is_dealt_is_what_the_rules_say(preset: str, players: int) -> None:
    """Pack, reserve, work piles and stock of the table's rules, at a table of that size; together they are the pack."""
    rules = card_rules(NERTZ[preset], players)
    lines = {line.key: dict(line.values) for line in lesson_of(table_of(preset, seats=players))}
    assert lines["teach.pile"]["cards"] == rules.reserve
    assert lines["teach.row"]["cards"] == rules.piles
    pack = 40 if rules.highest == 10 else 52
    assert lines["teach.pack"]["cards"] == pack
    assert lines["teach.stock"]["cards"] == pack - rules.reserve - rules.piles


def lesson_of(table: Sitting) -> tuple[Msg, ...]:
    """The lines of the ready check."""
    return table.push().push().wait(BREATH_NS).view.lesson


@pytest.mark.parametrize(
    ("seats", "pairs", "line"),
    [(2, 0, "any"), (3, 0, "altern"), (4, 0, "suit"), (3, 1, "altern"), (4, 2, "suit"), (6, 3, "suit")],
)
def test_bots_and_newcomers_build_by_the_number_of_players(seats: int, pairs: int, line: str) -> None:
    """A pair is two players: what is taught is what the simulated table's cards do."""
    follow = {"altern": "colour"}.get(line, line)
    stations = "123456"[:seats]
    table = Sitting(Setup("racing-demon", (), tuple(stations))).tap(*stations)
    for pair in range(pairs):
        table.press(*stations[2 * pair : 2 * pair + 2], ns=900 * MS)
    state = table.push().push().wait(BREATH_NS).engine.state
    lesson = game_of(state.table).lesson(state.table, "play", playing_of(state.phase))
    assert f"teach.up_{line}" in [told.key for told in lesson]
    people = {number: [SKILLS["easy"]] * len(team.stations) for number, team in enumerate(state.table.teams, 1)}
    assert PlayedHand(Random(1), people, cards_of(state.table)).motion(0).position.rules.follow == follow


OWN_RULES = [
    ("nna", {"jokers": 2}, "PLAYING", {"teach.jokers"}),
    ("nna", {"stacking": True}, "PLAYING", {"teach.stacking"}),
    ("nna", {"false_call": "points:10"}, "PLAYING", {"teach.false_points"}),
    ("nna", {"false_call": "zero"}, "PLAYING", {"teach.false_zero"}),
    ("nna", {"withholding": False}, "PLAYING", {"teach.aces"}),
    ("nna", {"turn": 1}, "PLAYING", {"teach.turn"}),
    ("nna", {"layout": "klondike"}, "READY", {"teach.klondike"}),
    ("nna", {"bonus": 5}, "COUNTING", {"teach.bonus"}),
    ("nna", {"king_bonus": 3}, "COUNTING", {"teach.kings"}),
    ("dutch-blitz", {"withholding": True}, "PLAYING", {"teach.ones_must"}),
    ("31", {"minimum_knock": 17, "early_knock": False}, "PLAYING", {"teach.knock_from", "teach.knock_late"}),
    (
        "31",
        {"three_of_a_kind": 30.5, "straight_flush": True},
        "COUNTING",
        {"teach.three_alike", "teach.straight_flush"},
    ),
    ("snap", {"gift": 1}, "PLAYING", {"teach.slap_gift"}),
]


@pytest.mark.parametrize(("preset", "options", "phase", "keys"), OWN_RULES)
def test_the_tables_own_rules_are_taught(preset: str, options: dict[str, object], phase: str, keys: set[str]) -> None:
    """A line that the preset alone does not have, or not so, stands there when the table plays otherwise."""
    seen, usual = first_hand(table_of(preset, options=options)), first_hand(table_of(preset))
    assert keys <= seen[phase].keys()
    assert all(usual[phase].get(key) != seen[phase][key] for key in keys)


@pytest.mark.parametrize(
    ("stuck", "then"),
    [("burn", "one_pile then_burn"), ("rotate", "then_waste then_rotate"), ("redeal-stock", "then_redeal")],
)
def test_a_stuck_table_is_told_what_comes(stuck: str, then: str) -> None:
    """While all search: nobody lays a card, and what is done when nobody finds one."""
    table = table_of("nna", options={"stuck": stuck})
    table.push().push().wait(BREATH_NS).tap("1", "2", "3").wait(8 * S)
    table.close("knob").wait(BREATH_NS).open("knob").choose("Stuck").wait(6 * S)
    assert table.phase == "SEARCH"
    assert [line.key for line in table.view.lesson] == [f"teach.{line}" for line in ("lay_nothing", *then.split())]


def test_who_follows_on_a_foundation_depends_on_the_table() -> None:
    """Keeling: any suit with two, red and black with three, one suit with four."""
    keys = {
        players: {line.key for line in _played(table_of("racing-demon", seats=players)) if ".up_" in line.key}
        for players in (2, 3, 4)
    }
    assert keys == {2: {"teach.up_any"}, 3: {"teach.up_altern"}, 4: {"teach.up_suit"}}


def _played(table: Sitting) -> tuple[Msg, ...]:
    table.push().push().wait(BREATH_NS).tap(*table.engine.state.table.setup.stations)
    return table.wait(8 * S).view.lesson


def test_the_list_says_whether_newcomers_are_taught() -> None:
    """By the word that stands for now; a push changes it."""
    table = Sitting(Setup("nna", (), ("1", "2"), SEATS[:2])).tap("1", "2").choose("Game")
    said = [en(line) for line in table.screen(MenuScreen).items if en(line).startswith("Teach us")]
    table.choose("Teach us").choose("Game")
    said += [en(line) for line in table.screen(MenuScreen).items if en(line).startswith("Teach us")]
    assert said == ["Teach us: no", "Teach us: yes"]


@pytest.mark.parametrize("lines", range(4))
def test_each_line_of_a_lesson_has_its_four_seconds(lines: int) -> None:
    """In turn, from when the phase began, and then the first again; a line that is alone stays: nothing changes."""
    state = table_of("nna").push().push().engine.state
    lesson, begun_ns = tuple(msg(f"teach.{n}") for n in range(lines)), state.phase.asked_at_ns
    for turn in range(5):
        for at_ns in (begun_ns + turn * 4 * S, begun_ns + (turn + 1) * 4 * S - 1):
            times: list[int] = []
            assert lesson_line(state, lesson, at_ns, times) == (turn % lines if lines else 0)
            assert times == ([begun_ns + (turn + 1) * 4 * S] if lines > 1 else [])


def test_it_goes_away_with_the_first_hand_and_comes_back_with_its_undo() -> None:
    """Sealed, it is over; the count undone, the hand is the first one again; a rematch is not taught."""
    table = table_of("nna", options={"target": 20})
    table.push().push()
    table.counting("2", "1", "2", "3")
    assert table.view.lesson
    table.count("1", 1, 5).count("2", 0, 12, caller=True).count("3", 2, 6).wait(4 * S)
    assert table.phase == "READY"
    assert not table.view.lesson
    table.wait(6 * S)
    assert not table.view.lesson
    table.choose("Undo").wait(S)
    assert table.phase == "COUNTING"
    assert table.view.lesson


def test_it_can_be_had_in_a_match_and_be_ended() -> None:
    """Under More, for a newcomer at the second hand; chosen again it ends; both can be undone."""
    table = Sitting(Setup("nna", (), ("1", "2", "3"), SEATS[:3])).tap("1", "2", "3")
    table.push().push().wait(BREATH_NS)
    assert not table.view.lesson
    table.choose("More").choose("Teach us: no").wait(3 * S)
    assert table.view.lesson
    table.choose("More").choose("Teach us: yes").wait(3 * S)
    assert not table.view.lesson
    table.choose("Undo: teaching").wait(3 * S)
    assert table.view.lesson
    assert [taught.on for taught in table.decisions(Taught)] == [True, False]


def test_it_survives_a_power_cut_and_a_journal_that_begins_anew() -> None:
    """Coming back, the first hand is still explained; an old journal, that knows of none, explains nothing."""
    table = table_of("nna")
    table.push().push().wait(BREATH_NS)
    assert Engine.restored(table.rows).state.table.teaching
    table.reopened()
    assert table.engine.state.table.teaching
    assert table.power_cut().wait(BREATH_NS).engine.state.table.teaching


def test_what_asks_a_player_has_the_display_to_itself() -> None:
    """A button to be let go of, a knock to be confirmed, a call now, a verdict, a list: no line stands below them."""
    table = table_of("nna")
    table.push().push().wait(BREATH_NS).close("1").wait(12 * S)
    assert table.view.screen.let_go  # type: ignore[attr-defined]
    assert not table.view.lesson
    knock = table_of("31")
    knock.push().push().wait(BREATH_NS).tap("1", "2", "3").wait(2 * S)
    assert knock.view.lesson
    knock.hold("2")
    assert knock.view.screen.questions  # type: ignore[attr-defined]
    assert not knock.view.lesson
    assert knock.push().view.screen.items  # type: ignore[attr-defined]
    assert not knock.view.lesson


def test_a_note_of_ready_is_not_lost_and_not_said_twice() -> None:
    """31: who deals stands among the lines, and speech says it once."""
    table = table_of("31")
    table.push().push().wait(BREATH_NS)
    assert table.view.lesson[1].key == "note.deals"
    assert len(table.view.lesson) == len(set(table.view.lesson))
    assert speech_of(table.view).count("Anna, seat 1, deals.") + speech_of(table.view).count("deals.") == 1


@pytest.mark.parametrize("preset", presets())
def test_no_lamp_and_no_press_knows_of_it(preset: str) -> None:
    """The same gestures lead to the same phases, lamps and decisions, taught or not."""
    taught, plain = table_of(preset), table_of(preset)
    plain.push()
    items = plain.view.screen.items  # type: ignore[attr-defined]
    plain.turn(next(n for n, i in enumerate(items) if isinstance(i, Msg) and i.key == "item.game")).push()
    plain.turn(-plain.view.screen.cursor).push().wait(3 * S)  # type: ignore[attr-defined]
    taught.wait(plain.now_ns - taught.now_ns)
    assert taught.engine.state.table.teaching
    assert not plain.engine.state.table.teaching
    for gesture in ("push", "push", "ready", "wait", "press", "wait", "press", "wait"):
        for table in (taught, plain):
            if gesture == "push":
                table.push().wait(BREATH_NS)
            elif gesture == "ready":
                table.tap("1", "2", "3")
            elif gesture == "press":
                table.press("2")
            else:
                table.wait(7 * S)
        assert (taught.phase, taught.view.lamps) == (plain.phase, plain.view.lamps)


def test_rules_of_another_table_are_no_other_tables() -> None:
    """What is said of the stock is what is left of the pack with this table's reserve and work piles."""
    rules = with_options(NERTZ["nna"], {"reserve": 11, "river": 5, "jokers": 2})
    options: dict[str, object] = {"reserve": 11, "river": 5, "jokers": 2}
    lines = {line.key: dict(line.values) for line in lesson_of(table_of("nna", options=options))}
    assert lines["teach.stock"]["cards"] == rules.pack - 11 - 5 == 38


def test_a_game_that_has_no_lessons_tells_newcomers_nothing() -> None:
    """The smallest game leaves them out, and its tables are refereed all the same."""
    assert SMALLEST.lesson(table_of("nna").engine.state.table, "deal", ()) == ()
