"""The apparent size of the display's text for each seat, from the parameters alone.

Theory of operation. The face leans back by `tilt` from the table. An eye at a distance of `distance`, `up` over the
window's middle and `sideways` from straight ahead sees a line in the face shortened to its component at a right
angle to the line of sight. Heights are given as seen from 1 m: a letter at half a metre counts twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import asin, cos, radians, sin, sqrt, tan
from typing import Any

SEEN_FROM_MM = 1000.0


@dataclass(frozen=True)
class Seat:
    """An eye before the display: degrees sideways, height over the table in mm, its view of a letter.

    That is of the 16 px letters: mm as seen from 1 m, and the width relative to a letter seen squarely.
    """

    sideways_deg: float
    eye_mm: float
    capital_mm: float
    width: float


def seats(known: Mapping[str, Any]) -> list[Seat]:
    """Every seat of the parameters ("section.name" -> value), the lowest eyes first.

    Raises ValueError for an eye that cannot be at its distance.
    """
    up = _window_over_table_mm(known)
    tall = known["seats.capital_px"] * known["display.active_mm"][1] / 64
    tilt, away = radians(known["display.tilt_deg"]), known["seats.distance_mm"]
    found = []
    for eye in known["seats.eye_mm"]:
        rise = asin((eye - up) / away)
        for turned in known["seats.sideways_deg"]:
            side = radians(turned)
            along = sin(rise) * sin(tilt) - cos(rise) * cos(side) * cos(tilt)
            across = cos(rise) * sin(side)
            seen = tall * sqrt(1 - along**2) * SEEN_FROM_MM / away
            found.append(Seat(turned, eye, seen, sqrt(1 - across**2)))
    return found


def _window_over_table_mm(known: Mapping[str, Any]) -> float:
    """Height of the window's middle over the table."""
    lid = known["console.front_mm"] + known["display.at_mm"][1] * tan(radians(known["console.slope_deg"]))
    feet = known["console.foot_height_mm"] - known["console.foot_depth_mm"]
    return float(feet + lid + known["hood.window_up_mm"] * sin(radians(known["display.tilt_deg"])))
