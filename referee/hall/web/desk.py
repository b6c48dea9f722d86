"""The director's desk: forms for all decisions of events, for tables and for people.

Each form has the number of decisions that its page has shown. If people have made decisions since then, the form
changes nothing, and the page shows what has changed. A result that has arrived since then blocks a form only if both
are about the same table.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import zlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, get_args

from aiohttp import web

from referee.core.model.registry import can_play, presets
from referee.core.model.table import Setup
from referee.core.names import fold
from referee.core.reading import quoted_value
from referee.hall import decide
from referee.hall.access import new_code
from referee.hall.formats import last_drawn
from referee.hall.model import (
    MOST_ROUNDS,
    MOST_SEATS,
    Allowed,
    Closed,
    Corrected,
    Decision,
    Drawn,
    Entered,
    Event,
    EventError,
    Finished,
    Format,
    Game,
    Kind,
    Left,
    Moved,
    Opened,
    Outcome,
    Returned,
    Seeded,
    Undone,
    Voided,
    places_of,
)
from referee.hall.store import Store
from referee.hall.web import forms
from referee.hall.web.forms import Fields
from referee.hall.web.render import answer, reader_of
from referee.hall.web.sentences import decision_text, held_text
from referee.hall.web.site import HALL, Known, person
from referee.hall.web.values import name_of, pairings, table_order
from referee.language.words import speaking

KINDS: tuple[Kind, ...] = get_args(Kind)
MOST_TARGET = 10_000
TRIES = 5
"""Maximum number of attempts to store a decision while results arrive at the same time."""
HELPER, DIRECTOR = "helper", "director"
Act = Callable[[Fields, Event, str], list[Decision]]
"""Return the decisions of a form, from its fields, the event and the person's name.

Raises EventError.
"""


class ChangedError(Exception):
    """The event has changed since the page was shown. made: the decisions since then."""

    def __init__(self, made: Sequence[Decision]) -> None:
        super().__init__()
        self.made = made


# -- what each form decides ----------------------------------------------------------------------------------------


def _enter(fields: Fields, event: Event, by: str) -> list[Decision]:
    first = event.next_number
    return [Entered(number, names, by=by) for number, names in enumerate(forms.entries(fields), first)]


def _seed(fields: Fields, event: Event, by: str) -> list[Decision]:
    """Take favourites by name, the strongest first; no name removes all seeds."""
    lines = forms.entries(fields, "favourites") if str(fields.get("favourites", "")).strip() else []
    known = {frozenset(map(fold, entry.names)): entry.number for entry in event.entries}
    for line in lines:
        if frozenset(map(fold, line)) not in known:
            raise EventError("not_entered", name=" & ".join(line))
    return [Seeded(tuple(known[frozenset(map(fold, line))] for line in lines), by)]


def _leave(fields: Fields, event: Event, by: str) -> list[Decision]:
    return [Left(_entry(fields, "entry"), forms.reason(fields), by)]


def _return(fields: Fields, event: Event, by: str) -> list[Decision]:
    return [Returned(_entry(fields, "entry"), by)]


def _draw(fields: Fields, event: Event, by: str) -> list[Decision]:
    again = bool(fields.get("again"))
    made = decide.draw(event, forms.tables(fields), secrets.randbelow(1 << 31), again, by)
    if not again:
        _check_results(fields, event)
    return [made]


def _check_results(fields: Fields, event: Event) -> None:
    """Raise EventError if results are missing and the form has no tick."""
    if (late := _late(event)) and not fields.get("unfinished"):
        raise EventError("unfinished", count=late)


def _late(event: Event) -> int:
    """Return the number of missing results."""
    return sum(len(event.open_tables(number)) for number in range(1, event.round + 1))


def _move(fields: Fields, event: Event, by: str) -> list[Decision]:
    """Move an entry. The field `to` is a table, or an entry to swap with: "=12"."""
    entry, to = _entry(fields, "entry"), forms.text(fields, "to")
    if to.startswith("="):
        return [Moved(entry, swapped=_entry({"to": to[1:]}, "to"), reason=forms.reason(fields), by=by)]
    return [Moved(entry, to, reason=forms.reason(fields), by=by)]


def _correct(fields: Fields, event: Event, by: str) -> list[Decision]:
    round_, table = _place(fields)
    seats = event.seats(round_, table)
    if seats is None:
        raise EventError("not_drawn", table=table, round=round_)
    asked = [number for number in seats.entries if forms.text(fields, f"points-{number}")]
    points = {number: forms.points(fields, f"points-{number}", name_of(event, number)) for number in asked}
    return [Corrected(Outcome(round_, table, "", points, places_of(points), forms.reason(fields)), by)]


def _void(fields: Fields, event: Event, by: str) -> list[Decision]:
    round_, table = _place(fields)
    return [Voided(round_, table, forms.reason(fields), by)]


def _allow(fields: Fields, event: Event, by: str) -> list[Decision]:
    return [Allowed(forms.text(fields, "match"), forms.text(fields, "table"), bool(fields.get("counts")), by)]


def _undo(fields: Fields, event: Event, by: str) -> list[Decision]:
    return [Undone(forms.whole(fields, "undo", 2, len(event.decisions)), by=by)]


def _close(fields: Fields, event: Event, by: str) -> list[Decision]:
    _check_results(fields, event)
    if not last_drawn(event) and not fields.get("unfinished"):
        raise EventError("early")
    return [Closed(by)]


def _entry(fields: Fields, name: str) -> int:
    return forms.whole(fields, name, 1, 99_999)


def _place(fields: Fields) -> tuple[int, str]:
    return forms.whole(fields, "round", 1, MOST_ROUNDS), forms.text(fields, "table")


ACTS: dict[str, tuple[str, Act]] = {
    "enter": (HELPER, _enter),
    "seed": (DIRECTOR, _seed),
    "leave": (HELPER, _leave),
    "return": (HELPER, _return),
    "correct": (HELPER, _correct),
    "draw": (DIRECTOR, _draw),
    "move": (DIRECTOR, _move),
    "void": (DIRECTOR, _void),
    "allow": (DIRECTOR, _allow),
    "undo": (DIRECTOR, _undo),
    "close": (DIRECTOR, _close),
}
"""Form -> the least role that may send it, and the function that returns its decisions."""


def _acting(act: Act) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """Return the handler of a form."""

    async def handler(request: web.Request) -> web.StreamResponse:
        known = await _known(request)
        fields = await request.post()
        try:
            await asyncio.to_thread(_decide, request, known.id, act, fields)
        except ChangedError as error:
            return await _page(request, known.id, status=409, changed=error.made, given=fields)
        except EventError as error:
            return await _page(request, known.id, status=400, trouble=_told(request, error), given=fields)
        return _see(f"/desk/{known.id}")

    return handler


def _decide(request: web.Request, id_: int, act: Act, fields: Fields) -> None:
    """Store the decisions of a form. Raises ChangedError, EventError."""
    store, who = request.app[HALL].store, person()
    seen = forms.whole(fields, "number", 1, 99_999)
    event = store.event(id_)
    if forms.text(fields, "seen") not in ("", seen_of(event.decisions[:seen])):  # the database has lost decisions
        raise EventError("meanwhile")
    made = act(fields, event, who.name if who else "")
    _check_meanwhile(event.decisions[seen:], made)
    _append(store, id_, event, made)


def seen_of(decisions: Sequence[Decision]) -> str:
    """Return a checksum of the decisions that a page has shown."""
    return f"{zlib.crc32(repr(decisions).encode()):08x}"


def _append(store: Store, id_: int, event: Event, made: Sequence[Decision]) -> Event:
    """Append all decisions or none. Try again if only results have arrived since the event was read."""
    for left in range(TRIES, 0, -1):
        try:
            return store.append(id_, made, event)
        except EventError:
            now = store.event(id_)
            meanwhile = now.decisions[len(event.decisions) :]
            if not meanwhile or left == 1 or now.decisions[: len(event.decisions)] != event.decisions:
                raise
            if any(isinstance(decision, Drawn) for decision in made):
                raise ChangedError(meanwhile) from None
            _check_meanwhile(meanwhile, made)
            event = now
    raise AssertionError


def _check_meanwhile(meanwhile: Sequence[Decision], made: Sequence[Decision]) -> None:
    """Raise ChangedError if `meanwhile` has a person's decision, or one about a table of `made`."""
    asked = {place for decision in made for place in _places(decision)}
    if any(decision.by or asked & set(_places(decision)) for decision in meanwhile):
        raise ChangedError(meanwhile)


def _places(decision: Decision) -> Iterator[tuple[int, str]]:
    """Yield the round and table that a decision is about."""
    if isinstance(decision, Corrected | Finished):
        yield decision.outcome.round, decision.outcome.table
    elif isinstance(decision, Voided):
        yield decision.round, decision.table


# -- pages ---------------------------------------------------------------------------------------------------------


async def home(request: web.Request) -> web.Response:
    """Serve the list of events and tables, and the form to open an event."""
    return await _home(request)


async def _home(
    request: web.Request, *, status: int = 200, trouble: str = "", given: Fields | None = None, code: str = ""
) -> web.Response:
    """Answer with the desk's first page.

    trouble: an error. given: the form's fields. code: of a person.
    """
    hall = request.app[HALL]
    return answer(
        request,
        "desk.html",
        status=status,
        known=await hall.events.all(),
        trouble=trouble,
        given=given or {},
        code=code,
        people=await asyncio.to_thread(hall.store.access.people),
        presets=sorted(presets()),
        rules=_rules(given or {}),
        kinds=KINDS,
        **await _of_tables(request),
    )


def _rules(fields: Fields) -> Setup | None:
    """Return the rules that a form to open an event shows; None if it does not show them."""
    preset = str(fields.get("preset", ""))
    if preset not in presets() or not fields.keys() & {"rules", "rules_of"}:
        return None
    with suppress(EventError):
        own = forms.options(fields, preset) if fields.get("rules_of") == preset else {}
        return Setup(preset, tuple(own.items()) if can_play(preset, own) else ())
    return None


async def _of_tables(request: web.Request) -> dict[str, Any]:
    """Return the template's values about tables: known tables, matches of no event, problems."""
    hall = request.app[HALL]
    tables, undrawn, troubles = await asyncio.to_thread(
        lambda: (hall.store.tables(), hall.store.matches(undrawn=True, most=20), hall.store.troubles()[:20])
    )
    games = [one for one in troubles if one.kind == "game"]
    matches = await asyncio.to_thread(lambda: [hall.store.match(one.table, one.match) for one in games])
    events = {one.match: await hall.events.get(one.event) for one in matches if one and one.event is not None}
    with speaking(reader_of(request).language):
        return {
            "tables": sorted(tables, key=lambda one: table_order(one.name)),
            "online": {name for name, live in hall.live.items() if live.online},
            "undrawn": [(one.table, held_text(one)) for one in undrawn],
            "troubles": [(one, events.get(one.match) if one.kind == "game" else None) for one in troubles],
        }


async def open_event(request: web.Request) -> web.Response:
    """Open an event, and go to its desk."""
    fields, who = await request.post(), person()
    if fields.get("rules") or fields.get("rules_of", "") not in ("", fields.get("preset")):
        return await _home(request, given=fields)
    try:
        plan = Format(
            _kind(fields),
            forms.whole(fields, "size", 2, MOST_SEATS),
            forms.whole(fields, "advance", 1, MOST_SEATS),
            forms.optional(fields, "rounds", 1, MOST_ROUNDS),
        )
        preset, target = forms.text(fields, "preset"), forms.optional(fields, "target", 1, MOST_TARGET)
        game = Game(preset, forms.options(fields, preset) if preset in presets() else {}, target)
        opened = Opened(forms.text(fields, "name"), plan, game, secrets.randbelow(1 << 31), who.name if who else "")
        number = await asyncio.to_thread(request.app[HALL].store.open, opened)
    except EventError as error:
        return await _home(request, status=400, trouble=_told(request, error), given=fields)
    return _see(f"/desk/{number}")


async def invite(request: web.Request) -> web.Response:
    """Invite a table, or withdraw its invitation."""
    fields = await request.post()
    try:
        name, store = forms.text(fields, "table"), request.app[HALL].store
        await asyncio.to_thread(store.invite, name, bool(fields.get("invited")))
    except ValueError as error:
        return await _home(request, status=400, trouble=_told(request, error))
    return _see("/desk#tables")


async def people(request: web.Request) -> web.Response:
    """Give a person a role and a new code, which is shown once; or end the person's access."""
    fields, access = await request.post(), request.app[HALL].store.access
    try:
        name = forms.text(fields, "name")
        if fields.get("dismiss"):
            await asyncio.to_thread(access.dismiss, name)
            return _see("/desk#people")
        code = new_code()
        await asyncio.to_thread(access.admit, name, forms.text(fields, "role"), code)
    except ValueError as error:
        return await _home(request, status=400, trouble=_told(request, error))
    return await _home(request, given=fields, code=code)


async def dismiss(request: web.Request) -> web.Response:
    """Remove a problem from the list."""
    fields = await request.post()
    key = (str(fields.get(name, ""))[:200] for name in ("table", "match", "kind"))
    await asyncio.to_thread(request.app[HALL].store.dismiss, *key)
    return _see("/desk#troubles")


async def event_page(request: web.Request) -> web.Response:
    """Serve the desk of an event."""
    return await _page(request, (await _known(request)).id)


async def _known(request: web.Request) -> Known:
    known = await request.app[HALL].events.get(int(request.match_info["event"]))
    if known is None:
        raise web.HTTPNotFound
    return known


async def _page(
    request: web.Request,
    id_: int,
    *,
    status: int = 200,
    trouble: str = "",
    changed: Sequence[Decision] = (),
    given: Fields | None = None,
) -> web.Response:
    """Answer with an event's desk.

    trouble: an error. changed: new decisions. given: a refused form.
    """
    hall, who = request.app[HALL], person()
    hall.events.refresh()
    known = await hall.events.get(id_)
    if known is None:
        raise web.HTTPNotFound
    event = known.event
    without = decide.undone(event.decisions)
    asked = str((given or request.query).get("round", ""))
    round_ = int(asked) if re.fullmatch("[1-9][0-9]{0,2}", asked) and int(asked) <= event.round else event.round
    with speaking(reader_of(request).language):
        made = [(n, decision_text(event, one), one.by, n in without) for n, one in enumerate(event.decisions, 1)]
        values: dict[str, Any] = {
            "made": made[::-1],
            "changed": [decision_text(event, one) for one in changed],
            "round": round_,
            "drawn": pairings(event, round_),
            "names": {entry.number: name_of(event, entry.number) for entry in event.entries},
            "active": event.active,
            "favourites": sorted((one for one in event.entries if one.seed), key=lambda one: one.seed),
        }
    is_director = who is not None and who.may(DIRECTOR)
    waiting, last = event.open_tables(event.round), last_drawn(event)
    shared: dict[str, Any] = {
        "warnings": decide.warnings(event),
        "trouble": trouble,
        "given": given or {},
        "seen": seen_of(event.decisions),
        "director": is_director,
        "late": _late(event),
        "drawable": not last and len(event.active) > 1 and not (waiting and event.format.kind == "elimination"),
        "redrawable": bool(event.round) and len(waiting) == len(event.rounds[-1]),
        "complete": decide.complete(event),
    }
    return answer(request, "event.html", status=status, known=known, **shared, **values, **await _of_tables(request))


def _told(request: web.Request, error: Exception) -> str:
    """Return an error as a sentence in the reader's language."""
    with speaking(reader_of(request).language):
        said = str(error)
    return said[:1].upper() + said[1:]


def _kind(fields: Fields) -> Kind:
    given = forms.text(fields, "kind")
    for kind in KINDS:
        if given == kind:
            return kind
    raise EventError("kind", given=quoted_value(given))


def _see(path: str) -> web.Response:
    return web.Response(status=303, headers={"Location": path})


READS = (("/desk", HELPER, home), ("/desk/{event:[0-9]{1,9}}", HELPER, event_page))
WRITES = (
    ("/desk/open", DIRECTOR, open_event),
    ("/desk/people", DIRECTOR, people),
    ("/desk/tables", HELPER, invite),
    ("/desk/troubles", HELPER, dismiss),
    *((f"/desk/{{event:[0-9]{{1,9}}}}/{name}", role, _acting(act)) for name, (role, act) in ACTS.items()),
)
