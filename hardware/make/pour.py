"""The ground's copper: KiCad fills the carrier board's zones.

Runs under Debian's own Python, which has KiCad's module: `/usr/bin/python3 hardware/make/pour.py BOARD OUTPUT`, which
writes the polygons as JSON.
"""

import json
import sys

import pcbnew


def pour_zones(path: str) -> dict[str, list[list[list[int]]]]:
    """Layer -> polygons, each a list of [x, y] in nanometres of the page."""
    whole = pcbnew.LoadBoard(path)
    pcbnew.ZONE_FILLER(whole).Fill(whole.Zones())
    found: dict[str, list[list[list[int]]]] = {}
    for zone in whole.Zones():
        for layer in zone.GetLayerSet().Seq():
            shapes = zone.GetFilledPolysList(layer)
            polygons = []
            for number in range(shapes.OutlineCount()):
                outline = shapes.Outline(number)
                points = [outline.CPoint(index) for index in range(outline.PointCount())]
                polygons.append([[point.x, point.y] for point in points])
            found[whole.GetLayerName(layer)] = polygons
    return found


if __name__ == "__main__":
    source, target = sys.argv[1:]
    with open(target, "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump(pour_zones(source), file)
