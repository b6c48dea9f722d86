"""Simulation by several processes: each hand once, and the result of one process."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.games.nertz.options import OPTIONS
from referee.core.model.options import RuleOption
from referee.simulator.statistics.figures import document
from referee.simulator.statistics.many import Simulation, parts, simulate, unfelt
from referee.simulator.statistics.tally import BLOCK
from tests.core.cards.test_options import another


def asked(**changes: Any) -> Simulation:
    """Hands of the quickest game."""
    return Simulation(**{"preset": "dutch-blitz", "options": (), "players": 2, "seed": 1, "hands": 110, **changes})


def test_the_result_does_not_depend_on_the_number_of_processes() -> None:
    told: list[list[int]] = [[], []]
    found = [document(asked(), simulate(asked(), jobs, told[jobs > 1].append)) for jobs in (1, 2)]
    assert found[0] == found[1]
    assert found[0]["hands"] == 110
    assert told == [[100, 110]] * 2


def test_processes_that_read_the_package_s_launcher_again_begin_no_second_program() -> None:
    """It is read under another module name then, and does nothing."""
    path = [*sys.path]
    try:
        runpy.run_path(str(Path(__file__).parents[3] / "systemd" / "debian" / "referee"), run_name="__mp_main__")
    finally:
        sys.path[:] = path


def test_another_seed_is_another_set_of_hands() -> None:
    one, other = (simulate(asked(seed=seed, hands=20), 1, id) for seed in (1, 2))
    assert vars(one) != vars(other)


@given(st.integers(1, 10**9), st.integers(1, 64))
def test_parts_are_whole_blocks_and_all_hands_once(hands: int, jobs: int) -> None:
    found = parts(asked(hands=hands), jobs)
    behind = 0
    for _, (first, last) in zip(range(200), found, strict=False):
        assert first == behind
        assert first % BLOCK == 0
        assert last == hands or (last - first) % BLOCK == 0
        assert 0 < last - first <= 2000
        behind = last
    assert behind == hands or hands > 200 * BLOCK


FELT = {"target", "bonus", "penalty", "reserve", "river", "turn", "turn_order", "jokers", "layout", "foundations"}
FELT |= {"in_flight", "same_place", "withholding", "stacking", "river_transfer", "stuck", "king_bonus"}
"""Options that change a hand, a score or the target; the others concern the table, its device or several hands."""
VALUES: dict[str, object] = {"target": 50, "false_call": "zero", "tie_ms": 5, "call_word": "PEANUTS"}


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.name)
def test_options_that_change_no_simulated_hand_are_unfelt(option: RuleOption) -> None:
    chosen = (option.name, VALUES[option.name] if option.name in VALUES else another(option))
    assert unfelt(asked(preset="pagat", options=(chosen,))) == (() if option.name in FELT else (option.name,))


def test_an_option_may_be_unfelt_beside_another() -> None:
    """Klondike always has five work piles."""
    assert unfelt(asked(preset="nna", options=(("river", 6), ("layout", "klondike")))) == ("river",)
