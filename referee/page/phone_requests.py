"""Phones' requests over HTTP: pairing, seats, counts, paired phones, imports, updates.

A request is received here and passed to the device (`device/phones/desk.py`), which decides what the phone may do.
Every write is a JSON object sent by our own page; a page of another site can neither send one nor have the cookie sent
along. A request without a paired phone's cookie is answered with 401, one that the phone may not make with 403; one
that the core refuses with 409 and the core's sentence. Errors are one sentence in the reader's language.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from aiohttp import web

from referee.core.messages import msg
from referee.core.phases.adjusting import MOST_POINTS, REASONS
from referee.core.phases.fixing import CORRECTIONS
from referee.core.values import Json, replace
from referee.language.say import message_speech
from referee.language.words import book, label, speaking
from referee.page.history_reader import PastError
from referee.page.request import YEAR_S, Text, answer, reader, send_json
from referee.page.site import COOKIE, SITE, PhoneDesk
from referee.page.table_document import plate
from referee.page.update_upload import UNREADABLE, UpdateError, said_text
from referee.protocol.page import ROLES, PairedPhone
from referee.web.guard import same_origin

NUMBER_MOST = 10_000
Schema = dict[str, Any]


def _integer(least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most}


def _text(most: int) -> Schema:
    return {"type": "string", "maxLength": most}


def _list(items: Schema, least: int, most: int) -> Schema:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


_BOOLEAN: Schema = {"type": "boolean"}
_SEAT = _integer(1, 99)
_NAME = _text(2048)  # code points; the core says how many letters a name has
_PHONE = _text(32)
_NUMBERS = _list(_integer(-NUMBER_MOST, NUMBER_MOST), 1, 8)  # more than any count has
_VALUE: Schema = {"anyOf": [_text(64), _integer(-NUMBER_MOST, NUMBER_MOST**3), _BOOLEAN]}
BODIES: Mapping[str, Mapping[str, Schema]] = {
    "pair": {"code": _text(32)},
    "seat": {"seat": _SEAT, "name": _NAME},
    "code": {},
    "count": {"numbers": _NUMBERS, "seat": _SEAT},
    "worth": {"numbers": _NUMBERS, "seat": _SEAT},
    "pause": {"pause": _BOOLEAN},
    "vote": {"yes": _BOOLEAN},
    "team": {"seats": _list(_SEAT, 2, 2), "together": _BOOLEAN},
    "correct": {"reason": {"enum": list(CORRECTIONS)}, "hand": _integer(1, 999), "numbers": _NUMBERS, "seat": _SEAT},
    "give": {"reason": {"enum": list(REASONS)}, "points": _integer(-MOST_POINTS, MOST_POINTS), "seat": _SEAT},
    "role": {"role": {"enum": list(ROLES)}, "phone": _PHONE},
    "revoke": {"phone": _PHONE},
    "start": {},
    "set": {"value": _VALUE, "setting": _text(64)},
    "house": {"act": {"enum": ["save", "use", "forget"]}, "name": _NAME},
}
"""Kind of request -> the members of its body, in the order in which they are checked."""


class BodyError(ValueError):
    """The body of a request is invalid. The error's text is one sentence."""


def read_body(do: str, document: Json) -> dict[str, Json]:
    """Return the members that a request of kind `do` has, after checking their values.

    >>> read_body("vote", {"yes": True, "more": 1})
    {'yes': True}
    >>> read_body("role", {"role": "king"})
    Traceback (most recent call last):
    referee.page.phone_requests.BodyError: "role" must be one of own, keeper, host.
    """
    if not isinstance(document, dict):
        raise BodyError("The body must be a JSON object.")
    return {key: _value(f'"{key}"', document.get(key), schema) for key, schema in BODIES[do].items()}


def _value(what: str, value: Json, schema: Schema) -> Json:
    if "anyOf" in schema:
        schema = _schema_of(what, value, schema["anyOf"])
    if "enum" in schema:
        if value not in schema["enum"]:
            raise BodyError(f"{what} must be one of {', '.join(schema['enum'])}.")
        return value
    return _READERS[schema["type"]](what, value, schema)


def _schema_of(what: str, value: Json, schemas: list[Schema]) -> Schema:
    kind = {str: "string", int: "integer", bool: "boolean"}.get(type(value))
    for schema in schemas:
        if schema["type"] == kind:
            return schema
    raise BodyError(f"{what} must be a text, a whole number, true or false.")


def _read_integer(what: str, value: Json, schema: Schema) -> Json:
    least, most = schema["minimum"], schema["maximum"]
    if type(value) is not int or not least <= value <= most:
        raise BodyError(f"{what} must be a whole number from {least} to {most}.")
    return value


def _read_text(what: str, value: Json, schema: Schema) -> Json:
    if not isinstance(value, str) or len(value) > schema["maxLength"]:
        raise BodyError(f"{what} must be a text of at most {schema['maxLength']} characters.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BodyError(f"{what} has half a character (a lone surrogate); allowed is whole text.") from None
    return value


def _read_boolean(what: str, value: Json, schema: Schema) -> Json:
    if type(value) is not bool:
        raise BodyError(f"{what} must be true or false.")
    return value


def _read_list(what: str, value: Json, schema: Schema) -> Json:
    least, most = schema["minItems"], schema["maxItems"]
    if not isinstance(value, list) or not least <= len(value) <= most:
        count = most if least == most else f"{least} to {most}"
        raise BodyError(f"{what} must be a list of {count} whole numbers.")
    return [_value(f"Each of {what}", item, schema["items"]) for item in value]


_READERS = {"integer": _read_integer, "string": _read_text, "boolean": _read_boolean, "array": _read_list}


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
SLOW_S = 5.0
"""Time in s within which a request's body, a few hundred bytes, must arrive."""
IMPORT_BYTES = 4 * 1024 * 1024
"""Maximum bytes of an imported match.

A match of twelve players and sixty hands with every photo finish has half a megabyte.
"""
SLOW_IMPORT_S = 60.0
"""Time in s within which an imported file must arrive."""
SLOW_UPDATE_S = 900.0
"""Time in s within which an update must arrive and be checked."""


# -- authentication ---------------------------------------------------------------------------------------------------


def _error(request: web.Request, status: int, why: Text) -> web.Response:
    """Return a JSON response that says in the reader's language why a request is refused."""
    with speaking(reader(request).language):
        return send_json({"error": why()}, status)


def _foreign(request: web.Request) -> bool:
    """Return whether the request comes from a page of another site.

    A write without an Origin header counts as foreign, since every browser sends one.
    """
    return not same_origin(request.headers.get("Origin"), request.headers.get("Host"))


def _admit(request: web.Request) -> tuple[PairedPhone, PhoneDesk] | web.Response:
    """Return the paired phone that sent the request, and the desk; else a response that refuses.

    Called before the request's body is read.
    """
    site = request.app[SITE]
    phone = site.phone(request)
    if site.desk is None or phone is None:
        return _error(request, 401, partial(label, "not_paired"))
    if request.method == "GET":
        return phone, site.desk
    if _foreign(request):
        return _error(request, 403, partial(label, "foreign"))
    if not site.may_write(phone):
        return _error(request, 429, partial(label, "too_often"))
    return phone, site.desk


async def _body(request: web.Request, do: str) -> dict[str, Json]:
    """Return the members of the request's JSON body (see `read_body`). Raises BodyError."""
    if request.content_type != "application/json":
        raise BodyError("The body must be JSON (Content-Type: application/json).")
    try:
        document = json.loads(await asyncio.wait_for(request.text(), SLOW_S))
    except TimeoutError:
        raise BodyError(f"The body must come within {SLOW_S:g} s.") from None
    except (ValueError, RecursionError, LookupError):
        raise BodyError("The body is not JSON.") from None
    return read_body(do, document)


# -- requests ---------------------------------------------------------------------------------------------------------


def asks(do: str) -> Handler:
    """Return a handler for requests of kind `do`. It checks phone, origin, rate and body."""

    async def handler(request: web.Request) -> web.StreamResponse:
        found = _admit(request)
        if isinstance(found, web.Response):
            return found
        phone, desk = found
        try:
            what = await _body(request, do) if do in BODIES else {}
        except BodyError as why:
            return send_json({"error": str(why)}, 400)
        answered = await desk.ask(phone.digest, {"do": do, "language": reader(request).language} | what)
        return send_json(answered.document, answered.status)

    return handler


async def pair(request: web.Request) -> web.StreamResponse:
    """Give the phone a secret in exchange for the display's code.

    A wrong code is answered with 401; the rate of tries per address is limited.
    """
    site = request.app[SITE]
    if _foreign(request) or site.desk is None:
        return _error(request, 403, partial(label, "foreign"))
    if not site.peer(request).codes.take():
        return _error(request, 429, partial(label, "too_often"))
    try:
        what = await _body(request, "pair")
    except BodyError as why:
        return send_json({"error": str(why)}, 400)
    address = "" if site.peer(request).own else request.remote or ""
    asked = {"do": "pair", "language": reader(request).language, "address": address} | what
    answered = await site.desk.ask(site.digest(request), asked)
    told = dict(answered.document)
    secret = told.pop("secret", None)
    response = send_json(told, answered.status)
    if secret:
        response.set_cookie(COOKIE, secret, max_age=YEAR_S, httponly=True, samesite="Strict", path="/")
    return response


async def lend_code(request: web.Request) -> web.StreamResponse:
    """Give a paired phone the pairing code and its QR code, as rows of modules."""
    import segno

    found = _admit(request)
    if isinstance(found, web.Response):
        return found
    phone, desk = found
    answered = await desk.ask(phone.digest, {"do": "code", "language": reader(request).language})
    told = dict(answered.document)
    if answered.status == 200:
        rows = segno.make_qr(str(told["link"]), error="m").matrix
        told["qr"] = ["".join(map(str, row)) for row in rows]
    return send_json(told, answered.status)


async def take_in(request: web.Request) -> web.StreamResponse:
    """Import the match that is sent as a file, unless it was imported before.

    Before the file is read, the `Desk` checks that the phone may import. A separate program reads and
    stores the file (history_reader.py).
    """
    found = _admit(request)
    if isinstance(found, web.Response):
        return found
    phone, desk = found
    language = reader(request).language
    may = await desk.ask(phone.digest, {"do": "import", "language": language})
    if may.status != 200:
        return send_json(may.document, may.status)
    if request.content_type != "application/json":
        return _error(request, 400, partial(book, "import.broken"))
    try:
        document = await asyncio.wait_for(_file(request), SLOW_IMPORT_S)
        if document is None:
            return _error(request, 413, partial(book, "import.long"))
        kept = await request.app[SITE].past.keep(document)
    except (TimeoutError, PastError):
        return _error(request, 503, partial(book, "import.not_now"))
    with speaking(language):
        if "refused" in kept:
            return send_json({"error": book("import.broken"), "why": kept["refused"]}, 400)
        told = book("import.kept" if kept["new"] else "import.here", number=kept["match"])
        return send_json({**kept, "told": told})


async def take_update(request: web.Request) -> web.StreamResponse:
    """Receive an update and answer with the update program's report.

    Before the file is read, the `Desk` checks that the phone may send one.
    """
    found = _admit(request)
    if isinstance(found, web.Response):
        return found
    phone, desk = found
    language = reader(request).language
    may = await desk.ask(phone.digest, {"do": "update", "language": language})
    if may.status != 200:
        return send_json(may.document, may.status)
    if request.app[SITE].update.said is None:
        return _error(request, 404, lambda: "This device takes no updates.")
    parts = request.content.iter_chunked(256 * 1024)
    try:
        said = await asyncio.wait_for(request.app[SITE].update.take(parts), SLOW_UPDATE_S)
    except UpdateError as why:
        status = 413 if why.kind == "huge" else 503
        return _error(request, status, partial(message_speech, msg(f"toast.update_{why.kind}")))
    except (TimeoutError, ConnectionError):
        return _error(request, 503, partial(message_speech, UNREADABLE))
    with speaking(language):
        return send_json({"kind": said.kind, "told": said_text(said)})


async def _file(request: web.Request) -> bytes | None:
    """Return the body; None if it is too long."""
    found = bytearray()
    async for chunk in request.content.iter_chunked(64 * 1024):
        found += chunk
        if len(found) > IMPORT_BYTES:
            return None
    return bytes(found)


READS: Mapping[str, Handler] = {f"/api/{do}": asks(do) for do in ("names", "phones", "hands")}
WRITES: Mapping[str, Handler] = {f"/api/{do}": asks(do) for do in BODIES} | {
    "/api/pair": pair,
    "/api/code": lend_code,
    "/api/import": take_in,
    "/api/update": take_update,
}
"""Path -> handler of every write; `api.description` has a schema for each."""


# -- the page ----------------------------------------------------------------------------------------------------------


async def join(request: web.Request) -> web.Response:
    """Serve the page of a phone: to pair it, to take a seat and a name, and to count.

    If the link has a pairing code, the page fills it in.
    """
    site, who = request.app[SITE], replace(reader(request), path="/join")
    latest, stations = site.table.latest, len(site.table.stations)
    with speaking(who.language):
        plates = [plate(seat)[0] for seat in latest.seats] if latest else []
        names = [*plates, *[""] * stations][:stations]
        code, phone = request.match_info.get("code", "").upper(), site.phone(request)
        return answer(who, "join.html", phone=phone, code=code, names=names)
