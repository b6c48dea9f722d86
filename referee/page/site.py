"""What all handlers share: the table, its host names, its contacts, the open connections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol
from weakref import WeakSet

from aiohttp import web

from referee.core.clocks.touch import TOUCH_NS, Delays
from referee.core.values import Json
from referee.page.connections import Bucket, Budgets, Peer
from referee.page.feed import Feed
from referee.page.history_reader import PastFeed
from referee.page.phone_button import Buttons
from referee.page.simulated import Hands
from referee.page.update_upload import UpdateInbox
from referee.protocol.gestures import KNOB
from referee.protocol.page import HOST, MOST_PHONES, PairedPhone, PhoneAnswer, Report, digest_of
from referee.protocol.snapshot import Snapshot
from referee.web.guard import Hosts, IsOwn, cookies, same_machine
from referee.web.mdns import GivenName

COOKIE = "phone"
WRITES = (4, 16)
"""Maximum writes of one phone: (per second, at once). Each is a row of the journal."""


class PhoneDesk(Protocol):
    """The device, as the page's process sees it: answers phones' requests and takes reports."""

    @property
    def phones(self) -> Mapping[str, PairedPhone]:
        """Return all paired phones, by the hash of their secret."""
        ...

    def say(self, message: Report) -> None:
        """Send a report to the device, which does not answer it."""
        ...

    async def ask(self, digest: str, what: Mapping[str, Json]) -> PhoneAnswer:
        """Send a phone's request to the device and return the answer. digest: hash of its secret."""
        ...


@dataclass
class Site:
    """A served table with everything that the handlers of requests need.

    table: its `act` is None at a real table, whose page cannot press buttons. desk: None if phones cannot send
    requests. closed: only paired phones and this machine may read the pages. past: fetches past matches. given: the
    name that avahi has given this machine. update: receives updates. is_own: returns whether a connection comes from
    this machine.
    """

    table: Feed
    hosts: Hosts = field(default_factory=Hosts)
    desk: PhoneDesk | None = None
    closed: bool = False
    past: PastFeed = field(default_factory=PastFeed)
    given: GivenName = field(default_factory=GivenName)
    update: UpdateInbox = field(default_factory=UpdateInbox)
    is_own: IsOwn = same_machine
    budgets: Budgets = field(default_factory=Budgets)
    writes: dict[str, Bucket] = field(default_factory=dict)
    sockets: WeakSet[web.WebSocketResponse] = field(default_factory=WeakSet)

    @cached_property
    def hands(self) -> Hands | None:
        """Return the buttons and cards that pages hold at the simulated table; None at a real one."""
        return Hands(self.table.act) if self.table.act is not None else None

    @cached_property
    def buttons(self) -> Buttons:
        """Return the phones that show their seat's button."""
        return Buttons(self.desk.say if self.desk is not None else bool)

    @property
    def contacts(self) -> tuple[str, ...]:
        """Return the names of all contacts of the table."""
        return (*self.table.stations, KNOB)

    def peer(self, request: web.Request) -> Peer:
        """Return the `Peer` of the address that sent the request."""
        return self.budgets.peer(request.remote or "", self.is_own(*_ends(request)))

    def digest(self, request: web.Request) -> str:
        """Return the hash of the secret in the request's cookie; "" without one.

        If the request has several secrets, return the first that belongs to a paired phone.
        """
        found = [digest_of(secret) for secret in cookies(request.headers, COOKIE)]
        known = self.desk.phones if self.desk is not None else {}
        return next((one for one in found if one in known), found[0] if found else "")

    def phone(self, request: web.Request) -> PairedPhone | None:
        """Return the paired phone that sent the request; None for any other client."""
        return self.desk.phones.get(self.digest(request)) if self.desk is not None else None

    def delays(self, name: str) -> Delays:
        """Return the range of that phone's touch delay: as measured, else that of all phones."""
        phones = self.desk.phones.values() if self.desk is not None else ()
        return next((phone.touch_ns for phone in phones if phone.name == name and phone.touch_ns), TOUCH_NS)

    def is_host(self, request: web.Request) -> bool:
        """Return whether the host's phone sent the request."""
        phone = self.phone(request)
        return phone is not None and phone.role == HOST

    def may_write(self, phone: PairedPhone) -> bool:
        """Count a write of this phone if the limit `WRITES` allows it now; return whether it does."""
        if phone.name not in self.writes:
            if len(self.writes) > MOST_PHONES:
                self.writes.clear()
            self.writes[phone.name] = Bucket(*WRITES, self.budgets.clock)
        return self.writes[phone.name].take()

    def sees_code(self, request: web.Request) -> bool:
        """Return whether the pairing code may be shown in answer to this request.

        Only pages that may press buttons show it, because such a page is the simulated table's display.
        """
        return self.hands_for(request) is not None

    def shown_snapshot(self, request: web.Request) -> Snapshot | None:
        """Return the newest snapshot, without the pairing code if this request may not see it."""
        latest = self.table.latest
        return latest if latest is None or self.sees_code(request) else latest.veiled

    def hands_for(self, request: web.Request) -> Hands | None:
        """Return `hands` if this request may press buttons, else None.

        The request must come from this machine and use one of this machine's names.
        """
        return (
            self.hands if self.hosts.may_write(request.headers.get("Host")) and same_machine(*_ends(request)) else None
        )


def _ends(request: web.Request) -> tuple[str | None, str | None]:
    """Return the client's address and this machine's, each None if it is unknown."""
    transport = request.transport
    ends = [transport.get_extra_info(name) for name in ("peername", "sockname")] if transport else []
    peer, here = [end[0] if isinstance(end, tuple) else None for end in ends] or (None, None)
    return peer, here


SITE = web.AppKey("site", Site)
