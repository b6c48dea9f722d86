"""The players' manual on paper: a page of cards for each language, and the lid's sheet.

The sentences are manual.toml's; every time and every word of the display in them comes from the program. A changed
rule or translation therefore changes the paper, or `python -m hardware.make --check` reports that it is out of
date.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from html import escape
from pathlib import Path

from hardware.make.catalogue import HARDWARE
from referee.config import Config
from referee.core.match.advance import KNOB_HOLD_NS, LONG_HOLD_NS
from referee.core.units import S
from referee.language.words import LANGUAGES, catalogue

SOURCE = "guide/manual.toml"
COMMA = ("de", "it")
"""Languages with a decimal comma."""
WORDS = {
    "time_out": ("title", "title.time_out"),
    "ready": ("beat", "beat.ready"),
    "set": ("beat", "beat.set"),
    "go": ("beat", "beat.go"),
    "left": ("field", "field.left"),
    "lake": ("field", "field.lake"),
    "stuck": ("item", "item.stuck"),
    "undo": ("item", "item.undo"),
}
"""The display's words by their names in the sentences: the message's place and key. Of a line of the knob's list, the
part before its value.
"""
SIGNS = ("dark", "blinking", "steady", "both", "knob")
_NAME = re.compile(r"\{(\w*)\}")
_WRITTEN_OUT = re.compile(r"\d|\b[A-ZÄÖÜÀÈÉÌÒÙ]{2,}\b")
TABLE_MM = (148.0, 210.0)
"""Size of the card for the table: half of an A4 page."""


class ManualError(ValueError):
    """A sentence of manual.toml that cannot be printed."""


@dataclass(frozen=True)
class Rule:
    """A line of the grammar: its sign, its head in bold, and the rest."""

    sign: str
    head: str
    text: str


@dataclass(frozen=True)
class Manual:
    """The manual of one language, its facts filled in."""

    language: str
    title: str
    cut: str
    rules: tuple[Rule, ...]
    rows: tuple[tuple[str, str], ...]


def facts(language: str) -> dict[str, str]:
    """The facts of the sentences from the program, in that language."""
    times = {"hold": Config().table.hold_ms / 1000, "push": KNOB_HOLD_NS / S, "leave": LONG_HOLD_NS / S}
    said = {name: f"{value:g}".replace(".", "," if language in COMMA else ".") for name, value in times.items()}
    texts = catalogue(language)
    for name, key in WORDS.items():
        (text,) = texts.forms(key)
        said[name] = text.partition(":")[0]
    return said


def load(root: Path = HARDWARE) -> list[Manual]:
    """Load every language's manual. Raises ManualError for an unknown fact, or one written out."""
    document = tomllib.loads((root / SOURCE).read_text(encoding="utf-8"))
    if tuple(document) != LANGUAGES:
        raise ManualError(f"{SOURCE} has {', '.join(document)}; the display speaks {', '.join(LANGUAGES)}.")
    return [_manual(language, table) for language, table in document.items()]


def _manual(language: str, table: dict[str, object]) -> Manual:
    known = facts(language)

    def fill(text: str) -> str:
        if found := _WRITTEN_OUT.search(_NAME.sub("", text)):
            raise ManualError(f"{SOURCE}, {language}: '{text}' writes out '{found[0]}'; facts come from the program.")
        for name in _NAME.findall(text):
            if name not in known:
                raise ManualError(f"{SOURCE}, {language}: '{{{name}}}' is no fact; they are {', '.join(known)}.")
        return _NAME.sub(lambda match: known[match[1]], text)

    rules = tuple(Rule(one["sign"], fill(one["head"]), fill(one["text"])) for one in table["rules"])  # type: ignore[attr-defined]
    for rule in rules:
        if rule.sign not in SIGNS:
            raise ManualError(f"{SOURCE}, {language}: '{rule.sign}' is no sign; they are {', '.join(SIGNS)}.")
    rows = tuple((fill(what), fill(text)) for what, text in table["rows"])  # type: ignore[attr-defined]
    return Manual(language, fill(str(table["title"])), fill(str(table["cut"])), rules, rows)


def files(root: Path = HARDWARE) -> dict[str, str]:
    """Path below `root` -> text: a page of cards for each language, and the lid's sheet."""
    manuals = load(root)
    small = station_card_mm(root)
    pages = {f"guide/card-{one.language}.html": _cards(one, small) for one in manuals}
    return pages | {"guide/lid.html": _lid(manuals)}


def station_card_mm(root: Path = HARDWARE) -> tuple[float, float]:
    """The size of the card under a station, by the enclosure's parameters."""
    parameters = tomllib.loads((root / "enclosure" / "parameters.toml").read_text(encoding="utf-8"))
    wide, high = parameters["card"]["size_mm"]
    return float(wide), float(high)


# -- the pages -----------------------------------------------------------------------------------------------------

_FONT = '"Liberation Sans", Arial, Helvetica, sans-serif'
_COMMON = f"""
* {{ box-sizing: border-box; }}
body {{ font-family: {_FONT}; margin: 0; color: #000; line-height: 1.22; }}
ul {{ list-style: none; margin: 0; padding: 0; }}
table {{ border-collapse: collapse; width: 100%; }}
td {{ vertical-align: top; }}
svg {{ display: block; }}
"""
_CARD_STYLE = """
@page { size: A4 landscape; margin: 0; }
.page { position: relative; width: 297mm; height: 209.5mm; overflow: hidden; }
article { position: absolute; overflow: hidden; border: 0.2mm dashed #999; }
h1 { margin: 0; font-size: 1.5em; }
h1 { border-bottom: 0.1em solid; padding-bottom: 0.15em; }
li { display: flex; align-items: center; padding: 0.28em 0; }
li svg { flex: none; width: 3.4em; height: 2.6em; margin-right: 0.5em; }
td { padding: 0.2em 0.6em 0.2em 0; border-top: 0.05em solid #bbb; }
td:first-child { width: 6.6em; font-weight: bold; }
td:last-child { padding-right: 0; }
.cut { position: absolute; font-size: 6.5pt; color: #666; }
"""
_LID_STYLE = """
@page { size: A4; margin: 10mm; }
body { font-size: 9.5pt; margin: 0 auto; max-width: 190mm; }
article { height: 90mm; padding: 2.5mm 4mm; border: 0.3mm dashed #888; break-inside: avoid; overflow: hidden; }
article + article { border-top: 0; }
h1 { font-size: 12pt; margin: 0 0 0.5mm; }
li { display: flex; align-items: center; font-size: 10pt; }
li svg { flex: none; width: 8mm; height: 6mm; margin-right: 2mm; }
td { padding: .2mm 1.5mm .2mm 0; }
td:first-child { white-space: nowrap; font-weight: bold; }
"""


def _cards(manual: Manual, small: tuple[float, float]) -> str:
    """An A4 page: the table's card at the left, four stations' at the right."""
    wide, high = small
    left, gap = TABLE_MM[0] + (297 - TABLE_MM[0] - 2 * wide) / 3, (297 - TABLE_MM[0] - 2 * wide) / 3
    top = (TABLE_MM[1] - 2 * high) / 3
    content = _content(manual)
    cards = [_card("table", content, (0, 0), TABLE_MM, 11.6, 9)]
    for row in range(2):
        for column in range(2):
            at = (left + column * (wide + gap), top + row * (high + top))
            cards.append(_card("station", content, at, small, 6.3, 2.0))
    note = f'<p class="cut" style="left:{left:g}mm;top:{0.2:g}mm;margin:0">{escape(manual.cut)}</p>'
    body = f'<div class="page">\n{note}\n{"".join(cards)}</div>'
    return _page(manual.title, manual.language, _CARD_STYLE, body)


def _card(
    kind: str, content: str, at: tuple[float, float], size: tuple[float, float], points: float, padding: float
) -> str:
    place = f"left:{at[0]:g}mm;top:{at[1]:g}mm;width:{size[0]:g}mm;height:{size[1]:g}mm"
    return f'<article class="{kind}" style="{place};font-size:{points}pt;padding:{padding:g}mm">\n{content}</article>\n'


def _lid(manuals: list[Manual]) -> str:
    """An A4 page with every language, for the inside of the console's lid."""
    articles = [f'<article lang="{one.language}">\n{_content(one)}</article>' for one in manuals]
    return _page("The manual for the lid", manuals[0].language, _LID_STYLE, "\n".join(articles))


def _content(manual: Manual) -> str:
    lines = [f"<h1>{escape(manual.title)}</h1>", "<ul>"]
    for rule in manual.rules:
        lines.append(
            f"<li>{sign(rule.sign)}<span><b>{escape(rule.head)}</b> {escape(rule.text)}</span></li>",
        )
    lines += ["</ul>", "<table>"]
    lines += [f"<tr><td>{escape(what)}</td><td>{escape(text)}</td></tr>" for what, text in manual.rows]
    return "\n".join([*lines, "</table>", ""])


def _page(title: str, language: str, style: str, body: str) -> str:
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_COMMON}{style}</style>'
    return f'<!doctype html>\n<html lang="{language}"><head>{head}</head><body>\n{body}\n</body></html>\n'


# -- the signs -----------------------------------------------------------------------------------------------------

_LINE = 'stroke="#000" stroke-width="2" stroke-linecap="round" fill="none"'


def sign(name: str) -> str:
    """A small drawing, 40 x 30: a button with its lamp, two buttons held, the knob."""
    inside = {
        "dark": _button(20, lamp="#fff") + _arrow(20),
        "blinking": _button(20, lamp="#fff") + _rays(20),
        "steady": _button(20, lamp="#000"),
        "both": _button(10, 8, lamp="#fff") + _button(30, 8, lamp="#fff") + _arrow(10) + _arrow(30),
        "knob": f'<circle cx="20" cy="17" r="8" {_LINE}/><path d="M20 13v-4" {_LINE}/>'
        f'<path d="M8 20a12 12 0 0 1 4-13M32 20a12 12 0 0 0-4-13" {_LINE}/>'
        f'<path d="M8.5 10.5L12 7l.5 5M31.5 10.5L28 7l-.5 5" {_LINE}/>',
    }[name]
    return f'<svg viewBox="0 0 40 30" aria-hidden="true">{inside}</svg>'


def _button(x: float, half: float = 12, *, lamp: str) -> str:
    """A button from the side on the table, with its lamp."""
    low, top = 27, 15
    dome = f"M{x - half} {low}h{2 * half}M{x - half + 2} {low}v-4q0-{low - 4 - top} {half - 2}-{low - 4 - top}"
    dome += f"q{half - 2} 0 {half - 2} {low - 4 - top}v4"
    return (
        f'<path d="{dome}" {_LINE}/><circle cx="{x}" cy="21.5" r="3" stroke="#000" stroke-width="1.5" fill="{lamp}"/>'
    )


def _arrow(x: float) -> str:
    return f'<path d="M{x} 2v9M{x - 3.5} 7.5L{x} 11l3.5-3.5" {_LINE}/>'


def _rays(x: float) -> str:
    return f'<path d="M{x} 11v-7M{x - 8} 13l-4-6M{x + 8} 13l4-6" {_LINE}/>'
