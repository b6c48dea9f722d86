"""The page's HTML, rendered here in the table's language; a small script keeps it live.

The template and the three files beside it are package data in `static/`, read once.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from html import escape
from importlib.resources import files
from string import Template

from aiohttp import web

from referee.core.names import isolate
from referee.language.say import phase_name
from referee.language.words import speaking
from referee.web import cards, labels, wording
from referee.web.board import board
from referee.web.face import dark_means, plate
from referee.web.feed import Snapshot, TableFeed
from referee.web.frame import Reader, languages, reader, send_page
from referee.web.seats import SeatLine
from referee.web.site import SITE

TYPES = {
    "table.css": "text/css",
    "book.css": "text/css",
    "setup.js": "text/javascript",
    "import.js": "text/javascript",
    "table.js": "text/javascript",
    "cards.css": "text/css",
    "cards.js": "text/javascript",
    "turns.js": "text/javascript",
    "line.js": "text/javascript",
    "phone.css": "text/css",
    "phone.js": "text/javascript",
    "board.css": "text/css",
    "board.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
"""Every file that is served as it is."""
DIGITS = 9
"""Buttons that a key of their own holds: more have none."""


@cache
def static(name: str) -> str:
    """The text of a file in `web/static/`, read once."""
    return (files("referee.web") / "static" / name).read_text(encoding="utf-8")


@cache
def tag_of(name: str) -> str:
    """The ETag of a file in `web/static/`: 16 digits of its hash."""
    return hashlib.sha256(static(name).encode()).hexdigest()[:16]


async def page(request: web.Request) -> web.Response:
    """The table itself for whoever may press its buttons; the scoreboard for everybody else."""
    if request.app[SITE].hands_for(request) is None:
        return await board(request)
    return await table_page(request)


async def table_page(request: web.Request) -> web.Response:
    """The table with its display and lamps, as it stands now."""
    site, who = request.app[SITE], reader(request)
    return send_page(
        who, html(site.table, who, playable=site.hands_for(request) is not None, latest=site.shown_snapshot(request))
    )


async def packaged_file(request: web.Request) -> web.Response:
    """One of the page's files, from the package, with a tag by which a browser keeps it."""
    name = request.path.rpartition("/")[2]
    headers = {"ETag": f'"{tag_of(name)}"', "Cache-Control": "no-cache"}
    if any(tag.value == tag_of(name) for tag in request.if_none_match or ()):
        return web.Response(status=304, headers=headers)
    return web.Response(text=static(name), content_type=TYPES[name], headers=headers)


def html(table: TableFeed, who: Reader, *, playable: bool, latest: Snapshot | None) -> str:
    """The whole page, in its reader's language. playable: its buttons close contacts; otherwise they are lamps only.

    latest: the newest snapshot as whoever asks may see it.
    """
    with speaking(who.language):
        return _html(table, playable, who, latest.in_language(who.language) if latest else None)


def _html(table: TableFeed, playable: bool, who: Reader, latest: Snapshot | None) -> str:
    plates = latest.seats if latest else ()
    seats = [_seat(table, index, plates, playable) for index in range(len(table.stations))]
    said = script_labels() | ({"cards": cards.script_labels()} if playable else {})
    words = escape(isolate(latest.words if latest else labels.LAID()))
    return Template(static("page.html")).substitute(
        {name: label() for name, label in _PLAIN.items()},
        cards_files=cards.FILES if playable else "",
        cards=cards.markup(static) if playable else "",
        title=labels.SIMULATED() if playable else labels.TABLE(),
        mode="play" if playable else "watch",
        company=' class="company"' if playable and table.bots else "",
        language=who.language,
        line=who.line,
        languages=languages(who),
        labels=escape(json.dumps(said, ensure_ascii=False)),
        dark_means=dark_means(latest.view.dark if latest else ""),
        count=len(table.stations),
        seats="\n".join(seats),
        words=words,
        no_script=labels.NO_SCRIPT(words=words),
        manual_keys=labels.MANUAL_KEYS(count=min(len(table.stations), DIGITS)),
        phase=escape(phase_name(latest.view.phase) if latest else ""),
    )


_PLAIN = {
    "about": labels.ABOUT,
    "ways": wording.NAV,
    "join": wording.NAV_JOIN,
    "history": wording.NAV_EVENINGS,
    "scores": labels.BOARD_TITLE,
    "referee": labels.REFEREE,
    "phase_label": labels.PHASE,
    "sound_on": labels.SOUND_ON,
    "table": labels.TABLE,
    "device": labels.DEVICE,
    "display": labels.DISPLAY,
    "turn_left": labels.TURN_LEFT,
    "turn_right": labels.TURN_RIGHT,
    "push": labels.PUSH,
    "etched": labels.ETCHED,
    "clocks": labels.CLOCKS,
    "alone": labels.THIS_COMPUTER_ONLY,
    "seats_label": labels.SEATS,
    "manual": labels.MANUAL,
    "manual_dark": labels.MANUAL_DARK,
    "manual_blinking": labels.MANUAL_BLINKING,
    "manual_blinking_means": labels.MANUAL_BLINKING_MEANS,
    "manual_steady": labels.MANUAL_STEADY,
    "manual_steady_means": labels.MANUAL_STEADY_MEANS,
    "manual_knob": labels.MANUAL_KNOB,
    "manual_knob_means": labels.MANUAL_KNOB_MEANS,
}
"""The template's labels that have no values; some hold markup of their own."""


def script_labels() -> dict[str, object]:
    """What the page's script says; {} is put where it fills in a value."""
    return {
        "button": labels.BUTTON(number="{}"),
        "points": labels.POINTS(total="{}"),
        "lamp": labels.LAMP(state="{}"),
        "with": labels.WITH(number="{}"),
        "bot": labels.A_BOT(),
        "lost": labels.LOST(),
        "sound": [labels.SOUND_OFF(), labels.SOUND_ON()],
        "patterns": {pattern: label() for pattern, label in labels.LAMPS.items()},
    }


def _seat(table: TableFeed, index: int, plates: tuple[SeatLine, ...], playable: bool) -> str:
    name, total, partner = plate(plates[index]) if index < len(plates) else ("", "", "")
    station = table.stations[index]
    return Template(static("seat.html")).substitute(
        index=index,
        number=index + 1,
        button=labels.BUTTON(number=index + 1),
        contact=escape(station),
        name=escape(isolate(name)),
        total=escape(total),
        pair=labels.WITH(number=escape(partner)) if partner else "",
        bot_label=labels.BOT(),
        bot=' data-bot="yes"' if station in table.bots else "",
        disabled="" if playable else " disabled",
    )
