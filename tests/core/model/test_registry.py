"""A third game needs one file and one line; the product plays, records and exports it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from referee.core.model import registry
from referee.core.model.options import RuleError
from referee.core.model.table import Setup
from referee.core.model.view import (
    OverScreen,
    PlayingScreen,
    ReadyScreen,
    VerdictScreen,
)
from referee.core.units import S
from referee.core.values import replace
from referee.screens import draw
from tests.core.sitting import BREATH_NS, Sitting

LINE = ("tests.core.games.first_to_three",) * 2
NAMES = (("1", "Anna"), ("2", "Ben"), ("3", "Max"))

GAMES = registry.GAMES
"""The product's games. The tests of this file register one more."""


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the third game."""
    monkeypatch.setattr(registry, "GAMES", (*registry.GAMES, LINE))


@pytest.mark.parametrize(
    ("text", "preset"),
    [
        ("nna", "nna"),
        ("NNA", "nna"),
        ("Nna 150", "nna150"),
        ("RACING-DEM", "racing-demon"),
        ("THE BUS", "ride-the-bus"),
        ("Quebec", "31-quebec"),
        ("31", "31"),
        ("bus", "ride-the-bus"),
        ("Pounce", "pagat"),
        ("nerds", "reeves"),
        ("scat", "31"),
        ("racing demon", "racing-demon"),
        ("re", None),
        ("", None),
        ("whist", None),
    ],
)
def test_a_preset_is_found_as_people_write_it(text: str, preset: str | None) -> None:
    assert registry.preset_called(text) == preset


@pytest.mark.parametrize(
    ("text", "near"), [("Raceing Daemon", ["racing-demon"]), ("pounse", ["pagat"]), ("whist", ["nna", "duel", "pig"])]
)
def test_an_unknown_preset_is_answered_with_similar_ones_else_all(text: str, near: list[str]) -> None:
    answer = registry.allowed_presets(text, registry.presets())
    assert all(preset in answer for preset in near)
    assert ("solitaire-frenzy" in answer) == (len(near) > 1)


def seated() -> Sitting:
    """Return three people at the first ready check."""
    return Sitting(Setup("first-to-three", (), ("1", "2", "3"), NAMES)).seated("1", "2", "3")


def won(sitting: Sitting, *stations: str) -> Sitting:
    """Win hands for these, one after the other."""
    for station in stations:
        sitting.wait(BREATH_NS).tap("1", "2", "3").wait(BREATH_NS).press(station).wait(5 * S)
    return sitting


@pytest.mark.parametrize("look_up", [registry.game_named, registry.presets().__getitem__])
def test_an_unknown_preset_is_a_key_error(look_up: Callable[[str], object]) -> None:
    with pytest.raises(KeyError, match="whist"):
        look_up("whist")


def test_a_third_game_is_played_to_its_end_and_shown() -> None:
    sitting = won(seated(), "1", "2", "1")
    assert sitting.wait(5 * S).screen(ReadyScreen).target == 3
    sitting.tap("1", "2", "3").wait(S)
    assert [line.total for line in sitting.screen(PlayingScreen).lines] == [2, 1, 0]
    assert draw(sitting.view).getbbox()
    sitting.press("1").wait(S)
    assert [label.name for label in sitting.screen(VerdictScreen).callers] == ["Anna"]
    sitting.wait(4 * S)
    assert [label.name for label in sitting.screen(OverScreen).winners] == ["Anna"]
    assert sitting.wait(S).tap("1", "2", "3").phase == "READY"


def test_a_false_claim_and_late_evidence_are_the_house_s_too() -> None:
    sitting = seated().wait(BREATH_NS).tap("1", "2", "3").wait(BREATH_NS).press("2").wait(3 * S)
    sitting.choose("False call").wait(BREATH_NS).tap("2").wait(S)
    assert sitting.phase == "PLAYING"
    assert registry.claim_game(sitting.engine.state.table).rows
    with pytest.raises(TypeError, match="a press in play claims nothing in '31'"):
        registry.claim_game(replace(sitting.engine.state.table, setup=Setup("31")))


def test_what_it_does_not_have_is_answered_for_it() -> None:
    """The game's file has no option, no cards, no count and no text about leaving."""
    papers, table = registry.presets()["first-to-three"], seated().engine.state.table
    with pytest.raises(RuleError, match="there is no such option, allowed are none"):
        papers.rules("first-to-three", {"target": 5})
    papers.rules("first-to-three", {})
    assert papers.OPTIONS == ()
    assert registry.usual_rules(Setup("first-to-three")) == {}
    assert papers.cards("first-to-three", {}) == (0, 0)
    game = registry.game_of(table)
    assert game.end_when_leaving(table) is None
    assert game.lesson(table, "play", ()) == ()
    assert registry.all_documents()[-1] is papers
    with pytest.raises(TypeError, match="hands of 'first-to-three' are not counted"):
        registry.counted_game(table)


@pytest.mark.parametrize(
    ("options", "begun_with", "options_now"),
    [
        ((), (("target", 100),), ()),
        ((), (("target", 80),), (("target", 80),)),
        ((("target", 60),), (("target", 80),), (("target", 60),)),
        ((), (("no_such_rule", 80),), ()),
        ((), (("target", "many"),), ()),
        ((("bonus", 5),), (("penalty", 1), ("target", "many")), (("bonus", 5), ("penalty", 1))),
    ],
)
def test_a_match_goes_on_under_the_rules_it_was_begun_with(
    options: tuple[tuple[str, object], ...], begun_with: tuple[tuple[str, object], ...], options_now: object
) -> None:
    setup = Setup("nna", options)
    assert registry.begun_under(setup, begun_with).options == options_now
    rules = dict(registry.rules_in_force(registry.begun_under(setup, begun_with)))
    assert rules == registry.usual_rules(setup) | dict(options_now)


def test_a_table_imports_its_own_game_and_none_behind_it() -> None:
    """A device starts sooner this way. A request for every preset imports every game."""
    program = "import sys; from referee.core.model import registry; {}; print(*sys.modules, sep='\\n')"
    asked = ("registry.game_named('nna')", "registry.can_play('31', {})", "len(registry.presets())")

    def games(what: str) -> set[tuple[str, str]]:
        out = subprocess.run([sys.executable, "-c", program.format(what)], check=True, capture_output=True, text=True)
        return {game for game in GAMES if game[0] in out.stdout.split()}

    assert [games(what) for what in asked] == [{*GAMES[:1]}, {*GAMES[:2]}, {*GAMES}]
