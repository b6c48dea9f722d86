"""An event whose matches bots play at simulated tables with the real engine, in fast time.

    make hall-event                64 players, NNA, from entry to prize-giving
    make hall-event ARGS="--players 20 --seed 5"

Each match is saved as an evening's file. At the end the event is played again from the files and the draws alone, and
must come to the same result.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from referee.core.documents.chronicle import records
from referee.core.documents.record import Record, from_document, to_document
from referee.core.match.engine import JournalRow
from referee.core.model.paper import score_text
from referee.core.model.table import Setup
from referee.hall.decide import after, complete, draw, fold, is_over, place_of_record, standings
from referee.hall.model import Closed, Decision, Drawn, Entered, Event, Finished, Format, Game, Opened, Seats
from referee.simulator.table.bots import Bots
from referee.simulator.table.evening import Evening
from tests.campaign.journals import through_a_file

Evenings = dict[tuple[int, str], Sequence[JournalRow]]
"""Round, table -> the rows of the evening's file."""


def opening(players: int, game: Game, seed: int) -> Event:
    """Return an event in which everybody has entered: tables of four, the first two go on."""
    entered = [Entered(number, (f"Bot {number}",)) for number in range(1, players + 1)]
    return fold([Opened("Bots' night", Format(), game, seed), *entered])


def play_at(event: Event, seats: Seats, seed: int) -> Sequence[JournalRow]:
    """Play a match at a table. Return the rows that its file holds afterwards."""
    entries = [entry for number in seats.entries if (entry := event.entry(number))]
    names = tuple((str(at), entry.name) for at, entry in enumerate(entries, 1))
    rows: list[JournalRow] = []
    setup = Setup(event.game.preset, tuple(event.game.options.items()), names=names)
    Evening(setup, Bots([station for station, _ in names], seed), journal=rows.extend).play()
    return through_a_file(rows)


def with_results(event: Event, evenings: Evenings, order: Sequence[Seats]) -> Event:
    """Return the event after the records of these tables have come in."""
    for seats in order:
        for record in _sent(evenings[seats.round, seats.table]):
            outcome = place_of_record(event, seats.table, record)
            if outcome is None or not is_over(event, record):
                raise AssertionError(f"table {seats.table} of round {seats.round} sent a match that is not drawn")
            event = after(event, Finished(outcome))
    return event


def _sent(rows: Sequence[JournalRow]) -> Iterator[Record]:
    return (from_document(to_document(record)) for record in records(rows, {}))


def play(event: Event, seed: int) -> tuple[Event, Evenings]:
    """Play to the end; the director only draws and closes."""
    evenings: Evenings = {}
    tables = [f"table-{number}" for number in range(1, len(event.entries) + 1)]
    while not complete(event):
        event = after(event, draw(event, tables, seed + event.round))
        for seats in event.rounds[-1]:
            evenings[seats.round, seats.table] = play_at(event, seats, seed + 1000 * seats.round + seats.entries[0])
            event = with_results(event, evenings, [seats])
        print(f"round {event.round}: {len(event.rounds[-1])} tables", file=sys.stderr, flush=True)
    return after(event, Closed()), evenings


def replayed(event: Event, evenings: Evenings) -> Event:
    """Return the event from its draws and the evenings alone; the tables of a round send in another order."""
    made: list[Decision] = [decision for decision in event.decisions if not isinstance(decision, Finished)]
    again = Event()
    for decision in made:
        again = after(again, decision)
        if isinstance(decision, Drawn):
            again = with_results(again, evenings, again.rounds[-1][::-1])
    return again


def main(argv: list[str] | None = None) -> int:
    """Play an event and print its prize-giving. Return 1 if it is replayed to another result."""
    parser = argparse.ArgumentParser(prog="make hall-event")
    parser.add_argument("--players", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    event, evenings = play(opening(args.players, Game("nna"), args.seed), args.seed)
    for standing in standings(event)[:8]:
        entry = event.entry(standing.entry)
        points = ", ".join(f"{name} {score_text(value)}" for name, value in standing.values.items())
        print(f"{standing.place:2} {entry.name if entry else '':8} {points}")
    same = standings(replayed(event, evenings)) == standings(event)
    print(f"{len(evenings)} matches, replayed from their evenings to {'the same' if same else 'ANOTHER'} result")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
