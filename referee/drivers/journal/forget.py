"""Forgetting a person: another name in every event of the journal and in every imported record, in one transaction.

Then in the records of past matches, the heads of past seasons and the names of house presets, which are written anew as
a whole, and in every other file of the state directory (`elsewhere.py`), where it is overwritten by as many letters x.
After an interruption the name is found again, and the command can be given again.

For a transaction over two files SQLite needs both without WAL, so the journal leaves it for that while; nobody else
may have it open (the referee's lock, SQLite's own lock). What is overwritten is zeroed in the files (secure_delete),
and the write-ahead log, which still holds the name, goes when WAL is left.
"""

from __future__ import annotations

import json
import sqlite3
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

from referee.core.documents.record import (
    RecordError,
    forget_person,
    from_document,
    names_in,
    neutral_in,
    neutral_name,
    renamed_event,
    to_document,
)
from referee.core.documents.statistics import spellings_of
from referee.core.names import among, fold
from referee.core.values import Value, replace
from referee.drivers.journal import elsewhere, seasons
from referee.drivers.journal.archive import check_ours
from referee.drivers.journal.chain import name_sum, plain_body, with_names
from referee.drivers.journal.file import DamagedError, JournalBusy, Lock, damage, examine_kept, transaction
from referee.drivers.journal.lines import is_chained, read_names
from referee.drivers.journal.matches import Kept, beside, match_to_keep, people_of, read, rewrite
from referee.drivers.journal.season_rows import unpack
from referee.drivers.journal.seasons import Block

_EVENTS = """
    SELECT (SELECT count(*) FROM milestone AS m WHERE lower(m.kind) = 'opened' AND m.seq <= event.seq) AS evening,
        seq, body
    FROM event WHERE instr(body, '"name') ORDER BY seq"""
_KEYS = {"main.event": "seq", "main.name": "id", "archive.record": "number"}


class ForgetError(ValueError):
    """Nothing could be forgotten, and nothing was changed: one sentence."""


class Mentions(Value):
    """Where a person is named. known: everybody who is named.

    places: in the journal's events; records: imported matches; houses: house presets called after the person;
    overwritten: other files in which the name was overwritten.
    """

    places: int
    records: int
    known: tuple[str, ...]
    houses: int = 0
    overwritten: tuple[str, ...] = ()


class _Change(Value):
    """A row as it is to be written: which table's, its number, its new text, in how many places it differs."""

    table: str
    number: int
    body: str
    places: int


def look(journal: Path, archive: Path, person: str) -> Mentions:
    """Where that person is named. Changes nothing. ForgetError when the referee is running or a file cannot be read."""
    with _both(journal, archive) as db:
        return _count_mentions(journal, person, *_changes(db, journal.exists(), archive.exists(), person))


def forget(journal: Path, archive: Path, person: str) -> Mentions:
    """Call that person otherwise everywhere, or change nothing and raise ForgetError."""
    with _both(journal, archive) as db:
        changes, known = _changes(db, journal.exists(), archive.exists(), person)
        found = _count_mentions(journal, person, changes, known)
        transaction(db, lambda: _write(db, changes))
        _rewrite_records(beside(journal), person)
        _rename_in_seasons(seasons.beside(journal), person)
        elsewhere.rename_houses(journal.parent, person)
        overwritten = elsewhere.overwrite(journal.parent, elsewhere.spellings(person, found.known))
    return replace(found, overwritten=tuple(overwritten))


def _count_mentions(journal: Path, person: str, changes: Sequence[_Change], known: Iterable[str]) -> Mentions:
    records = sum(change.table == "archive.record" for change in changes)
    packed = [name for block in seasons.blocks(seasons.beside(journal)) for name in block.names.values()]
    people = {*people_of(read(beside(journal))), *packed}
    hidden = elsewhere.count_mentions(journal.parent, elsewhere.spellings(person, people.union(known)))
    houses = elsewhere.houses_of(journal.parent)
    here = sum(change.places for change in changes) - records
    places = here or int(among(person, people) is not None) or hidden
    return Mentions(
        places, records, tuple(sorted(people.union(known))), len(houses.named_after(person)) if houses else 0
    )


def _rewrite_records(path: Path, person: str) -> None:
    """The records of past matches, each with its sum anew; what they say of the journal's rows stays."""
    matches = read(path)
    if among(person, people_of(matches)) is not None:
        rewrite(path, [_without(match, person) for match in matches])


def _rename_in_seasons(path: Path, person: str) -> None:
    """The names in the heads of packed evenings; their rows hold numbers, and stay."""
    changed: dict[tuple[str, int], dict[int, str]] = {}
    for block in seasons.blocks(path):
        numbers = [number for number, name in block.names.items() if fold(name) == fold(person)]
        if numbers:
            changed[block.file, block.first] = dict.fromkeys(numbers, _neutral(path, block, person))
    if changed:
        seasons.rename(path, changed)


def _neutral(path: Path, block: Block, person: str) -> str:
    """What that person is called from now on in a packed evening; where its rows are damaged, by no seat."""
    try:
        with closing(unpack(path, block)) as memory:
            bodies = [json.loads(body) for (body,) in memory.execute("SELECT body FROM event ORDER BY seq")]
    except (seasons.SeasonError, ValueError):
        return neutral_name(1, block.names.values())
    return neutral_in([with_names(event, lambda number: block.names.get(number, "")) for event in bodies], person)


def _without(match: Kept, person: str) -> Kept:
    if match.shown is None or among(person, match.shown["people"]) is None:
        return match
    record = forget_person(match.record(), person)
    return match_to_keep(match.number, match.id, match.begun_s, bytes.fromhex(match.link), record, "")


def without_name(text: str, person: str) -> str:
    """A configuration in TOML without the seats in [names] that remember this person. ForgetError if it cannot be."""
    lines, section, kept_lines = text.splitlines(keepends=True), "", []
    for line in lines:
        if line.strip().startswith("["):
            section = line.strip().partition("#")[0].strip()
        if section == "[names]" and _gives(line, person):
            continue
        kept_lines.append(line)
    changed = "".join(kept_lines)
    try:
        before, after = tomllib.loads(text), tomllib.loads(changed)
    except tomllib.TOMLDecodeError as error:
        raise ForgetError(f"the configuration cannot be read: {error}") from None
    names = before.get("names", {})
    due = {seat: name for seat, name in names.items() if not _is(name, person)} if isinstance(names, dict) else names
    if after != before | ({"names": due} if "names" in before else {}):
        raise ForgetError(f"[names] in the configuration names {person} in a way that only you can change")
    return changed


def _gives(line: str, person: str) -> bool:
    """Whether a line of a configuration gives that name to a seat."""
    try:
        return any(_is(name, person) for name in tomllib.loads(line).values())
    except tomllib.TOMLDecodeError:
        return False


def _is(name: object, person: str) -> bool:
    return isinstance(name, str) and fold(name) == fold(person)


def _write(db: sqlite3.Connection, changes: Iterable[_Change]) -> None:
    for change in changes:
        key = _KEYS[change.table]
        db.execute(f"UPDATE {change.table} SET body = ? WHERE {key} = ?", (change.body, change.number))
        if change.table == "main.name":
            sum_ = name_sum(change.number, change.body)
            db.execute("UPDATE main.name SET sum = ? WHERE id = ?", (sum_, change.number))


def _changes(db: sqlite3.Connection, journal: bool, archive: bool, person: str) -> tuple[list[_Change], set[str]]:
    """Every row that names the person as it is to be, and everybody who is named anywhere."""
    changes: list[_Change] = []
    known: set[str] = set()
    names = read_names(db) if journal and is_chained(db) else {}
    for _, group in groupby(db.execute(_EVENTS) if journal else (), lambda row: row[0]):
        evening = [(seq, json.loads(body)) for _, seq, body in group]
        named = [with_names(event, lambda number: names.get(number, "")) for _, event in evening]
        known |= set().union(*map(names_in, named))
        changes += _evening(evening, person, neutral_in(named, person), names)
    for number, body in db.execute("SELECT number, body FROM archive.record") if archive else ():
        record = from_document(json.loads(body))
        known |= record.people.keys()
        if among(person, record.people) is not None:
            text = json.dumps(to_document(forget_person(record, person)), ensure_ascii=False)
            changes.append(_Change("archive.record", number, text, 1))
    return changes, known - {""}


def _evening(
    events: Sequence[tuple[int, Any]], person: str, neutral: str, names: Mapping[int, str]
) -> Iterator[_Change]:
    """Older rows hold the name itself, the others a number of the table of names."""
    places: dict[int, int] = {}
    for seq, event in events:
        renamed, found = renamed_event(event, dict.fromkeys(spellings_of(person, names_in(event)), neutral))
        if found:
            yield _Change("main.event", seq, plain_body(renamed), found)

        def count(number: int) -> str:
            places[number] = places.get(number, 0) + 1
            return ""

        with_names(event, count)
    for number, found in places.items():
        if _is(names.get(number), person):
            yield _Change("main.name", number, json.dumps(neutral), found)


@contextmanager
def _both(journal: Path, archive: Path) -> Iterator[sqlite3.Connection]:
    """The journal with the archive attached, nobody else at them; the journal is in WAL mode again at the end."""
    at = journal
    try:
        with ExitStack() as stack:
            if journal.exists():
                stack.callback(Lock(journal.with_suffix(".lock")).release)
            uri = f"file:{quote(str(journal))}?mode=rw" if journal.exists() else ":memory:"
            db = stack.enter_context(closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=2.0)))
            db.execute("PRAGMA secure_delete = ON")
            if journal.exists():
                examine_kept(db)
                db.execute("PRAGMA journal_mode = DELETE")
                stack.callback(db.execute, "PRAGMA journal_mode = WAL")
            if archive.exists():
                at = archive
                db.execute("ATTACH ? AS archive", (f"file:{quote(str(archive))}?mode=rw",))
                stack.callback(db.execute, "DETACH archive")
                check_ours(db, archive, "archive.")
                db.execute("PRAGMA archive.secure_delete = ON")
                at = journal
            yield db
    except JournalBusy as error:
        raise ForgetError(f"{error}; stop it first") from None
    except (sqlite3.Error, DamagedError, OSError) as error:
        raise ForgetError(f"{at} cannot be changed: {damage(error) or error}") from None
    except (RecordError, json.JSONDecodeError) as error:
        raise ForgetError(f"{archive} cannot be read: {error}") from None
