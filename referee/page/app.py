"""The web server of a table: routes, middlewares, answers to captive portals, and its start.

A captive portal is a page which a network wants people to open first. In the device's own Wi-Fi network,
systemd/referee.dnsmasq directs these requests here. The answer redirects to the page, so a phone that joins the network
opens the page by itself.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from aiohttp import web

from referee.core.values import Value
from referee.language.words import label, speaking
from referee.page import api, reading_pages
from referee.page import history_page as history
from referee.page import phone_requests as phones
from referee.page import scoreboard as board
from referee.page.connections import Door
from referee.page.live import hang_up, live
from referee.page.pages import FILES, packaged_file, page, table_page
from referee.page.request import reader, refusal, send_json
from referee.page.site import SITE, Site
from referee.web.guard import host_of

BODY_BYTES = 8192
"""Maximum bytes of a request body. A name of 64 letters, each with accents, is shorter."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Server": "referee",
}


def create_app(site: Site) -> web.Application:
    """Return the aiohttp application that serves all pages."""
    app = web.Application(middlewares=[_in_turn, _own_name, _sentences, _readers], client_max_size=BODY_BYTES)
    app[SITE] = site
    app.router.add_get("/", page)
    app.router.add_get("/table", table_page)
    app.router.add_get("/scores", board.board)
    app.router.add_get("/wall", board.wall)
    app.router.add_get(r"/scan/{page:join|card}.svg", board.scanned)
    app.router.add_get(r"/scores/{hand:[0-9]{1,3}}.{call:[0-9]{1,2}}{kind:(?:\.svg|\.png)?}", board.call)
    app.router.add_get("/live", live, allow_head=False)
    app.router.add_get("/api/view", api.view)
    app.router.add_get("/api/openapi.json", api.openapi)
    app.router.add_get("/join", phones.join)
    app.router.add_get("/{j:[jJ]}/{code:[0-9A-Za-z]{1,16}}", phones.join)
    for path, handler in phones.READS.items():
        app.router.add_get(path, handler)
    for path, handler in phones.WRITES.items():
        app.router.add_post(path, handler)
    app.router.add_get("/rules", reading_pages.rules)
    app.router.add_get("/setup", reading_pages.table)
    app.router.add_get("/setup/{preset:[a-z0-9-]{1,40}}", reading_pages.preset)
    app.router.add_get("/api/setup", reading_pages.document)
    for path, show in history.ROUTES.items():
        app.router.add_get(path, show)
    for name in FILES:
        app.router.add_get(f"/{name}", packaged_file)
    app.on_response_prepare.append(_sign)
    app.on_shutdown.append(hang_up)
    return app


@web.middleware
async def _in_turn(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Delay requests over the client's rate limit. Ignore clients that have disconnected."""
    wait_ns = request.app[SITE].peer(request).requests.reserve()
    if wait_ns:
        await asyncio.sleep(wait_ns / 1e9)
    try:
        return await handler(request)
    except ConnectionError:
        if request.transport is not None and not request.transport.is_closing():
            raise  # it was another connection that failed
        return web.Response()


@web.middleware
async def _own_name(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Reject requests for a host name that this server does not have (see `Hosts`)."""
    site, host = request.app[SITE], request.headers.get("Host")
    if host_of(host) in HOSTS and request.method in ("GET", "HEAD"):
        return redirect(request)
    if site.hosts.may_read(host) or await site.given.is_in(host):
        return await handler(request)
    with speaking(reader(request).language):
        return web.Response(status=403, text=f"{label('other_name')}\n")


@web.middleware
async def _readers(request: web.Request, handler: Handler) -> web.StreamResponse:
    """If `site.closed`, serve only paired phones, this machine, and requests for pairing."""
    site = request.app[SITE]
    if not site.closed or site.peer(request).own or site.phone(request) is not None or _is_door(request.path):
        return await handler(request)
    if request.path in ("/", "/table", "/scores", "/wall"):
        return web.Response(status=303, headers={"Location": "/join"})
    raise web.HTTPUnauthorized(text="Only paired phones may see this table; pair this one at /join.")


def _is_door(path: str) -> bool:
    """Return whether a phone needs this path for pairing. Such paths are served to everyone."""
    return path in ("/join", "/api/pair", "/api/openapi.json") or path[:3].lower() == "/j/" or path[1:] in FILES


@web.middleware
async def _sentences(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer an HTTP error with a sentence: as JSON, as a page, or as plain text.

    JSON: under /api/. A page: for a GET or HEAD request, if the status is in `_PAGES`.
    """
    try:
        return await handler(request)
    except web.HTTPException as error:
        sentence = _SENTENCES.get(error.status, error.text or error.reason)
        if request.path.startswith("/api/"):
            return send_json({"error": sentence}, error.status)
        if request.method in ("GET", "HEAD") and error.status in _PAGES:
            title, why, way = _PAGES[error.status]
            return refusal(reader(request), error.status, title, why, way=way)
        return web.Response(status=error.status, text=f"{sentence}\n")


_PAGES = {
    401: (partial(label, "join.title"), partial(label, "only_paired"), "/join"),
    404: (partial(label, "not_here"), partial(label, "not_here.why"), "/"),
}
"""Status -> title, sentence and a useful link for the page that says why a request failed."""
_SENTENCES = {404: "There is nothing here; the page is at /.", 405: "This can only be read."}


async def _sign(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)


HOSTS = frozenset(
    {
        "captive.apple.com",
        "connect.rom.miui.com",
        "connectivity-check.ubuntu.com",
        "connectivitycheck.android.com",
        "connectivitycheck.gstatic.com",
        "connectivitycheck.platform.hicloud.com",
        "clients3.google.com",
        "detectportal.firefox.com",
        "network-test.debian.org",
        "networkcheck.kde.org",
        "nmcheck.gnome.org",
        "www.msftconnecttest.com",
        "www.msftncsi.com",
    }
)
"""The hosts that phones and computers request; the same as in systemd/referee.dnsmasq."""


def redirect(request: web.Request) -> web.Response:
    """Return a redirect to the page at the address that received the request."""
    host, port = request.get_extra_info("sockname")[:2]
    place = f"[{host}]" if ":" in host else host
    return web.Response(status=302, headers={"Location": f"http://{place}:{port}/"})


class Page(Value):
    """The running server of the page. `close` ends it; its listening sockets stay open."""

    runner: web.AppRunner
    door: Door

    async def close(self) -> None:
        """Stop accepting connections and close all open connections."""
        self.door.close()
        await self.runner.cleanup()


async def serve(site: Site, sockets: Sequence[socket.socket]) -> Page:
    """Start to serve the site from these listening sockets."""
    app = create_app(site)
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1.0)
    await runner.setup()
    door = Door(runner.server, sockets, site.budgets, site.is_own)
    door.open()
    return Page(runner, door)
