"""Files for an assembly house besides the Gerbers: the placement and the list of parts.

Millimetres from the board's lower left corner, y up, seen from the component side; turns counter-clockwise, as in
KiCad. Houses differ in their zero angle: compare their preview with the dots on the board.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict

from hardware.make import board
from hardware.make.catalogue import Catalogue
from hardware.make.footprints import FOOTPRINTS, Pad, n
from hardware.make.netlist import Netlist


def by_machine(nets: Netlist) -> list[str]:
    """The parts that a machine places: bought, and soldered to pads without holes."""
    return [
        ref
        for ref, part in sorted(nets.components.items())
        if part.bought and not any(pad.drill for pad in _pads(part.footprint))
    ]


def placement(nets: Netlist) -> str:
    """The machine-placed parts' positions, as CSV."""
    rows = []
    for ref in by_machine(nets):
        x, y, turn = board.places()[ref]
        part = nets.components[ref]
        print_ = part.footprint.partition(":")[2]
        rows.append([ref, part.value, print_, n(x), n(board.HEIGHT - y), str(turn), "top"])
    return _table(["Designator", "Val", "Package", "Mid X", "Mid Y", "Rotation", "Layer"], rows)


def parts_list(nets: Netlist, parts: Catalogue) -> str:
    """The board's parts with maker and order code, as CSV; parts placed by hand are marked."""
    machine = set(by_machine(nets))
    found: dict[str, list[str]] = defaultdict(list)
    for ref, part in sorted(nets.components.items()):
        if part.bought:
            found[part.key].append(ref)
    rows = []
    for key, refs in found.items():
        item = parts[key]
        how = "machine" if refs[0] in machine else "by hand"
        option = "leave out" if nets.components[refs[0]].option else how
        rows.append(
            [item.value, ",".join(refs), item.footprint, item.maker, item.mpn, item.lcsc, str(len(refs)), option]
        )
    return _table(["Comment", "Designator", "Footprint", "Manufacturer", "MPN", "LCSC", "Quantity", "Soldered"], rows)


def _pads(footprint: str) -> tuple[Pad, ...]:
    """The pads of a footprint; none if it is not ours."""
    print_ = FOOTPRINTS.get(footprint.partition(":")[2])
    return print_.pads if print_ else ()


def _table(head: list[str], rows: list[list[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([head, *rows])
    return out.getvalue()
