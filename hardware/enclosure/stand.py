"""The stand of a second display: a wedge that carries another hood behind the console, facing the other way.

It is drawn at the place of the console's own hood, so that the lid's plane and the hood's holes are the same.
"""

from __future__ import annotations

from math import cos, radians
from types import SimpleNamespace
from typing import Any

from hardware.enclosure import hood
from hardware.enclosure.console import FAR, above, top_mm
from hardware.enclosure.shapes import block, together, upright


def low_mm(p: SimpleNamespace) -> float:
    """The height of its underside, in the console's frame."""
    return top_mm(p, p.display.at_mm[1]) - float(p.stand.front_mm)


def stand(p: SimpleNamespace) -> Any:
    """The wedge: a pocket for the display's lower edge, a way out for its lead, holes for the hood's screws."""
    x, y = p.display.at_mm
    half, rear, low = p.hood.width_mm / 2, y + hood.deep_mm(p) * cos(radians(p.console.slope_deg)), low_mm(p)
    body = block((x - half, y, low), (x + half, rear, FAR / 4)) - above(p, 0)
    lead = p.stand.lead_mm
    ways = [
        block((x - lead / 2, rear - 3 * lead, low - 1), (x + lead / 2, rear - 2 * lead, FAR / 4)),
        block((x - lead / 2, rear - 2.5 * lead, low - 1), (x + lead / 2, rear + 1, low + p.stand.lead_mm / 2)),
    ]
    return body - together([*ways, *_from_the_hood(p)])


def _from_the_hood(p: SimpleNamespace) -> list[Any]:
    """Pocket and screw holes, in the lid's plane."""
    wide = p.hood.width_mm / 2 - p.print.wall_mm - p.hood.block_mm - p.print.clearance_mm
    front, rear = p.hood.opening_mm
    head = p.print.m3_head_mm
    made = [block((-wide, front, -p.stand.pocket_mm), (wide, rear, 1))]
    for x, y in hood.screws(p):
        made += [upright(x, y, -FAR / 4, 1, p.print.m3_hole_mm), upright(x, y, -FAR / 4, -p.console.lid_mm, head)]
    return [hood.foot(p) * one for one in made]
