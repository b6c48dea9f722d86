"""ngspice on the schematics agrees with the claimed figures."""

from __future__ import annotations

import pytest

from hardware.guide import lamp
from hardware.make import catalogue, netlist, skew, spice
from hardware.make.catalogue import HARDWARE
from hardware.make.spice import CABLE_F, CABLE_H, CABLE_OHM, Waves, node

pytestmark = pytest.mark.skipif(not spice.is_here(), reason="ngspice is not installed (Debian package ngspice)")
NAMES = ("full8", "direct4", "pod")
NETS = {name: netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch") for name in NAMES}
PARTS = catalogue.load()
US = 1e-6


def pressed(name: str, contact: str, *, volts: float = 3.3, worst: int = 0, until_us: float = 40.0) -> Waves:
    """Station 1 with 2 m of cable; `contact`: its voltage source, above 0.5 V is closed."""
    nets = NETS[name]
    line, pin = nets.net("J1", "1"), "P1_BTN"
    scale = {"R": 1 + 0.01 * worst, "C": 1 + 0.05 * worst}
    lines = [
        spice.supply("+3V3", f"{volts}"),
        *spice.parts(nets, (line, pin), scale),
        *spice.pad(pin),
        f"Rcable {node(line)} far1 {CABLE_OHM}",
        f"Lcable far1 far2 {CABLE_H}",
        f"Ccable far2 0 {CABLE_F}",
        f"Vcontact ctl 0 {contact}",
        "Scontact far2 0 ctl 0 contact",
        ".model contact SW(vt=0.5 vh=0.01 ron=0.05 roff=1e9)",
        f".ic v({node(pin)})={volts} v({node(line)})={volts} v(far1)={volts} v(far2)={volts}",
    ]
    return spice.run(lines, [pin, line], until_us * US, 0.05 * US)


CLOSES_AT_1_US = "PWL(0 0 1u 0 1.01u 1)"


@pytest.mark.parametrize("name", NAMES)
def test_the_press_is_as_late_as_the_budget_says(name: str) -> None:
    """The earliest and the latest pin, within a microsecond of the formula."""
    one = skew.station_input(NETS[name], PARTS, "1")
    for sign, volts, level in ((-1, skew.SUPPLY_V[0], 2.0), (1, skew.SUPPLY_V[1], 0.8)):
        waves = pressed(name, CLOSES_AT_1_US, volts=volts, worst=sign)
        late_us = waves.crosses_s("P1_BTN", level, after_s=US) / US - 1
        assert late_us == pytest.approx(skew.fall_us(one, sign), abs=1.0)


@pytest.mark.parametrize("name", NAMES)
def test_a_short_opening_does_not_reach_the_pin(name: str) -> None:
    """One of 6 us, after the contact has rested closed; one of 40 us does."""
    for gap_us, is_seen in ((6, False), (40, True)):
        contact = f"PWL(0 1 100u 1 100.01u 0 {100 + gap_us}u 0 {100.01 + gap_us}u 1)"
        waves = pressed(name, contact, until_us=160)
        steps = [volts for number, volts in enumerate(waves.volts["P1_BTN"]) if number * waves.step_s > 95 * US]
        assert (max(steps) > 0.8) == is_seen


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kilovolts", [8, -8])
def test_a_charged_hand_does_not_harm_the_pin(name: str, kilovolts: int) -> None:
    """The human body model at the plug: the pin stays within its supply and half a volt."""
    nets = NETS[name]
    line, pin = nets.net("J1", "1"), "P1_BTN"
    lines = [
        spice.supply("+3V3", "3.3"),
        *spice.parts(nets, (line, pin)),
        *spice.pad(pin),
        f"Chand body 0 {spice.HBM_F}",
        f"Rhand body {node(line)} {spice.HBM_OHM}",
        f".ic v(body)={kilovolts * 1000} v({node(pin)})=3.3 v({node(line)})=3.3",
    ]
    waves = spice.run(lines, [pin, line], 4 * US, 0.001 * US)
    assert max(waves.volts[pin]) < 3.3 + 0.5
    assert min(waves.volts[pin]) > -0.5
    assert max(map(abs, waves.volts[line])) < 30  # the suppressor's clamp, not kilovolts


def test_the_lamps_are_dark_while_the_supply_rises() -> None:
    """Output enable follows 5 V, with the pin floating, low, or pulled; and falls when the pin is high."""
    nets = NETS["full8"]
    for driver, is_lit in (("Rpin led_on 0 50k", False), ("Vpin led_on 0 0", False), ("Vpin led_on 0 3.3", True)):
        lines = [spice.supply("+5V", "PWL(0 0 5m 5)"), *spice.parts(nets, ("LED_ON", "LED_OFF")), driver]
        waves = spice.run(lines, ["+5V", "LED_OFF"], 8e-3, 20e-6)
        apart = [abs(a - b) for a, b in zip(waves.volts["+5V"], waves.volts["LED_OFF"], strict=True)]
        assert (max(apart) > 0.1) == is_lit
        assert not is_lit or waves.volts["LED_OFF"][-1] < 0.8


def lamp_ma(rail_v: float, led_v: float) -> float:
    """Lamp 1 as a voltage and its driver's drop of 0.8 V, at R13."""
    nets = NETS["full8"]
    end = node(nets.net("J1", "3"))
    lines = [spice.supply("+5V_LAMP", str(rail_v)), *spice.parts(nets, (nets.net("J1", "3"),))]
    lines += [f"Vled {end} low {led_v}", "Vdriver low 0 0.8"]
    waves = spice.run(lines, ["+5V_LAMP", nets.net("J1", "3")], 1e-4, 1e-6)
    volts = waves.volts["+5V_LAMP"][-1] - waves.volts[nets.net("J1", "3")][-1]
    return 1000 * volts / skew.ohms(nets.components["R13"].value)


def test_the_lamps_get_what_is_claimed() -> None:
    """White and red within 5 %, and on a dip of the supply to 4.5 V still enough to be seen."""
    why = PARTS["r120_lamp"].why
    assert lamp_ma(5.0, 3.0) == pytest.approx(10, rel=0.05)
    assert "gets 10 mA" in why
    assert lamp_ma(5.0, 2.0) == pytest.approx(18, rel=0.05)
    assert "18 mA" in why
    assert lamp_ma(5.0, 3.0) == pytest.approx(lamp.milliamperes(NETS["full8"], 0.0), rel=0.01)
    assert lamp_ma(4.5, 3.0) > 3


def test_a_dip_of_the_supply_presses_no_button() -> None:
    """3.3 V falls by 10 % for a millisecond: the open pin stays above 2.0 V."""
    nets = NETS["full8"]
    line, pin = nets.net("J1", "1"), "P1_BTN"
    lines = [
        spice.supply("+3V3", "PWL(0 3.3 1m 3.3 1.001m 2.97 2m 2.97 2.001m 3.3)"),
        *spice.parts(nets, (line, pin)),
        *spice.pad(pin),
        f".ic v({node(pin)})=3.3 v({node(line)})=3.3",
    ]
    assert min(spice.run(lines, [pin], 3e-3, 1e-6).volts[pin]) > 2.0


def test_the_piezo_gets_nine_volts_peak_to_peak() -> None:
    """Driven from both sides through C5 and R3, a disc of 0.1 uF."""
    nets = NETS["full8"]
    a, b = nets.net("J14", "1"), nets.net("J14", "2")
    outs = nets.net("U3", "7"), nets.net("U3", "5")
    lines = [
        f"Va {node(outs[0])} 0 PULSE(0 5 0 25n 25n 249.95u 500u)",
        f"Vb {node(outs[1])} 0 PULSE(5 0 0 25n 25n 249.95u 500u)",
        *spice.parts(nets, (a, b)),
        f"Cdisc {node(a)} {node(b)} 0.1u",
    ]
    waves = spice.run(lines, [a, b], 20e-3, 1e-6)
    across = [x - y for x, y in zip(waves.volts[a], waves.volts[b], strict=True)]
    late = across[len(across) * 3 // 4 :]
    assert max(late) - min(late) == pytest.approx(9.2, rel=0.05)
