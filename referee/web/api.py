"""The JSON under `/api/`: the current view, and the description of everything there is."""

from __future__ import annotations

import json
from functools import cache

from aiohttp import web

from referee import __version__
from referee.web.documents import view_schemas
from referee.web.site import SITE

NOTHING_YET = "The table has not shown anything yet."


async def view(request: web.Request) -> web.Response:
    """What the table shows at this moment."""
    snapshot = request.app[SITE].table.latest
    if snapshot is None:
        return refusal(503, NOTHING_YET)
    return _text(snapshot.document_text)


async def openapi(request: web.Request) -> web.Response:
    """The description of this interface."""
    return _text(description_text())


def refusal(status: int, sentence: str) -> web.Response:
    """A refusal as JSON: `{"error": sentence}` with that status."""
    return _json({"error": sentence}, status)


@cache
def description_text() -> bytes:
    """The description as it is sent: it is the same for as long as the program runs."""
    return json.dumps(description(), ensure_ascii=False).encode()


def description() -> dict[str, object]:
    """OpenAPI 3.1: every path, and the schema of the view as the dataclasses have it."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "The table's page", "version": __version__, "license": {"name": "MIT", "identifier": "MIT"}},
        "paths": {
            "/api/view": {"get": _get("What the table shows at this moment", "View", "503")},
            "/api/openapi.json": {"get": _get("This description")},
            "/live": {"get": _LIVE},
        },
        "components": {"schemas": view_schemas() | {"Error": _ERROR}},
    }


_ERROR = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
_LIVE = {
    "summary": "WebSocket of the page",
    "description": (
        'Sends {"table": {...}} with what changed, {"sound": {...}} and {"refused": "one sentence"}. '
        "There are writes only where the table is simulated and only from the same machine and the page itself: "
        '{"contact": "1" to "8" or "knob", "closed": true or false} and {"turn": steps}; '
        "closing the connection lets go of everything. On the device nothing can be written."
    ),
    "responses": {
        "101": {"description": "The connection is open"},
        "403": {"description": "Opened from a foreign page"},
        "426": {"description": "Not a WebSocket request"},
        "503": {"description": "Too many pages are open"},
    },
}


def _get(summary: str, schema: str = "", *errors: str) -> dict[str, object]:
    shape = {"$ref": f"#/components/schemas/{schema}"} if schema else {"type": "object"}
    responses = {"200": _response(summary, shape)}
    responses |= {error: _response(NOTHING_YET, {"$ref": "#/components/schemas/Error"}) for error in errors}
    return {"summary": summary, "responses": responses}


def _response(summary: str, shape: dict[str, str]) -> dict[str, object]:
    return {"description": summary, "content": {"application/json": {"schema": shape}}}


def _json(document: object, status: int = 200) -> web.Response:
    return _text(json.dumps(document, ensure_ascii=False).encode(), status)


def _text(document: bytes, status: int = 200) -> web.Response:
    fresh = {"Cache-Control": "no-store"}
    return web.Response(body=document, status=status, content_type="application/json", charset="utf-8", headers=fresh)
