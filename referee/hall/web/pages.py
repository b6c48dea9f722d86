"""Public pages: live tables, pairings, standings, the wall, the stream overlay, events.

/                           live tables
/pairings, /standings       of the current event
/events                     all events; /events/EVENT/pairings/ROUND, /events/EVENT/standings
/season[?event=1&best=3]    standings over several events; /ratings
/wall                       for a large screen: pairings, live tables and standings in turn
/overlay[?table=TABLE]      transparent, for a video stream
/changes?show=WHAT          server-sent events with the changed parts of a page
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Any

from aiohttp import web
from markupsafe import Markup

from referee.core.names import LANGUAGES
from referee.hall.model import Event
from referee.hall.ratings import ratings
from referee.hall.seasons import season
from referee.hall.web.feed import MOST_LISTENERS, Key, Parts, id_of
from referee.hall.web.render import answer, part, reader_of
from referee.hall.web.site import HALL, Events, Known, Live
from referee.hall.web.values import pairings, ranking, seats_by_name, tiles
from referee.language.words import ENGLISH, speaking

PARTS = {
    "live": ("live",),
    "pairings": ("pairings", "seats"),
    "standings": ("standings",),
    "wall": ("seats", "live", "standings", "head"),
    "overlay": ("overlay",),
}
"""Page -> its live parts: macros of parts.html, which are also the IDs of their elements."""
SLOW_S = 20.0
"""Time in s after which a listener that does not read is disconnected."""
LONGEST_NAME = 64


# -- live parts ----------------------------------------------------------------------------------------------------


async def stamp(events: Events, live: Mapping[str, Live], what: str) -> Hashable:
    """Return a value that changes with the content of a live page."""
    known = await events.current()
    tables = () if what in ("pairings", "standings") else tuple(map(_state, live.items()))
    return known and (known.id, known.event), tables


def _state(item: tuple[str, Live]) -> Hashable:
    table, live = item
    return table, live.online, live.shown, live.verdict


async def parts(events: Events, live: Mapping[str, Live], key: Key) -> Parts:
    """Return the parts of a live page.

    key: the page, perhaps with "/" and a table, and the language.
    """
    (what, _, table), language = key[0].partition("/"), key[1]
    known = await events.current()
    with speaking(language):
        values = _values(known, live, table=table)
        return {name: part(name, values) for name in PARTS[what]}


def _values(
    known: Known | None, live: Mapping[str, Live], round_: int | None = None, sought: str = "", table: str = ""
) -> dict[str, Any]:
    """Return the templates' values for live parts; costly ones as functions.

    table: show only this one.
    """
    event = known.event if known else Event()
    shown = event.round if round_ is None else round_
    return {
        "known": known,
        "event": event,
        "round": shown,
        "sought": sought,
        "tiles": lambda: [tile for tile in tiles(live) if table in ("", tile.table)],
        "pairings": lambda: pairings(event, shown),
        "seats": lambda: seats_by_name(event, shown, sought),
        "ranking": lambda: ranking(event),
    }


async def changes(request: web.Request) -> web.StreamResponse:
    """Send the changed parts of a page as server-sent events until the reader disconnects."""
    what, language = request.query.get("show", ""), request.query.get("language", ENGLISH)
    feed = request.app[HALL].feed
    if what.partition("/")[0] not in PARTS or len(what) > LONGEST_NAME or language not in LANGUAGES:
        raise web.HTTPNotFound
    if feed.listeners >= MOST_LISTENERS:
        return web.Response(status=503, headers={"Retry-After": "10"}, text="Too many pages are open already.\n")
    had = request.headers.get("Last-Event-ID") or request.query.get("had", "")
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
    await response.prepare(request)
    with contextlib.suppress(ConnectionError, TimeoutError):
        async with contextlib.aclosing(feed.changes((what, language), had)) as messages:
            async for message in messages:
                async with asyncio.timeout(SLOW_S):
                    await response.write(message)
    return response


# -- pages ---------------------------------------------------------------------------------------------------------


async def live_page(request: web.Request) -> web.Response:
    """Serve a tile for each table."""
    return await _live(request, "live")


async def wall(request: web.Request) -> web.Response:
    """Serve the page for a large screen."""
    return await _live(request, "wall")


async def overlay(request: web.Request) -> web.Response:
    """Serve the transparent page for a video stream: one table, or the standings."""
    return await _live(request, "overlay")


async def _live(request: web.Request, what: str) -> web.Response:
    return await _answer(request, what, await request.app[HALL].events.current())


async def pairings_page(request: web.Request) -> web.Response:
    """Serve the seats and results of a round."""
    return await _of_event(request, "pairings")


async def standings_page(request: web.Request) -> web.Response:
    """Serve the standings."""
    return await _of_event(request, "standings")


async def _of_event(request: web.Request, what: str) -> web.Response:
    """Answer with a page of the current event, or of the event and round that the path names."""
    hall = request.app[HALL]
    number, round_ = request.match_info.get("event"), request.match_info.get("round")
    known = await (hall.events.current() if number is None else hall.events.get(int(number)))
    if number is not None and (known is None or int(round_ or 0) > known.event.round):
        raise web.HTTPNotFound
    return await _answer(request, what, known, round_=None if round_ is None else int(round_))


async def _answer(request: web.Request, what: str, known: Known | None, round_: int | None = None) -> web.Response:
    """Answer with a page.

    Only pages about the current event, without a search, update themselves.
    """
    sought, table = (request.query.get(name, "")[:LONGEST_NAME].strip() for name in ("find", "table"))
    values = _values(known, request.app[HALL].live, round_, sought, table)
    ended = known is not None and (known.event.closed or (round_ is not None and round_ < known.event.round))
    changing = not sought and "event" not in request.match_info
    language = reader_of(request).language
    if changing:
        made = await request.app[HALL].feed.parts((f"{what}/{table}", language))
    else:
        with speaking(language):
            made = {name: part(name, values) for name in PARTS[what]}
    return answer(
        request,
        f"{what}.html",
        keep=ended and not changing,
        parts={name: Markup(text) for name, text in made.items()},
        show=f"{what}/{table}" if changing else "",
        id=id_of(made),
        **values,
    )


async def season_page(request: web.Request) -> web.Response:
    """Serve the standings over several events: the chosen ones, else all."""
    known = [one for one in await request.app[HALL].events.all() if one.event.outcomes][::-1]
    asked = request.query.getall("event", [])
    chosen = [one for one in known if str(one.id) in asked] or known
    given = request.query.get("best", "")
    best = int(given) if re.fullmatch("[1-9][0-9]{0,2}", given) else max(len(chosen), 1)
    places = await asyncio.to_thread(season, [one.event for one in chosen], best)
    return answer(request, "season.html", known=known, chosen=chosen, best=best, places=places)


async def ratings_page(request: web.Request) -> web.Response:
    """Serve the ratings of all people with their uncertainty."""
    events = [one.event for one in await request.app[HALL].events.all()][::-1]
    return answer(request, "ratings.html", ratings=await asyncio.to_thread(ratings, events))


async def events_page(request: web.Request) -> web.Response:
    """Serve the list of all events."""
    return answer(request, "events.html", known=await request.app[HALL].events.all())


_EVENT = "/events/{event:[0-9]{1,9}}"
ROUTES: Mapping[str, Callable[[web.Request], Awaitable[web.StreamResponse]]] = {
    "/": live_page,
    "/pairings": pairings_page,
    "/standings": standings_page,
    "/wall": wall,
    "/overlay": overlay,
    "/changes": changes,
    "/events": events_page,
    "/season": season_page,
    "/ratings": ratings_page,
    f"{_EVENT}/standings": standings_page,
    f"{_EVENT}/pairings/{{round:[0-9]{{1,3}}}}": pairings_page,
}
