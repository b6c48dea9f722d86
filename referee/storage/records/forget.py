"""Forget a person: a new name in evenings and records, letters x in other files.

Each file is searched for the name's bytes before it is decoded. A file with the name is written under a temporary name,
synced and renamed, and its folder is synced: after a power cut it is the old file or the new one, and the command can
be repeated. Files keep their times, which identify the current evening. No other process may write meanwhile (`Lock`).
"""

from __future__ import annotations

import contextlib
import gzip
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, get_args

import msgspec

from referee.core.documents.record import forget_person, names_in, neutral_in, renamed_event
from referee.core.documents.statistics import distinct, spellings_of
from referee.core.values import Json, Value, replace
from referee.storage.evenings.file import JournalBusy, Lock
from referee.storage.evenings.folder import PACKED, PLAIN, unpack
from referee.storage.files import Folder, checksummed, content_of, read_regular, rewrite
from referee.storage.records import recordfile
from referee.storage.records.removed_names import Forgets, Writing, files_in, has_hall, without_houses
from referee.storage.records.store import Records

MOST_BYTES = 1 << 30  # longer files are not searched; that is reported
THREADS = 8  # threads help because compression and waiting for the disk release the GIL
PACKING = 1  # compression level: three times as fast as 6, and a fifth larger
_BOM = b"\xef\xbb\xbf"
Kind = Literal["evenings", "records", "houses", "index", "overwritten"]
Progress = Callable[[int, int], object]  # a function called with the number of files done, and of all


class ForgetError(ValueError):
    """The person was not forgotten, or not in all files."""


class Mentions(Value):
    """The files that name a person.

    files: kind of file -> paths in the state directory. Files of the kind "overwritten" are damaged or of no other
    kind; in them each letter of the name becomes an x. unread: messages about files that could not be searched. known:
    the names of all people in records.
    """

    files: Mapping[Kind, list[str]]
    unread: list[str]
    known: list[str]


def look(state: Path, person: str, progress: Progress = lambda done, of: None) -> Mentions:
    """Return which files name the person. Raises ForgetError while the referee runs."""
    return _search(state, person, progress, write=False)


def forget(state: Path, person: str, progress: Progress = lambda done, of: None) -> Mentions:
    """Rename the person in all files, and return these files.

    If this table sends results to a hall and a file names the person, the hall will be asked to remove the name, too.
    Changes made before a ForgetError remain.
    """
    return _search(state, person, progress, write=True)


def _search(state: Path, person: str, progress: Progress, *, write: bool) -> Mentions:
    found: dict[Kind, list[str]] = {kind: [] for kind in get_args(Kind)}
    unread = []
    with _lock(state):
        forgets = Forgets(state) if write and has_hall(state) else None
        if forgets is not None:  # first, so that a power cut does not lose it
            forgets.add(person)
        known = [name for match in Records(state).list() if match.summary for name in match.summary.people]
        work = _Work(state, person, Writing([person, *spellings_of(person, set(known))]), write)
        paths = files_in(state)
        with ThreadPoolExecutor(THREADS) as pool:
            for done, (path, (kind, trouble)) in enumerate(zip(paths, pool.map(work.handle, paths), strict=True), 1):
                name = os.path.relpath(path, state)
                if kind:
                    found[kind].append(name)
                if trouble:
                    unread.append(f"{name} {trouble}")
                progress(done, len(paths))
        if forgets is not None and not any(found.values()):
            forgets.withdraw()
    return Mentions(found, unread, distinct(known))


@contextmanager
def _lock(state: Path) -> Iterator[None]:
    try:
        if not state.is_dir():
            raise ForgetError(f"{state}: there is no such directory; name it with --state DIR")
        lock = Lock(state)
        try:
            yield
        finally:
            lock.release()
    except JournalBusy as error:
        raise ForgetError(f"{error}; stop it first") from None
    except OSError as error:
        what = f"{error.filename or state}: {error.strerror or error}"
        raise ForgetError(f"{what}; the name may be left in some files, so give the command again") from None


class _Work:
    """Finds a person's name in files, and removes the name if `write` is set. Thread-safe."""

    def __init__(self, state: Path, person: str, writing: Writing, write: bool) -> None:
        self.state, self.person, self.writing, self.write = state, person, writing, write

    def handle(self, path: Path) -> tuple[Kind | Literal[""], str]:
        """Search a file for the name. If `self.write` is set, remove the name from the file.

        Return the file's kind ("" if it does not have the name), and what is wrong with the file ("" if nothing).
        Raises OSError if the changed file cannot be written.
        """
        try:
            content, packed, trouble = _content(path)
        except FileNotFoundError:  # it was a temporary file and has been renamed meanwhile
            return "", ""
        except (OSError, MemoryError) as error:
            return "", f"cannot be searched ({getattr(error, 'strerror', None) or error or 'out of memory'})"
        if not self.writing.may_be_in(content):
            return "", trouble
        kind, changed = self._change(path, content)
        if changed == content:
            return "", trouble
        if self.write:
            _write(path, gzip.compress(changed, PACKING, mtime=0) if packed else changed)
        return kind, trouble

    def _change(self, path: Path, content: bytes) -> tuple[Kind, bytes]:
        """Return the file's kind, and its content without the name."""
        if path == self.state / "records" / recordfile.INDEX:  # its lines are made again from the records
            lines = content.splitlines(keepends=True)
            return "index", b"".join(line for line in lines if not self.writing.is_in(line))
        if path == self.state / "houses.json" and (houses := without_houses(content, self.person)) is not None:
            return "houses", houses
        if path.parent.name == "records" and recordfile.NAME.fullmatch(path.name):
            with contextlib.suppress(ValueError), Folder(path.parent, follow=True) as folder:
                stored = recordfile.read_record(folder, path.name)
                record = forget_person(stored.record, self.person)
                made = stored._replace(record=replace(record, match=self._without_remarks(record.match)))
                return "records", content if made == stored else recordfile.text_of(*made)
        if path.name.endswith((PLAIN, PACKED)):
            return self._evening(content)
        return "overwritten", self.writing.overwritten(content)

    def _without_remarks(self, part: Json, key: str = "") -> Json:
        """Overwrite the name in the free texts of an imported match's document."""
        if isinstance(part, dict):
            return {inner: self._without_remarks(value, inner) for inner, value in part.items()}
        if isinstance(part, list):
            return [self._without_remarks(value) for value in part]
        return self.writing.overwritten(part.encode()).decode() if key in ("reason", "why") and part else part

    def _evening(self, content: bytes) -> tuple[Kind, bytes]:
        """Give the person one new name in all rows of an evening; overwrite it in damaged lines."""
        rows = [(start, end, _row(content[start:end])) for start, end in _lines_with(content, b'"name')]
        neutral = neutral_in([row.get("opened") or row.get("event") or {} for _, _, row in rows], self.person)
        parts, place = list[bytes](), 0
        for start, end, row in rows:
            names = spellings_of(self.person, names_in(row))
            if names:
                text = msgspec.json.encode(renamed_event(row, dict.fromkeys(names, neutral))[0])
                parts += [content[place:start], checksummed(text)[:-1]]
                place = end
        content = b"".join([*parts, content[place:]])
        if self.writing.may_be_in(content):
            content = b"\n".join(map(self._line, content.split(b"\n")))
        return "evenings" if parts else "overwritten", content

    def _line(self, text: bytes) -> bytes:
        return self.writing.overwritten(text) if self.writing.is_in(text) and not _row(_bare(text)) else text


def _content(path: Path) -> tuple[bytes, bool, str]:
    """Return a file's content, whether it was compressed, and its damage or "". Raises OSError."""
    data = read_regular(path, MOST_BYTES)
    if not data.startswith(b"\x1f\x8b"):
        return data, False, ""
    content = b""
    while data:
        packed, part = zlib.decompressobj(31), b""
        with contextlib.suppress(zlib.error):
            part = packed.decompress(data, MOST_BYTES)
        if not packed.eof:
            return content + unpack(data), True, "is damaged, and can be searched up to there only"
        content, data = content + part, packed.unused_data
    return content, True, ""


def _lines_with(content: bytes, part: bytes) -> Iterator[tuple[int, int]]:
    """Yield the start and end in `content` of each line that has `part`, without its line end."""
    place = content.find(part)
    while place >= 0:
        start, stop = content.rfind(b"\n", 0, place) + 1, content.find(b"\n", place)
        stop = len(content) if stop < 0 else stop
        begin = start + len(_BOM) * content.startswith(_BOM, start)
        yield begin, begin + len(_bare(content[start:stop]))
        place = content.find(part, stop)


def _bare(text: bytes) -> bytes:
    return text.removeprefix(_BOM).removesuffix(b"\r")


def _row(text: bytes) -> dict[str, Json]:
    """Return a line's JSON object; empty if the line is damaged."""
    with contextlib.suppress(ValueError, RecursionError):
        if (content := content_of(text)) and isinstance(row := msgspec.json.decode(content), dict):
            return row
    return {}


def _write(path: Path, data: bytes) -> None:
    """Replace the file atomically, keeping its mode and times. Raises OSError."""
    before = path.stat()
    rewrite(path, data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
