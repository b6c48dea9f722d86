"""Past matches on the page: evenings, matches, statistics, and their files.

/history[?page=N]             evenings, the newest first
/history/MATCH                one match; .json .csv .excel.csv .bgsplay: as a file
/history/MATCH/SHAPE.png      a finished match as a picture to send: square, wide
/history/last                 the newest match
/evening/NUMBER               one evening; .svg .png: as one picture; .html: as one page to share
/statistics                   statistics of all matches, for each game
/api/history[/MATCH], /api/statistics   the same as JSON
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import msgspec
from aiohttp import web

from referee.core.documents.figures import Figures
from referee.core.documents.past import EveningRecords, PastMatch, PastPage
from referee.core.documents.record import to_document
from referee.core.documents.summary import Summary
from referee.core.model.registry import preset_name
from referee.language.words import book, label, speaking
from referee.page import link_preview as card
from referee.page.evening_page import (
    evening_chart,
    evening_file,
    evening_title,
    evening_values,
    figures_values,
    in_words_of,
    match_values,
    result_text,
    won_text,
)
from referee.page.history_reader import PastError, PastFeed
from referee.page.pages import static
from referee.page.photo_finish import finish, recorded_photo
from referee.page.request import Reader, Text, answer, reader, refusal, send_json
from referee.page.scoreboard import shown_call, width_of_finish
from referee.page.site import SITE
from referee.web import charts, exports

OFFICE = "excel.csv"
"""Suffix of a match's file for office programs, in the reader's language."""
PLACE = "Home"
"""The place of all matches in files for BG Stats."""
_Found = TypeVar("_Found")
Ask = Callable[[PastFeed, web.Request], Awaitable[_Found | None]]
Show = Callable[[Reader, _Found, web.Request], web.StreamResponse]


class NotThereError(Exception):
    """The match or evening does not exist."""


def _page(ask: Ask[_Found], show: Show[_Found]) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """Return a handler that fetches data with `ask` and calls `show` with it in a thread.

    `show` makes the page in the reader's language.
    """

    async def handler(request: web.Request) -> web.StreamResponse:
        who = reader(request)
        try:
            found = await ask(request.app[SITE].past, request)
            if found is None:
                raise NotThereError
            return await asyncio.to_thread(_speech_page, show, who, found, request)
        except PastError:
            return _refusal_page(who, request, 503, partial(book, "not_told"))
        except NotThereError:
            return _refusal_page(who, request, 404, partial(book, "no_such_match"))

    return handler


def _speech_page(show: Show[_Found], who: Reader, found: _Found, request: web.Request) -> web.StreamResponse:
    with speaking(who.language):
        return show(who, found, request)


async def _ask_page(past: PastFeed, request: web.Request) -> PastPage:
    asked = request.query.get("page", "")
    return await past.page(int(asked) if re.fullmatch("[0-9]{1,6}", asked) else 1)


async def _ask_match(past: PastFeed, request: web.Request) -> PastMatch | None:
    return await past.match(request.match_info["match"])


async def _ask_evening(past: PastFeed, request: web.Request) -> EveningRecords | None:
    return await past.evening(request.match_info["match"])


def _refusal_page(who: Reader, request: web.Request, status: int, why: Text) -> web.Response:
    if not request.path.startswith("/api/"):
        return refusal(who, status, partial(book, "history"), why)
    with speaking(who.language):
        return send_json({"error": why()}, status)


# -- pages ---------------------------------------------------------------------------------------------------------


def _history(who: Reader, page: PastPage, request: web.Request) -> web.StreamResponse:
    evenings = [
        {
            "number": evening.number,
            "title": evening_title(evening),
            "matches": [_listed(number, match) for number, match in evening.matches],
        }
        for evening in page.evenings
    ]
    return answer(who, "history.html", page=page, evenings=evenings, host=request.app[SITE].is_host(request))


def _listed(number: str, match: Summary) -> dict[str, object]:
    """Return a match in three lines: winner, totals, number and game."""
    game = preset_name(match.preset) + (f" ({book('imported')})" if number.startswith("A") else "")
    with in_words_of(match.preset):
        about = " · ".join((book("match.number", number=number), game, book("hands", count=match.hands)))
    return {"number": number, "won": won_text(match), "result": result_text(match), "about": about}


def _match(who: Reader, match: PastMatch, request: web.Request) -> web.StreamResponse:
    number, record = match.number, match.record
    kept = [(f"/history/{number}.{kind}", name) for kind, name in (("json", "JSON"), ("csv", "CSV"), (OFFICE, "Excel"))]
    if record.begun_s is not None:
        kept.append((f"/history/{number}.bgsplay", book("bg_stats.file")))
        kept.append((exports.bgstats_link(record, PLACE), book("bg_stats")))
    if record.winners and record.hands:
        kept = [(f"/history/{number}/{shape}.png", book(f"card.{shape}")) for shape in card.SIZES] + kept
    calls = [
        (hand, at, at == len(of.calls) and of.verdict is not None)
        for hand, of in enumerate(record.hands, 1)
        for at in range(1, len(of.calls) + 1)
    ]
    shown = match_values(number, record)
    title = card.earned_title(record) if record.winners and record.hands else ""
    return answer(who, "match.html", match=shown, calls=calls, kept=kept, evening=match.evening, card=title)


def _card(who: Reader, match: PastMatch, request: web.Request) -> web.StreamResponse:
    shape = request.match_info["shape"]
    if not match.record.winners or not match.record.hands:
        raise NotThereError
    content = charts.png_alone(card.card(match.record, shape))
    return _file(content, "image/png", f"match-{match.number}-{shape}.png")


def _last(who: Reader, page: PastPage, request: web.Request) -> web.StreamResponse:
    if not page.evenings:
        raise NotThereError
    newest, _ = page.evenings[0].matches[-1]
    return web.Response(status=303, headers={"Location": f"/history/{newest}"})


def _call(who: Reader, match: PastMatch, request: web.Request) -> web.StreamResponse:
    number, record = match.number, match.record
    hand, at, kind = (request.match_info[name] for name in ("hand", "call", "file"))
    if not 1 <= int(hand) <= len(record.hands) or not 1 <= int(at) <= len(record.hands[int(hand) - 1].calls):
        raise NotThereError
    photo = recorded_photo(record, record.hands[int(hand) - 1].calls[int(at) - 1])
    with in_words_of(record.preset):
        chart = finish(photo, label("photo.title", number=hand), width_of_finish(kind))
    return shown_call(who, chart, f"/history/{number}/{hand}.{at}", kind)


def _statistics(who: Reader, figures: tuple[Figures, ...], request: web.Request) -> web.StreamResponse:
    return answer(who, "statistics.html", games=[figures_values(of) for of in figures])


def _evening(who: Reader, of: EveningRecords, request: web.Request) -> web.StreamResponse:
    number = of.evening.number
    kept = [(f"/evening/{number}.{kind}", book("as_picture", kind=kind.upper())) for kind in ("png", "svg")]
    kept.append((f"/evening/{number}.html", book("as_page")))
    return answer(who, "evening.html", evening=evening_values(of), kept=kept)


# -- files ---------------------------------------------------------------------------------------------------------


def _match_file(who: Reader, match: PastMatch, request: web.Request) -> web.StreamResponse:
    number, record = match.number, match.record
    ending = request.match_info["kind"]
    kind = {"bgsplay": "bgstats"}.get(ending, ending)
    if kind == "bgstats" and record.begun_s is None:
        raise NotThereError
    text = exports.as_excel(number, record) if kind == OFFICE else exports.WRITERS[kind](number, record, PLACE)
    mime = "text/csv" if kind.endswith("csv") else "application/json"
    return _file(text.encode(errors="replace"), mime, f"match-{number}.{ending}")


def _evening_file(who: Reader, of: EveningRecords, request: web.Request) -> web.StreamResponse:
    kind = request.match_info["kind"]
    made: dict[str, tuple[Callable[[], bytes], str]] = {
        "svg": (lambda: charts.svg(evening_chart(of)), "image/svg+xml"),
        "png": (lambda: charts.png(evening_chart(of)), "image/png"),
        "html": (lambda: evening_file(of, static("book.css")).encode(errors="replace"), "text/html"),
    }
    make, mime = made[kind]
    return _file(make(), mime, f"evening-{of.evening.number}.{kind}")


def _file(content: bytes, mime: str, name: str) -> web.Response:
    headers = {"Cache-Control": "no-store", "Content-Disposition": f'attachment; filename="{name}"'}
    charset = None if mime == "image/png" else "utf-8"
    return web.Response(body=content, content_type=mime, charset=charset, headers=headers)


# -- JSON ----------------------------------------------------------------------------------------------------------


def _api_history(who: Reader, matches: bytes, request: web.Request) -> web.StreamResponse:
    return send_json(matches)


def _api_match(who: Reader, match: PastMatch, request: web.Request) -> web.StreamResponse:
    return send_json(msgspec.json.encode(to_document(match.record)))


def _api_statistics(who: Reader, figures: tuple[Figures, ...], request: web.Request) -> web.StreamResponse:
    return send_json(msgspec.json.encode({"figures": figures}))


MATCH = "{match:A?[0-9]{1,9}}"
ROUTES = {
    "/history": _page(_ask_page, _history),
    f"/history/{MATCH}": _page(_ask_match, _match),
    f"/history/{MATCH}.{{kind:json|csv|excel\\.csv|bgsplay}}": _page(_ask_match, _match_file),
    f"/history/{MATCH}/{{hand:[0-9]{{1,3}}}}.{{call:[0-9]{{1,2}}}}{{file:(?:\\.svg|\\.png)?}}": _page(
        _ask_match, _call
    ),
    f"/history/{MATCH}/{{shape:square|wide}}.png": _page(_ask_match, _card),
    "/history/last": _page(_ask_page, _last),
    f"/evening/{MATCH}": _page(_ask_evening, _evening),
    f"/evening/{MATCH}.{{kind:svg|png|html}}": _page(_ask_evening, _evening_file),
    "/statistics": _page(lambda past, request: past.figures(), _statistics),
    "/api/history": _page(lambda past, request: past.matches(), _api_history),
    f"/api/history/{MATCH}": _page(_ask_match, _api_match),
    "/api/statistics": _page(lambda past, request: past.figures(), _api_statistics),
}
"""The routes of all pages and files about past matches."""
