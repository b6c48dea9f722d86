"""Finds out the name that avahi has given this machine on the network.

If two machines have the same name, avahi renames one ("referee-2.local"). Only avahi knows the name, and it may change
at any moment. So avahi is asked over D-Bus, by systemd's own client, when a browser uses a `.local` name that is not
ours. Resolving that name would prove nothing: another site's name that points to our address (DNS rebinding) resolves
to us, too.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable

from referee.protocol.processes import run_once
from referee.web.guard import host_of

AGAIN_S = 5.0
"""Minimum seconds between two queries of avahi."""
ASK_S = 5.0
"""Time in s after which busctl is killed. It waits for avahi for a second."""
_ASK = ("busctl", "--system", "--timeout=1", "--auto-start=no", "call")
_WHAT = ("org.freedesktop.Avahi", "/", "org.freedesktop.Avahi.Server", "GetHostNameFqdn")


async def given_name() -> str:
    """Ask avahi for this machine's name, in lower case; "" if avahi does not run."""
    try:
        _, said, _ = await run_once((*_ASK, *_WHAT), ASK_S)
    except OSError:
        return ""
    return name_in(said)


def name_in(said: bytes) -> str:
    """Return the name in busctl's answer.

    >>> name_in(b's "Referee-2.local"'), name_in(b"")
    ('referee-2.local', '')
    """
    found = re.fullmatch(rb's "([A-Za-z0-9._-]+)"\s*', said)
    return found[1].decode().lower() if found else ""


class GivenName:
    """This machine's name as avahi gives it. Asks again when a browser uses another name."""

    def __init__(
        self, ask: Callable[[], Awaitable[str]] = given_name, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`clock`: returns seconds."""
        self._ask, self._clock = ask, clock
        self._name = ""
        self._asked_s: float | None = None

    async def is_in(self, header: str | None) -> bool:
        """Return whether a Host header has the name that avahi has given this machine."""
        host = host_of(header)
        if host is None or not host.endswith(".local"):
            return False
        now_s = self._clock()
        if host != self._name and (self._asked_s is None or now_s - self._asked_s >= AGAIN_S):
            self._asked_s = now_s
            self._name = await self._ask()
        return host == self._name
