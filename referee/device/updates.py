"""Updates at the table: offer a newer version, request its installation, show the result.

The update program (systemd/debian/update) checks each file and writes a report. The lobby offers each file once, and
again after each match and each start. A match is never interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from referee.core.messages import Msg
from referee.core.model.events import Fact, Linked
from referee.core.model.state import State
from referee.core.model.view import View
from referee.core.phases.lobby import Lobby
from referee.core.phases.update import Offer, Said, UpdateScreen, Updating
from referee.device.guard import Output
from referee.storage.update_report import read_said

FOLDER = "update"
"""The update program's folder in the state directory."""
PROGRAM = Path("/usr/libexec/referee/update")


def program_of(state: Path | None) -> tuple[str, ...]:
    """Return the update program and its folder; () if the Debian package is not installed."""
    return (str(PROGRAM), str(state.absolute() / FOLDER)) if state and PROGRAM.exists() else ()


class Table(Protocol):
    """The methods of the live table that `Updates` uses."""

    def now(self) -> State:
        """Return the state after the last event."""

    def feed(self, facts: Iterable[Fact]) -> None:
        """Apply facts to the match."""

    def tell(self, note: Msg | None) -> None:
        """Show this note on the display."""


class Updates:
    """Passes reports of the update program to the table."""

    def __init__(self, state: Path, boot: str) -> None:
        self._state, self._boot = state, boot
        self._told: Said | None = None  # the last report that the table got
        self._said: Said | None = None  # the last report that the display has shown as a note

    def look(self, table: Table, now_ns: int) -> None:
        """Offer a version or show an update's result, but not during a match or in a menu."""
        found, state = read_said(self._state / FOLDER), table.now()
        phase = state.phase
        if not isinstance(phase, Lobby | Offer | Updating):
            self._told = None  # offer it again after the match
            return
        busy = isinstance(phase, Lobby) and (state.menu or phase.naming)
        if found is None or found == self._told or busy:
            return
        word = found.note if found.boot == self._boot else None
        if word is None and not found.offered:
            return
        table.feed([Linked(now_ns, f"update:{found.offered}", bool(found.offered))])
        self._told = found
        if word and found != self._said:
            self._said = found
            table.tell(word)


class UpdateOutput(Output):
    """Calls `install` once when players have chosen to install and this is saved.

    It shows nothing.
    """

    def __init__(self, install: Callable[[], object]) -> None:
        self._install = install
        self._asked = False

    def show(self, view: View) -> None:
        asks = isinstance(view.screen, UpdateScreen)
        if asks and not self._asked:
            self._install()
        self._asked = asks
