"""The committed prints: 3MF files that are the same byte for byte each time, checked against the manifest of the parts.

A 3MF is a zip file with one model in XML. It is made from the STL of a build, whose corners it shares: a slicer opens
both, and the 3MF has a tenth of the size. Needs only the standard library.
"""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hardware.enclosure import stl
from hardware.enclosure.stl import Corner, Skin

PRINTS = "prints"
"""Folder below `hardware/`; a preset's stations have a folder of their own."""
LARGEST_BYTES = 4_000_000
_NAMESPACE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
_RELATION = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"
_OPEN_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_FILES = {
    "[Content_Types].xml": f'<Types xmlns="{_OPEN_PACKAGE}/content-types"><Default Extension="rels" ContentType='
    '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="model" '
    'ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_OPEN_PACKAGE}/relationships"><Relationship Target="/3D/3dmodel.model" '
    f'Id="rel0" Type="{_RELATION}"/></Relationships>',
}
_MODEL = "3D/3dmodel.model"
_VERTEX = re.compile(r'<vertex x="([^"]+)" y="([^"]+)" z="([^"]+)"/>')
_TRIANGLE = re.compile(r'<triangle v1="(\d+)" v2="(\d+)" v3="(\d+)"/>')


def content(mesh: Path) -> bytes:
    """Return the 3MF of a binary STL."""
    corners: dict[Corner, int] = {}
    faces = [[corners.setdefault(corner, len(corners)) for corner in face] for face in stl.triangles(mesh)]
    vertices = "".join(f'<vertex x="{x:g}" y="{y:g}" z="{z:g}"/>' for x, y, z in corners)
    triangles = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in faces)
    model = (
        f'<?xml version="1.0" encoding="UTF-8"?><model unit="millimeter" xmlns="{_NAMESPACE}"><resources>'
        f'<object id="1" name="{mesh.stem}" type="model"><mesh><vertices>{vertices}</vertices>'
        f'<triangles>{triangles}</triangles></mesh></object></resources><build><item objectid="1"/></build></model>'
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, text in {**_FILES, _MODEL: model}.items():
            archive.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED, 9)
    return packed.getvalue()


def read(path: Path) -> Skin:
    """Read the mesh of a file that `content` made. Raises ValueError for another file."""
    try:
        with zipfile.ZipFile(path) as archive:
            model = archive.read(_MODEL).decode()
    except (KeyError, zipfile.BadZipFile) as exc:
        raise ValueError(f"{path.name} is no 3MF file") from exc
    corners = [(float(x), float(y), float(z)) for x, y, z in _VERTEX.findall(model)]
    return stl.skin((corners[int(a)], corners[int(b)], corners[int(c)]) for a, b, c in _TRIANGLE.findall(model))


def write(root: Path) -> list[Path]:
    """Write the committed prints from the build's meshes; remove others."""
    made = {}
    for source, target in (("parts", PRINTS), ("presets", f"{PRINTS}/presets")):
        for mesh in sorted((root / "enclosure" / source).rglob("*.stl")):
            relative = mesh.relative_to(root / "enclosure" / source).with_suffix(".3mf")
            made[root / target / relative] = content(mesh)
    for old in set((root / PRINTS).rglob("*.3mf")) - made.keys():
        old.unlink()
    for path, data in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return sorted(made)


def complaints(root: Path) -> Iterator[str]:
    """Compare each committed print with the manifest, which has the fingerprint of the parameters."""
    manifest = json.loads((root / "enclosure" / "parts.json").read_text(encoding="utf-8"))
    wanted = {f"{name}.3mf": told for name, told in manifest["parts"].items()}
    for preset, parts in manifest["presets"].items():
        wanted |= {f"presets/{preset}/{name}.3mf": told for name, told in parts.items()}
    paths = {path.relative_to(root / PRINTS).as_posix(): path for path in (root / PRINTS).rglob("*.3mf")}
    for name in sorted(wanted.keys() ^ paths.keys()):
        yield f"hardware/{PRINTS}/{name} is {'missing' if name in wanted else 'no part'}; run `make hardware`."
    for name in sorted(wanted.keys() & paths.keys()):
        yield from (
            f"hardware/{PRINTS}/{name} {text}; run `make hardware`." for text in _unlike(paths[name], wanted[name])
        )
    if (size := sum(path.stat().st_size for path in paths.values())) > LARGEST_BYTES:
        yield f"hardware/{PRINTS} has {size} bytes; allowed are {LARGEST_BYTES}."


def _unlike(path: Path, told: Mapping[str, Any]) -> Iterator[str]:
    """Compare a mesh's box to 0.1 mm, and its volume to 0.5 %: round faces are made of flat ones."""
    try:
        skin = read(path)
    except ValueError as exc:
        yield f"cannot be read: {exc}"
        return
    if skin.open_edges:
        yield f"has {skin.open_edges} open edges"
    if any(abs(one - other) > 0.1 for one, other in zip(skin.box_mm, told["box_mm"], strict=True)):
        yield f"measures {' x '.join(f'{side:.2f}' for side in skin.box_mm)} mm, and the part does not"
    if not math.isclose(skin.volume_mm3, told["volume_mm3"], rel_tol=0.005):
        yield f"has {skin.volume_mm3:.0f} mm3, and the part {told['volume_mm3']}"
