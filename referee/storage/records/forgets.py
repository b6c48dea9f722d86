"""The names that a hall must still remove: the file forgotten.json in the state directory.

`referee forget` adds a name while the table is stopped. The name is deleted from the file when the hall confirms it.
"""

from __future__ import annotations

from pathlib import Path

from referee.core.documents.delivery import Forgotten
from referee.core.values import Value, replace
from referee.storage.files import read_small, write_small
from referee.storage.records.elsewhere import FORGOTTEN, INDEX


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
        """Return the names after number `confirmed`; none if the hall has not said which it has removed."""
        if confirmed is None:
            return ()
        before = (0, *(one.number for one in self._names.due))
        chain = (replace(one, after=after) for after, one in zip(before, self._names.due, strict=False))
        return tuple(one for one in chain if one.number > confirmed)

    def confirm(self, number: int) -> None:
        """Delete the names up to that number. Raises OSError."""
        due = tuple(one for one in self._names.due if one.number > number)
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
