"""Printouts as PDF: pairings and table slips of a round, standings, full results."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import cast

from aiohttp import web
from anyascii import anyascii
from fpdf import FPDF
from fpdf.bidi import BidiParagraph
from fpdf.enums import TableBordersLayout, TextDirection
from fpdf.fonts import FontFace, TTFFont

from referee.core.letters import is_picture, letters
from referee.core.names import isolate
from referee.hall.model import Event
from referee.hall.web.render import answer_bytes, reader_of, tag_of, unchanged
from referee.hall.web.site import HALL
from referee.hall.web.values import Pairing, hall_text, pairings, ranking, seats_by_name, table_title
from referee.language.words import speaking
from referee.web.drawing import PICTURE, font_paths

logging.getLogger("fontTools").setLevel(logging.WARNING)  # it logs a line for each embedded font
FAMILY = "letters"
MARGIN_MM = 15
_JOINED = re.compile("[\u0600-\u08ff]")
"""Letters whose form depends on their neighbours, such as Arabic.

They would be printed unjoined.
"""
_RULES = TableBordersLayout.HORIZONTAL_LINES
_HEAD = FontFace(emphasis="BOLD", fill_color=(236, 229, 216))


class Sheet(FPDF):
    """A printout of A4 pages, with a title and page numbers.

    The font is DejaVu if it is installed, else Helvetica. Letters that the font lacks are transcribed in Latin letters.
    """

    def __init__(self, title: str) -> None:
        super().__init__(format="A4")
        self._glyphs: frozenset[int] | None = None
        for style, path in zip(("", "B"), font_paths(), strict=False):
            self.add_font(FAMILY, style, path)
            self._glyphs = frozenset(cast(TTFFont, self.fonts[f"{FAMILY}{style}"]).cmap)
        self.family = "Helvetica" if self._glyphs is None else FAMILY
        self.set_title(title)
        self.set_creator("referee")
        self.set_creation_date(datetime(2000, 1, 1, tzinfo=UTC))  # so that the same content gives the same file
        self.set_margin(MARGIN_MM)
        self.set_auto_page_break(True, MARGIN_MM + 5)
        self.alias_nb_pages()
        self._heading = title
        self.add_page()

    def header(self) -> None:
        """Write the title of the page."""
        self.set_font(self.family, "B", 18)
        self.multi_cell(0, 9, self.written(self._heading), new_x="LMARGIN", new_y="NEXT")
        self.ln(3)

    def footer(self) -> None:
        """Write the number of the page."""
        self.set_y(-MARGIN_MM)
        self.set_font(self.family, "", 9)
        self.cell(0, 6, f"{self.page_no()} / {{nb}}", align="R")

    def written(self, text: str) -> str:
        """Return a text with only letters of the font, in visual order for right-to-left text."""
        shown = "".join(map(self._letter, letters(text)))
        return shown if shown == isolate(shown) else BidiParagraph(shown, TextDirection.LTR).get_reordered_string()

    def _letter(self, letter: str) -> str:
        if self._has(letter):
            return letter
        if is_picture(letter):
            return PICTURE if self._has(PICTURE) else "*"
        return anyascii(letter) or "?"

    def _has(self, letter: str) -> bool:
        if self._glyphs is None:
            return letter.isascii()
        return all(ord(sign) in self._glyphs and not _JOINED.match(sign) for sign in letter)

    def lines(
        self, head: Sequence[str], rows: Iterable[Sequence[str]], widths: tuple[int, ...], size: int = 12
    ) -> None:
        """Write a table, with its head on each page. widths: relative widths of the columns."""
        self.set_font(self.family, "", size)
        align = tuple("LEFT" if width > 3 else "RIGHT" for width in widths)
        with self.table(col_widths=widths, text_align=align, borders_layout=_RULES, headings_style=_HEAD) as table:
            for row in (head, *rows):
                cells = table.row()
                for text in row:
                    cells.cell(self.written(text))
        self.ln(4)


def pairings_sheet(event: Event, round_: int) -> bytes:
    """Return the seats of a round as PDF, by name and then by table."""
    sheet = Sheet(f"{event.name} · {hall_text('round', number=round_)}")
    seats = ((seat.name, seat.table or hall_text("bye")) for seat in seats_by_name(event, round_))
    sheet.lines((hall_text("name"), hall_text("table_head")), seats, (7, 4), size=14)
    sheet.add_page()
    rows = ((one.table, ", ".join(line.name for line in one.lines)) for one in pairings(event, round_))
    sheet.lines((hall_text("table_head"), hall_text("seats")), rows, (4, 12), size=12)
    return bytes(sheet.output())


def slips_sheet(event: Event, round_: int) -> bytes:
    """Return a PDF with a slip for each table of a round, on which players write their points."""
    sheet = Sheet(f"{event.name} · {hall_text('round', number=round_)}")
    for one in pairings(event, round_):
        _slip(sheet, event, round_, one)
    return bytes(sheet.output())


def _slip(sheet: Sheet, event: Event, round_: int, one: Pairing) -> None:
    if sheet.will_page_break(12 + 10 * len(one.lines) + 20):
        sheet.add_page()
    sheet.set_font(sheet.family, "B", 16)
    title = f"{table_title(one.table)} · {hall_text('round', number=round_)}"
    sheet.cell(0, 10, sheet.written(title), new_x="LMARGIN", new_y="NEXT")
    rows = ((line.name, "", "") for line in one.lines)
    sheet.lines((hall_text("name"), hall_text("points"), hall_text("signature")), rows, (12, 6, 10), size=14)


def standings_sheet(event: Event) -> bytes:
    """Return the standings as PDF."""
    sheet, table = Sheet(f"{event.name} · {hall_text('standings')}"), ranking(event)
    head = (hall_text("place"), hall_text("name"), *table.criteria, hall_text("played"))
    rows = ((line.place, line.name, *line.values, str(line.played)) for line in table.lines)
    sheet.lines(head, rows, (2, 8, *(3 for _ in table.criteria), 3), size=10)
    return bytes(sheet.output())


def results_sheet(event: Event) -> bytes:
    """Return all results as PDF, round by round."""
    sheet = Sheet(f"{event.name} · {hall_text('results')}")
    for round_ in range(1, event.round + 1):
        sheet.set_font(sheet.family, "B", 14)
        sheet.cell(0, 9, sheet.written(hall_text("round", number=round_)), new_x="LMARGIN", new_y="NEXT")
        rows = ((one.table, _result(one)) for one in pairings(event, round_))
        sheet.lines((hall_text("table_head"), hall_text("results")), rows, (4, 16), size=11)
    return bytes(sheet.output())


def _result(one: Pairing) -> str:
    result = ", ".join(f"{line.place}. {line.name} {line.points}" if line.place else line.name for line in one.lines)
    return f"{result} ({one.reason})" if one.reason else result


_Make = Callable[[Event, int], bytes]


def _printed(make: _Make) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """Return the handler of a printout."""

    async def handler(request: web.Request) -> web.StreamResponse:
        known = await request.app[HALL].events.get(int(request.match_info["event"]))
        round_ = int(request.match_info.get("round", 0))
        if known is None or round_ > known.event.round:
            raise web.HTTPNotFound
        tag, ended = tag_of(request, known.tag), known.event.closed or 0 < round_ < known.event.round
        if same := unchanged(request, tag, keep=ended):
            return same
        body = await asyncio.to_thread(_made, make, known.event, round_, reader_of(request).language)
        return answer_bytes(request, body, "application/pdf", keep=ended, tag=tag)

    return handler


def _made(make: _Make, event: Event, round_: int, language: str) -> bytes:
    with _ONE_AT_A_TIME, speaking(language):
        return make(event, round_)


_ONE_AT_A_TIME = threading.Lock()
"""Only one sheet is made at a time, because each takes much memory."""
_EVENT, _ROUND = "/events/{event:[0-9]{1,9}}", "{round:[1-9][0-9]{0,2}}"
ROUTES = {
    f"{_EVENT}/pairings-{_ROUND}.pdf": _printed(pairings_sheet),
    f"{_EVENT}/slips-{_ROUND}.pdf": _printed(slips_sheet),
    f"{_EVENT}/standings.pdf": _printed(lambda event, _: standings_sheet(event)),
    f"{_EVENT}/results.pdf": _printed(lambda event, _: results_sheet(event)),
}
