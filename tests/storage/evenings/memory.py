"""A journal in memory, and the state of saving of the real one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from referee.core.model.events import Opened
from referee.core.values import Value
from referee.storage.evenings.rows import JournalRow
from referee.storage.evenings.writer import Journal


class SaveStatus(Value):
    """The state of saving.

    "ok": all rows are durable; "waiting": rows are being written; "failing": the last try failed with `reason`.
    `since_ns`: since when the oldest unsaved row waits, None without one.
    """

    kind: str = "ok"
    since_ns: int | None = None
    reason: str = ""
    unsaved: int = 0


def status_of(journal: Journal) -> SaveStatus:
    """Return the state of saving."""
    with journal._change:
        since = journal._waiting[0].since_ns if journal._waiting else None
        kind = "failing" if journal._reason else "waiting" if journal._waiting else "ok"
        return SaveStatus(kind, since, journal._reason, len(journal._waiting))


def nudge(journal: Journal) -> None:
    """Let the journal retry now, without waiting for the end of the pause."""
    with journal._change:
        journal._health.next_ns = journal._health.next_ns and 0
        journal._change.notify_all()


class MemoryJournal:
    """A journal without a disk. Rows are durable at once, or with `by_hand` after `settle`.

    `fail` and `heal` simulate disk errors.
    """

    def __init__(self, *, report: Callable[[int], object] | None = None, by_hand: bool = False) -> None:
        self.rows: list[JournalRow] = []
        self.durable_seq = 0
        self.aside: dict[int, str] = {}
        self._unsaved: list[JournalRow] = []
        self._report = report
        self._by_hand = by_hand
        self._failing = False

    def append(self, rows: Sequence[JournalRow]) -> None:
        """Add rows. Raises ValueError for a number that does not rise."""
        for seq, event in rows:
            last = self._unsaved[-1][0] if self._unsaved else self.durable_seq
            if isinstance(event, Opened) and seq <= last:
                self.durable_seq = last = seq - 1
            if seq <= last:
                raise ValueError(f"row {seq} after row {last}: numbers must rise")
            self._unsaved.append((seq, event))
        if not self._by_hand:
            self.settle()

    def set_aside(self, seq: int, reason: str) -> None:
        """Store in `aside` that this row is to be skipped, and why."""
        self.aside[seq] = reason

    def settle(self) -> None:
        """Make the waiting rows durable, unless saving fails."""
        if self._unsaved and not self._failing:
            self.rows += self._unsaved
            self._unsaved.clear()
            self.durable_seq = self.rows[-1][0]
            self._tell()

    def fail(self) -> None:
        """Let all saving fail from now on."""
        self._failing = True
        self._tell()

    def heal(self) -> None:
        """Let saving work again, and save the waiting rows."""
        self._failing = False
        self.settle()

    def _tell(self) -> None:
        if self._report is not None:
            self._report(self.durable_seq)
