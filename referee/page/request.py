"""What all reading pages share: their head, their links, and the reader's language.

A page uses the language that its reader has chosen (`?language=de`, kept as a cookie in that browser), else the
table's setting, else the first one that the reader's browser asks for. A table whose language was never set uses
English, so English counts as not set. The choice changes only what this reader sees, so every reader may make it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from aiohttp import web
from jinja2 import Environment
from markupsafe import Markup

from referee.core.model.registry import preset_name
from referee.core.names import isolate
from referee.core.values import Value
from referee.language.display import display_text
from referee.language.numbers import score_text
from referee.language.words import ENGLISH, LANGUAGES, label, reader_name, script_texts, speaking
from referee.page.site import SITE
from referee.web import charts
from referee.web.drawing import SERIES
from referee.web.guard import cookies
from referee.web.languages import accepted_language, language_of
from referee.web.markup import environment

FOLDER = Path(__file__).parent / "templates"

COOKIE = "language"
Text = Callable[[], str]
"""A function that returns a text in the current language."""
YEAR_S = 365 * 24 * 3600


class Reader(Value):
    """A page's reader. chosen: whether this request chose the language. path: the page's path."""

    language: str
    chosen: bool
    path: str
    line: str = ""
    """The query for `/live`: the reader's chosen language, or the browser's."""


def reader(request: web.Request) -> Reader:
    """Return the reader of the requested page, with the language that `language_of` finds."""
    asked = request.query.get(COOKIE, "")
    latest = request.app[SITE].table.latest
    own = next((one for one in (asked, *cookies(request.headers, COOKIE)) if one in LANGUAGES), "")
    browser = accepted_language(request.headers.get("Accept-Language", ""))
    line = f"language={own}" if own else f"browser={browser}"
    found = language_of(own, browser, latest.view.language if latest else ENGLISH)
    return Reader(found, asked in LANGUAGES, request.path, line)


def answer(who: Reader, template: str, *, status: int = 200, **values: Any) -> web.Response:
    """Return a page from a template, in the current language.

    If this request chose the language, a cookie keeps the choice.
    """
    text = render(template, who=who, **values)
    fresh = {"Cache-Control": "no-store"}
    response = web.Response(text=text, status=status, content_type="text/html", headers=fresh)
    if who.chosen:
        response.set_cookie(COOKIE, who.language, max_age=YEAR_S, httponly=True, samesite="Strict", path="/")
    return response


def send_json(document: object, status: int = 200) -> web.Response:
    """Return a JSON response from a value or from encoded JSON.

    To refuse a request, send `{"error": sentence}`.
    """
    if not isinstance(document, bytes):
        if isinstance(document, Mapping) and "error" in document:
            document = {**document, "error": isolate(str(document["error"]))}
        document = json.dumps(document, ensure_ascii=False).encode()
    fresh = {"Cache-Control": "no-store"}
    return web.Response(body=document, status=status, content_type="application/json", charset="utf-8", headers=fresh)


def refusal(who: Reader, status: int, title: Text, why: Text, *, way: str = "/") -> web.Response:
    """Return a page that says why a request failed. way: the address of the link on that page."""
    with speaking(who.language):
        return answer(who, "refusal.html", status=status, title=title(), why=why(), way=way)


def render(template: str, **values: object) -> Markup:
    """Render a template with these values, in the current language."""
    return Markup(_environment().get_template(template).render(values))


def macro(template: str, name: str, *values: object) -> Markup:
    """Call a macro of a template with these values."""
    return Markup(getattr(_environment().get_template(template).module, name)(*values))


def compile_templates() -> None:
    """Compile every template. This takes seconds on a small board, so do it early."""
    for name in _environment().list_templates():
        _environment().get_template(name)


@cache
def _environment() -> Environment:
    made = environment(FOLDER)
    made.filters["person"] = reader_name
    made.globals |= {
        "label": label,
        "script_texts": script_texts,
        "person": reader_name,
        "preset_name": preset_name,
        "score": score_text,
        "display_text": display_text,
        "mark_corners": charts.mark_corners,
        "colours": len(SERIES),
        "drawn": charts.drawn,
    }
    return made
