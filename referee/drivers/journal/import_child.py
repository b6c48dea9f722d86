"""A match that came as a file, kept by a process of its own: `python -m referee.drivers.journal.import_child STATE`.

On standard input comes the document, as `referee export` writes it. Reading it takes longer than a page may stand
still, and it may be anything, so the page's process has it done here; it is as nice as the page that begins it. On
standard output comes one JSON object: {"match": "A1", "new": true}, with false where the match was here already, or
{"refused": why in one sentence}, and then nothing was changed. 1 and a sentence when nothing can be kept.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from referee.core.documents.record import RecordError, from_document
from referee.core.reading import DocumentError, parse
from referee.core.values import Json
from referee.drivers.journal.past import keep


def taken_in(state: Path, document: bytes) -> dict[str, Json]:
    """What is said of a document for that state directory. ValueError, OSError: it cannot be kept."""
    try:
        record = from_document(parse(document.decode()))
    except UnicodeDecodeError as error:
        return {"refused": f"byte {error.start} is given, allowed is UTF-8 text"}
    except (DocumentError, RecordError) as error:
        return {"refused": str(error)}
    number, new = keep(state, record)
    return {"match": number, "new": new}


def main(argv: list[str]) -> int:
    """Keep what comes in the directory that is named."""
    try:
        said = taken_in(Path(argv[0]), sys.stdin.buffer.read())
    except (OSError, ValueError) as error:
        print(error or type(error).__name__, file=sys.stderr)  # noqa: T201
        return 1
    print(json.dumps(said))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
