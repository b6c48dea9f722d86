"""The breadboards' holes: they connect as the schematic does, parts fit, wires have the guide's colours."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.guide import breadboard, holes
from hardware.guide.holes import Wire
from hardware.make import catalogue, netlist
from hardware.make.catalogue import HARDWARE

TIERS = {"direct4": breadboard.CONSOLE, "pod": breadboard.POD}
NETS = {name: netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch") for name in TIERS}
CONSOLE = holes.CONSOLE
OF_EACH = 4
"""Number of wires of each colour in a set of jumper wires, as seller's pictures show: four of ten colours."""
BLACK_MM = 5000
"""Length of the black wire that is bought."""


def free_holes(layout: holes.Layout) -> list[str]:
    """Return the holes of a layout that nothing is in."""
    rows = [f"{row}{column}" for row in "abcdefghij" for column in range(1, holes.COLUMNS + 1)]
    rows += [f"{rail}{column}" for rail in holes.RAILS for column in sorted(holes.RAIL_COLUMNS)]
    taken = {hole for at in layout.places.values() for hole in at}
    taken |= {end for wire in layout.wires for end in (wire.start, wire.end)}
    return [place for board in layout.boards for row in rows if (place := f"{board}:{row}") not in taken]


FREE = {name: free_holes(tier.layout) for name, tier in TIERS.items()}


def complaints(name: str = "direct4", **changes: object) -> list[str]:
    """Return what is wrong with a layout, changed."""
    return list(holes.complaints(NETS[name], replace(TIERS[name].layout, **changes)))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", TIERS)
def test_the_holes_join_what_the_schematic_joins(name: str) -> None:
    assert complaints(name) == []
    assert {wire.step for wire in TIERS[name].layout.wires} == set(TIERS[name].steps)


@pytest.mark.parametrize("name", TIERS)
def test_a_rail_has_the_net_that_it_is_named_for(name: str) -> None:
    for (board, rail), net in TIERS[name].layout.rails.items():
        column = next(
            end
            for wire in TIERS[name].layout.wires
            for end in (wire.start, wire.end)
            if end.startswith(f"{board}:{rail}")
        )
        assert net_of(name, column) == net


def loose(name: str) -> Counter[str]:
    """Return the number of female-male wires of each colour: the Pi's, and display and knob, which have pins."""
    nets, layout = NETS[name], TIERS[name].layout
    from_pi = [wire for wire in layout.wires if wire.start.startswith("Pi:")]
    found = Counter(breadboard.net_colour(breadboard.net_at(nets, layout, wire)) for wire in from_pi)
    on_pins = [(ref, leg) for ref in ("J11", "J12") if ref in breadboard.BESIDE for leg in holes.legs(nets, ref)]
    return found + Counter(breadboard.net_colour(nets.net(ref, leg)) for ref, leg in on_pins)


@pytest.mark.parametrize("name", TIERS)
@pytest.mark.parametrize("seats", [4, 8])
def test_enough_wires_of_each_colour_are_bought(name: str, seats: int) -> None:
    """Ground is cut from black wire; a button on lugs takes the halves of one more jumper wire for each lug."""
    build, nets, layout = catalogue.load().builds[name], NETS[name], TIERS[name].layout
    boards = layout.boards if seats > 4 else layout.boards.replace("C", "")
    wires = [wire for wire in layout.wires if {wire.start[0], wire.end[0]} <= set(boards)]
    colours = Counter(breadboard.net_colour(breadboard.net_at(nets, layout, wire)) for wire in wires)
    colours += Counter(breadboard.net_colour(nets.net("J13", leg)) for leg in "12" if "J13" in nets.components)
    sets = build.once["jumpers"] + (build.from_five.get("jumpers", 0) if seats > 4 else 0)
    del colours["black"]
    assert 0 < max(colours.values()) <= OF_EACH * sets


def test_enough_wires_to_the_pi_are_bought() -> None:
    assert set(loose("direct4").values()) <= set(range(1, OF_EACH + 1))
    assert "pi_wires" in {part.key for part in NETS["direct4"].components.values()}


@pytest.mark.parametrize("name", TIERS)
def test_the_black_wire_is_long_enough(name: str) -> None:
    """Each link has a tenth more than its way, and its two bare ends of 8 mm."""
    assert catalogue.load().builds[name].once["black_wire"] == 1
    nets, layout = NETS[name], TIERS[name].layout
    ground = [
        wire for wire in layout.wires if wire.start[:2] != "Pi" and breadboard.net_at(nets, layout, wire) == "GND"
    ]
    ways = [math.dist(holes.spot(wire.start), holes.spot(wire.end)) * 2.54 for wire in ground]
    assert len(ways) > OF_EACH
    assert sum(1.1 * way + 16 for way in ways) < BLACK_MM


def test_a_layout_with_more_wires_of_a_colour_is_noticed() -> None:
    """The second ground wire to the Pi would be the fifth black one."""
    assert loose("direct4")["black"] == OF_EACH


@given(data=st.data(), name=st.sampled_from(sorted(TIERS)))
def test_a_wire_in_another_hole_is_a_complaint(data: st.DataObject, name: str) -> None:
    """Its end is moved to any free hole: this is right only within the same five holes or the same rail."""
    wires = TIERS[name].layout.wires
    which = data.draw(st.integers(0, len(wires) - 1))
    to = data.draw(st.sampled_from(FREE[name]))
    moved = [replace(wire, end=to) if n == which else wire for n, wire in enumerate(wires)]
    same = holes.node(to) == holes.node(wires[which].end)
    fine = complaints(name, wires=moved) == []
    joined = {holes.node(end) for end in (wires[which].start, wires[which].end, to)}
    assert fine if same else not fine or net_of(name, to) == net_of(name, wires[which].end) or len(joined) < 3


def net_of(name: str, place: str) -> str:
    """Return the net of a strip or rail."""
    return breadboard.net_at(NETS[name], TIERS[name].layout, Wire("", place, place))


@given(data=st.data(), name=st.sampled_from(sorted(TIERS)))
def test_a_leg_in_another_net_is_a_complaint(data: st.DataObject, name: str) -> None:
    """A leg is moved to any free hole of a strip with another net or none."""
    places = TIERS[name].layout.places
    part = data.draw(st.sampled_from(sorted(places)))
    leg = data.draw(st.integers(0, len(places[part]) - 1))
    to = data.draw(st.sampled_from(FREE[name]))
    at = list(places[part])
    at[leg] = to
    if net_of(name, to) != net_of(name, places[part][leg]):
        assert complaints(name, places={**places, part: tuple(at)})


PLACES = CONSOLE.places


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ({"R11": ("A:h5", "A:h6")}, "R11's legs are 1.0 tenths of an inch apart; allowed are 4 to 9.5."),
        ({"R11": ("A:h2", "A:g6")}, "A:g6 is taken by R11's leg and by R12's leg."),
        ({"R11": ("A:h2", "A:h64")}, "R11's leg: no board has the hole A:h64."),
        ({"R11": ("C:h2", "C:h6")}, "R11's leg: no board has the hole C:h2."),
        ({"R11": ("A:h2",)}, "R11 has 2 legs and 1 places on the breadboards."),
        ({"U3": PLACES["U3"][:3] + PLACES["U3"][:2:-1]}, "U3's legs are not side by side as the part's are."),
        ({"R99": ("A:h62", "A:h58")}, "R99 has places on the breadboards and is no part of the schematic."),
    ],
)  # fmt: skip
def test_a_part_that_does_not_fit_is_a_sentence(places: holes.Places, said: str) -> None:
    assert said in complaints(places={**PLACES, **places})


def test_a_wire_left_out_is_a_sentence() -> None:
    without = [wire for wire in CONSOLE.wires if wire.start != "Pi:11"]
    assert complaints(wires=without) == ["no wire brings P1_BTN from the Pi."]
    without = [wire for wire in CONSOLE.wires if (wire.start, wire.end) != ("B:c21", "B:c23")]
    assert complaints(wires=without)[0].startswith("BUZZER falls apart on the breadboards: ")


def test_a_wire_at_a_leg_that_the_schematic_leaves_open_is_a_sentence() -> None:
    """The Pico has 40 legs, the schematic the used ones."""
    wires = [*holes.POD.wires, Wire("pod-1-supply", "B:a8", "B:-low9")]
    assert complaints("pod", wires=wires) == ["something is joined to leg 8 of U1, which the schematic leaves open."]


def test_a_picture_shows_only_the_boards_that_its_step_needs() -> None:
    shown = breadboard.pictures(NETS["pod"], breadboard.POD)
    assert ">A</text>" not in shown["pod-4-buttons.svg"]
    assert ">C</text>" in shown["pod-4-buttons.svg"]


def test_a_wire_leaves_the_pi_beside_its_own_pin() -> None:
    """Its end there is nearer to its row than to any other, and no two wires share it."""
    ends = {pin: breadboard._way_out(pin)[-1] for pin in range(1, 41)}
    assert len(set(ends.values())) == 40
    for pin, (_, y) in ends.items():
        assert 0 <= y - breadboard._pin_xy(pin)[1] <= 12


@pytest.mark.parametrize("step", [step for step in breadboard.CONSOLE.steps if "button" in step or "lamps" in step])
def test_a_wires_pin_number_is_at_both_of_its_ends(step: str) -> None:
    shown = breadboard.pictures(NETS["direct4"], breadboard.CONSOLE)[f"{step}.svg"]
    wires = [wire for wire in breadboard.CONSOLE.wires_of(step) if wire.start.startswith("Pi:")]
    picture = breadboard.Picture(NETS["direct4"], breadboard.CONSOLE, step)
    assert wires
    for wire in wires:
        number = wire.start[3:]
        x, y = picture._xy(wire.end)
        assert f'<text x="{x:.0f}" y="{y - 6:.0f}"' in shown
        assert len([line for line in shown.splitlines() if line.endswith(f'font-weight="bold">{number}</text>')]) == 2
        assert shown.index("#2f7d4f") < shown.index('stroke-width="3.2"')  # the wires are above the Pi
