"""What the handlers share: the table, the names it answers to, the hands on it and the open connections."""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakSet

from aiohttp import web

from referee.web.budget import Budgets, Peer
from referee.web.feed import KNOB, TableFeed
from referee.web.guard import Hosts, IsOwn, same_machine
from referee.web.hands import Hands


@dataclass(frozen=True)
class Site:
    """One served table. hands: None on the real device, whose page only shows."""

    table: TableFeed
    hosts: Hosts
    hands: Hands | None
    budgets: Budgets
    is_own: IsOwn
    sockets: WeakSet[web.WebSocketResponse] = field(default_factory=WeakSet)

    @property
    def contacts(self) -> tuple[str, ...]:
        """The contacts that there are to press."""
        return (*self.table.stations, KNOB)

    def peer(self, request: web.Request) -> Peer:
        """What the address that asks may have of the page."""
        return self.budgets.peer(request.remote or "", self.is_own(*_ends(request)))

    def hands_for(self, request: web.Request) -> Hands | None:
        """The hands for this request: only for pages on this very machine, under a name of ours."""
        return (
            self.hands if self.hosts.may_write(request.headers.get("Host")) and same_machine(*_ends(request)) else None
        )


def _ends(request: web.Request) -> tuple[str | None, str | None]:
    """The addresses of the peer and of ours."""
    transport = request.transport
    ends = [transport.get_extra_info(name) for name in ("peername", "sockname")] if transport else []
    peer, here = [end[0] if isinstance(end, tuple) else None for end in ends] or (None, None)
    return peer, here


SITE = web.AppKey("site", Site)
