"""The breadboards' holes: they connect as the schematic does, parts fit, wires have the guide's colours."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.guide import breadboard, holes
from hardware.guide.holes import PLACES, WIRES, Wire
from hardware.make import netlist
from hardware.make.catalogue import HARDWARE

NETS = netlist.read(HARDWARE / "schematic" / "direct4.kicad_sch")
FREE_HOLES = [
    place
    for board in "AB"
    for place in (
        *(f"{board}:{row}{column}" for row in "abcdefghij" for column in range(1, holes.COLUMNS + 1)),
        *(f"{board}:{rail}{column}" for rail in ("+top", "-top", "+low", "-low") for column in holes.RAIL_COLUMNS),
    )
    if place not in {hole for at in PLACES.values() for hole in at} | {end for w in WIRES for end in (w.start, w.end)}
]


def complaints(places: holes.Places = PLACES, wires: list[Wire] = WIRES) -> list[str]:
    """Return what is wrong with a layout."""
    return list(holes.complaints(NETS, places, wires))


def test_the_holes_join_what_the_schematic_joins() -> None:
    assert complaints() == []
    assert {wire.step for wire in WIRES} == set(breadboard.STEPS)


@given(which=st.sampled_from(range(len(WIRES))), to=st.sampled_from(FREE_HOLES))
def test_a_wire_in_another_hole_is_a_complaint(which: int, to: str) -> None:
    """Its end is moved to any free hole: this is right only within the same five holes or the same rail."""
    moved = [replace(wire, end=to) if n == which else wire for n, wire in enumerate(WIRES)]
    same = holes.node(to) == holes.node(WIRES[which].end)
    fine = complaints(wires=moved) == []
    joined = {holes.node(end) for end in (WIRES[which].start, WIRES[which].end, to)}
    assert fine if same else not fine or net_of(to) == net_of(WIRES[which].end) or len(joined) < 3


def net_of(place: str) -> str:
    """Return the net of a strip or rail."""
    return breadboard.net_at(NETS, Wire("", place, place))


@given(part=st.sampled_from(sorted(PLACES)), leg=st.integers(0, 17), to=st.sampled_from(FREE_HOLES))
def test_a_leg_in_another_net_is_a_complaint(part: str, leg: int, to: str) -> None:
    """A leg is moved to any free hole of a strip with another net or none."""
    at = list(PLACES[part])
    at[leg % len(at)] = to
    if net_of(to) != net_of(PLACES[part][leg % len(at)]):
        assert complaints(PLACES | {part: tuple(at)})


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ({"R11": ("A:h5", "A:h6")}, "R11's legs are 1.0 tenths of an inch apart; allowed are 4 to 9.5."),
        ({"R11": ("A:h2", "A:g6")}, "A:g6 is taken by R11's leg and by R12's leg."),
        ({"R11": ("A:h2", "A:h64")}, "R11's leg: no board has the hole A:h64."),
        ({"R11": ("A:h2",)}, "R11 has 2 legs and 1 places on the breadboards."),
        ({"U3": PLACES["U3"][:3] + PLACES["U3"][:2:-1]}, "U3's legs are not side by side as the part's are."),
        ({"R99": ("A:h62", "A:h58")}, "R99 has places on the breadboards and is no part of the schematic."),
    ],
)  # fmt: skip
def test_a_part_that_does_not_fit_is_a_sentence(places: holes.Places, said: str) -> None:
    assert said in complaints({**PLACES, **places})


def test_a_wire_left_out_is_a_sentence() -> None:
    without = [wire for wire in WIRES if wire.start != "Pi:11"]
    assert complaints(wires=without) == ["no wire brings P1_BTN from the Pi."]
    without = [wire for wire in WIRES if (wire.start, wire.end) != ("B:c21", "B:c23")]
    assert complaints(wires=without)[0].startswith("BUZZER falls apart on the breadboards: ")
