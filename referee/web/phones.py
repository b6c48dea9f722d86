"""What phones may ask for over HTTP: to be paired, a seat and a name, a count, and the book of phones.

Every write is a JSON object sent by the page itself; a stranger's page can neither send one nor have the cookie sent
along. Without a paired phone's cookie it is 401, with one that has not the right 403; where the core refuses it, 409
with the core's sentence. What is said is one sentence in the reader's language.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from html import escape
from string import Template

from aiohttp import web

from referee.core.names import isolate
from referee.core.phases.adjusting import MOST_POINTS, REASONS
from referee.core.phases.fixing import CORRECTIONS
from referee.core.values import Json, replace
from referee.language.words import speaking
from referee.web import labels
from referee.web.face import plate
from referee.web.frame import Reader, languages, reader, send_page
from referee.web.imports import take_in
from referee.web.page import static
from referee.web.pairing import ROLES, PairedPhone
from referee.web.site import COOKIE, SITE, Site
from referee.web.writes import admit, error, foreign, says

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
YEAR_S = 365 * 24 * 3600
NUMBERS_MOST = 8
"""More numbers than any count has."""
NUMBER_MOST = 10_000
HOUSE_ACTS = ("save", "use", "forget")
SLOW_S = 5.0
"""A body is a few hundred bytes; one that has not come by then does not come."""
NAME_MOST = 2048
"""Code points; the core says how many letters a name has."""


class BodyError(ValueError):
    """A body that is no such request, in one sentence."""


# -- bodies ------------------------------------------------------------------------------------------------------------


def _text(document: Mapping[str, Json], key: str, most: int) -> str:
    value = document.get(key)
    if not isinstance(value, str) or len(value) > most:
        raise BodyError(f'"{key}" must be a text of at most {most} characters.')
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BodyError(f'"{key}" must be a text that can be written.') from None
    return value


def _number(value: Json, what: str, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise BodyError(f"{what} must be a whole number from {least} to {most}.")
    return value


def _pair(document: Mapping[str, Json]) -> dict[str, Json]:
    return {"code": _text(document, "code", 32)}


def _seat(document: Mapping[str, Json]) -> dict[str, Json]:
    return {"seat": _number(document.get("seat"), '"seat"', 1, 99), "name": _text(document, "name", NAME_MOST)}


def _count(document: Mapping[str, Json]) -> dict[str, Json]:
    numbers = document.get("numbers")
    if not isinstance(numbers, list) or not 1 <= len(numbers) <= NUMBERS_MOST:
        raise BodyError(f'"numbers" must be a list of 1 to {NUMBERS_MOST} whole numbers.')
    checked = [_number(number, 'Each of "numbers"', -NUMBER_MOST, NUMBER_MOST) for number in numbers]
    return {"seat": _number(document.get("seat"), '"seat"', 1, 99), "numbers": checked}


def _flag(document: Mapping[str, Json], key: str) -> bool:
    value = document.get(key)
    if type(value) is not bool:
        raise BodyError(f'"{key}" must be true or false.')
    return value


def _vote(document: Mapping[str, Json]) -> dict[str, Json]:
    return {"yes": _flag(document, "yes")}


def _team(document: Mapping[str, Json]) -> dict[str, Json]:
    seats = document.get("seats")
    if not isinstance(seats, list) or len(seats) != 2:
        raise BodyError('"seats" must be a list of 2 whole numbers.')
    return {"seats": [_number(s, 'Each of "seats"', 1, 99) for s in seats], "together": _flag(document, "together")}


def _correct(document: Mapping[str, Json]) -> dict[str, Json]:
    reason = document.get("reason")
    if reason not in CORRECTIONS:
        raise BodyError(f'"reason" must be one of {", ".join(CORRECTIONS)}.')
    hand = _number(document.get("hand"), '"hand"', 1, 999)
    return _count(document) | {"hand": hand, "reason": reason}


def _give(document: Mapping[str, Json]) -> dict[str, Json]:
    reason = document.get("reason")
    if reason not in REASONS:
        raise BodyError(f'"reason" must be one of {", ".join(REASONS)}.')
    points = _number(document.get("points"), '"points"', -MOST_POINTS, MOST_POINTS)
    return {"seat": _number(document.get("seat"), '"seat"', 1, 99), "points": points, "reason": reason}


def _role(document: Mapping[str, Json]) -> dict[str, Json]:
    role = document.get("role")
    if role not in ROLES:
        raise BodyError(f'"role" must be one of {", ".join(ROLES)}.')
    return {"phone": _text(document, "phone", 32), "role": role}


def _revoke(document: Mapping[str, Json]) -> dict[str, Json]:
    return {"phone": _text(document, "phone", 32)}


def _set(document: Mapping[str, Json]) -> dict[str, Json]:
    value = document.get("value")
    if type(value) is str:
        value = _text(document, "value", 64)
    elif type(value) is int:
        value = _number(value, '"value"', -NUMBER_MOST, NUMBER_MOST * NUMBER_MOST * NUMBER_MOST)
    elif type(value) is not bool:
        raise BodyError('"value" must be a text, a whole number, true or false.')
    return {"setting": _text(document, "setting", 64), "value": value}


def _house(document: Mapping[str, Json]) -> dict[str, Json]:
    act = document.get("act")
    if act not in HOUSE_ACTS:
        raise BodyError(f'"act" must be one of {", ".join(HOUSE_ACTS)}.')
    return {"act": act, "name": _text(document, "name", NAME_MOST)}


async def _body(request: web.Request, read: Callable[[Mapping[str, Json]], dict[str, Json]]) -> dict[str, Json]:
    """What the body asks for. BodyError in one sentence."""
    if request.content_type != "application/json":
        raise BodyError("The body must be JSON (Content-Type: application/json).")
    try:
        document = json.loads(await asyncio.wait_for(request.text(), SLOW_S))
    except TimeoutError:
        raise BodyError(f"The body must come within {SLOW_S:g} s.") from None
    except (ValueError, RecursionError, LookupError):
        raise BodyError("The body is not JSON.") from None
    if not isinstance(document, dict):
        raise BodyError("The body must be a JSON object.")
    return read(document)


# -- writes ------------------------------------------------------------------------------------------------------------


def _write(do: str, read: Callable[[Mapping[str, Json]], dict[str, Json]]) -> Handler:
    """A write of a paired phone: who it is, then where from, then what."""

    async def handler(request: web.Request) -> web.StreamResponse:
        found = admit(request)
        if isinstance(found, web.Response):
            return found
        phone, desk = found
        try:
            what = await _body(request, read)
        except BodyError as why:
            return says(400, {"error": str(why)})
        answer = await desk.ask(phone.digest, {"do": do, "language": reader(request).language} | what)
        return says(answer.status, answer.document)

    return handler


async def pair(request: web.Request) -> web.StreamResponse:
    """The display's code for a secret of one's own. A wrong code is 401; tries are counted by address."""
    site = request.app[SITE]
    if foreign(request) or site.desk is None:
        return error(request, 403, labels.FOREIGN)
    if not site.peer(request).codes.take():
        return error(request, 429, labels.TOO_OFTEN)
    try:
        what = await _body(request, _pair)
    except BodyError as why:
        return says(400, {"error": str(why)})
    address = "" if site.peer(request).own else request.remote or ""
    asked = {"do": "pair", "language": reader(request).language, "address": address} | what
    answer = await site.desk.ask(site.digest(request), asked)
    told = dict(answer.document)
    secret = told.pop("secret", None)
    response = says(answer.status, told)
    if secret:
        response.set_cookie(COOKIE, secret, max_age=YEAR_S, httponly=True, samesite="Strict", path="/")
    return response


WRITES: Mapping[str, Handler] = {
    "/api/pair": pair,
    "/api/seat": _write("seat", _seat),
    "/api/count": _write("count", _count),
    "/api/vote": _write("vote", _vote),
    "/api/team": _write("team", _team),
    "/api/correct": _write("correct", _correct),
    "/api/give": _write("give", _give),
    "/api/role": _write("role", _role),
    "/api/revoke": _write("revoke", _revoke),
    "/api/set": _write("set", _set),
    "/api/house": _write("house", _house),
    "/api/import": take_in,
}
"""Every write there is; `api.description` has a schema for each."""


async def _ask_desk(request: web.Request, do: str) -> web.StreamResponse:
    site = request.app[SITE]
    phone = site.phone(request)
    if site.desk is None or phone is None:
        return error(request, 401, labels.NOT_PAIRED)
    answer = await site.desk.ask(phone.digest, {"do": do, "language": reader(request).language})
    return says(answer.status, answer.document)


async def names(request: web.Request) -> web.StreamResponse:
    """The names that people have had here, for a phone to take one; who sits already is not among them."""
    return await _ask_desk(request, "names")


async def hands(request: web.Request) -> web.StreamResponse:
    """The match's hands as they were counted, for whoever keeps the score."""
    return await _ask_desk(request, "hands")


async def phones_page(request: web.Request) -> web.StreamResponse:
    """The book of phones, for the host."""
    return await _ask_desk(request, "phones")


# -- the page ----------------------------------------------------------------------------------------------------------


async def join(request: web.Request) -> web.Response:
    """The phone's page: to be paired, named and seated, and to count. The code of a link is filled in."""
    site, who = request.app[SITE], reader(request)
    return send_page(who, html(site, who, site.phone(request), request.match_info.get("code", "")))


def html(site: Site, who: Reader, phone: PairedPhone | None, code: str) -> str:
    """The phone's page as it stands now, in its reader's language."""
    latest = site.table.latest
    with speaking(who.language):
        plates = [plate(seat) for seat in latest.seats] if latest else []
        named = [(n, plates[n - 1][0] if n <= len(plates) else "") for n in range(1, len(site.table.stations) + 1)]
        return Template(static("phone.html")).substitute(
            {name: escape(label()) for name, label in _PLAIN.items()},
            language=who.language,
            line=who.line,
            languages=languages(replace(who, path="/join")),
            code=escape(code.upper()),
            phone=escape(phone.name if phone else ""),
            role=escape(phone.role if phone else ""),
            labels=escape(json.dumps(_script_labels(), ensure_ascii=False)),
            seats="\n".join(_chair(number, name) for number, name in named),
        )


def _chair(number: int, name: str) -> str:
    return Template(static("chair.html")).substitute(
        number=number, button=escape(labels.BUTTON(number=number)), name=escape(isolate(name or labels.JOIN_FREE()))
    )


_PLAIN = {
    "referee": labels.REFEREE,
    "title": labels.JOIN_TITLE,
    "about": labels.JOIN_ABOUT,
    "code_label": labels.JOIN_CODE,
    "where": labels.JOIN_WHERE,
    "pair": labels.JOIN_PAIR,
    "name_label": labels.JOIN_NAME,
    "known": labels.JOIN_KNOWN,
    "seat_label": labels.JOIN_SEAT,
    "sit": labels.JOIN_SIT,
    "watch": labels.JOIN_WATCH,
    "leave": labels.JOIN_LEAVE,
    "awake": labels.JOIN_AWAKE,
    "needs_script": labels.JOIN_NEEDS_SCRIPT,
    "count_title": labels.COUNT_TITLE,
    "save": labels.COUNT_SAVE,
    "clear": labels.COUNT_CLEAR,
    "wait": labels.COUNT_WAIT,
    "phones_title": labels.PHONES_TITLE,
    "vote_title": labels.VOTE_TITLE,
    "vote_yes": labels.VOTE_YES,
    "vote_no": labels.VOTE_NO,
    "fix_title": labels.FIX_TITLE,
    "fix_hand": labels.FIX_HAND,
    "fix_team": labels.FIX_TEAM,
    "fix_reason": labels.FIX_REASON,
    "fix_save": labels.FIX_SAVE,
    "give_title": labels.GIVE_TITLE,
    "give_points": labels.GIVE_POINTS,
    "give_save": labels.GIVE_SAVE,
}


def _script_labels() -> dict[str, object]:
    """What the phone's script says; {} is put where it fills in a value."""
    return {
        "free": labels.JOIN_FREE(),
        "you": labels.JOIN_YOU(),
        "sit": labels.JOIN_SIT(),
        "change": labels.JOIN_CHANGE(),
        "with": labels.WITH(number="{}"),
        "phone": labels.PHONE(number="{}"),
        "paired": labels.JOIN_PAIRED(),
        "saved": labels.JOIN_SAVED(),
        "done": labels.COUNT_DONE(),
        "open": labels.COUNT_OPEN(),
        "by": labels.COUNT_BY(who="{}"),
        "by_phone": labels.COUNT_BY_PHONE(),
        "by_knob": labels.COUNT_BY_KNOB(),
        "button": labels.BUTTON(number="{}"),
        "lost": labels.LOST(),
        "roles": {"own": labels.ROLE_OWN(), "keeper": labels.ROLE_KEEPER(), "host": labels.ROLE_HOST()},
        "forget": labels.PHONE_FORGET(),
        "asleep": labels.ASLEEP(),
        "yes": labels.VOTE_SAID_YES(),
        "no": labels.VOTE_SAID_NO(),
        "none": labels.FIX_NONE(),
    }
