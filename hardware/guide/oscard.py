"""The picture of the memory card: its first partition's files before it goes into the Pi."""

from __future__ import annotations

from html import escape

DRIVE = "bootfs"
FILES = (
    ("", "vendor-data", "from the zip file", True),
    ("", "config.txt, user-data, …", "the system's and Imager's: leave them", False),
    ("referee", "firstboot", "and all else in the folder", True),
    ("referee", "referee.toml", "your settings; the breadboard needs it", True),
)
"""Folder, file, its description, and whether the builder puts it there."""
_NEW, _OLD, _INK = "#f4be5c", "#e4e7ec", "#20242c"


def pictures() -> dict[str, str]:
    """File name -> SVG."""
    rows = [_box(0, 0, f"drive “{DRIVE}”", "appears when the written card is put in again", _OLD)]
    place, shown = 1, ""
    for folder, name, what, new in FILES:
        if folder and folder != shown:
            rows.append(_box(1, place, f"folder “{folder}”", "from the zip file", _NEW))
            place, shown = place + 1, folder
        rows.append(_box(2 if folder else 1, place, name, what, _NEW if new else _OLD))
        place += 1
    size = f'width="720" height="{place * 44 + 12}" viewBox="0 0 720 {place * 44 + 12}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" fill="{_INK}">'
    return {"memory-card.svg": "\n".join([head, '<rect width="100%" height="100%" fill="#fff"/>', *rows, "</svg>\n"])}


def _box(depth: int, row: int, name: str, what: str, colour: str) -> str:
    x, y = 10 + 48 * depth, 10 + 44 * row
    line = f'<path d="M{x - 24} {y - 8}v24h24" fill="none" stroke="{_INK}"/>' if depth else ""
    return (
        f'{line}<rect x="{x}" y="{y}" width="230" height="32" rx="4" fill="{colour}" stroke="{_INK}"/>'
        f'<text x="{x + 10}" y="{y + 21}" font-size="15">{escape(name)}</text>'
        f'<text x="{x + 242}" y="{y + 21}" font-size="13">{escape(what)}</text>'
    )
