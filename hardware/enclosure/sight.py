"""The apparent size of the display's text for each seat, from the parameters alone.

Theory of operation. The face leans back by `tilt` from the table. An eye at a distance of `distance`, `up` over the
window's middle and `sideways` from straight ahead sees a line in the face shortened to its component at a right
angle to the line of sight. Heights are given as seen from 1 m: a letter at half a metre counts twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import asin, cos, degrees, pi, radians, sin, sqrt, tan
from typing import Any

SEEN_FROM_MM = 1000.0
LEAST_WIDTH = 0.5
"""Least width of a letter, relative to one seen squarely."""


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


def _window_over_table_mm(known: Mapping[str, Any], display: int = 0) -> float:
    """Height of the window's middle over the table; display 1 is on its stand."""
    under = known["console.front_mm"] + known["display.at_mm"][1] * tan(radians(known["console.slope_deg"]))
    feet = known["console.foot_height_mm"] - known["console.foot_depth_mm"]
    if display:
        under, feet = known["stand.front_mm"], known["console.foot_height_mm"]
    return float(feet + under + known["hood.window_up_mm"] * sin(radians(known["display.tilt_deg"])))


@dataclass(frozen=True)
class Table:
    """A round table: its size in mm, its players, and the displays: the console's, 2 with that on the stand."""

    across_mm: float
    players: int
    displays: int = 1


OUTSIDE_MM = 150.0
"""Distance of the eyes from the table's edge."""
LEAST_ARC_MINUTES = 16.0
"""Least height of a capital that is read with ease (ISO 9241-303: 16 minutes of arc)."""


def arc_minutes(known: Mapping[str, Any], table: Table) -> list[float]:
    """The height of the usual text's capitals from each seat, in minutes of arc, at the worse of the eyes' heights.

    With one display the console stands at the edge, midway between two seats, and faces the middle; with two it
    stands in the middle, turned as it is read best.
    """
    if table.displays == 1:
        return _from_seats(known, table, table.across_mm / 2, 0.5)
    return max((_from_seats(known, table, 0.0, turned / 4) for turned in range(4)), key=min)


def _from_seats(known: Mapping[str, Any], table: Table, back_mm: float, first: float) -> list[float]:
    """From each seat; `first`: the first one's angle behind the console, in seats."""
    found, eyes = [], known["seats.eye_mm"]
    for seat in range(table.players):
        angle = 2 * pi * (seat + first) / table.players
        turns = {display: angle + pi * display for display in range(table.displays)}
        found.append(
            max(
                min(_seen(known, table, back_mm, turn, (eye, _window_over_table_mm(known, display))) for eye in eyes)
                for display, turn in turns.items()
            )
        )
    return found


def _seen(
    known: Mapping[str, Any], table: Table, back_mm: float, angle: float, heights_mm: tuple[float, float]
) -> float:
    """A capital's height in minutes of arc from a seat; the face looks from `back_mm` towards angle pi.

    `heights_mm`: of the eye and of the window, over the table.
    """
    far_out = table.across_mm / 2 + OUTSIDE_MM
    toward, aside = back_mm - far_out * cos(angle), far_out * sin(angle)
    rise = heights_mm[0] - heights_mm[1]
    far = sqrt(toward**2 + aside**2 + rise**2)
    tilt = radians(known["display.tilt_deg"])
    if toward <= 0 or sqrt(1 - (aside / far) ** 2) < LEAST_WIDTH:
        return 0.0
    along = (rise * sin(tilt) - toward * cos(tilt)) / far
    tall = known["seats.capital_px"] * known["display.active_mm"][1] / 64
    return degrees(tall * sqrt(1 - along**2) / far) * 60
