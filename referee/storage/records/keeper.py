"""A thread that writes the records of matches, so that the loop does not wait for the disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from referee.core.documents.chronicle import record_of

if TYPE_CHECKING:
    from referee.core.model.state import State
    from referee.storage.records.store import Records

RETRY_S = 30.0


class _Task(NamedTuple):
    """A record to write: the newest state of its match, and the name of its evening.

    walls: event number -> Unix seconds. new_only: skip the match if it already has a record.
    """

    state: State
    walls: Mapping[int, int]
    evening: str
    new_only: bool = False


class Keeper:
    """Writes and removes records of matches on its own thread. Failures are retried."""

    def __init__(self, records: Records, failed: Callable[[str], object], *, retry_s: float = RETRY_S) -> None:
        """`failed`: called on the keeper's thread with a message, once for each reason."""
        self._records, self._failed, self._retry_s = records, failed, retry_s
        self._change = threading.Condition()
        self._tasks: dict[str, _Task] = {}
        self._closing = False
        self._said: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="records", daemon=True)
        self._thread.start()

    def take(self, state: State, walls: Mapping[int, int], evening: str) -> None:
        """Queue a match: write its record, or remove it if the match has no hands. Does not block."""
        self._take(_Task(state, walls, evening))

    def reconcile(
        self, states: Iterable[State], walls: Mapping[int, int], evening: str, *, damaged: bool = False
    ) -> None:
        """Queue all matches of an evening with their last states, at program start. Does not block.

        `damaged`: the evening is damaged, so existing records are neither replaced nor removed.
        """
        for state in states:
            self._take(_Task(state, walls, evening, new_only=damaged))

    def close(self, timeout_s: float = 5.0) -> bool:
        """Write the queued records with one last try; return whether all are written."""
        with self._change:
            self._closing = True
            self._change.notify_all()
        self._thread.join(timeout_s)
        return not self._tasks and not self._thread.is_alive()

    def _take(self, task: _Task) -> None:
        if task.state.table.match:
            with self._change:
                self._tasks[task.state.table.match] = task
                self._change.notify_all()

    def _run(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._tasks or self._closing)
                tasks, self._tasks, last = self._tasks, {}, self._closing
            left = {match: task for match, task in tasks.items() if not self._done(match, task)}
            with self._change:
                self._tasks = left | self._tasks
                if last:
                    return
                if left:
                    self._change.wait_for(lambda: self._closing, self._retry_s)

    def _done(self, match: str, task: _Task) -> bool:
        """Do the task. Return False if it failed and must be tried again."""
        try:
            self._keep(match, task)
        except Exception as error:  # a match that cannot be recorded must not stop others or the thread
            reason = f"the record of a match could not be kept: {error or type(error).__name__}"
            if reason not in self._said:
                self._said.add(reason)
                self._failed(reason)
            return not isinstance(error, OSError)
        return True

    def _keep(self, match: str, task: _Task) -> None:
        if task.new_only and self._records.find(match) is not None:
            return
        record = record_of(task.state, task.walls)
        if record is not None:
            self._records.keep(record, task.evening)
        elif not task.new_only:
            self._records.remove(match)
