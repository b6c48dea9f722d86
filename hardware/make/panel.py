"""Four carrier boards on a panel, held by mouse bites.

Runs under Debian's own Python, which has KiCad's module: `/usr/bin/python3 hardware/make/panel.py BOARD OUTPUT`.

A frame of rails surrounds the boards; a slot for a 2 mm mill goes round each, bridged by tabs with rows of small holes.
The boards keep their own round corners, which V-cuts would not. The rails have tooling holes and round marks.
"""

import sys
from collections.abc import Iterator

import pcbnew

COLUMNS, ROWS = 2, 2
RAIL_MM, SLOT_MM, MILL_MM = 5.0, 2.0, 0.8
"""The frame's width, the slot's, and the radius of its inner corners."""
TAB_MM, TABS = 5.0, (0.25, 0.75)
"""A tab's width, and where tabs are along each edge, as fractions."""
BITE_MM, BITE_PITCH_MM = 0.5, 1.0
"""Mouse bites: diameter and distance of a row's holes, whose middles are on the board's edge."""
TOOLING_MM, TOOLING_IN_MM = 2.0, 2.5
"""The holes in the frame's corners: diameter, and distance from both edges."""
MARKS = ((0, 0, 10.0, 2.5), (1, 0, -10.0, 2.5), (0, 1, 10.0, -2.5))
"""The frame's round marks: corner (right, bottom) and distance from it in mm; not mirror images."""
ERROR = 1000  # nm, of round outlines

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in mm."""


class Panel:
    """A board that becomes a panel."""

    def __init__(self, source: str) -> None:
        self.board = pcbnew.LoadBoard(source)
        self.outline = pcbnew.SHAPE_POLY_SET()
        self.board.GetBoardPolygonOutlines(self.outline)
        box = self.outline.BBox()
        self.left, self.top = box.GetLeft() / 1e6, box.GetTop() / 1e6
        self.width, self.height = box.GetWidth() / 1e6, box.GetHeight() / 1e6
        self.mark = next(part for part in self.board.GetFootprints() if part.GetReference() == "FID1").Duplicate()

    def origins(self) -> Iterator[tuple[float, float]]:
        """Yield how far each board is from the first, in mm."""
        for row in range(ROWS):
            for column in range(COLUMNS):
                yield column * (self.width + SLOT_MM), row * (self.height + SLOT_MM)

    def frame(self) -> Box:
        """Return the panel's edges."""
        margin = RAIL_MM + SLOT_MM
        right, bottom = list(self.origins())[-1]
        return (
            self.left - margin,
            self.top - margin,
            self.left + right + self.width + margin,
            self.top + bottom + self.height + margin,
        )

    def draw(self) -> None:
        """Turn the board into the panel."""
        self._copy_boards()
        self._cut()
        left, top, right, bottom = self.frame()
        for x in (left + TOOLING_IN_MM, right - TOOLING_IN_MM):
            for y in (top + TOOLING_IN_MM, bottom - TOOLING_IN_MM):
                self._hole(x, y, TOOLING_MM)
        for far_right, far_down, x, y in MARKS:
            mark = self.mark.Duplicate()
            mark.SetPosition(point((right if far_right else left) + x, (bottom if far_down else top) + y))
            self.board.Add(mark)

    def _copy_boards(self) -> None:
        """Copy what is on the first board to the others' places; each gets nets of its own."""
        board = self.board
        for drawing in list(board.GetDrawings()):
            if drawing.GetLayer() == pcbnew.Edge_Cuts:
                board.Delete(drawing)
        items = [*board.GetFootprints(), *board.GetTracks(), *board.GetDrawings(), *board.Zones()]
        for number, (x, y) in enumerate(self.origins()):
            if number:
                nets = self._nets(number)
                for item in items:
                    copy = item.Duplicate()
                    copy.Move(point(x, y))
                    board.Add(copy)
                    for part in copy.Pads() if isinstance(copy, pcbnew.FOOTPRINT) else [copy]:
                        if isinstance(part, pcbnew.BOARD_CONNECTED_ITEM) and part.GetNetCode() > 0:
                            part.SetNet(nets[part.GetNetname()])

    def _nets(self, number: int) -> dict[str, pcbnew.NETINFO_ITEM]:
        names = [str(name) for name in self.board.GetNetsByName() if name and not str(name).startswith("board ")]
        found = {}
        for name in names:
            found[name] = pcbnew.NETINFO_ITEM(self.board, f"board {number + 1}/{name}")
            self.board.Add(found[name])
        return found

    def _cut(self) -> None:
        """Draw the panel's edges and the slots, and drill the mouse bites."""
        left, top, right, bottom = self.frame()
        slots = rectangle((left + RAIL_MM, top + RAIL_MM, right - RAIL_MM, bottom - RAIL_MM))
        for x, y in self.origins():
            board = pcbnew.SHAPE_POLY_SET(self.outline)
            board.Move(point(x, y))
            slots.BooleanSubtract(board)
            for tab, bites in self._tabs(self.left + x, self.top + y):
                slots.BooleanSubtract(rectangle(tab))
                for bite in bites:
                    self._hole(*bite, BITE_MM)
        radius = pcbnew.FromMM(MILL_MM)
        slots.Deflate(radius, pcbnew.CORNER_STRATEGY_ROUND_ALL_CORNERS, ERROR)
        slots.Inflate(radius, pcbnew.CORNER_STRATEGY_ROUND_ALL_CORNERS, ERROR)
        shape = rectangle((left, top, right, bottom))
        shape.BooleanSubtract(slots)
        for number in range(shape.OutlineCount()):
            self._edge(shape.Outline(number))
            for hole in range(shape.HoleCount(number)):
                self._edge(shape.Hole(number, hole))

    def _tabs(self, left: float, top: float) -> Iterator[tuple[Box, list[tuple[float, float]]]]:
        """Yield each tab of a board, and its holes."""
        half, reach = TAB_MM / 2, SLOT_MM + 0.01
        count = int(TAB_MM / BITE_PITCH_MM)
        steps = [(n - (count - 1) / 2) * BITE_PITCH_MM for n in range(count)]
        for part in TABS:
            x, y = left + part * self.width, top + part * self.height
            for edge, out in ((top, -reach), (top + self.height, reach)):
                yield (
                    (x - half, min(edge, edge + out), x + half, max(edge, edge + out)),
                    [(x + step, edge) for step in steps],
                )
            for edge, out in ((left, -reach), (left + self.width, reach)):
                yield (
                    (min(edge, edge + out), y - half, max(edge, edge + out), y + half),
                    [(edge, y + step) for step in steps],
                )

    def _edge(self, line: pcbnew.SHAPE_LINE_CHAIN) -> None:
        shape = pcbnew.PCB_SHAPE(self.board, pcbnew.SHAPE_T_POLY)
        outline = pcbnew.SHAPE_POLY_SET()
        outline.AddOutline(line)
        shape.SetPolyShape(outline)
        shape.SetFilled(False)
        shape.SetWidth(pcbnew.FromMM(0.1))
        shape.SetLayer(pcbnew.Edge_Cuts)
        self.board.Add(shape)

    def _hole(self, x: float, y: float, across: float) -> None:
        """Drill a hole without copper."""
        part = pcbnew.FOOTPRINT(self.board)
        part.SetAttributes(pcbnew.FP_EXCLUDE_FROM_POS_FILES | pcbnew.FP_EXCLUDE_FROM_BOM | pcbnew.FP_BOARD_ONLY)
        part.Reference().SetVisible(False)
        part.Value().SetVisible(False)
        pad = pcbnew.PAD(part)
        pad.SetAttribute(pcbnew.PAD_ATTRIB_NPTH)
        pad.SetSize(pcbnew.VECTOR2I(pcbnew.FromMM(across), pcbnew.FromMM(across)))
        pad.SetDrillSize(pad.GetSize())
        pad.SetLayerSet(pcbnew.LSET.AllCuMask())
        part.Add(pad)
        self.board.Add(part)
        part.SetPosition(point(x, y))


def point(x: float, y: float) -> pcbnew.VECTOR2I:
    """Convert millimetres to KiCad's point."""
    return pcbnew.VECTOR2I(pcbnew.FromMM(x), pcbnew.FromMM(y))


def rectangle(box: Box) -> pcbnew.SHAPE_POLY_SET:
    """Return a rectangle as KiCad's polygon."""
    left, top, right, bottom = box
    shape = pcbnew.SHAPE_POLY_SET()
    shape.NewOutline()
    for x, y in ((left, top), (right, top), (right, bottom), (left, bottom)):
        shape.Append(point(x, y))
    return shape


if __name__ == "__main__":
    source, target = sys.argv[1:]
    panel = Panel(source)
    panel.draw()
    pcbnew.SaveBoard(target, panel.board)
