"""The pod's case: a tray for its breadboards, with a slot for each lead, and a lid with four screws.

Its origin is the middle of the tray's underside; board A is at the rear, the Pico's USB socket at the left.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from hardware.enclosure.shapes import block, round_block, together, upright

TENTH_MM = 2.54
COLUMNS = 63
FIRST_COLUMN, STATION_COLUMNS, TERMINAL_COLUMNS = 6, 14, 4
"""Columns of the stations' screw terminals: the first one's, from one to the next, and of each."""


def _inner(p: SimpleNamespace) -> tuple[float, float]:
    """The room inside: length and width. Posts are beside the boards."""
    long, wide, _ = p.pod.board_mm
    return long + p.pod.slack_mm + 2 * p.pod.post_mm, wide * p.pod.boards + p.pod.slack_mm


def _outer(p: SimpleNamespace) -> tuple[float, float]:
    long, wide = _inner(p)
    return long + 2 * p.print.wall_mm, wide + 2 * p.print.wall_mm


def board_places(p: SimpleNamespace) -> list[float]:
    """The y of each board's middle, board A first."""
    wide = p.pod.board_mm[1]
    return [wide * ((p.pod.boards - 1) / 2 - place) for place in range(p.pod.boards)]


def lead_places(p: SimpleNamespace) -> list[float]:
    """The x of each station's lead: the middle of its terminal."""
    first = FIRST_COLUMN + (TERMINAL_COLUMNS - 1) / 2 - (COLUMNS + 1) / 2
    return [(first + STATION_COLUMNS * seat) * TENTH_MM for seat in range(4)]


def post_places(p: SimpleNamespace) -> list[tuple[float, float]]:
    """The places of the lid's four screws."""
    long, wide = _inner(p)
    x, y = long / 2 - p.pod.post_mm / 2, wide / 2 - p.pod.post_mm / 2
    return [(sx * x, sy * y) for sx in (-1, 1) for sy in (-1, 1)]


def _box(long: float, wide: float, low: float, high: float, corner: float = 0.0) -> Any:
    corners = (-long / 2, -wide / 2, low), (long / 2, wide / 2, high)
    return round_block(*corners, corner) if corner else block(*corners)


def _top(p: SimpleNamespace) -> float:
    return float(p.pod.floor_mm + p.pod.height_mm)


def tray(p: SimpleNamespace) -> Any:
    """The tray: ribs at the boards' ends, posts with inserts, slots that the lid closes."""
    t, (long, wide), top = p.pod, _inner(p), _top(p)
    made = _box(*_outer(p), 0, top, t.corner_mm) - _box(long, wide, t.floor_mm, top + 1)
    half = (t.board_mm[0] + t.slack_mm) / 2
    ribs = [
        block((x, -wide / 2, 0), (x + t.rib_mm, wide / 2, t.floor_mm + t.rib_up_mm)) for x in (half, -half - t.rib_mm)
    ]
    posts = [
        block((x - t.post_mm / 2, y - t.post_mm / 2, 0), (x + t.post_mm / 2, y + t.post_mm / 2, top))
        for x, y in post_places(p)
    ]
    made += together([*ribs, *posts])
    holes = [upright(x, y, top - p.print.insert_depth_mm, top + 1, p.print.insert_hole_mm) for x, y in post_places(p)]
    return made - together([*holes, *_slots(p)])


def _slots(p: SimpleNamespace) -> Iterator[Any]:
    """Slots open above: a lead to each terminal, USB at board B's left end, the sync wire at its right."""
    t, (long, wide), top = p.pod, _outer(p), _top(p)
    half, deep, low = t.lead_mm / 2, p.print.wall_mm + 1, top - t.slot_mm
    walls = (1, -1) if t.boards == 3 else (1,)
    for side in walls:
        edge = side * wide / 2
        for x in lead_places(p):
            yield block(
                (x - half, min(edge, edge - side * deep), low), (x + half, max(edge, edge - side * deep), top + 1)
            )
    y = board_places(p)[1]
    plug_wide = t.usb_mm / 2
    yield block((-long / 2 - 1, y - plug_wide, low), (-long / 2 + deep, y + plug_wide, top + 1))
    yield block((long / 2 - deep, y - half, low), (long / 2 + 1, y + half, top + 1))


def lid(p: SimpleNamespace) -> Any:
    """The lid in its place: a plate with a lip inside the walls, between the posts."""
    t, (long, wide), top = p.pod, _inner(p), _top(p)
    gap = p.print.clearance_mm
    made = _box(*_outer(p), top, top + t.lid_mm, t.corner_mm)
    long_lip, wide_lip = long - 2 * (t.post_mm + gap), wide - 2 * gap
    lip = _box(long_lip, wide_lip, top - t.lip_mm, top)
    lip -= _box(long_lip - 2 * t.rib_mm, wide_lip - 2 * t.rib_mm, top - t.lip_mm - 1, top + 1)
    holes = [upright(x, y, top - 1, top + t.lid_mm + 1, p.print.m3_hole_mm) for x, y in post_places(p)]
    return made + lip - together(holes)


def breadboards(p: SimpleNamespace) -> list[Any]:
    """The breadboards, board A first."""
    long, wide, high = p.pod.board_mm
    low = p.pod.floor_mm
    return [block((-long / 2, y - wide / 2, low), (long / 2, y + wide / 2, low + high)) for y in board_places(p)]


def pico(p: SimpleNamespace) -> Any:
    """The Pico in board B, and its USB plug."""
    left = (1 - (COLUMNS + 1) / 2) * TENTH_MM - 1.3
    y, low = board_places(p)[1], p.pod.floor_mm + p.pod.board_mm[2] + 2.5
    board = block((left, y - 10.5, low), (left + 51.0, y + 10.5, low + 1.0))
    socket = block((left - 1.3, y - 4.0, low + 1.0), (left + 5.0, y + 4.0, low + 3.6))
    return board + socket


def wires(p: SimpleNamespace) -> Any:
    """The room that jumpers take over the boards."""
    long, wide = p.pod.board_mm[0], p.pod.board_mm[1] * p.pod.boards
    low = p.pod.floor_mm + p.pod.board_mm[2] + 4.0
    return _box(long - 8, wide - 8, low, low + p.pod.wires_mm - 4.0)
