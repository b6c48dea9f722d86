"""The fast core plays every hand as the readable one does, move for move; without numba, the other one says so."""

from __future__ import annotations

import json
import sys
from random import Random

import pytest

from referee import cli
from referee.core.games.nertz.rules import PRESETS
from referee.simulate import many, readable
from referee.simulate.many import Simulation, quickest_core

HANDS = 600
"""A fraction of `make simulate-check`, whose hands are drawn from another seed."""


@pytest.fixture(scope="module")
def numba() -> None:
    """What these tests need, and the program does not."""
    pytest.importorskip("numba", reason="numba is not installed (make simulate-check brings it)")


@pytest.mark.usefixtures("numba")
def test_every_move_of_every_hand_is_the_same_in_both_cores() -> None:
    """At tables of all presets, sizes, companies and options that the cards know."""
    from tests.simulate.agreement import differences

    assert list(differences(HANDS, 2026)) == []


@pytest.mark.usefixtures("numba")
def test_shares_of_the_comparison_are_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every table is in one of them, whoever plays it."""
    from tests.simulate import agreement

    played: list[tuple[int, int]] = []

    def noted(table: Simulation, hand: int) -> tuple[tuple[object, list[object]], tuple[object, list[object]]]:
        played.append((table.seed, hand))
        return (None, []), (None, [])

    monkeypatch.setattr(agreement, "both", noted)
    assert [*agreement.differences(30, 5)] == []
    whole, played = played, []
    assert [*agreement.differences(30, 5, 0, 2), *agreement.differences(30, 5, 1, 2)] == []
    assert len(whole) == 30
    assert sorted(played) == sorted(whole)


@pytest.mark.usefixtures("numba")
@pytest.mark.parametrize(("name", "other"), [("ROUNDS", 1), ("APART_US", 0), ("GLANCE_MS", (80, 201))])
def test_the_comparison_sees_what_differs(name: str, other: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """A readable core with another rule of its own plays some hand otherwise, and the sentence says which."""
    from tests.simulate.agreement import differences

    monkeypatch.setattr(readable, name, other)
    assert ", hand " in next(differences(HANDS, 2026))


@pytest.mark.usefixtures("numba")
def test_every_option_of_the_cards_is_tried_with_every_value() -> None:
    """Among the tables that are drawn for that."""
    from tests.simulate.agreement import A_TABLE, OF_THE_CARDS, random_table

    rng = Random(2026)
    drawn = [random_table(rng) for _ in range(HANDS // A_TABLE)]
    tried = {option for table in drawn for option in table.options}
    assert tried == {(name, value) for name, values in OF_THE_CARDS.items() for value in values}
    assert {table.preset for table in drawn} == set(PRESETS)
    assert {table.players for table in drawn} == set(range(2, 13))


@pytest.mark.usefixtures("numba")
def test_many_hands_come_to_the_same_by_either_core() -> None:
    """Two hundred and fifty, in blocks; the fast core is the one that is taken."""
    table = Simulation("dutch-blitz", (("turn", 1),), 3, 5, 250, "mixed")
    play, slower = quickest_core()
    rules, numbers = table.game.rules, range(250)
    assert slower == ""
    assert [*play(rules, table.habits, 5, numbers)] == [*many.readable_core(rules, table.habits, 5, numbers)]


@pytest.mark.usefixtures("numba")
def test_what_is_kept_was_compiled_from_the_sources_that_stand_there() -> None:
    """A rule or a span that is changed in another file than that of `play_all` is compiled anew."""
    import numpy as np

    from referee.simulate.fast.hands import play_all
    from referee.simulate.fast.machine import COMPILED, SOURCES, digest_of
    from referee.simulate.fast.records import table_for

    table = Simulation("nna", (), 2, 1, 1)
    assert play_all(table_for(table.game.rules, table.habits, False), 1, 0, np.zeros((0, 13), np.int64)) == SOURCES
    assert digest_of(COMPILED) == SOURCES
    assert digest_of(COMPILED[1:]) != SOURCES


def test_without_numba_the_readable_core_plays_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same figures, and how to have the fast one."""
    monkeypatch.setitem(sys.modules, "numba", None)
    for module in [name for name in sys.modules if name.startswith("referee.simulate.fast")]:
        monkeypatch.delitem(sys.modules, module)
    quickest_core.cache_clear()
    try:
        asked = ["simulate", "--preset", "dutch-blitz", "--players", "2", "--hands", "20"]
        assert cli.main(asked) == 0
        told = capsys.readouterr().out
        assert "Played by the readable core, some hundred times slower than the fast one" in told
        assert "pip install 'card-table-referee[simulate]'" in " ".join(told.split())
        assert cli.main([*asked, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["core"] == "readable"
    finally:
        quickest_core.cache_clear()
