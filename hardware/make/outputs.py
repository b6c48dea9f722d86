"""Every file that is generated without other programs, by its path below `hardware/`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hardware.guide import breadboard, lamp, manual, oscard, small, soldering
from hardware.make import assembly, bags, board, bom, catalogue, footprints, netlist, schematics, skew, wiring
from hardware.make.catalogue import HARDWARE
from hardware.make.sheet import LIBRARY, library_text
from hardware.make.symbols import SYMBOLS
from referee.drivers.pins import pinmap

PLAYERS = {"full8": range(2, 9), "direct4": range(2, 5), "pod": range(1, 9)}
"""The columns of each bill of materials: players, or stations of a pod."""
_SYMBOL_TABLE = (
    f'(sym_lib_table (version 7)\n  (lib (name "{LIBRARY}")(type "KiCad")'
    f'(uri "${{KIPRJMOD}}/{LIBRARY}.kicad_sym")(options "")(descr "drawn by hardware/make/symbols.py"))\n)\n'
)
_FOOTPRINT_TABLE = (
    f'(fp_lib_table (version 7)\n  (lib (name "{LIBRARY}")(type "KiCad")'
    f'(uri "${{KIPRJMOD}}/../board/{LIBRARY}.pretty")(options "")(descr "drawn by hardware/make/footprints.py"))\n)\n'
)


def files(root: Path = HARDWARE, poured: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Return path -> text, made from the sources below `root`.

    `poured`: the carrier's ground copper (`kicad.pour`), or None to keep what the board has.
    Raises PinMapError, ValueError for wrong sources.
    """
    found = {
        f"schematic/{LIBRARY}.kicad_sym": library_text(SYMBOLS.values()),
        "schematic/sym-lib-table": _SYMBOL_TABLE,
        "schematic/fp-lib-table": _FOOTPRINT_TABLE,
    }
    for name in footprints.FOOTPRINTS:
        found[f"board/{LIBRARY}.pretty/{name}.kicad_mod"] = footprints.library(name)
    parts = catalogue.load(root)
    copper = board.read_poured(root) if poured is None else poured
    read = {}
    for name, sheet in schematics.sheets(root).items():
        found[f"schematic/{name}.kicad_sch"] = sheet.text()
        found[f"schematic/{name}.kicad_pro"] = _project(name)
        read[name] = netlist.from_text(sheet.text())
    for name, players in PLAYERS.items():
        rows = bom.rows(read[name], read["station"], parts.builds[name])
        found[f"bom/{name}.csv"] = bom.table(rows, parts, players)
        found[f"bom/bags-{name}.csv"] = bags.table(name, read[name], parts, players, root)
    found["board/carrier.kicad_pcb"] = board.text(read["full8"], board.routes(root), copper)
    found["board/carrier.kicad_pro"] = board.project()
    found["board/carrier-placement.csv"] = assembly.placement(read["full8"])
    found["board/carrier-assembly.csv"] = assembly.parts_list(read["full8"], parts)
    found["board/fp-lib-table"] = _FOOTPRINT_TABLE.replace("/../board/", "/")
    found["bom/kit.md"] = bom.kit_page(read, parts)
    found["bom/reasons.md"] = bom.reasons(read, parts)
    found["skew.md"] = skew.document(budgets(root, read, parts))
    found |= _wiring(root, read)
    found |= manual.files(root)
    steps = breadboard.pictures(read["direct4"], breadboard.CONSOLE) | breadboard.pictures(read["pod"], breadboard.POD)
    steps |= soldering.pictures(read["full8"])
    steps |= small.pictures(pinmap.load(root / "pinmap.toml")["direct4"], schematics.POD)
    steps |= oscard.pictures() | lamp.pictures(read["full8"], parts["button"].lamp_ohm)
    return found | {f"guide/pictures/{name}": text for name, text in steps.items()}


def _wiring(root: Path, read: dict[str, netlist.Netlist]) -> dict[str, str]:
    profiles = pinmap.load(root / "pinmap.toml")
    full8, direct4 = profiles["full8"], profiles["direct4"]
    stations = list(direct4.stations()), list(schematics.POD.stations())
    title = "Console on a breadboard", "Pod on a breadboard"
    return {
        "wiring/console-full8.yml": wiring.carrier(read["full8"], full8),
        "wiring/console-direct4.yml": wiring.breadboard(
            title[0], read["direct4"], "J10", stations[0], {"+3V3": "1", "+5V": "2", "GND": "6"}
        ),
        "wiring/pod.yml": wiring.breadboard(
            title[1], read["pod"], "U1", stations[1], {"+3V3": "36", "+5V": "40", "GND": "38"}
        ),
        "wiring/station.yml": wiring.station(read["station"]),
        "wiring/tables.md": wiring.tables(profiles, {name: read[name] for name in (*schematics.DRAWN, "pod")}),
    }


def budgets(root: Path, read: Mapping[str, netlist.Netlist], parts: catalogue.Catalogue) -> dict[str, skew.Budget]:
    """The skew budget of each console as drawn; the carrier's with its copper."""
    tracks = {"full8": board.routes(root)}
    return {name: budget(read[name], parts, tracks.get(name, {})) for name in schematics.DRAWN}


def budget(
    nets: netlist.Netlist, parts: catalogue.Catalogue, tracks: Mapping[str, Any] = MappingProxyType({})
) -> skew.Budget:
    """The skew budget of a console; `tracks`: its board's routes, {} if it has no board."""
    numbers = sorted({number for ref in nets.components if (number := bom.station_of(ref))})
    inputs = [skew.station_input(nets, parts, str(number)) for number in numbers]
    return skew.budget(inputs, board.lengths_mm(tracks, nets, numbers) if tracks else [])


def write(root: Path = HARDWARE, poured: Mapping[str, Any] | None = None) -> list[str]:
    """Write the files that differ; return their paths."""
    written = []
    for path, text in files(root, poured).items():
        place = root / path
        if not place.is_file() or place.read_text(encoding="utf-8") != text:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
            written.append(path)
    return written


def _project(name: str) -> str:
    return json.dumps({"meta": {"filename": f"{name}.kicad_pro", "version": 3}}, indent=2) + "\n"
