"""Reflex duel: a random GO, the first press wins, an early press gives the point away."""

from __future__ import annotations

import pytest

from referee.core.games.duel import GAME, REACTION_NS, Duel
from referee.core.match.engine import Engine
from referee.core.model.table import Setup
from referee.core.model.view import CountdownScreen, OverScreen, VerdictScreen
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import en

NAMES = (("1", "Anna"), ("2", "Ben"), ("3", "Max"))


def waiting(table: Sitting | None = None) -> Sitting:
    """Return three players who wait for GO."""
    table = table or Sitting(Setup("reflex-duel", (), ("1", "2", "3"), NAMES)).seated("1", "2", "3")
    return table.wait(BREATH_NS).tap("1", "2", "3").wait(BREATH_NS)


def go_ns(table: Sitting) -> int:
    phase = table.engine.state.phase
    assert isinstance(phase, Duel)
    return phase.go_at_ns


def pressed(table: Sitting, station: str, after_ms: int = 250) -> Sitting:
    """Press so long after GO, and wait for the next hand."""
    return table.until(go_ns(table) + after_ms * MS).press(station).wait(5 * S)


def totals(table: Sitting) -> list[int]:
    return [int(place.total) for place in GAME.standings(table.engine.state.table)]


def word(table: Sitting) -> str | None:
    return en(table.screen(CountdownScreen).word)


def test_first_press_after_go_wins_a_point() -> None:
    table = waiting()
    assert word(table) == "READY"
    assert word(table.until(go_ns(table))) == "GO!"
    assert [cue.at_ns for cue in table.cues if cue.name == "go"] == [go_ns(table)]
    table.wait(250 * MS).close("2").wait(60 * MS).press("1").wait(S)
    verdict = table.screen(VerdictScreen)
    assert (verdict.early, [label.name for label in verdict.callers]) == (False, ["Ben"])
    assert en(verdict.word) == "FIRST!"
    assert totals(table.open("2").wait(5 * S)) == [0, 1, 0]


@pytest.mark.parametrize("after_ms", [-500, 0, REACTION_NS // MS - 5])
def test_early_press_gives_the_others_a_point(after_ms: int) -> None:
    table = waiting()
    table.until(go_ns(table) + after_ms * MS).press("1").wait(S)
    verdict = table.screen(VerdictScreen)
    assert (en(verdict.word), verdict.early) == ("TOO EARLY!", True)
    assert totals(table.wait(5 * S)) == [0, 1, 1]
    assert totals(table.choose("Undo: false")) == [0, 0, 0]


def test_each_wait_is_another_one_and_a_pause_begins_a_new_wait() -> None:
    table = waiting()
    first = go_ns(table)
    table.press(KNOB, ns=400 * MS).wait(BREATH_NS).choose("Go on")
    assert go_ns(table) - table.now_ns > MS
    assert go_ns(table) != first
    assert totals(pressed(table, "3")) == [0, 0, 1]


def test_match_is_played_cut_and_exported() -> None:
    table = pressed(waiting(), "1")
    waiting(table).power_cut().wait(S).tap("1", "2", "3").wait(S)
    table = pressed(table, "1")
    for _ in range(3):
        table = pressed(waiting(table), "1")
    assert [label.name for label in table.screen(OverScreen).winners] == ["Anna"]
    assert Engine.restored(table.rows).state == table.engine.state
