"""The ground's copper: KiCad fills the carrier board's zones.

The polygons go into `hardware/board/poured.json`.

Runs under Debian's own Python, which has KiCad's module: `/usr/bin/python3 hardware/make/pour.py BOARD OUTPUT`. The
polygons are stored as data, so the board's file is generated without KiCad, byte for byte the same.
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
        layers = pour_zones(source)
        rows = (
            f" {json.dumps(layer)}: [\n" + ",\n".join(f"  {json.dumps(one)}" for one in found) + "\n ]"
            for layer, found in layers.items()
        )
        file.write("{\n" + ",\n".join(rows) + "\n}\n")
