"""Network namespaces for the table and the phones, as namespaces.sh makes them. Without it both are on this machine."""

from __future__ import annotations

import ctypes
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TABLE = os.environ.get("TABLE_NAMESPACE", "")
"""The table's network namespace; empty: this one."""
TABLE_HOST = os.environ.get("TABLE_HOST", "")
NAME = os.environ.get("TABLE_NAME", "")
"""The name under which the phones open the table."""
_CLONE_NEWNET = 0x40000000


def inside() -> tuple[str, ...]:
    """Return what begins a command that is to run beside the table."""
    return ("ip", "netns", "exec", TABLE) if TABLE else ()


@contextmanager
def _entered(path: Path) -> Iterator[None]:
    """Let this thread make sockets in another namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/proc/self/ns/net").open("rb") as here, path.open("rb") as there:
        if libc.setns(there.fileno(), _CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "the network namespace cannot be entered", str(path))
        try:
            yield
        finally:
            libc.setns(here.fileno(), _CLONE_NEWNET)


def socket_beside_table(address: tuple[Any, ...]) -> socket.socket:
    """Return a socket for an entry of `getaddrinfo`, in the table's namespace."""
    family, kind, protocol, *_ = address
    if not TABLE:
        return socket.socket(family, kind, protocol)
    with _entered(Path("/run/netns") / TABLE):
        return socket.socket(family, kind, protocol)
