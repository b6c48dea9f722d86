"""Write the records of matches in a thread, and find matches without a record.

Reading an evening takes long. So the index notes each searched evening (`EveningLine`), which is searched again only if
its file changes or another number of records names it. An evening with a record for each beginning of a match is not
replayed.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from referee.core.documents.delivery import NO_ROW
from referee.storage.records.index import EveningLine
from referee.storage.records.recordfile import Claim, Stored, with_row, words

if TYPE_CHECKING:
    from referee.core.model.state import State
    from referee.storage.records.store import Records

RETRY_S = 30.0


class _Task(NamedTuple):
    """A record to write: the newest state of its match, and the name and ID of its evening.

    walls: event number -> Unix seconds. new_only: skip the match if it already has a record.
    """

    state: State
    walls: Mapping[int, int]
    evening: tuple[str, int]
    new_only: bool = False


class Keeper:
    """Writes and removes records of matches on its own thread. Failures are retried."""

    def __init__(
        self,
        records: Records,
        failed: Callable[[str], object],
        done: Callable[[], object] = lambda: None,
        *,
        retry_s: float = RETRY_S,
    ) -> None:
        """`failed`: called with a message, once for each reason. `done`: called when records have been written.

        Both are called on the keeper's thread.
        """
        self._records, self._failed, self._retry_s, self._written = records, failed, retry_s, done
        self._change = threading.Condition()
        self._tasks: dict[str, _Task] = {}
        self._closing = False
        self._said: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="records", daemon=True)
        self._thread.start()

    def take(self, state: State, walls: Mapping[int, int], evening: tuple[str, int]) -> None:
        """Queue a match: write its record, or remove it if the match has no hands. Does not block."""
        self._take(_Task(state, walls, evening))

    def reconcile(
        self, states: Iterable[State], walls: Mapping[int, int], evening: tuple[str, int], *, damaged: bool = False
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
            if len(left) < len(tasks):
                self._written()
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
        from referee.core.documents.chronicle import record_of

        record, (name, id_) = record_of(task.state, task.walls), task.evening
        if record is not None:
            self._records.keep(record, name, (id_, task.state.seq))
        elif not task.new_only:
            self._records.remove(match, (id_, task.state.seq))


_BEGINNING = re.compile(rb'"type":"(?:began|rematched)"|"state":\{')
"""A row with which a match begins, or an evening that begins with a match."""


class Lost(NamedTuple):
    """Matches without a record, lines of the searched evenings, and evening -> why it cannot be read."""

    matches: Collection[Stored]
    searched: list[EveningLine]
    unread: dict[str, str]


def find_lost(state: Path, records: Collection[Claim], gone: Iterable[str], known: Mapping[str, EveningLine]) -> Lost:
    """Search the evenings of a state directory, and the evenings in `gone`, for matches without a record.

    known: evening -> its line from an earlier search.
    """
    from referee.storage.evenings.folder import evenings_in, names, path_of

    ids, counts = {claim.id for claim in records}, Counter(claim.evening for claim in records)
    matches: dict[str, Stored] = {}
    lost = Lost(matches.values(), [], {})
    for name in sorted({*names(evenings_in(state)), *gone}):
        path = path_of(evenings_in(state), name)
        try:
            found = path.stat()
            line = EveningLine(name, found.st_size, found.st_mtime_ns, counts[name])
            if known.get(name) == line:
                continue
            for made in _records(path, name, counts[name]):
                if (id_ := made.record.id) not in ids:
                    matches[id_] = with_row(made, matches[id_].row if id_ in matches else NO_ROW)
        except Exception as error:  # rows of another release can raise any error
            lost.unread[name] = words(error)
        else:
            lost.searched.append(line)
    return lost


def _records(path: Path, name: str, count: int) -> list[Stored]:
    """Return the records of an evening's matches; none if it cannot have more than `count`."""
    from referee.core.documents.chronicle import records_with_rows
    from referee.storage.evenings.folder import read_bytes, read_evening

    if len(_BEGINNING.findall(read_bytes(path))) <= count:
        return []
    tape = read_evening(path)
    found = records_with_rows(tape.rows, tape.walls, tape.aside)
    return [Stored(record, name, (tape.id, seq)) for record, seq in found.values()]
