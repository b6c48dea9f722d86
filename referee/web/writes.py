"""What every write by HTTP goes through: who asks, from which page, how often; and how it is answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from aiohttp import web

from referee.core.names import isolate
from referee.core.values import Json
from referee.language.words import speaking
from referee.web import labels
from referee.web.frame import reader
from referee.web.guard import same_origin
from referee.web.pairing import PairedPhone
from referee.web.site import SITE, PhoneDesk


def says(status: int, document: Mapping[str, Json]) -> web.Response:
    """An answer as JSON, which nobody keeps."""
    why = {"error": isolate(str(document["error"]))} if "error" in document else {}
    text = json.dumps({**document, **why}, ensure_ascii=False)
    return web.json_response(text=text, status=status, headers={"Cache-Control": "no-store"})


def error(request: web.Request, status: int, word: Callable[[], str]) -> web.Response:
    """A refusal in one sentence of the reader's language."""
    with speaking(reader(request).language):
        return says(status, {"error": word()})


def foreign(request: web.Request) -> bool:
    """Whether it comes from no page of ours; every browser says with a write from where it comes."""
    return not same_origin(request.headers.get("Origin"), request.headers.get("Host"))


def admit(request: web.Request) -> tuple[PairedPhone, PhoneDesk] | web.Response:
    """The paired phone that writes, and where it asks; or why it may not, before anything that it sends is read."""
    site = request.app[SITE]
    phone = site.phone(request)
    if site.desk is None or phone is None:
        return error(request, 401, labels.NOT_PAIRED)
    if foreign(request):
        return error(request, 403, labels.FOREIGN)
    if not site.may_write(phone):
        return error(request, 429, labels.TOO_OFTEN)
    return phone, site.desk
