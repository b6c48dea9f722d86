"""The guide for printing: README.md as one HTML page, a step never torn apart by a page's end."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent / "README.md"
PAGE = HERE / "guide.html"
STYLE = """
body { font: 10.5pt/1.45 sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em; color: #20242c; }
h1, h2, h3 { line-height: 1.2; } h2 { border-bottom: 2px solid; padding-bottom: .2em; }
img { max-width: 100%; max-height: 80mm; display: block; margin: .5em auto; }
img[src*="soldering"], img[src*="breadboard"] { max-height: 112mm; }
table { border-collapse: collapse; width: 100%; font-size: 9.5pt; }
td, th { border: 1px solid #b5bcc8; padding: .25em .5em; text-align: left; vertical-align: top; }
pre { background: #f2f4f7; padding: .6em; white-space: pre-wrap; } code { font-family: monospace; }
section { break-inside: avoid; } a { color: inherit; } hr { display: none; }
@page { size: A4; margin: 16mm; } @media print { body { margin: 0; max-width: none; } h2 { break-before: page; } }
"""


def fingerprint() -> str:
    """Of the guide's text; the page carries it, so that a test sees a page that was left behind."""
    return hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]


def write() -> Path:
    """Write the page."""
    from markdown import Markdown

    renderer = Markdown(extensions=["tables", "fenced_code", "toc"])
    body = _rebased(renderer.convert(SOURCE.read_text(encoding="utf-8")))
    parts = re.split(r"(?=<h3 )", body)
    sections = parts[0] + "".join(_section(part) for part in parts[1:])
    head = f'<meta charset="utf-8"><meta name="source" content="{fingerprint()}"><title>Building a referee</title>'
    page = f'<html lang="en"><head>{head}<style>{STYLE}</style></head>\n<body>\n{sections}\n</body></html>'
    PAGE.write_text(f"<!doctype html>\n{page}\n", encoding="utf-8")
    return PAGE


def _section(part: str) -> str:
    """A step with its picture on one page; what begins a new chapter stays outside."""
    step, mark, rest = part.partition("<h2 ")
    return f"<section>\n{step}</section>\n{mark}{rest}"


def _rebased(html: str) -> str:
    """Links of a page in hardware/ seen from hardware/guide/."""

    def moved(match: re.Match[str]) -> str:
        kind, target = match.groups()
        if target.startswith(("#", "http")):
            return match.group(0)
        return f'{kind}="{target.removeprefix("guide/") if target.startswith("guide/") else f"../{target}"}"'

    return re.sub(r'(src|href)="([^"]+)"', moved, html)
