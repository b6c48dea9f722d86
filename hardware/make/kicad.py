"""KiCad's checks and drawings: rules, netlist, SVG.

Needs `kicad-cli` 9 (`make hardware-tools`).
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hardware.make import netlist, schematics
from hardware.make.netlist import Terminal
from hardware.make.tools import ToolMissingError

NAMES = (*schematics.DRAWN, "station", "pod")
BOARD_VIEWS = {
    "carrier-top": ("F.Cu,F.Mask,F.SilkS,Edge.Cuts", ()),
    "carrier-bottom": ("B.Cu,B.Mask,B.SilkS,Edge.Cuts", ("--mirror",)),
    "carrier-assembly": ("F.Fab,F.SilkS,F.Mask,Edge.Cuts", ("--black-and-white",)),
}
"""Pictures of the board: layers, and further options for KiCad."""
_GERBER_LAYERS = "F.Cu,B.Cu,F.Mask,B.Mask,F.Paste,F.SilkS,B.SilkS,Edge.Cuts"
_DATED = re.compile(r"^.*(?:TF\.CreationDate| date 20\d\d-).*\n", re.MULTILINE)
MODELS = Path(os.environ.get("KICAD9_3DMODEL_DIR", "/usr/share/kicad/3dmodels"))
"""KiCad's own 3D models; Debian's package kicad-packages3d puts them there."""
_SYSTEM_PYTHON = "/usr/bin/python3"  # Debian puts KiCad's module there
_LONG = 240


def version() -> str:
    """Return KiCad's version. Raises ToolMissingError."""
    if shutil.which("kicad-cli") is None:
        raise ToolMissingError("kicad-cli is not installed; `make hardware-tools` installs it on Debian.")
    text = _run("version").strip()
    if int(text.split(".")[0]) < 9:
        raise ToolMissingError(f"kicad-cli is {text}; 9 is needed; `make hardware-tools` installs it on Debian.")
    return f"KiCad {text}"


def check(root: Path) -> Iterator[str]:
    """Yield KiCad's complaints."""
    for name in NAMES:
        yield from (f"{name}: {text}" for text in rules(root / "schematic" / f"{name}.kicad_sch"))
        yield from (f"{name}: {text}" for text in same_netlist(root / "schematic" / f"{name}.kicad_sch"))
    yield from (f"carrier: {text}" for text in design_rules(root / "board" / "carrier.kicad_pcb"))
    with tempfile.TemporaryDirectory() as folder:
        yield from (f"panel: {text}" for text in design_rules(panel(root, Path(folder))))


def rules(schematic: Path) -> Iterator[str]:
    """Run the electrical rules check, every severity."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "erc.rpt"
        _run("sch", "erc", "--severity-all", "--units", "mm", "-o", str(report), str(schematic))
        yield from violations(report.read_text(encoding="utf-8"))


def design_rules(board: Path) -> Iterator[str]:
    """Run the design rules check, every severity, with unconnected items."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "drc.rpt"
        _run("pcb", "drc", "--severity-all", "--units", "mm", "-o", str(report), str(board))
        yield from violations(report.read_text(encoding="utf-8"))


def pour(root: Path) -> dict[str, Any]:
    """Return the zones' copper as KiCad fills it now; see `pour.py`. Raises ToolMissingError."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "poured.json"
        _script("pour.py", root / "board" / "carrier.kicad_pcb", target)
        found: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
        return found


def panel(root: Path, folder: Path) -> Path:
    """Write the panel of carrier boards, with its design rules, into a folder; see `panel.py`.

    Return the board's path. Raises ToolMissingError.
    """
    board, target = root / "board", folder / "panel.kicad_pcb"
    shutil.copytree(board / "referee.pretty", folder / "referee.pretty", dirs_exist_ok=True)
    shutil.copy(board / "fp-lib-table", folder)
    shutil.copy(board / "carrier.kicad_pro", folder / "panel.kicad_pro")
    _script("panel.py", board / "carrier.kicad_pcb", target)
    return target


def violations(report: str) -> Iterator[str]:
    """Yield the complaints of one of KiCad's reports, each with its first place."""
    for block in re.split(r"^\[", report, flags=re.MULTILINE)[1:]:
        lines = [line.strip() for line in block.splitlines()]
        yield f"{lines[0].replace(']:', ':')} {lines[2] if len(lines) > 2 else ''}".strip()


def same_netlist(schematic: Path) -> Iterator[str]:
    """Check that KiCad reads the same connections from the drawing as `netlist`."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "net.xml"
        _run("sch", "export", "netlist", "--format", "kicadxml", "-o", str(target), str(schematic))
        theirs = set(groups(target.read_text(encoding="utf-8")))
    ours = netlist.read(schematic).groups()
    for group in sorted(map(sorted, ours ^ theirs)):
        whose = "we read" if frozenset(group) in ours else "KiCad reads"
        yield f"{whose} one net of {', '.join('.'.join(terminal) for terminal in group)}, and the other side does not."


def groups(xml: str) -> Iterator[frozenset[Terminal]]:
    """The connected groups of pins in KiCad's netlist."""
    for net in ElementTree.fromstring(xml).iter("net"):
        yield frozenset((str(node.get("ref")), str(node.get("pin"))) for node in net.iter("node"))


def drawings(root: Path) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each drawing, without its creation time."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        for name in NAMES:
            source = str(root / "schematic" / f"{name}.kicad_sch")
            _run("sch", "export", "svg", "-o", str(target), source)
            yield f"schematic/{name}.svg", slim((target / f"{name}.svg").read_text(encoding="utf-8")).encode()
        board = str(root / "board" / "carrier.kicad_pcb")
        yield "board/carrier-gerbers.zip", gerbers(Path(board))
        for name, (layers, more) in BOARD_VIEWS.items():
            size = ("--mode-single", "--page-size-mode", "2", "--exclude-drawing-sheet")
            _run("pcb", "export", "svg", *size, *more, "-l", layers, "-o", str(target / f"{name}.svg"), board)
            yield f"board/{name}.svg", slim((target / f"{name}.svg").read_text(encoding="utf-8")).encode()


def gerbers(board: Path) -> bytes:
    """The archive for a board house, without its creation time."""
    with tempfile.TemporaryDirectory() as folder:
        target = f"{folder}/"
        _run("pcb", "export", "gerbers", "--no-x2", "-l", _GERBER_LAYERS, "-o", target, str(board))
        _run("pcb", "export", "drill", "-o", target, str(board))
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(Path(folder).iterdir()):
                if path.suffix != ".gbrjob":
                    text = _DATED.sub("", path.read_text(encoding="utf-8"))
                    archive.writestr(zipfile.ZipInfo(path.name, (2000, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED)
        return packed.getvalue()


def solid(board: Path, kind: str) -> bytes:
    """The board with its parts as a 3D model; `kind`: "step" or "glb"."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / f"board.{kind}"
        _run("pcb", "export", kind, "-D", f"KICAD9_3DMODEL_DIR={MODELS}", "-o", str(target), str(board))
        return target.read_bytes()


def slim(svg: str) -> str:
    """Shrink one of KiCad's SVGs to under half its size.

    Coordinates get two decimals of a millimetre, common styles appear once, dates are removed.
    """
    svg = re.sub(r" date [0-9/]+ [0-9:]+ ", "", svg)
    svg = re.sub(r"\d+\.\d{3,}", lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), svg)
    svg = re.sub(r"stroke-linecap:round; stroke-linejoin:round;|(?:stroke|fill)-opacity:1;?", "", svg)
    svg = svg.replace("<desc>Image generated by Eeschema-SVG </desc>", "", 1)
    svg = svg.replace('version="1.1"', 'version="1.1" stroke-linecap="round" stroke-linejoin="round"', 1)
    svg = re.sub(r'(<g class="stroked-text"><desc>[^<]*</desc>)(.*?)</g>', _one_path, svg, flags=re.DOTALL)
    svg = re.sub(r'd="M ([\d.]+,[\d.]+(?:\s+[\d.]+,[\d.]+)+)\s*(Z?)\s*"', _polygon, svg)
    return re.sub(r"[ \t]*\n\s*", "\n", svg)


def _polygon(path: re.Match[str]) -> str:
    """Write a polygon's points as relative steps."""
    points = [point.replace(",", " ") for point in path[1].split()]
    return f'd="{_relative("M" + " L".join(points))}{path[2].lower()}"'


def _one_path(text: re.Match[str]) -> str:
    """Join a text's strokes, one path each, into one path of relative steps.

    A continuing stroke needs no new start.
    """
    strokes = " ".join(" ".join(re.findall(r' d="([^"]*)"', text[2])).split())
    strokes = re.sub(r"L(\S+ \S+) M\1 ", r"L\1 ", strokes)
    return f'{text[1]}<path d="{_relative(strokes)}" /></g>'


def _relative(path: str) -> str:
    """The same path with steps from point to point, in hundredths of a millimetre.

    >>> _relative("M36.09 11.59 L35.35 11.59 M35.72 11.7")
    'M36.09 11.59l-.74 0m.37 .11'
    """
    found, here = "", (0, 0)
    for letter, *point in re.findall(r"([ML])(\S+) (\S+)", path):
        there = (round(float(point[0]) * 100), round(float(point[1]) * 100))
        step = there if not found else (there[0] - here[0], there[1] - here[1])
        x, y = (re.sub(r"\b0(?=\.)", "", f"{one / 100:.2f}").rstrip("0").rstrip(".") or "0" for one in step)
        found += f"{letter.lower() if found else letter}{x}{'' if y.startswith('-') else ' '}{y}"
        here = there
    return found


def _script(name: str, source: Path, target: Path) -> None:
    """Run a script beside this module, with KiCad's Python module. Raises ToolMissingError."""
    call = [_SYSTEM_PYTHON, str(Path(__file__).with_name(name)), str(source), str(target)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=_LONG, check=False)
    if done.returncode != 0:
        raise ToolMissingError(f"KiCad's Python module does not run {name}: {done.stderr.strip()[-200:]}")


def _run(*arguments: str) -> str:
    done = subprocess.run(["kicad-cli", *arguments], capture_output=True, text=True, timeout=_LONG, check=False)
    if done.returncode not in (0, 5):  # 5: the check found something
        raise RuntimeError(f"kicad-cli {' '.join(arguments[:3])} failed: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout
