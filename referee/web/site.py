"""What the handlers share: the table, the names it answers to, the hands on it and the open connections."""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakSet

from aiohttp import web

from referee.web.feed import KNOB, TableFeed
from referee.web.guard import Hosts, same_machine
from referee.web.hands import Hands


@dataclass(frozen=True)
class Site:
    """One served table. hands: None on the real device, whose page only shows."""

    table: TableFeed
    hosts: Hosts
    hands: Hands | None
    sockets: WeakSet[web.WebSocketResponse] = field(default_factory=WeakSet)

    @property
    def contacts(self) -> tuple[str, ...]:
        """The contacts that there are to press."""
        return (*self.table.stations, KNOB)

    def hands_for(self, request: web.Request) -> Hands | None:
        """The hands for this request: only for pages on this very machine, under a name of ours."""
        return self.hands if self.hosts.may_write(request.headers.get("Host")) and _is_here(request) else None


def _is_here(request: web.Request) -> bool:
    transport = request.transport
    ends = [transport.get_extra_info(name) for name in ("peername", "sockname")] if transport else []
    peer, here = [end[0] if isinstance(end, tuple) else None for end in ends] or (None, None)
    return same_machine(peer, here)


SITE = web.AppKey("site", Site)
