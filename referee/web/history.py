"""The past on the page: evenings, matches, statistics, and each of them as a file to take along.

/history[?page=N]             evenings, the newest first
/history/MATCH                one match; .json .csv .excel.csv .bgsplay: as a file
/evening/NUMBER               one evening; .svg .png: as one picture; .html: as one page to share
/statistics                   what everything comes to, a game each
/api/history[/MATCH], /api/statistics   the same as JSON
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import msgspec
from aiohttp import web

from referee.core.documents.figures import Figures, PastEvening
from referee.core.documents.past import EveningRecords, PastMatch, PastPage
from referee.core.documents.record import HandRecord, Record, to_document
from referee.core.documents.summary import ListedMatch, Summary
from referee.core.model.registry import preset_name
from referee.language.words import Word, speaking
from referee.web import api, charts, exports, labels, wording
from referee.web.board import shown_call, width_of_finish
from referee.web.evening import (
    evening_body,
    evening_chart,
    evening_file,
    evening_title,
    figures_body,
    match_body,
    result_text,
    won_text,
)
from referee.web.finish import finish, recorded_photo
from referee.web.frame import Reader, answer, reader, refusal
from referee.web.imports import form
from referee.web.markup import Content, Markup, el, join_markup
from referee.web.page import static
from referee.web.pairing import HOST
from referee.web.past import PastError, PastFeed
from referee.web.site import SITE

OFFICE = "excel.csv"
"""The ending of a match as office programs open it, in the reader's language."""
PLACE = "Home"
"""Where matches were played, for BG Stats."""
_Found = TypeVar("_Found")
Ask = Callable[[PastFeed, web.Request], Awaitable[_Found | None]]
Show = Callable[[Reader, _Found, web.Request], web.StreamResponse]


class NotThereError(Exception):
    """There is no such match or evening."""


def _page(ask: Ask[_Found], show: Show[_Found]) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """A handler of what `show` makes of an answer, in the reader's language and in a thread of its own."""

    async def handler(request: web.Request) -> web.StreamResponse:
        who = reader(request)
        try:
            found = await ask(request.app[SITE].past, request)
            if found is None:
                raise NotThereError
            return await asyncio.to_thread(_speech_page, show, who, found, request)
        except PastError:
            return _refusal_page(who, request, 503, wording.NOT_TOLD)
        except NotThereError:
            return _refusal_page(who, request, 404, wording.NO_SUCH_MATCH)

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


async def _ask_figures(past: PastFeed, _: web.Request) -> tuple[Figures, ...]:
    return await past.figures()


async def _ask_matches(past: PastFeed, _: web.Request) -> bytes:
    return await past.matches()


def _refusal_page(who: Reader, request: web.Request, status: int, word: Word) -> web.Response:
    if not request.path.startswith("/api/"):
        return refusal(who, status, wording.HISTORY, word)
    with speaking(who.language):
        return api.refusal(status, word())


# -- pages ---------------------------------------------------------------------------------------------------------


def _history(who: Reader, page: PastPage, request: web.Request) -> web.StreamResponse:
    found = [_evening_section(evening) for evening in page.evenings]
    body = [*found, _troubles(page.troubles)] if found or page.troubles else [el("p", wording.NO_MATCH())]
    phone = request.app[SITE].phone(request)
    host = phone is not None and phone.role == HOST
    script = el("script", src="/import.js", type="module") if host else None
    main = [el("div", body, _turn(page), id="past"), form() if host else None]
    return answer(who, wording.HISTORY(), main, scripts=script)


def _turn(page: PastPage) -> Content:
    """The ways to later and to earlier evenings."""
    ways = [
        el("a", word(), href=f"/history?page={number}", rel=rel)
        for number, word, rel in ((page.number - 1, wording.LATER, "prev"), (page.number + 1, wording.EARLIER, "next"))
        if 1 <= number <= page.last
    ]
    return el("p", join_markup(ways), class_="keep") if ways else None


def _evening_section(evening: PastEvening) -> Markup:
    title = el("h2", el("a", evening_title(evening), href=f"/evening/{evening.number}"))
    rows = (el("li", _way_to(number, match), role="listitem") for number, match in evening.matches)
    return el("section", title, el("ol", *rows, class_="matches", role="list", aria_label=evening_title(evening)))


def _way_to(number: str, match: Summary) -> Markup:
    """A match in three lines, all of them the way to its page: who won, the totals, which match of what game."""
    game = preset_name(match.preset) + (f" ({wording.IMPORTED()})" if number.startswith("A") else "")
    about = " · ".join((wording.MATCH_NUMBER(number=number), game, wording.HANDS(count=match.hands)))
    lines = (el("b", won_text(match)), el("span", result_text(match)), el("span", about, class_="note"))
    return el("a", lines, href=f"/history/{number}")


def _troubles(matches: Sequence[ListedMatch]) -> Content:
    """Matches of which there is no record, and why."""
    rows = (el("li", f"{wording.MATCH_NUMBER(number=match.number)}: {match.trouble}") for match in matches)
    return el("ul", *rows, class_="note") if matches else None


def _match(who: Reader, match: PastMatch, request: web.Request) -> web.StreamResponse:
    number, record = match.number, match.record
    kept = [(f"/history/{number}.{kind}", name) for kind, name in (("json", "JSON"), ("csv", "CSV"), (OFFICE, "Excel"))]
    if record.begun_s is not None:
        kept.append((f"/history/{number}.bgsplay", wording.BG_STATS_FILE()))
        kept.append((exports.bgstats_link(record, PLACE), wording.BG_STATS()))
    way = el("p", el("a", wording.TO_EVENING(), href=f"/evening/{match.evening}"))
    title = wording.MATCH_NUMBER(number=number)
    return answer(who, title, [match_body(number, record), _calls(number, record), _take_along(kept), way])


def _calls(number: str, record: Record) -> Content:
    """The way to every call's photo finish."""
    rows = [
        el("li", el("a", _call_title(hand, at, of), href=f"/history/{number}/{hand}.{at}"))
        for hand, of in enumerate(record.hands, 1)
        for at in range(1, len(of.calls) + 1)
    ]
    return [el("h2", labels.PHOTO_ALL()), el("ul", rows, class_="calls")] if rows else None


def _call_title(hand: int, at: int, of: HandRecord) -> str:
    """A call that ended its hand, or one that did not stand."""
    stood = at == len(of.calls) and of.verdict is not None
    return (labels.PHOTO_TITLE if stood else labels.PHOTO_FALSE)(number=hand)


def _call(who: Reader, match: PastMatch, request: web.Request) -> web.StreamResponse:
    number, record = match.number, match.record
    hand, at, kind = (request.match_info[name] for name in ("hand", "call", "file"))
    if not 1 <= int(hand) <= len(record.hands) or not 1 <= int(at) <= len(record.hands[int(hand) - 1].calls):
        raise NotThereError
    photo = recorded_photo(record, record.hands[int(hand) - 1].calls[int(at) - 1])
    chart = finish(photo, labels.PHOTO_TITLE(number=hand), width_of_finish(kind))
    return shown_call(who, chart, f"/history/{number}/{hand}.{at}", kind)


def _take_along(links: list[tuple[str, str]]) -> Markup:
    ways = (
        el("a", text, href=where, rel=None if where.startswith("/") else "external noreferrer") for where, text in links
    )
    return el("p", el("strong", wording.TAKE_ALONG()), join_markup(ways), class_="keep")


def _statistics(who: Reader, figures: tuple[Figures, ...], request: web.Request) -> web.StreamResponse:
    body = [figures_body(of, match_link=True) for of in figures] or [el("p", wording.NO_HAND())]
    return answer(who, wording.STATISTICS(), body)


def _evening(who: Reader, of: EveningRecords, request: web.Request) -> web.StreamResponse:
    number = of.evening.number
    kept = [(f"/evening/{number}.{kind}", wording.AS_PICTURE(kind=kind.upper())) for kind in ("png", "svg")]
    kept.append((f"/evening/{number}.html", wording.AS_PAGE()))
    return answer(who, evening_title(of.evening), [_take_along(kept), evening_body(of, links=True)])


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


def _json_response(text: bytes) -> web.Response:
    headers = {"Cache-Control": "no-store"}
    return web.Response(body=text, content_type="application/json", charset="utf-8", headers=headers)


def _api_history(who: Reader, matches: bytes, request: web.Request) -> web.StreamResponse:
    return _json_response(matches)


def _api_match(who: Reader, match: PastMatch, request: web.Request) -> web.StreamResponse:
    return _json_response(msgspec.json.encode(to_document(match.record)))


def _api_statistics(who: Reader, figures: tuple[Figures, ...], request: web.Request) -> web.StreamResponse:
    return _json_response(msgspec.json.encode({"figures": figures}))


MATCH = "{match:A?[0-9]{1,9}}"
ROUTES = {
    "/history": _page(_ask_page, _history),
    f"/history/{MATCH}": _page(_ask_match, _match),
    f"/history/{MATCH}.{{kind:json|csv|excel\\.csv|bgsplay}}": _page(_ask_match, _match_file),
    f"/history/{MATCH}/{{hand:[0-9]{{1,3}}}}.{{call:[0-9]{{1,2}}}}{{file:(?:\\.svg|\\.png)?}}": _page(
        _ask_match, _call
    ),
    f"/evening/{MATCH}": _page(_ask_evening, _evening),
    f"/evening/{MATCH}.{{kind:svg|png|html}}": _page(_ask_evening, _evening_file),
    "/statistics": _page(_ask_figures, _statistics),
    "/api/history": _page(_ask_matches, _api_history),
    f"/api/history/{MATCH}": _page(_ask_match, _api_match),
    "/api/statistics": _page(_ask_figures, _api_statistics),
}
"""Every page and file of the past."""
