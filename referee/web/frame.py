"""What the pages to read have in common: their head, the way to each other, and each reader's own language.

A page speaks the table's language until its reader chooses another one (`?language=de`, kept as a cookie for that
browser alone). Choosing changes nothing but what this reader is shown, so it needs no right.
"""

from __future__ import annotations

from collections.abc import Iterator

from aiohttp import web

from referee.core.names import LANGUAGES as OWN_NAMES
from referee.core.values import Value
from referee.language.catalogue import ENGLISH, LANGUAGES
from referee.language.words import Word, current_language, speaking
from referee.web import labels, wording
from referee.web.markup import Content, Markup, el, join_markup
from referee.web.site import SITE

COOKIE = "language"
YEAR_S = 365 * 24 * 3600


class Reader(Value):
    """Who reads a page: in which language, whether it was chosen just now, on which page; own: chosen now or before."""

    language: str
    chosen: bool
    path: str
    own: bool = False


def reader(request: web.Request) -> Reader:
    """Who asks: the language of the address, else of the cookie, else the table's."""
    asked = request.query.get(COOKIE, "")
    latest = request.app[SITE].table.latest
    table = latest.view.language if latest else ENGLISH
    kept = request.cookies.get(COOKIE, "")
    found = next((language for language in (asked, kept, table) if language in LANGUAGES), ENGLISH)
    return Reader(found, asked in LANGUAGES, request.path, asked in LANGUAGES or kept in LANGUAGES)


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
