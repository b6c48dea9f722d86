"""The page's HTML, made here in the reader's language; a small script keeps it up to date.

Scripts and styles are package data in `static/`.
"""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import Any

from aiohttp import web

from referee.language.say import phase_name
from referee.language.words import label, speaking
from referee.page.feed import Feed
from referee.page.request import answer, reader
from referee.page.scoreboard import board
from referee.page.site import SITE
from referee.page.table_document import dark_means, plate, words_of
from referee.protocol.snapshot import Snapshot
from referee.web.statics import StaticFiles

STATIC = StaticFiles(Path(__file__).parent / "static")
FILES = STATIC.names
static, packaged_file = STATIC.text, STATIC.serve
DIGITS = 9
"""Maximum number of buttons that a key of the keyboard can press."""


async def page(request: web.Request) -> web.Response:
    """Serve the table's page to readers who may press its buttons, the scoreboard to others."""
    if request.app[SITE].hands_for(request) is None:
        return await board(request)
    return await table_page(request)


async def table_page(request: web.Request) -> web.Response:
    """Serve the table's page: display, lamps and seats."""
    site, who, latest = request.app[SITE], reader(request), request.app[SITE].shown_snapshot(request)
    playable = site.hands_for(request) is not None
    with speaking(who.language):
        shown = latest.in_language(who.language) if latest is not None else None
        return answer(who, "table.html", **_values(site.table, playable, shown))


def _values(table: Feed, playable: bool, latest: Snapshot | None) -> dict[str, Any]:
    """Return the values for the template of the table's page.

    playable: the reader may press the buttons. latest: the newest snapshot, in the reader's language.
    """
    plates = latest.seats if latest else ()
    return {
        "playable": playable,
        "title": label("simulated") if playable else label("table"),
        "company": playable and bool(table.bots),
        "dark_means": dark_means(latest.view.dark if latest else ""),
        "keys": min(len(table.stations), DIGITS),
        "phase": phase_name(latest.view.phase) if latest else "",
        "seats": [
            {"contact": station, "bot": station in table.bots, "plate": plate(seat) if seat else ("", "", "")}
            for station, seat in zip_longest(table.stations, plates[: len(table.stations)])
        ],
        "words": words_of(latest) if latest else label("laid"),
    }
