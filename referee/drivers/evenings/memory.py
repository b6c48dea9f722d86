"""What a journal is to the rest of the product, and a journal that lives in memory: for the demo and for tests.

A journal takes rows (number, event) without blocking and says up to which number they are durable. It never loses a row
while the process lives: what cannot be saved is kept and saved later. Numbers count within one `Opened`; an Engine that
opens an evening may begin again at 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from referee.core.model.events import Opened
from referee.core.values import Value
from referee.drivers.evenings.rows import JournalRow, Tape

Durable = Callable[[int], object]
"""Called with the durable number when it has risen, and when saving begins to fail or works again."""


class SaveStatus(Value):
    """How saving goes. `since_ns` on the journal's clock: since when the oldest unsaved row waits; None if none does.

    "ok": everything is durable; "waiting": rows are on their way, a slow disk perhaps; "failing": the last try failed
    with `reason`, the rows are kept in memory and tried again.
    """

    kind: Literal["ok", "waiting", "failing"] = "ok"
    since_ns: int | None = None
    reason: str = ""
    unsaved: int = 0


class MemoryJournal:
    """A journal without a disk. Rows are durable at once, `by_hand` by `settle`; `fail` and `heal` play trouble.

    >>> from referee.core.model.events import Tick
    >>> journal = MemoryJournal(by_hand=True)
    >>> journal.append([(1, Tick(0)), (2, Tick(5))])
    >>> journal.durable_seq, journal.settle(), journal.durable_seq
    (0, None, 2)
    """

    def __init__(
        self, rows: Iterable[JournalRow] = (), *, report: Durable | None = None, by_hand: bool = False
    ) -> None:
        """rows: what was there at the start, as after a power cut."""
        self.rows: list[JournalRow] = list(rows)
        self.durable_seq = self.rows[-1][0] if self.rows else 0
        self._recovered = Tape(rows=tuple(self.rows))
        self.aside: dict[int, str] = {}
        self._unsaved: list[JournalRow] = []
        self._report = report
        self._by_hand = by_hand
        self._reason = ""

    def append(self, rows: Sequence[JournalRow]) -> None:
        """Keep the rows, durable at once or by `settle`. ValueError for a number that does not rise."""
        for seq, event in rows:
            last = self._unsaved[-1][0] if self._unsaved else self.durable_seq
            if isinstance(event, Opened) and seq <= last:
                self.durable_seq = last = seq - 1
            if seq <= last:
                raise ValueError(f"row {seq} comes after row {last}")
            self._unsaved.append((seq, event))
        if not self._by_hand:
            self.settle()

    def set_aside(self, seq: int, reason: str) -> None:
        """Remember in `aside` that the row of this number is to be skipped, and why."""
        self.aside[seq] = reason

    def settle(self) -> None:
        """What waits becomes durable, unless saving fails at present."""
        if self._unsaved and not self._reason:
            self.rows += self._unsaved
            self._unsaved.clear()
            self.durable_seq = self.rows[-1][0]
            self._tell()

    def fail(self, reason: str = "disk full") -> None:
        """From now on nothing can be saved."""
        self._reason = reason
        self._tell()

    def heal(self) -> None:
        """Saving works again; what waited is saved."""
        self._reason = ""
        self.settle()
        self._tell()

    def status(self) -> SaveStatus:
        """How saving goes; rows wait since instant 0, there is no clock here."""
        since = 0 if self._unsaved else None
        if self._reason:
            return SaveStatus("failing", since, self._reason, len(self._unsaved))
        return SaveStatus("waiting", since, "", len(self._unsaved)) if self._unsaved else SaveStatus()

    def progressing(self, within_ns: int) -> bool:
        """Always true: a journal in memory cannot hang in a try."""
        return True

    def take_recovered(self) -> Tape:
        """Return the rows that it was made with, once; a second call gives none."""
        recovered, self._recovered = self._recovered, Tape()
        return recovered

    def close(self, timeout_s: float = 5.0) -> bool:
        """Settle what waits; return whether everything is durable. Takes no time, whatever `timeout_s` is."""
        self.settle()
        return not self._unsaved

    def _tell(self) -> None:
        if self._report is not None:
            self._report(self.durable_seq)
