"""What the pages to read have in common: their head, the way to each other, and each reader's own language.

A page speaks the language that its reader has chosen (`?language=de`, kept as a cookie for that browser alone); else
the one that the table has been set to; else the first one that the reader's browser asks for. A table that nobody has
set speaks English, so English counts as not set. Choosing changes only what this reader is shown, so it needs no right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiohttp import web

from referee.core.names import LANGUAGES as OWN_NAMES
from referee.core.values import Value
from referee.language.words import ENGLISH, LANGUAGES, Word, current_language, speaking
from referee.web import labels, wording
from referee.web.guard import cookies
from referee.web.markup import Content, Markup, el, join_markup
from referee.web.site import SITE

COOKIE = "language"
YEAR_S = 365 * 24 * 3600
WEIGHT = re.compile(r"[01](\.[0-9]{0,3})?")
"""How much a browser wants a language, from 0 to 1."""


class Reader(Value):
    """Who reads a page: in which language, whether it was chosen just now, on which page."""

    language: str
    chosen: bool
    path: str
    line: str = ""
    """The query with which the page opens `/live`: the language chosen now or before, or the browser's."""


def reader(request: web.Request) -> Reader:
    """Who asks, and the language that `language_of` finds for them."""
    asked = request.query.get(COOKIE, "")
    latest = request.app[SITE].table.latest
    own = next((one for one in (asked, *cookies(request.headers, COOKIE)) if one in LANGUAGES), "")
    browser = accepted_language(request.headers.get("Accept-Language", ""))
    line = f"language={own}" if own else f"browser={browser}"
    found = language_of(own, browser, latest.view.language if latest else ENGLISH)
    return Reader(found, asked in LANGUAGES, request.path, line)


def language_of(own: str, browser: str, table: str) -> str:
    """The language of a page: its reader's own choice, else the table's if it was set, else the browser's.

    >>> language_of("it", "de", "en"), language_of("", "de", "it"), language_of("", "de", "en")
    ('it', 'it', 'de')
    """
    if own in LANGUAGES:
        return own
    return browser if table == ENGLISH and browser in LANGUAGES else table


def accepted_language(header: str) -> str:
    """The language of ours that an Accept-Language header wants most (RFC 9110, 12.5.4); "" for none.

    >>> accepted_language("fr, en;q=0.5, de-AT;q=0.8"), accepted_language("it;q=0, *"), accepted_language("de;q=x")
    ('de', '', '')
    """
    wanted: dict[str, float] = {}
    for part in header.split(","):
        tag, _, weight = part.strip().partition(";q=")
        language = tag.partition("-")[0].lower()
        if language in LANGUAGES and WEIGHT.fullmatch(weight or "1"):
            wanted[language] = max(float(weight or 1), wanted.get(language, 0))
    best = max(wanted, key=wanted.__getitem__, default="")
    return best if wanted.get(best) else ""


def answer(who: Reader, title: str, body: Content, *, status: int = 200, scripts: Content = None) -> web.Response:
    """A whole page; to be called while the reader's language is spoken."""
    return send_page(who, html(who, title, body, scripts), status=status)


def send_page(who: Reader, text: str, *, status: int = 200) -> web.Response:
    """A page's text as it is sent; a language that was chosen just now is kept by the reader's browser."""
    fresh = {"Cache-Control": "no-store"}
    response = web.Response(text=text, status=status, content_type="text/html", headers=fresh)
    if who.chosen:
        response.set_cookie(COOKIE, who.language, max_age=YEAR_S, httponly=True, samesite="Strict", path="/")
    return response


def html(who: Reader, title: str, body: Content, scripts: Content = None) -> str:
    """A whole page as HTML, with its title and body, for that reader."""
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1, viewport-fit=cover"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", f"{title} · {labels.REFEREE()}"),
        el("link", rel="icon", href="/icon.svg", type="image/svg+xml"),
        el("link", rel="stylesheet", href="/book.css"),
        scripts,
    )
    top = el("header", _home(), el("nav", _ways(who.path), aria_label=wording.NAV()))
    page = el("body", top, el("main", el("h1", title), body), el("footer", languages(who)))
    return f"<!doctype html>\n{el('html', head, page, lang=current_language())}\n"


def _home() -> Markup:
    return el("a", el("img", src="/icon.svg", alt="", width=28, height=28), labels.REFEREE(), href="/", class_="home")


def _ways(path: str) -> Iterator[Markup]:
    ways = (
        ("/scores", labels.BOARD_TITLE()),
        ("/table", wording.NAV_TABLE()),
        ("/history", wording.NAV_EVENINGS()),
        ("/statistics", wording.STATISTICS()),
        ("/rules", wording.RULEBOOK()),
        ("/setup", wording.SETUP()),
        ("/wall", wording.NAV_WALL()),
        ("/join", wording.NAV_JOIN()),
    )
    for where, text in ways:
        here = path == where or (path == "/" and where == "/scores") or path.startswith(f"{where}/")
        yield el("a", text, href=where, aria_current="page" if here else None)


def languages(who: Reader) -> Markup:
    """The way to the page in each language."""
    ways = (
        el(
            "a",
            OWN_NAMES[language],
            href=f"{who.path}?{COOKIE}={language}",
            lang=language,
            hreflang=language,
            aria_current="true" if language == who.language else None,
        )
        for language in LANGUAGES
    )
    return el("nav", el("span", wording.LANGUAGE()), join_markup(ways), aria_label=wording.LANGUAGE())


def refusal(who: Reader, status: int, title: Word, why: Word, *, way: str = "/") -> web.Response:
    """A page that says in one sentence why there is nothing to read, with the `way` to where there is something."""
    with speaking(who.language):
        leads_to = labels.JOIN() if way == "/join" else labels.BOARD_TITLE()
        button = el("p", el("a", leads_to, href=way, class_="button main"))
        return answer(who, title(), join_markup([el("p", why(), role="status"), button]), status=status)
