"""The electrical rules: the committed schematics pass, and each fault is found by its own rule.

Faults are put into the netlist: another value, a pin on another net, a missing part. No missing part or net may cause a
traceback.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.make import board, boards, catalogue, electrical, netlist, placement, schematics
from hardware.make.catalogue import HARDWARE
from hardware.make.circuit import Sheet
from hardware.make.footprints import FOOTPRINTS
from hardware.make.netlist import Netlist, Terminal
from referee.drivers.pins import pinmap

PARTS = catalogue.load()


def sheet(name: str) -> Sheet:
    """Return a committed schematic for the rules."""
    profile = schematics.POD if name == "pod" else pinmap.profile(name, sync=False)
    nets = netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch")
    return Sheet(nets, PARTS, profile, "U1" if name == "pod" else "J10")


SHEETS = {name: sheet(name) for name in ("full8", "direct4", "pod")}
FULL8 = SHEETS["full8"]


def valued(one: Sheet, ref: str, value: str) -> Sheet:
    """Return it with another value on a part."""
    components = {**one.nets.components, ref: replace(one.nets.components[ref], value=value)}
    return replace(one, nets=replace(one.nets, components=components))


def moved(one: Sheet, *places: tuple[Terminal, str]) -> Sheet:
    """Return it with pins on other nets."""
    nets = dict(one.nets.nets)
    for terminal, net in places:
        nets = {name: members - {terminal} for name, members in nets.items()}
        nets[net] = nets.get(net, frozenset()) | {terminal}
    return replace(one, nets=replace(one.nets, nets={name: members for name, members in nets.items() if members}))


def without(one: Sheet, ref: str) -> Sheet:
    """Return it without a part."""
    nets = {name: frozenset(t for t in members if t[0] != ref) for name, members in one.nets.nets.items()}
    names = {terminal: name for terminal, name in one.nets.pin_names.items() if terminal[0] != ref}
    components = {name: part for name, part in one.nets.components.items() if name != ref}
    kept = {name: members for name, members in nets.items() if members}
    return replace(one, nets=replace(one.nets, components=components, nets=kept, pin_names=names))


@pytest.mark.parametrize("name", SHEETS)
def test_the_committed_schematics_break_no_rule(name: str) -> None:
    assert list(electrical.complaints(SHEETS[name])) == []


def test_no_plug_fits_where_another_belongs() -> None:
    """Each has its own number of pins or its own pitch.

    The piezo's in the power button's place is an error.
    """
    assert list(electrical.alike(FULL8)) == []
    plugs = {ref: part for ref, part in FULL8.nets.components.items() if ref in ("J13", "J14")}
    assert plugs["J13"].footprint != plugs["J14"].footprint
    same = {**FULL8.nets.components, "J13": replace(plugs["J13"], footprint=plugs["J14"].footprint)}
    found = list(electrical.alike(replace(FULL8, nets=replace(FULL8.nets, components=same))))
    assert found == ["J13, J14 fit into each other's plugs, and are for different things."]


def test_every_supply_has_a_test_point() -> None:
    assert list(electrical.test_points(FULL8)) == []
    assert list(electrical.test_points(without(FULL8, "TP5"))) == ["LED_OFF has no test point."]
    assert list(electrical.test_points(moved(FULL8, (("TP1", "1"), "GND")))) == ["+5V has no test point."]
    assert list(electrical.test_points(SHEETS["direct4"])) == []


def test_a_station_joins_contact_and_lamp_and_nothing_else() -> None:
    """Two exchanged pins at the jack are two complaints per side."""
    nets = netlist.read(HARDWARE / "schematic" / "station.kicad_sch")
    assert list(electrical.station(nets)) == []
    one = Sheet(nets, PARTS, schematics.POD, "")
    swapped = moved(one, (("J1", "2"), nets.net("J1", "3")), (("J1", "3"), nets.net("J1", "2"))).nets
    assert "a station must join J1.2, SW1.2." in list(electrical.station(swapped))
    names = {**nets.pin_names, ("J1", "1"): "GND", ("J1", "2"): "LINE"}
    [text] = electrical.station(replace(nets, pin_names=names))
    assert text.startswith("J1 has its pins as GND LINE LAMP+ ")


FAULTS: dict[str, tuple[Callable[[], Sheet], str]] = {
    "lamp resistor of 10 ohm": (
        lambda: valued(FULL8, "R13", "10"),
        "lamp 1 gets up to 275 mA through R13; it bears 25.",
    ),
    "lamp resistor of 10 k": (lambda: valued(FULL8, "R23", "10k"), "lamp 2 gets 0.1 mA through R23; 3 are seen."),
    "fuse of 5 A": (lambda: valued(FULL8, "F1", "5A"), "F1 is '5A', which the electrical rules have no model of."),
    "a part nobody knows": (lambda: valued(FULL8, "U1", "74HC595"), "U1 is '74HC595', which the electrical rules have"),
    "clock and latch exchanged": (
        lambda: moved(FULL8, (("U1", "11"), "LED_LATCH"), (("U1", "12"), "SPI_SCLK")),
        "SRCLK of U1 (74HCT595) must be on SPI_SCLK, and is on LED_LATCH.",
    ),
    "display's supply turned round": (
        lambda: moved(FULL8, (("J11", "1"), "+3V3"), (("J11", "2"), "GND")),
        "GND of J11 must be on GND, and is on +3V3.",
    ),
    "display on 5 V": (lambda: moved(FULL8, (("J11", "2"), "+5V")), "VCC of J11 must be on +3V3, and is on +5V."),
    "a pad pulled to 5 V": (
        lambda: moved(FULL8, (("R2", "2"), "+5V")),
        "BUZZER hangs on +5V by R2: a pad bears 3.3 V.",
    ),
    "a pad on an output": (
        lambda: moved(FULL8, (("U3", "7"), "BUZZER")),
        "BUZZER meets ~{OUT_A} of U3, which is no input: two outputs would work against each other.",
    ),
    "enable on the pad itself": (
        lambda: moved(without(FULL8, "Q1"), (("U1", "13"), "LED_ON"), (("R1", "2"), "LED_ON")),
        "~OE of U1 is a pad's own net: a probed PWM drives it low, and the lamps show noise.",
    ),
    "enable's pull-up lost": (lambda: without(FULL8, "R1"), "~OE of U1 must have one resistor to its supply and one"),
    "gate's pull-down lost": (lambda: without(FULL8, "R7"), "LED_ON needs a resistor to ground of 15 kohm at most"),
    "gate pulled up": (lambda: moved(FULL8, (("R7", "2"), "+3V3")), "LED_ON is pulled up by R7: it must be low until"),
    "piezo's pull-down lost": (lambda: without(FULL8, "R2"), "BUZZER needs a resistor to ground of 15 kohm at most"),
    "suppressor lost": (lambda: without(FULL8, "D31"), "LINE of J3 leaves the box without a suppressor to ground."),
    "suppressor behind the resistor": (
        lambda: moved(FULL8, (("D11", "1"), "P1_BTN")),
        "LINE of J1 leaves the box without a suppressor to ground.",
    ),
    "series resistor of 33 ohm": (lambda: valued(FULL8, "R12", "33"), "R12 lets 64 mA into P1_BTN from a wire at 5 V"),
    "another ceramic": (lambda: valued(FULL8, "C11", "10n X7R"), "C11 must be C0G: another ceramic changes with its"),
    "filter ten times as slow": (
        lambda: valued(FULL8, "C11", "100n C0G"),
        "the filter of station 1 is 100.0 us; allowed",
    ),
    "no wetting current": (
        lambda: valued(FULL8, "R11", "100k"),
        "the closed contact of station 1 carries 0.03 mA; 1 to",
    ),
    "knob's filter too slow": (
        lambda: valued(FULL8, "C91", "10u"),
        "the filter of ENC_A is 100000 us; allowed are 5 to",
    ),
    "two lamps exchanged": (
        lambda: moved(FULL8, (("U2", "18"), "P2_LAMP"), (("U2", "17"), "P1_LAMP")),
        "lamp 1 must end at output 1 of U2, and ends on P1_LAMP.",
    ),
    "register's outputs exchanged": (
        lambda: moved(FULL8, (("U1", "1"), FULL8.nets.net("U1", "2")), (("U1", "2"), FULL8.nets.net("U1", "1"))),
        "input 2 of U2 must come from output 2 of the register.",
    ),
    "fuse bridged": (
        lambda: moved(FULL8, (("R5", "1"), "+5V"), (("R5", "2"), "+5V_LAMP")),
        "+5V and +5V_LAMP must be joined by one fuse, and are by F1, R5.",
    ),
    "lamps' store lost": (lambda: without(FULL8, "C1"), "+5V_LAMP has no store of 47 uF or more; all lamps at once"),
    "store turned round": (
        lambda: moved(FULL8, (("C1", "1"), "GND"), (("C1", "2"), "+5V_LAMP")),
        "C1 has its minus on +5V_LAMP; it must be on GND.",
    ),
    "decoupling lost": (
        lambda: without(FULL8, "C6"),
        "+5V has 1 capacitors of 100 nF to ground for 2 parts that switch.",
    ),
    "piezo without its capacitor": (lambda: without(FULL8, "C5"), "the outputs of U3 must end at a capacitor and a"),
    "piezo keeps a voltage": (
        lambda: without(FULL8, "R4"),
        "the piezo needs a resistor of 10 kohm to 1 Mohm across it",
    ),
    "clear on ground": (
        lambda: moved(FULL8, (("U1", "10"), "GND")),
        "~{SRCLR} of U1 (74HCT595) must be on +5V, and is",
    ),
    "sync into a short": (
        lambda: valued(FULL8, "R5", "100"),
        "SYNC_OUT drives 35 mA into a short behind R5; a pad bears",
    ),
    "too many in parallel": (
        lambda: valued(FULL8, "R7", "100"),
        "LED_ON must drive 34.65 mA; the pin map states 0.4 mA",
    ),
    "driver's common on 5 V": (lambda: moved(FULL8, (("U2", "10"), "+5V")), "COM of U2 (ULN2803A) must be on +5V_LAMP"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_by_its_rule(fault: str) -> None:
    make, said = FAULTS[fault]
    found = list(electrical.complaints(make()))
    assert any(text.startswith(said) for text in found), found


def test_what_a_pi_spares_is_reckoned(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = replace(boards.BOARDS["3B+"], own_a=0.7, supply_a=2.0, spare_3v3_a=0.22)
    monkeypatch.setitem(boards.BOARDS, "weak", weak)
    found = [text for text in electrical.complaints(FULL8) if "weak" in text]
    assert [text.split(" A;")[0] for text in found] == [
        "a weak with everything on draws 1.81",
        "the 3.3 V of a weak must give 0.41",
    ]


@given(st.data())
def test_no_loss_of_parts_or_nets_ends_with_a_traceback(data: st.DataObject) -> None:
    one = data.draw(st.sampled_from(list(SHEETS.values())))
    refs = data.draw(st.lists(st.sampled_from(sorted(one.nets.components)), max_size=4, unique=True))
    for ref in refs:
        one = without(one, ref)
    terminals = sorted(one.nets.pin_names)
    nets = sorted(one.nets.nets)
    for terminal, net in data.draw(st.lists(st.tuples(st.sampled_from(terminals), st.sampled_from(nets)), max_size=4)):
        one = moved(one, (terminal, net))
    for text in [*electrical.complaints(one), *placement.complaints(one.nets)]:
        assert text.endswith(".")


def test_two_pins_of_a_chip_exchanged_in_its_symbol_are_found() -> None:
    """The data sheet's numbers are in the models, separate from the drawing."""
    names = {**FULL8.nets.pin_names, ("U1", "11"): "RCLK", ("U1", "12"): "SRCLK"}
    wrong = replace(FULL8, nets=replace(FULL8.nets, pin_names=names))
    found = list(electrical.complaints(wrong))
    assert "U1 (74HCT595) has SRCLK on pin 12; its data sheet says 11." in found


def nets_without(ref: str) -> Netlist:
    """Return the carrier's netlist without a part."""
    return without(FULL8, ref).nets


def test_parts_stand_near_what_they_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(placement.complaints(FULL8.nets)) == []
    lost = list(placement.complaints(nets_without("C2")))
    assert lost == ["the 100 nF at VCC of U1 stands 25.4 mm away; allowed are 12."]
    places = {**board.places(), "D11": (60.0, 44.0, 90), "C21": (5.0, 30.0, 90), "R92": (47.9, 9.9, 90)}
    monkeypatch.setattr(board, "places", lambda: places)
    found = list(placement.complaints(FULL8.nets))
    assert any(text.startswith("the suppressor at the line of J1 stands ") for text in found)
    assert any(text.startswith("C21 stands ") for text in found)
    assert "R92 stands 6.6 mm from the rest of its input's filter; allowed are 6." in found


@pytest.mark.parametrize("reach", [0.1, 0.5, 2.5])
def test_pads_that_miss_their_part_are_found(reach: float) -> None:
    whole = FOOTPRINTS["C_0805"]
    assert list(placement.lands(whole)) == []
    pads = tuple(replace(pad, x=reach if pad.x > 0 else -reach) for pad in whole.pads)
    found = list(placement.lands(replace(whole, pads=pads)))
    assert len(found) == 2
    assert found[0].startswith("footprint C_0805: pad 1 reaches from ")
