"""What became of an update: read from the update program, told to the table, and the note that installs it.

The program (systemd/debian/update) checks each file and writes what it found. The lobby asks once for each file,
and once after each start; a match is never interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

import msgspec

from referee.app.guard import Output
from referee.core.messages import Msg, msg
from referee.core.model.events import Fact, Linked
from referee.core.model.state import State
from referee.core.model.view import View
from referee.core.phases.lobby import Lobby
from referee.core.phases.update import UpdateScreen, Updating
from referee.core.values import Value
from referee.files import read_regular

FOLDER, SAYS, SENT = "update", "says.json", "sent"
"""The folder in the state directory, what the program says there, and a file that a phone sends."""
MOST_BYTES = 4096
VERSION_LETTERS = 10
OFFER = "offer"
KINDS = (
    *("not_package", "unsigned", "signer", "no_key", "huge", "link", "unreadable", "architecture", "same", "older"),
    *("space", "read_only", "failed", "broken", "cut", "installed"),
)
"""What the program says of a file or an update, besides that it can be installed or is being installed."""


class Said(Value):
    """What the program says. boot: the boot in which it said so. at: tells one saying from another."""

    kind: str
    version: str
    boot: str
    at: int


def said(state: Path) -> Said | None:
    """Return what the program has said last; None if nothing."""
    try:
        return msgspec.json.decode(read_regular(state / FOLDER / SAYS, MOST_BYTES), type=Said)
    except (OSError, ValueError):
        return None


def note(found: Said) -> Msg | None:
    """Return the message on what became of an update; None while there is none."""
    return msg(f"toast.update_{found.kind}", version=found.version[:VERSION_LETTERS]) if found.kind in KINDS else None


class Table(Protocol):
    """The live table, as `Updates` uses it."""

    def now(self) -> State:
        """Return the state after the last event."""

    def feed(self, facts: Iterable[Fact]) -> None:
        """Apply facts to the match."""

    def tell(self, note: Msg | None) -> None:
        """Show this note on the display."""


class Updates:
    """Tells the table what the update program says."""

    def __init__(self, state: Path, boot: str) -> None:
        self._state, self._boot = state, boot
        self._told: Said | None = None

    def look(self, table: Table, now_ns: int) -> None:
        """Offer a version, or say what became of an update. Wait while a match is played or the knob is used."""
        found, state = said(self._state), table.now()
        if found is None or found == self._told or state.menu:
            return
        word = note(found) if found.boot == self._boot else None
        if isinstance(state.phase, Updating) and word:
            table.feed([Linked(now_ns, "update:", False)])
        elif isinstance(state.phase, Lobby) and found.kind == OFFER:
            table.feed([Linked(now_ns, f"update:{found.version[:VERSION_LETTERS]}", True)])
        elif not isinstance(state.phase, Lobby):
            return
        self._told = found
        if word:
            table.tell(word)


class UpdateOutput(Output):
    """Calls `install` once when players have asked for it and this is saved. It shows nothing."""

    def __init__(self, install: Callable[[], object]) -> None:
        self._install = install
        self._asked = False

    def show(self, view: View) -> None:
        asks = isinstance(view.screen, UpdateScreen)
        if asks and not self._asked:
            self._install()
        self._asked = asks
