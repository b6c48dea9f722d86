"""Limits of the carrier's constants: a HAT's outline, board houses' abilities, labels.

The figures are repeated here on purpose, since a board checked by the constants that it was drawn by always passes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from hardware.make import board
from hardware.make.footprints import FOOTPRINTS
from hardware.make.netlist import Netlist

OUTLINE_MM = (65.0, 56.5)
HOLES_MM = {(3.5, 3.5), (61.5, 3.5), (3.5, 52.5), (61.5, 52.5)}
"""Raspberry Pi, "HAT mechanical specification"."""
LIMITS_MM = {
    "HOLE": (2.7, 2.8),
    "TRACK": (0.25, 0.5),
    "CLEARANCE": (0.15, 0.3),
    "VIA": (0.6, 0.9),
    "DRILL": (0.3, 0.4),
    "EDGE": (0.3, 1.0),
}
"""M2.5 screws; tracks for 1 A, and drills and gaps of the cheapest class of every board house."""
RING_MM = 0.15
"""Minimum copper around a via's drill."""
DRILLS_MM = {"PI_HEADER": (0.95, 1.1), "HEADER": (0.95, 1.1), "XH": (0.95, 1.1), "PH": (0.7, 0.85), "CP": (0.75, 0.9)}
"""The pins' diagonal and some room: 0.64 mm square pins have 0.91, PH's 0.5 mm ones 0.71, 0.5 mm leads are round."""
PAD_RING_MM = 0.2
"""Minimum copper round a part's drill."""
SILK = {"ENCODER": "KNOB", "POWER": "POWER", "PIEZO_PLUG": "PIEZO", "SYNC_PLUG": "SYNC", "AMPLIFIER": "VOICE"}
DISPLAYS = {"J11": "DISPLAY", "J17": "DISPLAY 2"}
POINTS = {"+5V": "5V", "+3V3": "3V3", "GND": "GND", "+5V_LAMP": "LAMPS", "LED_OFF": "OE"}


def complaints(nets: Netlist) -> Iterator[str]:
    """Complain of constants out of their limits, and of plugs and test points with wrong labels."""
    if (board.WIDTH, board.HEIGHT) != OUTLINE_MM or set(board.HOLES) != HOLES_MM:
        yield "the board's outline or holes are not a HAT's, 65 x 56.5 mm with holes at 3.5 mm, 58 and 49 apart."
    for name, (least, most) in LIMITS_MM.items():
        if not least <= (value := getattr(board, name)) <= most:
            yield f"{name} is {value:g} mm; allowed are {least:g} to {most:g}."
    if (ring := (board.VIA - board.DRILL) / 2) < RING_MM:
        yield f"a via has a ring of {ring:.2f} mm; allowed are {RING_MM:g} at least."
    yield from _footprints()
    if board.POURED != "GND":
        yield f"{board.POURED} is poured over both layers; it must be GND."
    if not re.fullmatch(r"rev [A-Z] \d{4}-\d\d", board.REVISION):
        yield f"the board says '{board.REVISION}'; it must say its revision and month, as 'rev C 2026-11'."
    for ref, part in sorted(nets.components.items()):
        seat = f"SEAT {ref[1:]}" if part.symbol == "STATION" else DISPLAYS.get(ref)
        wanted = POINTS.get(nets.net(ref, "1")) if part.symbol == "TESTPOINT" else SILK.get(part.symbol, seat)
        said = board.PLUG_NAMES.get(ref) or board.TEST_NAMES.get(ref)
        if wanted is not None and said != wanted:
            yield f"the board calls {ref} '{said}'; it must be '{wanted}'."


def _footprints() -> Iterator[str]:
    """Check the footprints: marks at pad 1, pins that go through their holes, pads that keep their copper."""
    for name, print_ in FOOTPRINTS.items():
        nearest = min(print_.pads, key=lambda pad: math.dist((pad.x, pad.y), print_.mark or (0, 0)))
        if print_.mark is not None and nearest.number != "1":
            yield f"the mark of {name} on the silk is at pad {nearest.number}; it must be at pad 1, a + leg's."
        least, most = next((limits for start, limits in DRILLS_MM.items() if name.startswith(start)), (0.0, 0.0))
        for pad in print_.pads:
            if not least <= pad.drill <= most:
                yield f"pad {pad.number} of {name} has a drill of {pad.drill:g} mm; allowed are {least:g} to {most:g}."
            if pad.drill and (min(pad.width, pad.height) - pad.drill) / 2 < PAD_RING_MM - 1e-9:
                yield f"pad {pad.number} of {name} has too little copper round its drill of {pad.drill:g} mm."
