"""Answer the page's queries about past matches in a separate process.

The page does not block meanwhile.

    python -m referee.storage.records.reader STATE VERB [ARGUMENT]

    list            every match, as `/api/history` answers
    page NUMBER     a page of evenings (`PastPage`)
    evening MATCH   the evening named by that match's number, with its records (`EveningRecords`)
    match MATCH     a match with its record (`PastMatch`)
    figures         statistics of all matches (a list of `Figures`)
    keep            add a match in the format of `referee export`, from standard input: {"match": "A1", "new": true},
                    false if it exists already, or {"refused": why} without any change

The answer is one JSON document on standard output; null for an unknown match. If the records cannot be read or written,
the exit status is 1, with a message on standard error. The process keeps the nice value of the page, which waits for
it.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from referee.core.values import Json
from referee.storage.records.store import Records


def list_matches(records: Records, _: str) -> Json:
    """Return the list of all matches."""
    from referee.core.documents.past import entry

    return {"matches": [entry(match) for match in records.list()]}


def show_page(records: Records, number: str) -> Json:
    """Return page `number` of the list of evenings."""
    from referee.core.documents.past import page_of

    return page_of(records.list(), int(number))


def show_evening(records: Records, number: str) -> Json:
    """Return the evening that begins with this match, and its records; None if there is none."""
    from referee.core.documents.past import EveningRecords, evening_of

    evening = evening_of(records.list(), number)
    if evening is None or evening.number != number:
        return None
    return EveningRecords(evening, records.read_all(other for other, _ in evening.matches))


def show_match(records: Records, number: str) -> Json:
    """Return a match with its record; None if it is missing or cannot be read."""
    from referee.core.documents.past import PastMatch, evening_of

    record = records.read_all([number]).get(number)
    evening = evening_of(records.list(), number)
    return PastMatch(number, record, evening.number) if record and evening else None


def count_figures(records: Records, _: str) -> Json:
    """Return the statistics of all matches."""
    from referee.core.documents.figures import figures
    from referee.core.documents.past import with_summaries

    return figures(with_summaries(records.list()))


def keep_match(records: Records, _: str) -> Json:
    """Import the match on standard input. Return its number, or why it is refused."""
    from referee.core.documents.record import RecordError, from_document
    from referee.core.reading import DocumentError, parse

    try:
        record = from_document(parse(sys.stdin.buffer.read().decode()))
    except UnicodeDecodeError as error:
        return {"refused": f"byte {error.start} is given, allowed is UTF-8 text"}
    except (DocumentError, RecordError) as error:
        return {"refused": str(error)}
    number, new = records.add(record)
    return {"match": number, "new": new}


VERBS: dict[str, Callable[[Records, str], Json]] = {
    "list": list_matches,
    "page": show_page,
    "evening": show_evening,
    "match": show_match,
    "figures": count_figures,
    "keep": keep_match,
}


def main(argv: list[str]) -> int:
    """Write the answer to a query to standard output. Return the exit status."""
    state, verb, argument = (*argv, "")[:3]
    try:
        answer = VERBS[verb](Records(Path(state)), argument)
    except (OSError, ValueError) as error:
        print(error or type(error).__name__, file=sys.stderr)  # noqa: T201
        return 1
    sys.stdout.buffer.write(msgspec.json.encode(answer))
    return 0


if __name__ == "__main__":
    gc.disable()  # a short process needs no garbage collection, which is slow with thousands of summaries
    sys.exit(main(sys.argv[1:]))
