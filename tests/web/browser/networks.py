"""Two networks of our own with a cable between them: the table's machine in one, its guests in the other.

So a guest's browser is on another machine as far as the page can tell, knows the table by a name that is not localhost,
and can lose its network. Needs root on Linux; nothing outside the two networks changes, and they are gone afterwards.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which

TABLE_ADDRESS, GUEST_ADDRESS = "192.0.2.1", "192.0.2.2"
"""Of TEST-NET-1 (RFC 5737), which nobody has."""
CABLE = "cable"


def missing() -> str:
    """Why there cannot be such networks here; "" where there can."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "root is needed for networks of the test's own"
    if which("ip") is None:
        return "the program `ip` is missing (`make browser-tools` installs it)"
    name = f"referee-try-{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode:
        return "this machine allows no networks of the test's own"
    _ip("netns", "delete", name)
    return ""


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


@contextmanager
def networks() -> Iterator[tuple[str, str]]:
    """The table's network and the guests', by the names that `within` knows."""
    table, guests = (f"referee-{kind}-{os.getpid()}" for kind in ("table", "guests"))
    made: list[str] = []
    try:
        for name in (table, guests):
            _ip("netns", "add", name)
            made.append(name)
            _ip("-n", name, "link", "set", "lo", "up")
        _ip("-n", table, "link", "add", CABLE, "type", "veth", "peer", "name", CABLE, "netns", guests)
        for name, address in ((table, TABLE_ADDRESS), (guests, GUEST_ADDRESS)):
            _ip("-n", name, "address", "add", f"{address}/24", "dev", CABLE)
            _ip("-n", name, "link", "set", CABLE, "up")
            _ip("-n", name, "route", "add", "default", "dev", CABLE)
        yield table, guests
    finally:
        for name in made:
            subprocess.run(["ip", "netns", "delete", name], check=False)


def within(network: str, *command: str) -> list[str]:
    """The command that runs `command` in that network."""
    return ["ip", "netns", "exec", network, *command]


def cut(guests: str) -> None:
    """The guests have no network any more."""
    _ip("-n", guests, "link", "set", CABLE, "down")


def mend(guests: str) -> None:
    """The guests' network is back, as it was."""
    _ip("-n", guests, "link", "set", CABLE, "up")
    _ip("-n", guests, "route", "replace", "default", "dev", CABLE)


def known_names(file: Path, *names: str) -> None:
    """For this process and its children alone: the table's machine by these names. Only in a network of `within`."""
    lines = ["127.0.0.1 localhost", *(f"{TABLE_ADDRESS} {name}" for name in names)]
    file.write_text("\n".join(lines) + "\n")
    subprocess.run(["mount", "--bind", str(file), "/etc/hosts"], check=True)
