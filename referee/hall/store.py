"""What a hall stores in its database: tables, results, events and their decisions, troubles.

Theory of operation. `take` stores a result and the decisions that follow from it in one transaction. It keeps the last
record of each match, and a digest of each result, which tells a repeated result from a changed one. A result is stored
only if the hall holds the row before it. So results are neither lost nor doubled nor out of order, even if messages
are.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import msgspec
from sqlalchemy import ColumnElement, Connection, Table, bindparam, delete, func, insert, select, update

from referee.core.documents.delivery import NO_ROW, TABLE_NAME, Forgotten, GameRules, Received, Result, Row, Seating
from referee.core.documents.record import Record, forget_person, read_trusted, to_document
from referee.core.names import fold
from referee.core.reading import quoted_value, short_sentence
from referee.core.values import Json, Value, replace
from referee.hall import decide, model
from referee.hall.access import Access
from referee.hall.model import Closed, Decision, Entered, Event, EventError, Opened, Text, text_from
from referee.hall.schema import DECISIONS, EVENTS, MATCHES, RESULTS, TABLES, TROUBLES, Database
from referee.hall.settle import Held, settle

MOST_TABLES = 300
MOST_MATCHES = 500
"""Maximum number of matches that the hall holds of a table."""
MOST_TROUBLES = 500
MOST_EVENTS = 1000
MOST_DECISIONS = 10_000
"""Maximum number of decisions of an event."""
Taken = Literal["stored", "repeated", "changed", "gap", "full", "uninvited"]
"""What happened to a result. Only "stored" changes the database."""


def _of(table: Table) -> tuple[ColumnElement[bool], ...]:
    """Return conditions for a match. Their parameters: see `_key`."""
    return table.c.card_table == bindparam("of_table"), table.c.match == bindparam("of_match")


_TABLE = select(TABLES.c.invited, TABLES.c.forgotten).where(TABLES.c.name == bindparam("of_table"))
"""Queries that each result needs. A query that is built once takes a sixth of the time."""
_HELD = select(*[MATCHES.c[name] for name in ("evening", "number", "results", "since", "event")]).where(*_of(MATCHES))
_COUNT = select(func.count()).select_from(MATCHES).where(_of(MATCHES)[0])
_CHANGE = update(MATCHES).where(*_of(MATCHES))
_DIGEST = select(RESULTS.c.digest).where(
    *_of(RESULTS), RESULTS.c.evening == bindparam("evening"), RESULTS.c.number == bindparam("number")
)
_OPEN = select(EVENTS).where(~EVENTS.c.closed).order_by(EVENTS.c.id.desc())


class KnownTable(Value):
    """A card table that has published or was invited.

    invited: whether the hall takes its results.
    """

    name: str
    invited: bool
    seen_s: int


class HeldMatch(Value):
    """A match as the hall holds it.

    record: None if the match has no hands any more, or no result could be read. refused: why its last result could not
    be read. odd_time: its times are far from the hall's. event: the event to which it belongs; None for none.
    """

    table: str
    match: str
    row: Row
    record: Record | None
    refused: str
    odd_time: bool
    event: int | None
    received_s: int


class Reading(Value):
    """The content of a result.

    record: None if it has none, or it cannot be read. refused: why it cannot be read, as one sentence. odd: whether its
    times are far from the hall's.
    """

    record: Record | None
    refused: str = ""
    odd: bool = False


class Trouble(Value):
    """A problem that a director should see.

    kind: see docs/halls.md. times: how often it occurred.
    """

    table: str
    match: str
    kind: str
    sentence: str | Text
    times: int
    at_s: int


class Store:
    """The hall's data. Call methods on any thread; each is a transaction.

    url: see `Database`. now: returns Unix seconds. Raises DatabaseError. listeners: called after each change that
    matters to tables, on the thread that made it.
    """

    def __init__(self, url: str, now: Callable[[], float] = time.time) -> None:
        self._database = Database(url)
        self._now = now
        self.access = Access(self._database, now)
        self.listeners: list[Callable[[], object]] = []
        self._events: dict[int, tuple[tuple[int, int], Event, dict[int, int]]] = {}

    @property
    def losses(self) -> int:
        """Return how often a connection has been lost; see `Database`."""
        return self._database.losses

    @property
    def hall(self) -> str:
        """Return the hall's ID, the same for all processes that share the database."""
        return self._database.hall

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Combine the calls of this thread into one transaction."""
        with self._database.transaction():
            yield
        self._tell()

    # -- tables ----------------------------------------------------------------------------------------------------

    def tables(self) -> list[KnownTable]:
        """Return all known tables by name."""
        with self._database.transaction() as connection:
            rows = connection.execute(select(TABLES).order_by(TABLES.c.name))
            return [KnownTable(row.name, row.invited, row.seen_s) for row in rows]

    def invite(self, name: str, invited: bool = True) -> None:
        """Take results of a table from now on, or with `invited` False no longer.

        Raises EventError for an invalid name or too many tables.
        """
        if not self.see(name):
            raise EventError("invite", most=MOST_TABLES, given=quoted_value(name))
        with self._database.transaction() as connection:
            connection.execute(update(TABLES).where(TABLES.c.name == name).values(invited=invited))
        self._tell()

    def see(self, name: str) -> bool:
        """Note that a table has published. Return False for an invalid name or too many tables."""
        if not TABLE_NAME.fullmatch(name):
            return False
        now_s = self._now_s
        with self._database.transaction() as connection:
            there = connection.execute(update(TABLES).where(TABLES.c.name == name).values(seen_s=now_s)).rowcount
            if there:
                return True
            if connection.execute(select(func.count()).select_from(TABLES)).scalar_one() >= MOST_TABLES:
                return False
            row = self._database.insert(TABLES).values(name=name, invited=False, forgotten=0, seen_s=now_s)
            connection.execute(row.on_conflict_do_nothing())
        return True

    # -- results ---------------------------------------------------------------------------------------------------

    def take(self, table: str, result: Result, read: Callable[[Result], Reading]) -> Taken:
        """Store a result if it is the next one of its match, and the decisions that follow from it.

        read: returns the content; called only for a result that is stored.
        """
        with self._database.transaction() as connection:
            if self._last_forgotten(connection, table) is None:
                return "uninvited"
            held = connection.execute(_HELD, _key(table, result.match)).first()
            taken = self._compared(connection, table, result, held)
            if taken != "stored":
                return taken
            found = read(result)
            since = held.since if held else self._decisions_made(connection)
            values = {"refused": found.refused, "odd_time": found.odd, "received_s": self._now_s}
            if not found.refused:
                values["record"] = _written(found.record) if found.record else None
            self._write(connection, table, result, held, values | {"since": since})
            if found.refused:
                self.note(table, result.match, "refused", unreadable(found.refused))
            else:
                placed = self._settle_match(connection, Held(table, result.match, found.record, since))
                if placed != (held and held.event):
                    self._place(connection, table, result.match, placed)
        self._tell()
        return taken

    def _last_forgotten(self, connection: Connection, table: str) -> int | None:
        """Lock the database. Return the number of a table's last removed name; None if it is not invited."""
        self._database.lock(connection)
        found = connection.execute(_TABLE, {"of_table": table}).first()
        return found.forgotten if found is not None and found.invited else None

    def _compared(self, connection: Connection, table: str, result: Result, held: Any) -> Taken:
        """Compare a result with what the hall holds of its match; return what to do with it.

        A result after an older row than the hall's last one is stored: the table has lost a row that it had sent. An
        older result that the hall does not know comes late: the table has sent a newer one instead.
        """
        last = (held.evening, held.number) if held else NO_ROW
        if result.row <= last:
            key = _key(table, result.match) | {"evening": result.row[0], "number": result.row[1]}
            known = connection.execute(_DIGEST, key).scalar()
            return "repeated" if known in (_digest(result), b"", None) else "changed"
        if result.after > last:
            return "gap"
        full = held is None and connection.execute(_COUNT, {"of_table": table}).scalar_one() >= MOST_MATCHES
        return "full" if full else "stored"

    def _write(self, connection: Connection, table: str, result: Result, held: Any, values: dict[str, object]) -> None:
        key: dict[str, object] = {"card_table": table, "match": result.match}
        row, order = {"evening": result.row[0], "number": result.row[1]}, held.results + 1 if held else 1
        values |= row | {"results": order}
        if held is None:
            connection.execute(insert(MATCHES), key | values)
        else:
            connection.execute(_CHANGE, _key(table, result.match) | values)
        connection.execute(insert(RESULTS), key | row | {"digest": _digest(result), "order": order})

    def received(self, table: str) -> Received | None:
        """Return what the hall holds of a table; None if the table is not invited."""
        return self.all_received([table]).get(table)

    def all_received(self, tables: Collection[str]) -> dict[str, Received]:
        """Return what the hall holds of these tables, without those that are not invited."""
        invited = select(TABLES.c.name, TABLES.c.forgotten).where(TABLES.c.invited, TABLES.c.name.in_(tables))
        rows = select(MATCHES.c.card_table, MATCHES.c.match, MATCHES.c.evening, MATCHES.c.number)
        with self._database.transaction() as connection:
            found = {name: Received(self.hall, {}, forgotten) for name, forgotten in connection.execute(invited)}
            for table, match, evening, number in connection.execute(rows.where(MATCHES.c.card_table.in_(found))):
                found[table].rows[match] = evening, number
        return found

    def matches(
        self, table: str | None = None, *, undrawn: bool = False, event: int | None = None, most: int = 100
    ) -> list[HeldMatch]:
        """Return at most `most` matches, the last received first.

        table, event: only matches of these. undrawn: only matches that belong to no event.
        """
        query = select(MATCHES).order_by(MATCHES.c.received_s.desc(), MATCHES.c.match).limit(most)
        if table is not None:
            query = query.where(MATCHES.c.card_table == table)
        if undrawn:
            query = query.where(MATCHES.c.event.is_(None))
        if event is not None:
            query = query.where(MATCHES.c.event == event)
        with self._database.transaction() as connection:
            return [_match(row) for row in connection.execute(query)]

    def match(self, table: str, match: str) -> HeldMatch | None:
        """Return a match as the hall holds it; None if it is unknown."""
        with self._database.transaction() as connection:
            found = connection.execute(select(MATCHES).where(*_of(MATCHES)), _key(table, match)).first()
        return None if found is None else _match(found)

    # -- names that are removed ------------------------------------------------------------------------------------

    def forget(self, table: str, forgotten: Forgotten) -> bool:
        """Remove a person's name from all matches, events and troubles, of all tables.

        Return False, and change nothing, if it was removed before, or if a name before it is missing.
        """
        with self._database.transaction() as connection:
            held = self._last_forgotten(connection, table)
            if held is None or not forgotten.after <= held < forgotten.number:
                return False
            self._forget_in_matches(connection, forgotten.name)
            self._forget_in_events(connection, forgotten.name)
            for row in connection.execute(select(TROUBLES)).all():
                if fold(forgotten.name) in fold(row.sentence):
                    connection.execute(delete(TROUBLES).where(*_of(TROUBLES)), _key(row.card_table, row.match))
            values = {"forgotten": forgotten.number}
            connection.execute(update(TABLES).where(TABLES.c.name == table).values(**values))
        self._tell()
        return True

    def _forget_in_matches(self, connection: Connection, name: str) -> None:
        key = (MATCHES.c.card_table, MATCHES.c.match)
        for table, match in connection.execute(select(*key).order_by(*key)).all():
            query = select(MATCHES.c.record, MATCHES.c.refused).where(*_of(MATCHES))
            text, refused = connection.execute(query, _key(table, match)).one()
            record = _record(text)
            without = record and forget_person(record, name)
            if without == record and fold(name) not in fold(refused):
                continue
            values = {"record": without and _written(without), "refused": refused and "…"}
            connection.execute(_CHANGE, _key(table, match) | values)
            connection.execute(update(RESULTS).where(*_of(RESULTS)).values(digest=b""), _key(table, match))

    def _forget_in_events(self, connection: Connection, name: str) -> None:
        for row in connection.execute(select(EVENTS).order_by(EVENTS.c.id)).all():
            event, _ = self._load(connection, row)
            made = decide.forget(event.decisions, name)
            for number, (before, now) in enumerate(zip(event.decisions, made, strict=True), 1):
                if before != now:
                    key = (DECISIONS.c.event == row.id, DECISIONS.c.number == number)
                    connection.execute(update(DECISIONS).where(*key).values(line=model.encode(now)))
            if made != event.decisions:
                values = {"revision": _revision()}
                connection.execute(update(EVENTS).where(EVENTS.c.id == row.id).values(**values))

    # -- events ----------------------------------------------------------------------------------------------------

    def open(self, opened: Opened) -> int:
        """Open an event and return its ID. Raises EventError."""
        event = decide.after(Event(), opened)
        with self._database.transaction() as connection:
            self._database.lock(connection)
            if connection.execute(select(func.count()).select_from(EVENTS)).scalar_one() >= MOST_EVENTS:
                raise EventError("many_events", most=MOST_EVENTS)
            row = insert(EVENTS).values(decisions=0, revision=0, closed=False).returning(EVENTS.c.id)
            id_: int = connection.execute(row).scalar_one()
            self._append(connection, id_, event, [opened], {})
        self._tell()
        return id_

    def append(self, id_: int, made: Decision | Sequence[Decision], expected: int | Event) -> Event:
        """Store a person's decision or all of several, and those that then follow from the stored matches.

        expected: the event that the person has seen, or the number of its decisions. Raises EventError if there are
        other ones by now, or if a decision does not fit; then none is stored. Return the event.
        """
        decisions = made if isinstance(made, Sequence) else [made]
        with self._database.transaction() as connection:
            self._database.lock(connection)
            row = connection.execute(select(EVENTS).where(EVENTS.c.id == id_)).first()
            if row is None:
                raise EventError("unknown_event", number=id_)
            event, orders = self._load(connection, row)
            if (row.decisions if isinstance(expected, int) else event) != expected:
                raise EventError("meanwhile")
            if row.decisions + len(decisions) > MOST_DECISIONS:
                raise EventError("many_decisions", most=MOST_DECISIONS)
            for decision in decisions:
                event = decide.after(event, decision)
            orders = self._append(connection, id_, event, decisions, orders)
            if not all(isinstance(decision, Entered | Closed) for decision in decisions):
                event = self._settle_event(connection, id_, event, orders)
        self._tell()
        return event

    def event(self, id_: int) -> Event:
        """Return an event. The number of its decisions is `expected` of `append`. Raises EventError."""
        with self._database.transaction() as connection:
            row = connection.execute(select(EVENTS).where(EVENTS.c.id == id_)).first()
            if row is None:
                raise EventError("unknown_event", number=id_)
            return self._load(connection, row)[0]

    def events(self) -> dict[int, Event]:
        """Return all events by ID, the newest first."""
        with self._database.transaction() as connection:
            rows = connection.execute(select(EVENTS).order_by(EVENTS.c.id.desc())).all()
            return {row.id: self._load(connection, row)[0] for row in rows}

    def seatings(self) -> dict[str, tuple[Seating, GameRules]]:
        """Return who plays next, and what: table -> its seats of the last round, if it has no outcome yet."""
        found: dict[str, tuple[Seating, GameRules]] = {}
        with self._database.transaction() as connection:
            rows = connection.execute(select(EVENTS).where(~EVENTS.c.closed).order_by(EVENTS.c.id)).all()
            for event in (self._load(connection, row)[0] for row in rows):
                rules = GameRules(event.game.preset, event.game.rules)
                for seats in event.open_tables(event.round):
                    entries = [event.entry(number) for number in seats.entries]
                    teams = tuple(entry.names for entry in entries if entry is not None and entry.until is None)
                    found[seats.table] = Seating(event.name, event.round, teams, event.game.preset), rules
        return found

    def decisions(self, id_: int) -> tuple[Decision, ...]:
        """Return an event's decisions, including undone ones. Raises EventError for an unknown ID."""
        return self.event(id_).decisions

    def times(self, id_: int) -> list[int]:
        """Return when each decision of an event was made, in Unix seconds."""
        query = select(DECISIONS.c.at_s).where(DECISIONS.c.event == id_).order_by(DECISIONS.c.number)
        with self._database.transaction() as connection:
            return list(connection.execute(query).scalars())

    def _load(self, connection: Connection, row: Any) -> tuple[Event, dict[int, int]]:
        """Return an event, and decision -> its number among all decisions of the hall."""
        version = (row.decisions, row.revision)
        known = self._events.get(row.id)
        if known is None or known[0] != version:
            query = select(DECISIONS).where(DECISIONS.c.event == row.id).order_by(DECISIONS.c.number)
            rows = connection.execute(query).all()
            event = decide.fold(model.decode(made.line) for made in rows)
            known = self._events[row.id] = version, event, {made.number: made.order for made in rows}
        return known[1], known[2]

    def _append(
        self, connection: Connection, id_: int, event: Event, made: Sequence[Decision], orders: dict[int, int]
    ) -> dict[int, int]:
        """Store an event's last decisions. orders: see `_load`; return them with those of the new decisions."""
        first, total = len(event.decisions) - len(made) + 1, self._decisions_made(connection)
        added = {first + at: total + 1 + at for at in range(len(made))}
        for decision, (number, order) in zip(made, added.items(), strict=True):
            values = {"order": order, "at_s": self._now_s, "line": model.encode(decision)}
            connection.execute(insert(DECISIONS).values(event=id_, number=number, **values))
        version = len(event.decisions), _revision()
        changes = {"decisions": version[0], "revision": version[1], "closed": event.closed}
        connection.execute(update(EVENTS).where(EVENTS.c.id == id_).values(**changes))
        self._events[id_] = version, event, orders | added
        return orders | added

    def _decisions_made(self, connection: Connection) -> int:
        return int(connection.execute(select(func.coalesce(func.sum(EVENTS.c.decisions), 0))).scalar_one())

    def _settle_match(self, connection: Connection, held: Held) -> int | None:
        """Append the decisions that follow from a match to the event that it belongs to; return that event."""
        placed = None
        for row in connection.execute(_OPEN).all():
            if placed is None and self._settle_in(connection, row.id, held, *self._load(connection, row))[-1]:
                placed = row.id
        return placed

    def _settle_event(self, connection: Connection, id_: int, event: Event, orders: dict[int, int]) -> Event:
        """Append the decisions that follow from all matches that belong to this event or to none.

        Troubles that these decisions end are removed.
        """
        own = TROUBLES.c.match.in_(select(MATCHES.c.match).where(MATCHES.c.event == id_))
        connection.execute(delete(TROUBLES).where(TROUBLES.c.kind.in_(("game", "unused")), own))
        query = select(MATCHES).where(MATCHES.c.event.is_(None) | (MATCHES.c.event == id_), MATCHES.c.refused == "")
        for row in connection.execute(query.order_by(MATCHES.c.received_s, MATCHES.c.results)).all():
            held = Held(row.card_table, row.match, _record(row.record), row.since)
            event, orders, placed = self._settle_in(connection, id_, held, event, orders)
            if placed is not (row.event == id_):
                self._place(connection, held.table, held.match, id_ if placed else None)
        return event

    def _settle_in(
        self, connection: Connection, id_: int, held: Held, event: Event, orders: dict[int, int]
    ) -> tuple[Event, dict[int, int], bool]:
        """Append an event's decisions from a match.

        Return the event, its orders, and whether the match belongs to it.
        """
        settled = settle(event, held, orders)
        if settled.decisions:
            orders = self._append(connection, id_, settled.event, settled.decisions, orders)
        if settled.problem:
            self.note(held.table, held.match, settled.kind, settled.problem)
        return settled.event, orders, settled.placed

    def _place(self, connection: Connection, table: str, match: str, event: int | None) -> None:
        connection.execute(_CHANGE, _key(table, match) | {"event": event})

    # -- troubles --------------------------------------------------------------------------------------------------

    def note(self, table: str, match: str, kind: str, sentence: str | Text) -> None:
        """Note a problem for the director.

        A `Text` is stored as JSON and shown in the reader's language. It replaces one of the same kind and match, and
        is counted.
        """
        key = {"card_table": table[:32], "match": match[:100], "kind": kind}
        said = _written(sentence) if isinstance(sentence, Text) else short_sentence(sentence)
        values = {"sentence": said, "at_s": self._now_s}
        row = self._database.insert(TROUBLES).values(**key, **values, times=1)
        again = row.on_conflict_do_update(index_elements=list(key), set_={**values, "times": TROUBLES.c.times + 1})
        by_age = select(TROUBLES.c.at_s).order_by(TROUBLES.c.at_s.desc()).offset(MOST_TROUBLES).limit(1)
        with self._database.transaction() as connection:
            connection.execute(again)
            connection.execute(delete(TROUBLES).where(TROUBLES.c.at_s <= by_age.scalar_subquery()))

    def troubles(self) -> list[Trouble]:
        """Return the problems that a director should see, the newest first."""
        with self._database.transaction() as connection:
            rows = connection.execute(select(TROUBLES).order_by(TROUBLES.c.at_s.desc(), TROUBLES.c.card_table))
            return [replace(Trouble(*row), sentence=_sentence(row.sentence)) for row in rows]

    def dismiss(self, table: str, match: str, kind: str) -> None:
        """Remove a problem from the list."""
        with self._database.transaction() as connection:
            query = delete(TROUBLES).where(*_of(TROUBLES), TROUBLES.c.kind == kind)
            connection.execute(query, _key(table, match))

    @property
    def _now_s(self) -> int:
        return int(self._now())

    def _tell(self) -> None:
        for listener in self.listeners:
            listener()


def _revision() -> int:
    return secrets.randbelow(1 << 31)


def _key(card_table: str, match: str) -> dict[str, object]:
    """Return the parameters of `_of`."""
    return {"of_table": card_table, "of_match": match}


def _digest(result: Result) -> bytes:
    """Return a digest of a result without its times, which a table may correct later."""
    record = dict(result.record or {})
    hands: Json = record.get("hands")
    if isinstance(hands, list):
        record["hands"] = [hand | {"counted_s": None} if isinstance(hand, dict) else hand for hand in hands]
    content = msgspec.json.encode(record | {"begun_s": None, "ended_s": None}, order="sorted")
    return hashlib.sha256(content).digest()


def _written(record: Record | Text) -> str:
    return msgspec.json.encode(to_document(record) if isinstance(record, Record) else record).decode()


def unreadable(error: str) -> Text:
    """Return the sentence about a record that cannot be read. error: why, in English."""
    return Text("record_unreadable", {"error": short_sentence(error)})


def _sentence(stored: str) -> str | Text:
    """Return a trouble's sentence as `note` got it."""
    if not stored.startswith('{"key":'):
        return stored
    return text_from(msgspec.json.decode(stored))


def _record(text: str | None) -> Record | None:
    return None if text is None else read_trusted(msgspec.json.decode(text))


def _match(row: Any) -> HeldMatch:
    return HeldMatch(
        row.card_table,
        row.match,
        (row.evening, row.number),
        _record(row.record),
        row.refused,
        row.odd_time,
        row.event,
        row.received_s,
    )
