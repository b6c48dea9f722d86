"""The routes of the hall's pages, and the checks that all requests must pass.

The Host header must be one of the hall's names (`web/guard.py`). A request that changes something must come from one
of the hall's own pages: its Origin header is checked, and session cookies are SameSite=Strict.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TypeVar

from aiohttp import web

from referee.hall.access import Person
from referee.hall.schema import Database
from referee.hall.store import Store
from referee.hall.web import desk, exports, login, pages, printouts
from referee.hall.web.feed import Feed
from referee.hall.web.render import STATIC, refuse
from referee.hall.web.site import HALL, PERSON, Events, Hall, Live, person
from referee.web.guard import Hosts, cookies, same_origin

BODY_BYTES = 256 * 1024
"""Maximum bytes of a request's body. A list of 1,000 names is shorter."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_Handler = TypeVar("_Handler", bound=Handler)
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with no-referrer a browser would send a form's Origin as null
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Server": "referee",
}
OPEN = frozenset({"/login", "/healthz", *(f"/{name}" for name in STATIC.names)})
"""Paths that need no login in a closed hall."""

OWN = ("/desk", "/login", "/logout")
"""Paths whose pages no cache may keep."""


def make_app(
    store: Store,
    live: Mapping[str, Live],
    hosts: Hosts,
    *,
    closed: bool = False,
    trouble: Callable[[], str] = str,
    proxies: Iterable[str] = (),
) -> web.Application:
    """Return the application that serves a hall. closed: the audience must log in, too. Others: see `Hall`."""
    app = web.Application(middlewares=[_guard, _sentences, _person], client_max_size=BODY_BYTES)
    events = Events(store)
    parts = pages.Parts(events, live)
    feed = Feed(parts.stamp, parts.render)
    app[HALL] = Hall(store, live, hosts, events, feed, closed, trouble, frozenset(proxies))
    for path, show in {**pages.ROUTES, **printouts.ROUTES, **exports.ROUTES}.items():
        app.router.add_get(path, show, allow_head=show is not pages.changes)
    app.router.add_get("/healthz", _health)
    app.router.add_get("/login", login.page)
    app.router.add_post("/login", login.log_in)
    app.router.add_post("/logout", login.log_out)
    for path, role, show in desk.READS:
        app.router.add_get(path, _needs(role, show))
    for path, role, act in desk.WRITES:
        app.router.add_post(path, _needs(role, act))
    for name in STATIC.names:
        app.router.add_get(f"/{name}", STATIC.serve)
    app.on_response_prepare.append(_sign)
    app.on_shutdown.append(_close)
    return app


@web.middleware
async def _guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse requests for other host names, and changes that come from other sites' pages."""
    host = request.headers.get("Host")
    if not request.app[HALL].hosts.may_read(host):
        return web.Response(status=403, text="This is not a name of the hall.\n")
    if request.method not in ("GET", "HEAD") and not same_origin(request.headers.get("Origin"), host):
        return web.Response(status=403, text="Only the hall's own pages may change something.\n")
    return await handler(request)


@web.middleware
async def _person(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Set the request's person. In a closed hall, ask people without a session to log in."""
    hall = request.app[HALL]
    found: Person | None = None
    for token in cookies(request.headers, login.COOKIE):
        found = found or await asyncio.to_thread(hall.store.access.person, token)
    PERSON.set(found)
    if hall.closed and found is None and request.path not in OPEN:
        return login.ask(request)
    return await handler(request)


def _needs(role: str, handler: _Handler) -> Handler:
    """Return the handler with a check of the role. People without a session are asked to log in."""

    async def checked(request: web.Request) -> web.StreamResponse:
        who = person()
        if who is None:
            return login.ask(request)
        if not who.may(role):
            return refuse(request, 403, "refused.role")
        request.app[HALL].events.refresh()  # another process may have stored the form before
        return await handler(request)

    return checked


@web.middleware
async def _sentences(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer HTTP errors with a page that has a sentence about the reason."""
    try:
        return await handler(request)
    except web.HTTPNotFound:
        return refuse(request, 404, "refused.missing")
    except web.HTTPRequestEntityTooLarge:
        return refuse(request, 413, "refused.long")
    except Database.lost:
        response = refuse(request, 503, "refused.away")
        response.headers["Retry-After"] = "2"
        return response
    except web.HTTPMethodNotAllowed as error:
        return web.Response(status=405, text=f"{error.reason}\n", headers={"Allow": error.headers["Allow"]})


async def _health(request: web.Request) -> web.Response:
    """Tell a proxy whether to send requests to this process."""
    away = bool(request.app[HALL].trouble())
    return web.Response(status=503 if away else 200, text="away\n" if away else "ok\n")


async def _sign(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)
    if response.status not in (200, 304) or request.path.startswith(OWN):
        response.headers["Cache-Control"] = "no-store"


async def _close(app: web.Application) -> None:
    await app[HALL].feed.close()
