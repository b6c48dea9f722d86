"""The carrier's real copper: suppressors first, a wide supply, and tracks that are read back from KiCad's file."""

from __future__ import annotations

import copy
import itertools
from typing import Any

from hardware.make import board, copper, netlist
from hardware.make.catalogue import HARDWARE

FULL8 = netlist.read(HARDWARE / "schematic" / "full8.kicad_sch")
ROUTES = board.routes(HARDWARE)
PADS = {(one.ref, one.pad.number): one for one in board.terminals(FULL8)}


def complaints(change: dict[str, Any]) -> list[str]:
    """Return the complaints about the routes with some nets changed."""
    return list(copper.complaints(FULL8, {**copy.deepcopy(ROUTES), **change}))


def joined(*pads: tuple[str, str]) -> dict[str, Any]:
    """Return a route that joins the pads in this order by straight tracks."""
    ends = [PADS[one] for one in pads]
    tracks = [["F.Cu", a.x, a.y, b.x, b.y] for a, b in itertools.pairwise(ends)]
    return {"tracks": tracks, "vias": []}


def test_the_committed_copper_protects_every_seat() -> None:
    assert complaints({}) == []


def test_a_resistor_before_the_suppressor_is_found() -> None:
    line = board.net_name(FULL8.net("J1", "1"))
    resistor = next((ref, pin) for ref in ("R12",) for pin in "12" if FULL8.net(ref, pin) == FULL8.net("J1", "1"))
    said = complaints({line: joined(("J1", "1"), resistor, ("D11", "1"))})
    assert "the line of J1 meets R12 before D11; the suppressor must come first." in said


def test_a_suppressor_at_the_end_of_a_detour_is_found() -> None:
    line = board.net_name(FULL8.net("J1", "1"))
    route = joined(("J1", "1"), ("J4", "1"), ("D11", "1"))
    assert any(text.startswith("D11 is ") and "mm of copper" in text for text in complaints({line: route}))


def test_a_thin_supply_of_the_amplifier_is_found() -> None:
    thin = {"tracks": [track[:5] for track in ROUTES["+5V"]["tracks"]], "vias": ROUTES["+5V"]["vias"]}
    assert complaints({"+5V": thin}) == [
        "J16 has no 5 V by 0.8 mm of width within 30 mm of the Pi's header.",
    ]


def test_tracks_are_read_back_as_they_were_written() -> None:
    """A board routed in KiCad comes in by the same way."""
    text = (HARDWARE / "board" / "carrier.kicad_pcb").read_text(encoding="utf-8")
    found = copper.read(text)
    assert found.keys() == ROUTES.keys()
    for net, route in found.items():
        assert sorted(route["vias"]) == sorted(list(map(float, via)) for via in ROUTES[net]["vias"])
        assert len(route["tracks"]) == len(ROUTES[net]["tracks"])
        assert {len(track) for track in route["tracks"]} <= {5, 6}
