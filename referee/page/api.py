"""The JSON under `/api/`: the current view, and the description of the interface.

The view as plain JSON, and the JSON schema of the view; both follow from the classes.

A new screen needs no change here. A value is an object of its fields, a tuple a list, a Fraction a number (totals
are whole or halves, shares are sixteenths: exact), a message its key, its values and its text. A screen also has
`"type"`, its class's name without "Screen" in snake case: "power_back".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from aiohttp import web

from referee import __version__
from referee.core.documents.record import FORMAT, VERSION
from referee.core.messages import Msg
from referee.core.model.view import Screen, View
from referee.core.values import Value, by_identity
from referee.language.display import display_text
from referee.language.speech import SPEECH
from referee.language.words import speaking
from referee.page.phone_requests import BODIES
from referee.page.request import send_json
from referee.page.site import SITE
from referee.protocol.snapshot import CACHED, Snapshot

NOTHING_YET = "The table has not shown anything yet."


async def view(request: web.Request) -> web.Response:
    """Answer with the table's current view as JSON."""
    snapshot = request.app[SITE].shown_snapshot(request)
    return send_json({"error": NOTHING_YET}, 503) if snapshot is None else send_json(_text_of(snapshot))


@by_identity(CACHED)
def _text_of(snapshot: Snapshot) -> bytes:
    """Return the snapshot's view as encoded JSON. It is encoded once per snapshot."""
    return json.dumps(view_document(snapshot.view), ensure_ascii=False).encode()


async def openapi(request: web.Request) -> web.Response:
    """Answer with the OpenAPI description of the addresses under /api/."""
    return send_json(description_text())


@cache
def description_text() -> bytes:
    """Return the OpenAPI description as encoded JSON. It is encoded only once."""
    return json.dumps(description(), ensure_ascii=False).encode()


def description() -> dict[str, object]:
    """Return the OpenAPI 3.1 document: every path, and the schema of a view."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "The table's page", "version": __version__, "license": {"name": "MIT", "identifier": "MIT"}},
        "paths": {
            "/api/view": {"get": _get("What the table shows at this moment", "View", "503")},
            "/api/openapi.json": {"get": _get("This description")},
            "/api/setup": {"get": _get("What is played, and the house's presets", "", "503")},
            "/api/names": {"get": _get("Remembered names, for a paired phone", "", "401", "503")},
            "/api/phones": {"get": _get("The paired phones, for the host", "", "401", "403", "503")},
            "/api/hands": {
                "get": _get("The match's hands as they were counted, for who keeps the score", "", "401", "403", "503")
            },
            "/api/history": {"get": _get("Every match that this device remembers", "", "503")},
            "/api/history/{match}": {
                "get": _get("One match's record, as `referee import` reads it", "", "404", "503")
                | {"parameters": [_MATCH]}
            },
            "/api/statistics": {"get": _get("What all matches come to, a game each", "", "503")},
            **{f"/api/{do}": {"post": _post(about, _body(do))} for do, about in _WRITES.items()},
            "/live": {"get": _LIVE},
        },
        "components": {"schemas": view_schemas() | {"Error": _ERROR}},
    }


_MATCH = {
    "name": "match",
    "in": "path",
    "required": True,
    "description": 'What the device calls it: "3", or "A1" for an imported one',
    "schema": {"type": "string", "pattern": "^A?[0-9]{1,9}$"},
}
_WRITES = {
    "pair": "The code on the display for a secret of one's own, as the cookie `phone`",
    "seat": "Take a seat under a name, or be called otherwise there",
    "code": "The code that pairs another phone, as the display shows it; `qr`: its link as rows of modules, 1 for dark",
    "count": "Enter a count, for the team of that seat: whole numbers in the order of the fields",
    "worth": "What a count would be worth; nothing is entered",
    "pause": "Take a time out, or go on, for a phone that has a seat",
    "vote": "Answer the question to all, for the phone's own team",
    "team": "Make two seats one team, or two again; for the host, and for whoever sits at one of them",
    "correct": "Count a past hand of that seat's team otherwise, and say why; for whoever keeps the score",
    "give": "Give that seat's team points behind the last hand, or take them, and say why; for whoever keeps the score",
    "role": "Give a phone a role; for the host",
    "set": "Give a setting another value: preset, an option's name, or one of the device's; for the host",
    "start": "Begin the match in the lobby; for the host",
    "house": "Keep the table's rules under a name, play by those of a name, or forget a name; for the host",
    "import": "Keep a match that a referee has exported, the file itself as the body; for the host",
    "update": "Take a newer version of the program, the signed tar file as the body; for the host",
    "revoke": "Forget a phone: oneself, or for the host any",
}
_IMPORT = {"format": {"const": FORMAT}, "version": {"const": VERSION}}
_REFUSALS = {
    "400": "No such request, in one sentence",
    "401": "Not paired, or a wrong code",
    "403": "Another's right, or another page's request",
    "404": "There is no such thing",
    "409": "The table's rules refuse it",
    "413": "The body is too long",
    "429": "Too often",
    "503": "The table does not answer",
}


def _body(do: str) -> dict[str, object]:
    """Return the request's body by its media type."""
    if do == "update":
        return {"application/x-tar": {"schema": {"type": "string", "format": "binary"}}}
    properties = BODIES.get(do, _IMPORT)
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"application/json": {"schema": schema}}


def _post(summary: str, content: Mapping[str, object]) -> dict[str, object]:
    error = {"$ref": "#/components/schemas/Error"}
    responses: dict[str, object] = {"200": _response("Done", {"type": "object"})}
    responses |= {status: _response(why, error) for status, why in _REFUSALS.items()}
    return {"summary": summary, "requestBody": {"required": True, "content": content}, "responses": responses}


_ERROR = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
_LIVE = {
    "summary": "WebSocket of the page",
    "description": (
        'Sends {"table": {...}} with what changed, {"sound": {...}} and {"refused": "one sentence"}. '
        "There are writes in it only where the table is simulated, from the same machine and the page itself: "
        '{"contact": "1" to "12" or "knob", "closed": true or false} and {"turn": steps}; '
        "closing the connection lets go of everything. Phones write by the requests above."
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
    responses |= {error: _response(_REFUSALS[error], {"$ref": "#/components/schemas/Error"}) for error in errors}
    return {"summary": summary, "responses": responses}


def _response(summary: str, shape: dict[str, str]) -> dict[str, object]:
    return {"description": summary, "content": {"application/json": {"schema": shape}}}


_SIMPLE: dict[Any, str] = {int: "integer", str: "string", bool: "boolean", Fraction: "number", NoneType: "null"}


def view_document(view: View) -> dict[str, object]:
    """Return the view as JSON data. Each message has its text in the table's language."""
    with speaking(view.language, rounds=view.rounds):
        return cast(dict[str, object], document(view))


def document(value: object) -> object:
    """Return any value of a view as plain JSON.

    >>> from referee.core.model.view import StopScreen
    >>> document((StopScreen(), Fraction(5, 2), Fraction(4)))
    [{'type': 'stop', 'waiting': []}, 2.5, 4]
    """
    if isinstance(value, tuple):
        return [document(item) for item in value]
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    if isinstance(value, Msg):
        values = {name: document(held) for name, held in value.values}
        return {"key": value.key, "values": values, "text": display_text(value)}
    if not isinstance(value, Value):
        return value
    kind = type(value)
    named = {"type": type_name(kind)} if isinstance(value, Screen) else {}
    return named | {name: document(getattr(value, name)) for name in kind.__struct_fields__}


@cache
def type_name(kind: type) -> str:
    """Return the "type" that a screen of this class has as JSON.

    >>> from referee.core.model.view import PowerBackScreen
    >>> type_name(PowerBackScreen)
    'power_back'
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__.removesuffix("Screen")).lower()


# -- the schema --------------------------------------------------------------------------------------------------------


def view_schemas() -> dict[str, object]:
    """Return class name -> JSON schema, for the view and everything in it."""
    found: dict[str, object] = {}
    _schema(View, found)
    return found


def _schema(hint: Any, found: dict[str, object]) -> dict[str, object]:
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint]}
    if hint is Msg:
        return _message(found)
    if hint is Screen:
        return {"anyOf": [_reference(kind, found) for kind in SPEECH]}
    if isinstance(hint, type) and issubclass(hint, Value):
        return _reference(hint, found)
    members = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return {"anyOf": [_schema(member, found) for member in members]}
    if get_origin(hint) is tuple:
        return _list(members, found)
    if get_origin(hint) is Literal:
        return {"enum": list(members)}
    raise TypeError(f"no JSON schema for {hint}")


def _message(found: dict[str, object]) -> dict[str, object]:
    """Add the JSON schema of `Msg` to `found`; return a reference to it."""
    properties: dict[str, object] = {
        "key": {"type": "string"},
        "values": {"type": "object"},
        "text": {"type": "string"},
    }
    summary = "A message: its key, its values by name, its text on the display in the table's language."
    found["Msg"] = {"type": "object", "description": summary, "properties": properties, "required": list(properties)}
    return {"$ref": "#/components/schemas/Msg"}


def _list(members: tuple[Any, ...], found: dict[str, object]) -> dict[str, object]:
    if members[-1] is Ellipsis:
        return {"type": "array", "items": _schema(members[0], found)}
    parts = [_schema(member, found) for member in members]
    return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}


def _reference(kind: type[Value], found: dict[str, object]) -> dict[str, object]:
    if kind.__name__ not in found:
        found[kind.__name__] = {}  # reserves the name: classes can refer to themselves
        found[kind.__name__] = _object(kind, found)
    return {"$ref": f"#/components/schemas/{kind.__name__}"}


def _object(kind: type[Value], found: dict[str, object]) -> dict[str, object]:
    hints = get_type_hints(kind)
    properties: dict[str, object] = {"type": {"const": type_name(kind)}} if issubclass(kind, Screen) else {}
    properties |= {name: _schema(hints[name], found) for name in kind.__struct_fields__}
    summary = (kind.__doc__ or kind.__name__).split("\n", 1)[0]
    return {"type": "object", "description": summary, "properties": properties, "required": list(properties)}
