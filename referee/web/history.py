"""The past on the page: evenings, matches, statistics, and each of them as a file to take along.

/history                      every evening, the newest first
/history/MATCH                one match; .json .csv .excel.csv .bgsplay: as a file
/evening/NUMBER               one evening; .svg .png: as one picture; .html: as one page to share
/statistics                   what everything comes to, a game each
/api/history[/MATCH], /api/statistics   the same as JSON
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web
from msgspec import to_builtins

from referee.core.documents.figures import DeviceHistory, PastEvening, evenings, with_records
from referee.core.documents.record import HandRecord, PastMatch, Record, summary, to_document
from referee.core.model.registry import preset_name
from referee.language.words import Word, speaking
from referee.web import api, charts, exports, labels, wording
from referee.web.board import shown_call, width_of_finish
from referee.web.evening import (
    date_text,
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
from referee.web.past import PastError
from referee.web.site import SITE

OFFICE = "excel.csv"
"""The ending of a match as office programs open it, in the reader's language."""
PLACE = "Home"
"""Where matches were played, for BG Stats."""
Show = Callable[[Reader, DeviceHistory, web.Request], web.StreamResponse]


class NotThereError(Exception):
    """There is no such match or evening."""


def _page(show: Show) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """A handler of what `show` makes of the history, in the reader's language and beside the loop."""

    async def handler(request: web.Request) -> web.StreamResponse:
        who = reader(request)
        try:
            history = await request.app[SITE].past.history()
            return await asyncio.to_thread(_speech_page, show, who, history, request)
        except PastError:
            return _refusal_page(who, request, 503, wording.NOT_TOLD)
        except NotThereError:
            return _refusal_page(who, request, 404, wording.NO_SUCH_MATCH)

    return handler


def _speech_page(show: Show, who: Reader, history: DeviceHistory, request: web.Request) -> web.StreamResponse:
    with speaking(who.language):
        return show(who, history, request)


def _refusal_page(who: Reader, request: web.Request, status: int, word: Word) -> web.Response:
    if not request.path.startswith("/api/"):
        return refusal(who, status, wording.HISTORY, word)
    with speaking(who.language):
        return api.refusal(status, word())


# -- pages ---------------------------------------------------------------------------------------------------------


def _history(who: Reader, history: DeviceHistory, request: web.Request) -> web.StreamResponse:
    found = [_evening_section(evening) for evening in reversed(evenings(with_records(history.matches)))]
    untold = [match for match in history.matches if match.record is None]
    body = [*found, _untold(untold)] if found or untold else [el("p", wording.NO_MATCH())]
    phone = request.app[SITE].phone(request)
    host = phone is not None and phone.role == HOST
    script = el("script", src="/import.js", type="module") if host else None
    return answer(who, wording.HISTORY(), [el("div", body, id="past"), form() if host else None], scripts=script)


def _evening_section(evening: PastEvening) -> Markup:
    title = el("h2", el("a", evening_title(evening), href=f"/evening/{evening.number}"))
    rows = (el("li", _way_to(number, record), role="listitem") for number, record in evening.matches)
    return el("section", title, el("ol", *rows, class_="matches", role="list", aria_label=evening_title(evening)))


def _way_to(number: str, record: Record) -> Markup:
    """A match in three lines, all of them the way to its page: who won, the totals, which match of what game."""
    game = preset_name(record.preset) + (f" ({wording.IMPORTED()})" if number.startswith("A") else "")
    about = " · ".join((wording.MATCH_NUMBER(number=number), game, wording.HANDS(count=len(record.hands))))
    lines = (el("b", won_text(record)), el("span", result_text(record)), el("span", about, class_="note"))
    return el("a", lines, href=f"/history/{number}")


def _untold(matches: list[PastMatch]) -> Content:
    """Matches of which there is no record, and why."""
    rows = (el("li", f"{wording.MATCH_NUMBER(number=m.number)} ({date_text(m.begun_s)}): {m.trouble}") for m in matches)
    return el("ul", *rows, class_="note") if matches else None


def _match(who: Reader, history: DeviceHistory, request: web.Request) -> web.StreamResponse:
    number, record = _requested_match(history, request)
    (evening,) = (e for e in evenings(with_records(history.matches)) if number in {other for other, _ in e.matches})
    kept = [(f"/history/{number}.{kind}", name) for kind, name in (("json", "JSON"), ("csv", "CSV"), (OFFICE, "Excel"))]
    if record.begun_s is not None:
        kept.append((f"/history/{number}.bgsplay", wording.BG_STATS_FILE()))
        kept.append((exports.bgstats_link(record, PLACE), wording.BG_STATS()))
    way = el("p", el("a", wording.TO_EVENING(), href=f"/evening/{evening.number}"))
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


def _call(who: Reader, history: DeviceHistory, request: web.Request) -> web.StreamResponse:
    number, record = _requested_match(history, request)
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


def _statistics(who: Reader, history: DeviceHistory, request: web.Request) -> web.StreamResponse:
    body = [figures_body(of, match_link=True) for of in history.figures] or [el("p", wording.NO_HAND())]
    return answer(who, wording.STATISTICS(), body)


def _evening(who: Reader, history: DeviceHistory, request: web.Request) -> web.StreamResponse:
    evening = _evening_of(history, request)
    kept = [(f"/evening/{evening.number}.{kind}", wording.AS_PICTURE(kind=kind.upper())) for kind in ("png", "svg")]
    kept.append((f"/evening/{evening.number}.html", wording.AS_PAGE()))
    return answer(who, evening_title(evening), [_take_along(kept), evening_body(evening, links=True)])


def _requested_match(history: DeviceHistory, request: web.Request) -> tuple[str, Record]:
    number = request.match_info["match"]
    record = next((match.record for match in history.matches if match.number == number), None)
    if record is None:
        raise NotThereError
    return number, record


def _evening_of(history: DeviceHistory, request: web.Request) -> PastEvening:
    number = request.match_info["match"]
    found = (evening for evening in evenings(with_records(history.matches)) if evening.number == number)
    evening = next(found, None)
    if evening is None:
        raise NotThereError
    return evening


# -- files ---------------------------------------------------------------------------------------------------------


def _match_file(who: Reader, history: DeviceHistory, request: web.Request) -> web.StreamResponse:
    number, record = _requested_match(history, request)
    ending = request.match_info["kind"]
    kind = {"bgsplay": "bgstats"}.get(ending, ending)
    if kind == "bgstats" and record.begun_s is None:
        raise NotThereError
    text = exports.as_excel(number, record) if kind == OFFICE else exports.WRITERS[kind](number, record, PLACE)
    mime = "text/csv" if kind.endswith("csv") else "application/json"
    return _file(text.encode(errors="replace"), mime, f"match-{number}.{ending}")


def _evening_file(who: Reader, history: DeviceHistory, request: web.Request) -> web.StreamResponse:
    evening, kind = _evening_of(history, request), request.match_info["kind"]
    made: dict[str, tuple[Callable[[], bytes], str]] = {
        "svg": (lambda: charts.svg(evening_chart(evening)), "image/svg+xml"),
        "png": (lambda: charts.png(evening_chart(evening)), "image/png"),
        "html": (lambda: evening_file(evening, static("book.css")).encode(errors="replace"), "text/html"),
    }
    make, mime = made[kind]
    return _file(make(), mime, f"evening-{evening.number}.{kind}")


def _file(content: bytes, mime: str, name: str) -> web.Response:
    headers = {"Cache-Control": "no-store", "Content-Disposition": f'attachment; filename="{name}"'}
    charset = None if mime == "image/png" else "utf-8"
    return web.Response(body=content, content_type=mime, charset=charset, headers=headers)


# -- JSON ----------------------------------------------------------------------------------------------------------


def _json_response(document: Any) -> web.Response:
    text = json.dumps(document, ensure_ascii=False)
    return web.json_response(text=text, headers={"Cache-Control": "no-store"})


def _api_history(who: Reader, history: DeviceHistory, request: web.Request) -> web.StreamResponse:
    return _json_response({"matches": [_match_entry(match) for match in history.matches]})


def _match_entry(match: PastMatch) -> dict[str, Any]:
    head = {"match": match.number, "begun_s": match.begun_s}
    return head | ({"trouble": match.trouble} if match.record is None else summary(match.record))


def _api_match(who: Reader, history: DeviceHistory, request: web.Request) -> web.StreamResponse:
    return _json_response(to_document(_requested_match(history, request)[1]))


def _api_statistics(who: Reader, history: DeviceHistory, request: web.Request) -> web.StreamResponse:
    return _json_response({"figures": to_builtins(history.figures)})


MATCH = "{match:A?[0-9]{1,9}}"
ROUTES = {
    "/history": _page(_history),
    f"/history/{MATCH}": _page(_match),
    f"/history/{MATCH}.{{kind:json|csv|excel\\.csv|bgsplay}}": _page(_match_file),
    f"/history/{MATCH}/{{hand:[0-9]{{1,3}}}}.{{call:[0-9]{{1,2}}}}{{file:(?:\\.svg|\\.png)?}}": _page(_call),
    f"/evening/{MATCH}": _page(_evening),
    f"/evening/{MATCH}.{{kind:svg|png|html}}": _page(_evening_file),
    "/statistics": _page(_statistics),
    "/api/history": _page(_api_history),
    f"/api/history/{MATCH}": _page(_api_match),
    "/api/statistics": _page(_api_statistics),
}
"""Every page and file of the past."""
