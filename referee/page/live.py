"""`/live`: the WebSocket of a page.

Sent: changes and sounds. Received at the simulated table: contacts and the knob.

With `?show=board` or `?show=wall` (scoreboard.py) it sends `{"board": {...}}`, without sounds: the parts that changed,
as HTML. `?language=de` sets the language of the texts; `?browser=de` sets it unless the table's was set (request.py);
without either it is the table's.

It sends `{"table": {...}}` with the changed entries of a snapshot's `face`, `{"sound": {...}}` and, for a message that
was invalid or came too fast, `{"refused": "one sentence"}`. It receives the messages of `protocol/gestures.py`. Without
changes, a page gets `{}` every 20 s, from which its script (line.js) knows that the connection is alive.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping
from functools import partial

from aiohttp import WSCloseCode, WSMsgType, web

from referee.core.names import isolate
from referee.core.values import by_identity
from referee.page.connections import Bucket
from referee.page.feed import Feed, Mailbox
from referee.page.phone_button import Button
from referee.page.scoreboard import SHOWS, parts
from referee.page.simulated import Felt, Hands, cards_after, felt_for
from referee.page.site import SITE, Site
from referee.page.table_document import face_of
from referee.protocol.gestures import AskError, Gesture, Touch, read, read_json
from referee.protocol.page import SPOKEN, Sound
from referee.protocol.snapshot import CACHED, Snapshot
from referee.web.guard import same_origin
from referee.web.languages import language_of

MESSAGE_BYTES = 1024
PING_S = 60
BEAT_S = 20.0
RATE_HZ = 60
BURST = 90
"""Maximum number of messages at once.

Eight people who press as fast as they can make some 130 changes a second for a moment; a mouse wheel makes far fewer.
"""
Kind = tuple[str, Callable[[str], str]]
"""A page's kind ("" for the table), and a function: the table's language -> the reader's."""
TOO_FAST = "Too fast: wait a moment."


async def live(request: web.Request) -> web.StreamResponse:
    """Open a page's WebSocket and serve it until it closes.

    Raises HTTPForbidden for a page of another site, HTTPUpgradeRequired for a request that asks for no WebSocket, and
    HTTPServiceUnavailable if too many pages are open.
    """
    site = request.app[SITE]
    origin, host = request.headers.get("Origin"), request.headers.get("Host")
    if origin is not None and not same_origin(origin, host):
        raise web.HTTPForbidden(text="This page may be opened from itself only.")
    socket = web.WebSocketResponse(heartbeat=PING_S, max_msg_size=MESSAGE_BYTES, compress=False, timeout=1.0)
    if not socket.can_prepare(request):
        raise web.HTTPUpgradeRequired(text="This is a WebSocket; the page is at /.")
    peer = site.peer(request)
    if not site.budgets.open(peer):
        raise web.HTTPServiceUnavailable(text="Too many pages are open already; close one.")
    try:
        await socket.prepare(request)
        hands = site.hands_for(request) if origin is not None else None
        show = request.query.get("show", "")
        language = partial(language_of, request.query.get("language", ""), request.query.get("browser", ""))
        kind = show if show in SHOWS else "", language
        phone = site.phone(request)
        with site.table.looks_on(phone.name) if phone is not None else contextlib.nullcontext():
            button = _button(socket, site, phone.name) if phone is not None and "button" in request.query else None
            await _serve(socket, site, hands, kind, button, first=peer.own, veiled=not site.sees_code(request))
    finally:
        site.budgets.close(peer)
    return socket


async def _serve(
    socket: web.WebSocketResponse,
    site: Site,
    hands: Hands | None,
    kind: Kind,
    button: Button | None,
    *,
    first: bool,
    veiled: bool,
) -> None:
    site.sockets.add(socket)
    with site.table.subscribe(first) as mailbox:

        def sees(seat: int) -> bool:
            return hands is not None and hands.sees(socket, seat)

        tasks = [asyncio.create_task(_write(socket, site.table, mailbox, kind, sees, button, veiled=veiled))]
        if button is not None:
            tasks.append(asyncio.create_task(button.ask()))
        if hands is not None:
            hands.arrive(socket)
        try:
            await _listen(Ear(socket, site.contacts, hands, button))
        finally:
            if hands is not None:
                hands.let_go(socket)
            site.sockets.discard(socket)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def _button(socket: web.WebSocketResponse, site: Site, phone: str) -> Button:
    """Return a `Button` that talks to the phone's page over this WebSocket."""

    def phase() -> str:
        view = site.table.latest.view if site.table.latest is not None else None
        return view.phase if view is not None and any(line.phone == phone for line in view.phones) else ""

    send = lambda message: _say(socket, **message)  # noqa: E731
    return Button(phone, site.buttons, send, phase, site.table.clock, lambda: site.delays(phone))


# -- messages to pages -------------------------------------------------------------------------------------------------


async def _write(
    socket: web.WebSocketResponse,
    table: Feed,
    mailbox: Mailbox,
    kind: Kind,
    sees: Callable[[int], bool],
    button: Button | None,
    *,
    veiled: bool,
) -> None:
    show, language_at = kind
    shown: Snapshot | None = None
    lying: Felt = {}
    with contextlib.suppress(ConnectionError):
        while True:
            try:
                async with asyncio.timeout(BEAT_S):
                    letter = await mailbox.fetch()
            except TimeoutError:
                await socket.send_str("{}")
                continue
            if button is not None:
                button.note_awake()
            for sound in letter.sounds:
                if not show or (show == "wall" and sound.name == SPOKEN):
                    await _say(socket, sound=sound_document(sound, table.delay_ms(sound)))
            now = letter.snapshot.veiled if letter.snapshot is not None and veiled else letter.snapshot
            if now is not None and (text := news(now, shown, show, language_at(now.view.language))):
                await socket.send_str(text)
            shown = now or shown
            if letter.felt is not None:
                felt = felt_for(letter.felt, sees)
                await _say(socket, cards=cards_after(lying, felt))
                lying = felt


@by_identity(CACHED)
def news(now: Snapshot, shown: Snapshot | None, show: str, language: str) -> str:
    """Return the message that updates a page from snapshot `shown` to `now`; "" for no change.

    The message is cached, since most pages need the same one.
    """
    before = _entries(shown, show, language) if shown is not None else {}
    changed = changed_entries(before, _entries(now, show, language))
    return compact({show or "table": changed}) if changed else ""


def _entries(snapshot: Snapshot, show: str, language: str) -> Mapping[str, object]:
    """Return name -> value for all parts of a snapshot that a page of the kind `show` displays."""
    return parts(snapshot, show, language) if show else face_of(snapshot.in_language(language))


async def _say(socket: web.WebSocketResponse, **message: object) -> None:
    if any(message.values()):
        await socket.send_str(compact(message))


def sound_document(sound: Sound, delay_ms: int | None) -> dict[str, object]:
    """Return the message for a sound. {} if the sound is too old and cancels no other one."""
    if delay_ms is None and not sound.cancels:
        return {}
    notes = [] if delay_ms is None else [list(note) for note in sound.notes]
    return {
        "name": sound.name,
        "notes": notes,
        "delay_ms": delay_ms or 0,
        "priority": sound.priority,
        "cancels": sound.cancels,
    } | ({"words": sound.words, "language": sound.language, "follows": sound.follows} if sound.name == SPOKEN else {})


# -- messages from pages -----------------------------------------------------------------------------------------------


class Ear:
    """Handles the messages of one page's connection.

    hands: None if the page may not press buttons; then its gestures are refused.
    """

    def __init__(
        self,
        socket: web.WebSocketResponse,
        contacts: tuple[str, ...],
        hands: Hands | None,
        button: Button | None = None,
    ) -> None:
        self.socket = socket
        self._button = button
        self._contacts = contacts
        self._hands = hands
        self._bucket = Bucket(RATE_HZ, BURST)
        self._warned = False

    def hear(self, text: str | bytes) -> str | None:
        """Apply a message; return why it is refused, or None.

        A page that sends more than the rate limit allows gets only one refusal, until a message is applied again.
        """
        try:
            document = read_json(text)
            if self._button is not None and isinstance(document, dict) and "at" in document:
                if not self._bucket.take() and not (self._button.down and document.get("touch") is False):
                    return self._slower()
                self._button.hear(document)
                self._warned = False
                return None
            asked = read(text, self._contacts)
        except AskError as error:
            return str(error) if self._bucket.take() else self._slower()
        if self._hands is None:
            return "This page only shows; nothing was pressed." if self._bucket.take() else self._slower()
        if not self._is_release(asked) and not self._bucket.take():
            return self._slower()
        self._warned = False
        self._hands.do(self.socket, asked)
        return None

    def _is_release(self, asked: Gesture) -> bool:
        """Return whether this gesture releases a button that the page holds.

        Such a gesture is never refused, because the contact would stay closed.
        """
        return (
            self._hands is not None
            and isinstance(asked, Touch)
            and not asked.closed
            and self._hands.holds(self.socket, asked.contact)
        )

    def _slower(self) -> str | None:
        warned, self._warned = self._warned, True
        return None if warned else TOO_FAST


async def _listen(ear: Ear) -> None:
    async for message in ear.socket:
        if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
            break
        refusal = ear.hear(message.data)
        if refusal is not None:
            with contextlib.suppress(ConnectionError):
                await _say(ear.socket, refused=refusal)


async def hang_up(app: web.Application) -> None:
    """Close every page's connection when the server stops."""
    sockets = list(app[SITE].sockets)
    await asyncio.gather(*(socket.close(code=WSCloseCode.GOING_AWAY) for socket in sockets), return_exceptions=True)


def compact(message: object) -> str:
    """Return a message for a page as JSON without spaces."""
    return isolate(json.dumps(message, separators=(",", ":"), ensure_ascii=False))


def changed_entries(before: Mapping[str, object], now: Mapping[str, object]) -> dict[str, object]:
    """Return the entries of `now` that are new or different.

    >>> changed_entries({"a": 1, "b": 2}, {"a": 1, "b": 3})
    {'b': 3}
    """
    return {key: value for key, value in now.items() if key not in before or before[key] != value}
