"""A match that comes as a file, by the host's phone: `/api/import`, with the file itself as the body.

The desk says whose phone may, before the file is read; a program beside the journal reads it and keeps it (`past.py`).
A file that is no match is one sentence, and changes nothing.
"""

from __future__ import annotations

import asyncio

from aiohttp import web

from referee.language.words import speaking
from referee.web import wording
from referee.web.frame import reader
from referee.web.markup import Markup, el
from referee.web.past import PastError
from referee.web.site import SITE
from referee.web.writes import admit, error, says

IMPORT_BYTES = 4 * 1024 * 1024
"""A match of twelve players and sixty hands with every photo finish has half a megabyte."""
SLOW_S = 60.0
"""A file that has not come by then does not come."""


async def take_in(request: web.Request) -> web.StreamResponse:
    """Keep the match that is sent, unless it is here already."""
    found = admit(request)
    if isinstance(found, web.Response):
        return found
    phone, desk = found
    language = reader(request).language
    may = await desk.ask(phone.digest, {"do": "import", "language": language})
    if may.status != 200:
        return says(may.status, may.document)
    if request.content_type != "application/json":
        return error(request, 400, wording.IMPORT_BROKEN)
    try:
        document = await asyncio.wait_for(_body(request), SLOW_S)
        if document is None:
            return error(request, 413, wording.IMPORT_LONG)
        kept = await request.app[SITE].past.keep(document)
    except (TimeoutError, PastError):
        return error(request, 503, wording.IMPORT_NOT_NOW)
    with speaking(language):
        if "refused" in kept:
            return says(400, {"error": wording.IMPORT_BROKEN(), "why": kept["refused"]})
        word = wording.IMPORT_KEPT if kept["new"] else wording.IMPORT_HERE
        return says(200, {**kept, "told": word(number=kept["match"])})


async def _body(request: web.Request) -> bytes | None:
    """What was sent; None where it is too long."""
    found = bytearray()
    async for chunk in request.content.iter_chunked(64 * 1024):
        found += chunk
        if len(found) > IMPORT_BYTES:
            return None
    return bytes(found)


def form() -> Markup:
    """Where the host chooses files; what became of each stands below. To be called while a language is spoken."""
    field = el("input", type="file", id="import-files", accept=".json,application/json", multiple=True, required=True)
    return el(
        "section",
        el("h2", wording.IMPORT()),
        el(
            "form",
            el("label", wording.IMPORT_FILES(), field, class_="grow"),
            el("button", wording.IMPORT_DO()),
            id="import",
            class_="search",
        ),
        el("div", el("ul", id="imported"), role="status"),
        class_="panel",
    )
