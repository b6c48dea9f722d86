"""Responses of the hall's pages: HTML in the reader's language, files, and their caching."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from aiohttp import web
from jinja2 import Environment

from referee import __version__
from referee.core.model.registry import preset_name, presets
from referee.core.names import LANGUAGES
from referee.core.phases.settings import choices_of, value_of
from referee.core.reading import value_text
from referee.core.values import Value
from referee.hall.access import Person
from referee.hall.web.forms import settings_of
from referee.hall.web.site import HALL, person
from referee.hall.web.values import hall_text, login_title, table_title
from referee.language.display import display_text
from referee.language.numbers import decimal_text, score_text
from referee.language.words import ENGLISH, reader_name, speaking, text_at
from referee.web.guard import cookies
from referee.web.languages import accepted_language, language_of
from referee.web.markup import TEMPLATES as SHARED
from referee.web.markup import environment
from referee.web.statics import StaticFiles

STATIC = StaticFiles(Path(__file__).parent / "static")
TEMPLATES = Path(__file__).parent / "templates"
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


def tag_of(request: web.Request, *state: object) -> str:
    """Return the ETag of a page that shows this state to this reader: the same in all processes of a hall."""
    who = reader_of(request)
    shown = (__version__, _templates(), request.path_qs, who.language, who.person and who.person.name, *state)
    return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]


def unchanged(request: web.Request, tag: str, *, keep: bool = False) -> web.Response | None:
    """Return 304 if the browser has the content with this ETag, which then need not be rendered."""
    if all(one.value != tag for one in request.if_none_match or ()):
        return None
    return web.Response(status=304, headers=_caching(request, tag, keep))


def _caching(request: web.Request, tag: str, keep: bool) -> dict[str, str]:
    """Return the headers for caches: browsers, and shared ones if all people may see the page."""
    private = person() is not None or request.app[HALL].closed
    allowed = f"{'private' if private else 'public'}, max-age={SHORT_S}" if keep else "no-cache"
    headers = {"ETag": f'"{tag}"', "Vary": "Cookie, Accept-Language, Accept-Encoding"}
    return headers | {"Cache-Control": f"private, {allowed}" if private and not keep else allowed}


def answer(
    request: web.Request, template: str, *, status: int = 200, keep: bool = False, tag: str = "", **values: Any
) -> web.Response:
    """Return a page. keep: it is finished, so caches may keep it for `SHORT_S`. tag: as for `answer_bytes`."""
    who = reader_of(request)
    with speaking(who.language):
        page = _environment().get_template(template).render(who=who, **values)
    response = answer_bytes(request, page.encode(), "text/html", keep=keep and not who.chosen, tag=tag, status=status)
    response.enable_compression()
    if who.chosen:
        response.set_cookie(COOKIE, who.language, max_age=YEAR_S, httponly=True, samesite="Strict", path="/")
    return response


def answer_bytes(
    request: web.Request,
    body: bytes,
    kind: str,
    *,
    keep: bool = False,
    tag: str = "",
    status: int = 200,
    name: str = "",
) -> web.Response:
    """Return content with an ETag, or 304 if the browser has it. tag: "" for a hash. name: of the file to save."""
    tag = tag or hashlib.sha256(body).hexdigest()[:16]
    if status == 200 and (same := unchanged(request, tag, keep=keep)):
        return same
    headers = _caching(request, tag, keep)
    if name:
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    charset = "utf-8" if kind.startswith("text/") or kind == "application/json" else None
    return SentOnce(body=body, status=status, content_type=kind, charset=charset, headers=headers)


class SentOnce(web.Response):
    """A response without content once it is sent.

    aiohttp keeps a connection's last response until the next one is complete. If that is a stream, this takes hours.
    """

    async def write_eof(self, data: bytes = b"") -> None:
        """Send the content."""
        await super().write_eof(data)
        self.body = None


def refuse(request: web.Request, status: int, key: str) -> web.Response:
    """Return a page with the reason why a request failed. key: of the reason's text."""
    return answer(request, "refusal.html", status=status, key=key)


def part(name: str, *values: object) -> str:
    """Return a part of a live page: the macro `name` of parts.html, in the current language."""
    return str(getattr(_environment().get_template("parts.html").module, name)(*values))


@cache
def _templates() -> str:
    """Return a hash of all templates."""
    paths = (path for folder in (TEMPLATES, SHARED) for path in sorted(folder.iterdir()))
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


@cache
def _environment() -> Environment:
    made = environment(TEMPLATES)
    made.globals |= {
        "static": STATIC.address,
        "hall": hall_text,
        "preset_name": preset_name,
        "score": score_text,
        "person": reader_name,
        "table_title": table_title,
        "login_title": login_title,
        "display_text": display_text,
        "value_text": value_text,
        "settings_of": settings_of,
        "choices_of": choices_of,
        "value_of": value_of,
        "meaning": lambda preset, name: text_at("option", presets()[preset].option_key(name)),
        "decimal": lambda value: decimal_text(f"{value:.1f}"),
    }
    return made
