"""The skew budget: its arithmetic is right, and the software states its result."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.make import board, catalogue, checks, netlist, outputs, schematics, skew
from hardware.make.catalogue import HARDWARE
from referee.config import Config
from tests.hardware import bench


def drawn(name: str) -> skew.Budget:
    """Return the budget of the committed schematic."""
    return outputs.budget(netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch"), catalogue.load())


@pytest.mark.parametrize("name", list(schematics.DRAWN))
def test_the_default_error_bound_is_the_budgets_result(name: str) -> None:
    assert Config().arbiter.gpio_err_us == drawn(name).stated_us


def test_a_larger_capacitor_changes_what_would_be_stated() -> None:
    """Checks that the comparison can fail: 100 nF would add 140 us and require 450."""
    one = skew.Input(1000, 0.01, 2200, 100e-9, 0.05)
    assert skew.budget([one]).stated_us == 450


def falls_after_us(series_ohm: float, farad: float, from_v: float, to_v: float) -> float:
    """Return the same discharge in small steps, without a logarithm."""
    volts, seconds = from_v, 0.0
    step = series_ohm * farad / 20_000
    while volts > to_v:
        volts -= volts / (series_ohm * farad) * step
        seconds += step
    return seconds * 1e6


def test_the_formula_is_the_discharge() -> None:
    """Worst case of the drawn values, integrated step by step."""
    budget = drawn("full8")
    assert budget.filter_most_us == pytest.approx(falls_after_us(1010, 10.5e-9, 3.465, 0.8), rel=1e-3)
    assert budget.filter_least_us == pytest.approx(falls_after_us(990, 9.5e-9, 3.135, 2.0), rel=1e-3)


@given(st.floats(0, 0.2), st.floats(0, 0.2))
def test_worse_tolerances_never_help(small: float, more: float) -> None:
    fine = skew.budget([skew.Input(1000, small, 2200, 1e-8, small)])
    rough = skew.budget([skew.Input(1000, small + more, 2200, 1e-8, small + more)])
    assert rough.late_us >= fine.late_us
    assert rough.skew_us >= fine.skew_us


def test_the_carriers_tracks_cost_what_their_lengths_make() -> None:
    """In the committed copper the seats differ by millimetres, which is hundredths of a microsecond."""
    nets = netlist.read(HARDWARE / "schematic" / "full8.kicad_sch")
    tracks = board.routes(HARDWARE)
    lengths = board.lengths_mm(tracks, nets, range(1, 9))
    assert min(lengths) > 30  # every seat has copper
    budget = outputs.budget(nets, catalogue.load(), tracks)
    apart = max(lengths) - min(lengths)
    assert 0 < budget.copper_us < skew.COPPER_MOST_US
    assert budget.copper_us == pytest.approx(apart * (0.15e-12 * 1000 * math.log(3.465 / 0.8) * 1e6 + 7e-6), rel=1e-3)
    assert drawn("full8").skew_us + budget.copper_us == pytest.approx(budget.skew_us)


def test_a_way_round_the_board_is_a_complaint(tmp_path: Path) -> None:
    """Half a metre more for one seat: the check gives the difference between the seats."""
    root = bench.copy(tmp_path)
    routes = root / "board" / "routes.json"
    tracks = json.loads(routes.read_text(encoding="utf-8"))
    tracks["P3_BTN"]["tracks"] += [["F.Cu", 0, 0, 500, 0]]
    routes.write_text(json.dumps(tracks), encoding="utf-8")
    assert any(text.startswith("carrier: the stations' tracks differ by 0.1") for text in checks.of_copper(root))


def test_a_value_that_is_no_capacitors_or_no_resistors_is_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"P6KE6\.8CA is no resistor's value: it is a number like 330, 10k or 2k2"):
        skew.ohms("P6KE6.8CA")
    with pytest.raises(ValueError, match="120 is no capacitor's value: it ends with p, n or u"):
        skew.farads("120")
