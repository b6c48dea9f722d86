"""The skew budget: its arithmetic holds, and the software states what it says."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.make import catalogue, netlist, outputs, schematics, skew
from hardware.make.catalogue import HARDWARE
from referee.config import Config


def drawn(name: str) -> skew.Budget:
    """The budget of the committed schematic."""
    return outputs.budget(netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch"), catalogue.load())


@pytest.mark.parametrize("name", list(schematics.DRAWN))
def test_the_default_error_bound_is_the_budgets_result(name: str) -> None:
    """The configuration's default, from the schematic's values; nobody keeps two numbers."""
    assert Config().arbiter.gpio_err_us == drawn(name).stated_us


def test_a_larger_capacitor_changes_what_would_be_stated() -> None:
    """The comparison above can fail: 100 nF would add 140 us and call for 450."""
    one = skew.Input(1000, 0.01, 2200, 100e-9, 0.05)
    assert skew.budget([one]).stated_us == 450


def falls_after_us(series_ohm: float, farad: float, from_v: float, to_v: float) -> float:
    """The same discharge in small steps, without a logarithm."""
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
    """Lateness and skew grow with the tolerance."""
    fine = skew.budget([skew.Input(1000, small, 2200, 1e-8, small)])
    rough = skew.budget([skew.Input(1000, small + more, 2200, 1e-8, small + more)])
    assert rough.late_us >= fine.late_us
    assert rough.skew_us >= fine.skew_us


def test_printed_values_are_read() -> None:
    """The examples in the functions' own words."""
    assert doctest.testmod(skew).failed == 0
