"""The names that a hall must still remove: the file forgotten.json in the state directory.

`referee forget` adds a name while the table is stopped. The name is deleted from the file when the hall confirms it.
"""

from __future__ import annotations

from pathlib import Path

from referee.core.documents.delivery import Forgotten
from referee.core.values import Value
from referee.drivers.mqtt.outbox import INDEX
from referee.drivers.records.elsewhere import FORGOTTEN
from referee.files import read_small, write_small


class _Names(Value):
    """The content of the file.

    count: of all names so far. due: the names that are not confirmed.
    """

    count: int = 0
    due: tuple[Forgotten, ...] = ()


class Forgets:
    """The names that the hall must remove, in a state directory."""

    def __init__(self, state: Path) -> None:
        self._path = state / FORGOTTEN
        self._names = read_small(self._path, _Names())

    def due(self, confirmed: int | None) -> tuple[Forgotten, ...]:
        """Return the names with numbers above `confirmed`; () for None, before the hall's answer."""
        return () if confirmed is None else tuple(one for one in self._names.due if one.number > confirmed)

    def confirm(self, number: int) -> None:
        """Delete the names up to this number. Raises OSError."""
        due = self.due(number)
        if due != self._names.due:
            self._save(_Names(self._names.count, due))

    def add(self, name: str) -> None:
        """Add a name. Raises OSError."""
        number = self._names.count + 1
        self._save(_Names(number, (*self._names.due, Forgotten(number, name))))

    def withdraw(self) -> None:
        """Undo the last `add`. Raises OSError."""
        self._save(_Names(self._names.count - 1, self._names.due[:-1]))

    def _save(self, names: _Names) -> None:
        write_small(self._path, names)
        self._names = names


def has_hall(state: Path) -> bool:
    """Return whether this table has ever prepared results for a hall."""
    return (state / INDEX).exists()
