"""Exports of an event: results as CSV and JSON, and matches for the app BG Stats."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

from aiohttp import web

from referee.core.documents.bgstats import play_file
from referee.core.documents.record import Record
from referee.core.reading import number
from referee.core.values import Document, Json
from referee.hall.formats import standings
from referee.hall.model import Event
from referee.hall.store import MOST_MATCHES
from referee.hall.web.render import answer_bytes, tag_of, unchanged
from referee.hall.web.site import HALL, Known
from referee.web.exports import date_of, safe_cell, uuid_of

COLUMNS = ("round", "table", "name", "points", "place", "reason", "match")
_Results = Iterator[tuple[int, str, str, int | float | None, int | None, str, str]]


def results(event: Event) -> _Results:
    """Yield a row of `COLUMNS` for each entry at each table.

    Without a result, points and place are None.
    """
    for drawn in event.rounds:
        for seats in drawn:
            outcome = event.outcome(seats.round, seats.table)
            for entry in filter(None, map(event.entry, seats.entries)):
                had = outcome is not None and entry.number in outcome.places
                points = number(outcome.points[entry.number]) if outcome and had else None
                place = outcome.places[entry.number] if outcome and had else None
                match, reason = (outcome.match, outcome.reason) if outcome else ("", "")
                yield seats.round, seats.table, entry.name, points, place, reason, match


def as_csv(event: Event) -> str:
    """Return the results as CSV. Texts that look like a formula get an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([[safe_cell(value) for value in row] for row in results(event)])
    return out.getvalue()


def as_json(event: Event) -> str:
    """Return the event's entries, results and standings as JSON."""
    document = {
        "format": "referee-event",
        "version": 1,
        "name": event.name,
        "game": {"preset": event.game.preset, "options": event.game.options, "target": event.game.target},
        "entries": [{"number": entry.number, "names": entry.names, "until": entry.until} for entry in event.entries],
        "results": [dict(zip(COLUMNS, row, strict=True)) for row in results(event)],
        "standings": [
            {
                "place": one.place,
                "entry": one.entry,
                "points": number(one.points),
                "values": {name: number(value) for name, value in one.values.items()},
                "through": one.through,
            }
            for one in standings(event)
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def as_bgstats(name: str, records: Sequence[Record]) -> str:
    """Return matches as one play file of BG Stats.

    Matches without a date, which it needs, are left out.
    """
    files = [play_file(record, name, uuid_of, date_of) for record in records if record.begun_s is not None]
    return json.dumps(_joined(files), indent=1) + "\n"


def _joined(files: Sequence[Json]) -> Document:
    """Join play files. People, places and games with the same UUID get the same number."""
    kinds = {"players": "playerRefId", "locations": "locationRefId", "games": "gameRefId"}
    found: dict[str, dict[str, Document]] = {kind: {} for kind in kinds}
    plays = []
    for file in files:
        numbers: dict[str, dict[int, int]] = {}
        for kind, reference in kinds.items():
            known = found[kind]
            for one in file[kind]:
                known.setdefault(one["uuid"], {**one, "id": len(known) + 1})
            numbers[reference] = {one["id"]: known[one["uuid"]]["id"] for one in file[kind]}
        plays += [_renumbered(play, numbers) for play in file["plays"]]
    lists = {kind: list(known.values()) for kind, known in found.items()}
    return {"about": "", **lists, "plays": plays, "userInfo": {"meRefId": 0}}


def _renumbered(value: Json, numbers: Mapping[str, Mapping[int, int]]) -> Json:
    if isinstance(value, list):
        return [_renumbered(one, numbers) for one in value]
    if isinstance(value, dict):
        return {key: numbers[key][one] if key in numbers else _renumbered(one, numbers) for key, one in value.items()}
    return value


async def _bgstats(request: web.Request, known: Known) -> str:
    held = await asyncio.to_thread(request.app[HALL].store.matches, event=known.id, most=MOST_MATCHES)
    return as_bgstats(known.event.name, [one.record for one in held if one.record])


_Write = Callable[[web.Request, Known], Awaitable[str]]


async def _csv(request: web.Request, known: Known) -> str:
    return as_csv(known.event)


async def _json(request: web.Request, known: Known) -> str:
    return as_json(known.event)


def _file(write: _Write, ending: str, kind: str) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """Return the handler that sends an event as a file."""

    async def handler(request: web.Request) -> web.StreamResponse:
        known = await request.app[HALL].events.get(int(request.match_info["event"]))
        if known is None:
            raise web.HTTPNotFound
        keep, tag = known.event.closed, "" if write is _bgstats else tag_of(request, known.tag)  # matches can change
        if tag and (same := unchanged(request, tag, keep=keep)):
            return same
        body = (await write(request, known)).encode(errors="replace")
        return answer_bytes(request, body, kind, keep=keep, tag=tag, name=f"event-{known.id}.{ending}")

    return handler


_PATH = "/events/{event:[0-9]{1,9}}/results"
ROUTES = {
    f"{_PATH}.csv": _file(_csv, "csv", "text/csv"),
    f"{_PATH}.json": _file(_json, "json", "application/json"),
    f"{_PATH}.bgsplay": _file(_bgstats, "bgsplay", "application/json"),
}
