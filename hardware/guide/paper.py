"""The guide as one HTML page, and each page as a PDF (`python -m hardware.guide`).

A PDF's identifier is a fingerprint of its page and of all its pictures, so an outdated one is detected without
printing it again (`complaints`). Content that does not fit its card is an error, not cut off. Markdown and
WeasyPrint come with `.venv-hardware`; the checks of the files need neither.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterator
from functools import partial
from mimetypes import guess_type
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

HARDWARE = Path(__file__).resolve().parent.parent
GUIDE = "guide/guide.html"
RELEASED = "guide"
"""The page whose PDF is made for a release and is not in the repository: its pictures would be there twice."""
LARGEST_BYTES = 4_000_000
STYLE = """
body { font: 10.5pt/1.45 "Liberation Sans", Arial, Helvetica, sans-serif; color: #20242c; }
body { max-width: 46em; margin: 2em auto; padding: 0 1em; }
h1, h2, h3 { line-height: 1.2; break-after: avoid; } h2 { border-bottom: 2px solid; padding-bottom: .2em; }
img { max-width: 100%; max-height: 80mm; display: block; margin: .5em auto; }
img[src*="soldering"] { max-height: 112mm; } img[src*="breadboard"], img[src*="/pod-"] { max-height: 220mm; }
img[src*="soldering-2"], img[src*="soldering-3"] { max-height: 205mm; }
table { border-collapse: collapse; width: 100%; font-size: 9.5pt; }
td, th { border: 1px solid #b5bcc8; padding: .25em .5em; text-align: left; vertical-align: top; }
tr { break-inside: avoid; }
pre { background: #f2f4f7; padding: .6em; white-space: pre-wrap; font-size: 9pt; }
code { font-family: "Liberation Mono", monospace; font-size: .92em; }
section { break-inside: avoid; } a { color: inherit; } hr { display: none; }
@page { size: A4; margin: 16mm; }
@page { @bottom-center { content: counter(page); font: 9pt "Liberation Sans", Arial, sans-serif; } }
@media print { body { margin: 0; padding: 0; max-width: none; } h2 { break-before: page; } }
"""
_BASE = "https://card-table-referee.invalid/hardware/guide/"
"""The folder of the pages in links and names of pictures: a PDF must not depend on where it is made."""
_SHOWN = re.compile(r'<img[^>]* src="([^"]+)"')
_OF = re.compile(rb"/ID \[\(([0-9a-f]{16})\)")


class PaperError(ValueError):
    """A page that cannot be printed."""


def fingerprint(root: Path = HARDWARE) -> str:
    """The fingerprint of the guide's text.

    Its page carries it, so that an outdated page is detected.
    """
    return _short(_text(root).encode())


def _text(root: Path) -> str:
    """The guide, the page for everyone, the faults and the small builds; links as in the guide's own folder."""
    names = ("README.md", "everyone.md", "trouble.md", *sorted(f"builds/{path.name}" for path in root.glob("builds/*")))
    texts = {
        name: (root / name).read_text(encoding="utf-8").replace("](box.md", "](../builds/box.md") for name in names
    }
    return "\n".join(text.replace("](../", "](") if "/" in name else text for name, text in texts.items())


def source_of(page: Path) -> str:
    """The fingerprint of a page and of the pictures on it."""
    text = page.read_text(encoding="utf-8")
    pictures = [page.parent / name for name in _SHOWN.findall(text)]
    return _short(text.encode() + b"".join(picture.read_bytes() for picture in pictures))


def pages(root: Path = HARDWARE) -> list[Path]:
    """Every page to be printed."""
    return sorted((root / "guide").glob("*.html"))


def complaints(root: Path = HARDWARE) -> Iterator[str]:
    """Complain of pages and PDFs that are missing or outdated; needs only the files."""
    guide = root / GUIDE
    if f'<meta name="source" content="{fingerprint(root)}">' not in guide.read_text(encoding="utf-8"):
        yield f"hardware/{GUIDE} is not of today's text; run `make hardware`."
    for page in pages(root):
        name, printed = f"hardware/guide/{page.stem}.pdf", page.with_suffix(".pdf")
        missing = [
            shown for shown in _SHOWN.findall(page.read_text(encoding="utf-8")) if not (page.parent / shown).exists()
        ]
        if missing:
            yield f"hardware/guide/{page.name} shows {missing[0]}, which is not there."
        elif not printed.is_file():
            if page.stem == RELEASED:
                continue
            yield f"{name} is missing; run `make hardware`."
        elif (told := _OF.search(printed.read_bytes())) is None or told[1].decode() != source_of(page):
            yield f"{name} is not of today's {page.name}; run `make hardware`."


def _short(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


# -- writing -------------------------------------------------------------------------------------------------------


def write(root: Path = HARDWARE) -> list[Path]:
    """Write the guide's page, then every outdated PDF.

    Raises PaperError for content that does not fit.
    """
    written = [_guide(root)]
    for page in pages(root):
        printed = page.with_suffix(".pdf")
        told = _OF.search(printed.read_bytes()) if printed.is_file() else None
        if told is None or told[1].decode() != source_of(page):
            printed.write_bytes(_pdf(page))
            written.append(printed)
    return written


def _guide(root: Path) -> Path:
    from markdown import Markdown

    renderer = Markdown(extensions=["tables", "fenced_code", "toc"])
    body = _rebase_links(renderer.convert(_text(root)))
    parts = re.split(r"(?=<h3 )", body)
    sections = parts[0] + "".join(_section(part) for part in parts[1:])
    head = f'<meta charset="utf-8"><meta name="source" content="{fingerprint(root)}"><title>Building a referee</title>'
    page = f'<html lang="en"><head>{head}<style>{STYLE}</style></head>\n<body>\n{sections}\n</body></html>'
    (root / GUIDE).write_text(f"<!doctype html>\n{page}\n", encoding="utf-8")
    return root / GUIDE


def _section(part: str) -> str:
    """A step with its picture on one page; the heading of a new chapter stays outside."""
    step, mark, rest = part.partition("<h2 ")
    return f"<section>\n{step}</section>\n{mark}{rest}"


def _rebase_links(html: str) -> str:
    """Rewrite links of a page in hardware/ for hardware/guide/."""

    def rebase(match: re.Match[str]) -> str:
        kind, target = match.groups()
        if target.startswith(("#", "http")):
            return match.group(0)
        return f'{kind}="{target.removeprefix("guide/") if target.startswith("guide/") else f"../{target}"}"'

    return re.sub(r'(src|href)="([^"]+)"', rebase, html)


def _pdf(page: Path) -> bytes:
    from weasyprint import HTML

    text = page.read_text(encoding="utf-8")
    drawn = HTML(string=text, base_url=_BASE + page.name, url_fetcher=partial(_fetched, page.parent)).render()
    for number, sheet in enumerate(drawn.pages, start=1):
        for text_, over_mm in _overflowing(sheet._page_box):
            raise PaperError(f"guide/{page.name}, page {number}: '{text_}' stands {over_mm:.1f} mm out of its card.")
    content: bytes = drawn.write_pdf(pdf_identifier=source_of(page).encode())
    if len(content) > LARGEST_BYTES:
        raise PaperError(f"guide/{page.stem}.pdf has {len(content)} bytes; allowed are {LARGEST_BYTES}.")
    return content


def _fetched(folder: Path, url: str) -> dict[str, Any]:
    """The file that a page in that folder shows, as WeasyPrint wants it."""
    place = folder / posixpath.relpath(unquote(urlsplit(url).path), urlsplit(_BASE).path)
    return {"string": place.read_bytes(), "mime_type": guess_type(place)[0]}


def _overflowing(box: Any) -> Iterator[tuple[str, float]]:
    """Texts that end below their card (an article), with the millimetres."""
    for card in (one for one in box.descendants() if one.element_tag == "article"):
        floor = card.position_y + card.margin_height() - card.padding_bottom
        for line in (one for one in card.descendants() if hasattr(one, "text") and isinstance(one.text, str)):
            if (over := line.position_y + line.height - floor) > 0:
                yield line.text, over / 96 * 25.4
