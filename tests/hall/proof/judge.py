"""Compares what the hall holds with what follows from the tables' files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import DBAPIError

from referee.core.documents.delivery import Row
from referee.core.documents.match import account
from referee.core.documents.record import Record
from referee.core.values import replace
from referee.hall.decide import standings
from referee.hall.model import Event, Outcome
from referee.hall.store import Store
from tests.hall.proof.files import Files, Held
from tests.hall.proof.parts import WrongError
from tests.mqtt.chain import untimed


class Judge:
    """Looks into the hall's database without its code, where possible."""

    def __init__(self, database: str, store: Store, files: Files) -> None:
        driver = "sqlite" if database.startswith("sqlite") else "postgresql+psycopg"
        self._eye = create_engine(make_url(database).set(drivername=driver), pool_pre_ping=True)
        self._store, self._files = store, files
        self.results = self.lost = self.doubled = self.unordered = 0

    def close(self) -> None:
        """Close the connections to the database."""
        self._eye.dispose()

    def held(self) -> Held:
        """Return what the hall holds."""
        with self._eye.connect() as connection:
            rows = connection.execute(text("SELECT card_table, match, evening, number FROM matches"))
            return {(table, match): (evening, number) for table, match, evening, number in rows}

    def check_durable(self, tables: Sequence[str]) -> None:
        """Raise WrongError if the hall holds a row of these tables that is not in their files."""
        due = self._files.rows(tables)
        try:
            held = self.held()
        except DBAPIError:  # another fault; the last comparison finds such rows, too
            return
        ahead = {
            key: (row, due.get(key)) for key, row in held.items() if key[0] in tables and row > due.get(key, (0, 0))
        }
        if ahead:
            raise WrongError(f"the hall is ahead of the disks: (table, match) -> (held, on disk): {ahead}")

    def check_results(self) -> None:
        """Compare all that the hall holds with the evenings' files. Raises WrongError."""
        with self._eye.connect() as connection:
            query = 'SELECT card_table, match, evening, number FROM results ORDER BY card_table, match, "order"'
            stored: dict[tuple[str, str], list[Row]] = {}
            for table, match, evening, number in connection.execute(text(query)):
                stored.setdefault((table, match), []).append((evening, number))
        records = self._files.records()
        self.results = sum(map(len, stored.values()))
        self.lost = len(records.keys() - stored.keys())
        self.doubled = sum(len(rows) - len(set(rows)) for rows in stored.values())
        self.unordered = sum(rows != sorted(rows) for rows in stored.values())
        strange = len(stored.keys() - records.keys())
        held = {(one.table, one.match): one.record for one in self._store.matches(most=10**6) if one.record is not None}
        wrong = [key for key, record in records.items() if key not in held or untimed(held[key]) != record]
        if self.lost or self.doubled or self.unordered or strange or wrong or len(held) != len(records):
            raise WrongError(
                f"{self.lost} lost, {self.doubled} doubled, {self.unordered} unordered, {strange} strange, {wrong}"
            )

    def check_standings(self, event: Event) -> None:
        """Raise WrongError unless the event's outcomes and standings follow from the files."""
        over = dict[tuple[str, frozenset[str]], list[Record]]()
        for (table, _), record in self._files.records().items():
            if record.winners:
                over.setdefault((table, frozenset(record.people)), []).append(record)
        outcomes = tuple(_outcomes(event, over))
        if standings(replace(event, outcomes=outcomes)) != standings(event) or len(outcomes) != len(event.outcomes):
            raise WrongError(f"the standings are wrong: {outcomes} and not {event.outcomes}")


def _outcomes(event: Event, over: dict[tuple[str, frozenset[str]], list[Record]]) -> Iterator[Outcome]:
    """Yield the outcome of each drawn table that has played: the people who sat there, their totals and ranks."""
    used = set[str]()
    ids = {outcome.match for outcome in event.outcomes}
    for seats in (seats for drawn in event.rounds for seats in drawn):
        entries = {entry.name: entry.number for n in seats.entries if (entry := event.entry(n))}
        played = [one for one in over.get((seats.table, frozenset(entries)), []) if one.id not in used]
        if not played:
            continue
        record = next((one for one in played if one.id in ids), played[0])
        used.add(record.id)
        told, teams = account(record.match), {team.name: entries[team.players[0].name] for team in record.teams}
        points = {teams[team]: Fraction(total).limit_denominator(1000) for team, total in told.totals.items()}
        yield Outcome(seats.round, seats.table, record.id, points, {teams[t]: told.ranks[t] for t in teams})
