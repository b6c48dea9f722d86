"""Log in and out.

The session's token is in a cookie that scripts cannot read (HttpOnly) and other sites' requests do not send (SameSite).
"""

from __future__ import annotations

import asyncio
import re
from urllib.parse import quote

from aiohttp import web

from referee.hall.access import AccessError
from referee.hall.web.render import answer
from referee.hall.web.site import HALL

COOKIE = "hall"
_OWN_PATH = re.compile(r"/(?![/\\])[\x21-\x7e]{0,200}")


def ask(request: web.Request) -> web.Response:
    """Redirect to the login page, which returns to the requested page."""
    back = request.path_qs if request.method == "GET" else "/desk"
    return web.Response(status=303, headers={"Location": f"/login?back={quote(back, safe='')}"})


async def page(request: web.Request) -> web.Response:
    """Serve the form to log in."""
    return answer(request, "login.html", back=_back(request.query.get("back", "")), trouble="")


async def log_in(request: web.Request) -> web.Response:
    """Begin a session if the name and password are right."""
    given = await request.post()
    name, password = (str(given.get(field, ""))[:200] for field in ("name", "password"))
    back = _back(str(given.get("back", "")))
    access = request.app[HALL].store.access
    try:
        token = await asyncio.to_thread(access.login, name.strip(), password.strip(), request.app[HALL].client(request))
    except AccessError:
        return answer(request, "login.html", status=429, back=back, trouble="login.wait")
    if token is None:
        return answer(request, "login.html", status=403, back=back, trouble="login.wrong")
    response = web.Response(status=303, headers={"Location": back})
    secure = request.headers.get("Origin", "").startswith("https:")
    response.set_cookie(COOKIE, token, httponly=True, samesite="Strict", secure=secure, path="/")
    return response


async def log_out(request: web.Request) -> web.Response:
    """End the session."""
    token = request.cookies.get(COOKIE, "")
    await asyncio.to_thread(request.app[HALL].store.access.logout, token)
    response = web.Response(status=303, headers={"Location": "/"})
    response.del_cookie(COOKIE, path="/")
    return response


def _back(path: str) -> str:
    """Return the path to open after the login. Addresses of other sites become the first page.

    >>> _back("/pairings?find=Anna"), _back("//other.example"), _back("https://other.example")
    ('/pairings?find=Anna', '/', '/')
    """
    return path if _OWN_PATH.fullmatch(path) else "/"
