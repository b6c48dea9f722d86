"""Responses of the hall's pages: HTML in the reader's language, files, and their caching."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from aiohttp import web
from jinja2 import Environment

from referee.core.model.registry import preset_name
from referee.core.names import LANGUAGES
from referee.core.values import Value
from referee.hall.access import Person
from referee.hall.web.site import HALL, person
from referee.hall.web.texts import hall_text, table_title
from referee.language.numbers import decimal_text, score_text
from referee.language.words import ENGLISH, current_language, reader_name, speaking
from referee.pages.guard import cookies
from referee.pages.languages import accepted_language, language_of
from referee.pages.markup import environment

COOKIE = "language"
YEAR_S = 365 * 24 * 3600
SHORT_S = 3600
"""Time in s for which browsers may keep finished pages. A correction can still change them."""


class Reader(Value):
    """A page's reader. chosen: whether this request chose the language."""

    language: str
    chosen: bool
    path: str
    person: Person | None


def reader_of(request: web.Request) -> Reader:
    """Return the reader of a request. The language is the chosen one, else the browser's."""
    asked = request.query.get(COOKIE, "")
    own = next((one for one in (asked, *cookies(request.headers, COOKIE)) if one in LANGUAGES), "")
    browser = accepted_language(request.headers.get("Accept-Language", ""))
    return Reader(language_of(own, browser, ENGLISH), asked in LANGUAGES, request.path, person())


def answer(
    request: web.Request, template: str, *, status: int = 200, keep: bool = False, **values: Any
) -> web.Response:
    """Return a page. keep: it is finished, so caches may keep it for `SHORT_S`."""
    who = reader_of(request)
    with speaking(who.language):
        page = _environment().get_template(template).render(who=who, **values)
    response = answer_bytes(request, page.encode(), "text/html", keep=keep and not who.chosen, status=status)
    response.headers["Vary"] = "Cookie, Accept-Language"
    if who.chosen:
        response.set_cookie(COOKIE, who.language, max_age=YEAR_S, httponly=True, samesite="Strict", path="/")
    return response


def answer_bytes(
    request: web.Request, body: bytes, kind: str, *, keep: bool = False, status: int = 200, name: str = ""
) -> web.Response:
    """Return content with an ETag, or 304 if the browser has it. name: of the file to save."""
    tag = hashlib.sha256(body).hexdigest()[:16]
    shared = "private" if person() or request.app[HALL].closed else "public"
    headers = {"ETag": f'"{tag}"', "Cache-Control": f"{shared}, max-age={SHORT_S}" if keep else "no-cache"}
    if name:
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    if status == 200 and any(one.value == tag for one in request.if_none_match or ()):
        return web.Response(status=304, headers=headers)
    charset = "utf-8" if kind.startswith("text/") or kind == "application/json" else None
    return web.Response(body=body, status=status, content_type=kind, charset=charset, headers=headers)


def refuse(request: web.Request, status: int, key: str) -> web.Response:
    """Return a page with the reason why a request failed. key: of the reason's text."""
    return answer(request, "refusal.html", status=status, key=key)


def part(name: str, values: Mapping[str, Any]) -> str:
    """Return a part of a live page: the macro `name` of parts.html, in the current language."""
    return str(getattr(_environment().get_template("parts.html").module, name)(values))


@cache
def _environment() -> Environment:
    made = environment(Path(__file__).parent / "templates")
    made.globals |= {
        "hall": hall_text,
        "languages": LANGUAGES,
        "language": current_language,
        "preset_name": preset_name,
        "score": score_text,
        "person": reader_name,
        "table_title": table_title,
        "decimal": lambda value: decimal_text(f"{value:.1f}"),
    }
    return made
