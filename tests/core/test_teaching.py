""" "Teach us": the display explains the first hand by the rules of the table."""

from __future__ import annotations

from random import Random

import pytest

from referee.core.messages import Msg, msg
from referee.core.model.events import Taught
from referee.core.model.registry import game_of
from referee.core.model.state import playing_of
from referee.core.model.table import Setup
from referee.core.phases.common import in_turn
from referee.core.units import MS, S
from referee.simulator.table.card_player import SKILLS
from referee.simulator.table.card_rules import cards_of
from referee.simulator.table.hand import PlayedHand
from tests.core.sitting import BREATH_NS, Sitting

SEATS = (("1", "Anna"), ("2", "Ben"), ("3", "Max"), ("4", "Lea"))


def table_of(preset: str, language: str = "en", seats: int = 3, options: dict[str, object] | None = None) -> Sitting:
    """Return people in the lobby who have chosen "Teach us"."""
    stations = tuple(station for station, _ in SEATS[:seats])
    given = tuple((options or {}).items())
    table = Sitting(Setup(preset, given, stations, SEATS[:seats], language=language)).tap(*stations)
    table.push()
    for line in ("item.game", "item.teach"):
        items = table.view.screen.items  # type: ignore[attr-defined]
        at = next(n for n, item in enumerate(items) if isinstance(item, Msg) and item.key == line)
        table.turn(at - table.view.screen.cursor).push()  # type: ignore[attr-defined]
    return table.wait(3 * S)


@pytest.mark.parametrize(
    ("seats", "pairs", "line"),
    [(2, 0, "any"), (3, 0, "altern"), (4, 0, "suit"), (3, 1, "altern"), (4, 2, "suit"), (6, 3, "suit")],
)
def test_bots_and_newcomers_build_by_the_number_of_players(seats: int, pairs: int, line: str) -> None:
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


@pytest.mark.parametrize(
    ("stuck", "then"),
    [("burn", "one_pile then_burn"), ("rotate", "then_waste then_rotate"), ("redeal-stock", "then_redeal")],
)
def test_a_stuck_table_is_told_what_comes(stuck: str, then: str) -> None:
    table = table_of("nna", options={"stuck": stuck})
    table.push().push().wait(BREATH_NS).tap("1", "2", "3").wait(8 * S)
    table.close("knob").wait(BREATH_NS).open("knob").choose("Stuck").wait(6 * S)
    assert table.phase == "SEARCH"
    assert [line.key for line in table.view.lesson] == [f"teach.{line}" for line in ("lay_nothing", *then.split())]


@pytest.mark.parametrize("lines", range(4))
def test_each_line_of_a_lesson_has_its_four_seconds(lines: int) -> None:
    state = table_of("nna").push().push().engine.state
    lesson, begun_ns = tuple(msg(f"teach.{n}") for n in range(lines)), state.phase.asked_at_ns
    for turn in range(5):
        for at_ns in (begun_ns + turn * 4 * S, begun_ns + (turn + 1) * 4 * S - 1):
            times: list[int] = []
            assert in_turn(len(lesson), begun_ns, at_ns, times) == (turn % lines if lines else 0)
            assert times == ([begun_ns + (turn + 1) * 4 * S] if lines > 1 else [])


def test_it_goes_away_with_the_first_hand_and_comes_back_with_its_undo() -> None:
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


def test_what_asks_a_player_has_the_display_to_itself() -> None:
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
