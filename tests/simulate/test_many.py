"""Many hands by several processes: each hand once, and the result of one process."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.games.nertz.options import OPTIONS
from referee.simulate.figures import document
from referee.simulate.many import Simulation, parts, simulate, unfelt
from referee.simulate.tally import BLOCK


def asked(**changes: Any) -> Simulation:
    """Hands of the quickest game."""
    return Simulation(**{"preset": "dutch-blitz", "options": (), "players": 2, "seed": 1, "hands": 250, **changes})


def test_the_result_does_not_depend_on_the_number_of_processes() -> None:
    """One, two, or three; and the last part is no whole block."""
    told: list[list[int]] = [[], [], []]
    found = [document(asked(), simulate(asked(), jobs, told[jobs - 1].append)) for jobs in (1, 2, 3)]
    assert found[0] == found[1] == found[2]
    assert found[0]["hands"] == 250
    assert told == [[100, 200, 250]] * 3


def test_processes_that_read_the_package_s_launcher_again_begin_no_second_program() -> None:
    """It is read under another name then, and does nothing."""
    path = [*sys.path]
    try:
        runpy.run_path(str(Path(__file__).parents[2] / "systemd" / "debian" / "referee"), run_name="__mp_main__")
    finally:
        sys.path[:] = path


def test_another_seed_is_another_set_of_hands() -> None:
    """Figures differ."""
    one, other = (simulate(asked(seed=seed), 1, id) for seed in (1, 2))
    assert vars(one) != vars(other)


@given(st.integers(1, 10**9), st.integers(1, 64))
def test_parts_are_whole_blocks_and_all_hands_once(hands: int, jobs: int) -> None:
    """Every part begins where the one before has ended, at a block's beginning, and no part is large."""
    found = parts(asked(hands=hands), jobs)
    behind = 0
    for _, (first, last) in zip(range(200), found, strict=False):
        assert first == behind
        assert first % BLOCK == 0
        assert last == hands or (last - first) % BLOCK == 0
        assert 0 < last - first <= 2000
        behind = last
    assert behind == hands or hands > 200 * BLOCK


def test_which_options_change_no_simulated_hand() -> None:
    """What is about the table, its device and hands that follow each other; each other one changes hand or score."""
    values: dict[str, object] = {
        "target": 50,
        "bonus": 5,
        "penalty": 1,
        "reserve": 11,
        "river": 5,
        "turn": 1,
        "turn_order": "reversed",
        "jokers": 2,
        "layout": "klondike",
        "foundations": "by-players",
        "in_flight": "returns",
        "same_place": "both",
        "withholding": False,
        "stacking": True,
        "river_transfer": False,
        "stuck": "score",
        "false_call": "zero",
        "tie_ms": 5,
        "tiebreak": "share",
        "settlement": "difference",
        "king_bonus": 3,
        "handicap": "winner",
        "pile_control": "alternate",
        "rotate_seats": True,
        "start": "note",
        "start_words": "numbers",
        "start_by": "one",
        "tiebreak_teams": "all",
        "shuffle_for": "left",
        "pack_check": True,
        "call_word": "PEANUTS",
    }
    assert set(values) == set(OPTIONS)
    about_the_table = {
        "false_call",
        "tie_ms",
        "tiebreak",
        "settlement",
        "handicap",
        "pile_control",
        "rotate_seats",
        "start",
        "start_words",
        "start_by",
        "tiebreak_teams",
        "shuffle_for",
        "pack_check",
        "call_word",
    }
    found = unfelt(asked(preset="nna", options=tuple(values.items())))
    assert set(found) == about_the_table | {"river"}  # Klondike always has five work piles
    del values["layout"]
    assert set(unfelt(asked(preset="nna", options=tuple(values.items())))) == about_the_table


def test_a_game_whose_cards_are_not_modelled_says_so() -> None:
    """One sentence."""
    with pytest.raises(ValueError, match=r"^the cards of 31 are not modelled$"):
        _ = asked(preset="31").game
