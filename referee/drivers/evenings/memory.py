"""The journal's interface, and a journal in memory for the demo and tests.

A journal takes rows (number, event) without blocking and reports up to which number they are durable. While the process
lives, no row is lost: unsaved rows are kept and saved later. Numbers count within one `Opened`; an Engine that opens an
evening may start at 1 again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from referee.core.model.events import Opened
from referee.core.values import Value
from referee.drivers.evenings.rows import JournalRow, Tape

Durable = Callable[[int], object]
"""Called when the durable number rises, and when saving starts to fail or works again."""


class SaveStatus(Value):
    """The state of saving.

    "ok": all rows are durable; "waiting": rows are being written; "failing": the last try failed with `reason`, and the
    rows are kept in memory and retried. `since_ns`: since when the oldest unsaved row waits, None without one.
    """

    kind: Literal["ok", "waiting", "failing"] = "ok"
    since_ns: int | None = None
    reason: str = ""
    unsaved: int = 0


class MemoryJournal:
    """A journal without a disk. Rows are durable at once, or with `by_hand` after `settle`.

    `fail` and `heal` simulate disk errors.

    >>> from referee.core.model.events import Tick
    >>> journal = MemoryJournal(by_hand=True)
    >>> journal.append([(1, Tick(0)), (2, Tick(5))])
    >>> journal.durable_seq, journal.settle(), journal.durable_seq
    (0, None, 2)
    """

    def __init__(
        self, rows: Iterable[JournalRow] = (), *, report: Durable | None = None, by_hand: bool = False
    ) -> None:
        """rows: the content at the start, as after a power cut."""
        self.rows: list[JournalRow] = list(rows)
        self.durable_seq = self.rows[-1][0] if self.rows else 0
        self._recovered = Tape(rows=tuple(self.rows))
        self.aside: dict[int, str] = {}
        self._unsaved: list[JournalRow] = []
        self._report = report
        self._by_hand = by_hand
        self._reason = ""

    def append(self, rows: Sequence[JournalRow]) -> None:
        """Add rows. Raises ValueError for a number that does not rise."""
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
        """Store in `aside` that this row is to be skipped, and why."""
        self.aside[seq] = reason

    def settle(self) -> None:
        """Make the waiting rows durable, unless saving fails."""
        if self._unsaved and not self._reason:
            self.rows += self._unsaved
            self._unsaved.clear()
            self.durable_seq = self.rows[-1][0]
            self._tell()

    def fail(self, reason: str = "disk full") -> None:
        """Let all saving fail from now on."""
        self._reason = reason
        self._tell()

    def heal(self) -> None:
        """Let saving work again, and save the waiting rows."""
        self._reason = ""
        self.settle()
        self._tell()

    def status(self) -> SaveStatus:
        """Return the state of saving. Without a clock, rows wait since time 0."""
        since = 0 if self._unsaved else None
        if self._reason:
            return SaveStatus("failing", since, self._reason, len(self._unsaved))
        return SaveStatus("waiting", since, "", len(self._unsaved)) if self._unsaved else SaveStatus()

    def progressing(self, within_ns: int) -> bool:
        """Return True: a journal in memory cannot hang."""
        return True

    def take_recovered(self) -> Tape:
        """Return the initial rows; later calls return none."""
        recovered, self._recovered = self._recovered, Tape()
        return recovered

    def close(self, timeout_s: float = 5.0) -> bool:
        """Settle the rows; return whether all are durable. `timeout_s` is ignored."""
        self.settle()
        return not self._unsaved

    def _tell(self) -> None:
        if self._report is not None:
            self._report(self.durable_seq)
