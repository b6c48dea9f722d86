"""The page's HTML, rendered here; a small script keeps it live.

The template and the three files beside it are package data in `static/`, read once.
"""

from __future__ import annotations

import hashlib
from functools import cache
from html import escape
from importlib.resources import files
from string import Template

from aiohttp import web

from referee.web.face import phase_of, plate
from referee.web.feed import TableFeed
from referee.web.seats import SeatLine
from referee.web.site import SITE

TYPES = {
    "table.css": "text/css",
    "table.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
"""Every file that is served as it is."""


@cache
def static(name: str) -> str:
    """The text of a file in `web/static/`, read once."""
    return (files("referee.web") / "static" / name).read_text(encoding="utf-8")


@cache
def tag_of(name: str) -> str:
    """The ETag of a file in `web/static/`: 16 digits of its hash."""
    return hashlib.sha256(static(name).encode()).hexdigest()[:16]


async def page(request: web.Request) -> web.Response:
    """The page, as the table stands now."""
    site = request.app[SITE]
    text = html(site.table, playable=site.hands_for(request) is not None)
    return web.Response(text=text, content_type="text/html", headers={"Cache-Control": "no-store"})


async def packaged(request: web.Request) -> web.Response:
    """One of the page's files."""
    name = request.path.rpartition("/")[2]
    headers = {"ETag": f'"{tag_of(name)}"', "Cache-Control": "no-cache"}
    if any(tag.value == tag_of(name) for tag in request.if_none_match or ()):
        return web.Response(status=304, headers=headers)
    return web.Response(text=static(name), content_type=TYPES[name], headers=headers)


def html(table: TableFeed, *, playable: bool) -> str:
    """The whole page. playable: its buttons close contacts; otherwise they are lamps only."""
    latest = table.latest
    plates = latest.seats if latest else ()
    seats = [_seat(table, index, plates, playable) for index in range(len(table.stations))]
    return Template(static("page.html")).substitute(
        title="The simulated table" if playable else "The table",
        mode="play" if playable else "watch",
        count=len(table.stations),
        seats="\n".join(seats),
        words=escape(latest.words if latest else "The table is being laid."),
        phase=escape(phase_of(latest.view) if latest else ""),
    )


def _seat(table: TableFeed, index: int, plates: tuple[SeatLine, ...], playable: bool) -> str:
    name, total, partner = plate(plates[index]) if index < len(plates) else ("", "", "")
    station = table.stations[index]
    return Template(static("seat.html")).substitute(
        index=index,
        number=index + 1,
        contact=escape(station),
        name=escape(name),
        total=escape(total),
        pair=f"with {escape(partner)}" if partner else "",
        bot=' data-bot="yes"' if station in table.bots else "",
        disabled="" if playable else " disabled",
    )
