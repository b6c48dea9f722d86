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
from functools import partial
from typing import Any

from aiohttp import web
from markupsafe import Markup

from referee.core.names import LANGUAGES
from referee.hall.model import Event
from referee.hall.seasons import ratings, season
from referee.hall.web.feed import GZIP, MOST_LISTENERS, Key, Page
from referee.hall.web.render import answer, part, reader_of, tag_of, unchanged
from referee.hall.web.site import HALL, Events, Known, Live
from referee.hall.web.values import pairings, ranking, seats_by_name, table_order, tile
from referee.language.words import ENGLISH, current_language, speaking

PARTS = {
    "live": ("live",),
    "pairings": ("pairings", "seats"),
    "standings": ("standings",),
    "wall": ("seats", "live", "standings", "head"),
    "overlay": ("overlay",),
}
"""Page -> its live parts: macros of parts.html, which are also the IDs of their elements."""
LIVE = {"live": "tile", "overlay": "plate"}
"""Part with live tables -> the macro of its tiles. Each tile is a part "PART/TABLE"."""
SLOW_S = 20.0
"""Time in s after which a listener that does not read is disconnected."""
LONGEST_NAME = 64
PACKED = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}


# -- live parts ----------------------------------------------------------------------------------------------------


class Parts:
    """Renders the parts of live pages. Tiles of live tables that have not changed are kept."""

    def __init__(self, events: Events, live: Mapping[str, Live]) -> None:
        self._events, self._live = events, live
        self._kept: Kept = {}

    async def stamp(self, what: str) -> Hashable:
        """Return a value that changes with the content of a live page."""
        known = await self._events.current()
        tables = () if what.startswith(("pairings", "standings")) else tuple(map(_state, self._live.items()))
        return known and (known.id, known.event), tables

    async def render(self, key: Key) -> dict[str, str]:
        """Return the parts of a live page.

        key: the page, perhaps with "/" and a table, and the language.
        """
        (what, _, table), language = key[0].partition("/"), key[1]
        known = await self._events.current()
        live = {name: one for name, one in self._live.items() if table in ("", name)}
        there = {"", *self._live}
        self._kept = {place: made for place, made in self._kept.items() if place[1] in there}
        with speaking(language):
            return _rendered(what, _values(known), live, self._kept)


Kept = dict[tuple[str, str, str], tuple[Hashable, dict[str, str]]]
"""Part, table, language -> what these parts show, and the parts."""


def _state(item: tuple[str, Live]) -> Hashable:
    table, live = item
    return table, live.online, live.shown, live.verdict


def _rendered(what: str, values: dict[str, Any], live: Mapping[str, Live], kept: Kept) -> dict[str, str]:
    """Return the parts of a page, each before its tiles, in the current language."""
    made: dict[str, str] = {}
    for name in PARTS[what]:
        if name in LIVE:
            tiles: dict[str, str] = {}
            for table in sorted(live, key=table_order):
                tiles |= _once(
                    kept, name, table, _state((table, live[table])), partial(_tile, name, table, live[table])
                )
            made |= {name: part(name, values, [tile.partition("/")[2] for tile in tiles])} | tiles
        else:
            made |= _once(kept, name, "", values["known"], partial(_of_event, name, values))
    return made


def _once(kept: Kept, name: str, table: str, state: Hashable, make: Callable[[], dict[str, str]]) -> dict[str, str]:
    """Return parts, which are made only if they show another state than before."""
    key = (name, table, current_language())
    if key not in kept or kept[key][0] != state:
        kept[key] = state, make()
    return kept[key][1]


def _tile(name: str, table: str, live: Live) -> dict[str, str]:
    text = part(LIVE[name], tile(table, live)).strip()
    return {f"{name}/{table}": text} if text else {}


def _of_event(name: str, values: dict[str, Any]) -> dict[str, str]:
    drawn = pairings(values["event"], values["round"]) if name == "pairings" else []
    tiles = {f"{name}/{one.table}": part("pairing", one) for one in drawn}
    return {name: part(name, values, [one.table for one in drawn])} | tiles


def _values(known: Known | None, round_: int | None = None, sought: str = "") -> dict[str, Any]:
    """Return the templates' values for live parts; costly ones as functions."""
    event = known.event if known else Event()
    shown = event.round if round_ is None else round_
    return {
        "known": known,
        "event": event,
        "round": shown,
        "sought": sought,
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
    packed = "gzip" in request.headers.get("Accept-Encoding", "")
    headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"} | (PACKED if packed else {})
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    with contextlib.suppress(ConnectionError, TimeoutError):
        if packed:
            await response.write(GZIP)
        async with contextlib.aclosing(feed.changes((what, language), had)) as messages:
            async for message in messages:
                async with asyncio.timeout(SLOW_S):
                    await response.write(message.packed if packed else message.plain)
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
    return await _event_page(request, "pairings")


async def standings_page(request: web.Request) -> web.Response:
    """Serve the standings."""
    return await _event_page(request, "standings")


async def _event_page(request: web.Request, what: str) -> web.Response:
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
    hall, language = request.app[HALL], reader_of(request).language
    changing = not sought and "event" not in request.match_info
    page = await hall.feed.page((f"{what}/{table}", language)) if changing else None
    ended = known is not None and (known.event.closed or (round_ is not None and round_ < known.event.round))
    keep, tag = ended and not changing, tag_of(request, known and known.tag, page and page.id)
    if same := unchanged(request, tag, keep=keep):
        return same
    values = _values(known, round_, sought)
    if page is None:
        with speaking(language):
            page = Page(_rendered(what, values, {}, {}))
    return answer(
        request,
        f"{what}.html",
        keep=keep,
        tag=tag,
        parts={name: Markup(text) for name, text in page.filled.items()},
        show=f"{what}/{table}" if changing else "",
        id=page.id,
        **values,
    )


async def season_page(request: web.Request) -> web.Response:
    """Serve the standings over several events: the chosen ones, else all."""
    known = [one for one in await request.app[HALL].events.all() if one.event.outcomes][::-1]
    asked = request.query.getall("event", [])
    chosen = [one for one in known if str(one.id) in asked] or known
    given = request.query.get("best", "")
    best = int(given) if re.fullmatch("[1-9][0-9]{0,2}", given) else max(len(chosen), 1)
    tag = tag_of(request, [one.tag for one in known])
    if same := unchanged(request, tag):
        return same
    places = await asyncio.to_thread(season, [one.event for one in chosen], best)
    return answer(request, "season.html", tag=tag, known=known, chosen=chosen, best=best, places=places)


async def ratings_page(request: web.Request) -> web.Response:
    """Serve the ratings of all people with their uncertainty."""
    known = (await request.app[HALL].events.all())[::-1]
    tag = tag_of(request, [one.tag for one in known])
    if same := unchanged(request, tag):
        return same
    found = await asyncio.to_thread(ratings, [one.event for one in known])
    return answer(request, "ratings.html", tag=tag, ratings=found)


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
