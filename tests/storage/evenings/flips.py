"""Flip every single bit of an evening and check the report and the rows that are read back.

    python -m tests.storage.evenings.flips [--rows N] [--bits N] [--program N] [--seed S]

The journal opens in this process on every bit of an evening of 200 rows (`--bits`: on that many), and the program
itself on 200 of them. It must open, report the damage, and return every row whose line does not contain the bit; a flip
in a line's end or in the evening's first lines loses no row. `test_flips.py` does a few. Put TMPDIR on a tmpfs.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from referee.core.model.events import Resumed
from referee.storage.evenings.folder import evenings_in, find_latest, names, path_of, read_evening
from referee.storage.evenings.writer import Journal, JournalRow
from tests.benchmarks.process import PATIENCE_S, ROOT, notified
from tests.core.evenings import played
from tests.storage.evenings.desk import filled

Trial = Callable[[Path, int], tuple[Sequence[JournalRow], str]]
"""Return the rows found in that state directory, the continued evening, and the report."""


def in_process(state: Path, evening: int) -> tuple[Sequence[JournalRow], str]:
    """Read as the journal does."""
    journal = Journal(state, "evening", opening_s=PATIENCE_S)
    found = journal.take_recovered()
    assert journal.close(PATIENCE_S)
    return found.rows, journal.note


def by_the_program(state: Path, evening: int) -> tuple[Sequence[JournalRow], str]:
    """Read as `referee run` does, which must start, continue a sound evening, and exit with 0."""
    with (state / "told").open("w+") as told, notified(state) as way:
        command = [sys.executable, "-m", "referee", "run", "--simulate", "--state", str(state)]
        environ = {**os.environ, "NOTIFY_SOCKET": str(state / "notify")}
        process = subprocess.Popen(
            [*command, "--listen", "127.0.0.1:0"], cwd=ROOT, env=environ, stdout=subprocess.DEVNULL, stderr=told
        )
        try:
            while not way.recv(4096).startswith(b"READY=1"):
                pass
            process.terminate()
            assert process.wait(PATIENCE_S) == 0, "it does not end well"
        finally:
            process.kill()
            process.wait()
        told.seek(0)
        log = told.read()
    (state / "notify").unlink()
    assert "Traceback" not in log, log[-500:]
    latest = find_latest(evenings_in(state))
    assert latest.tape.id == evening + 1, "it does not go on in another evening"
    assert not latest.tape.damaged
    assert latest.path is not None
    latest.path.unlink()
    note = next((line for line in log.splitlines() if " was damaged: " in line), "")
    (name,) = names(evenings_in(state))
    path = path_of(evenings_in(state), name)  # it may have been compressed
    found = read_evening(path).rows
    path.unlink()
    return [row for row in found if not isinstance(row[1], Resumed)], note  # the program adds that it has come back


def judged(rows: Sequence[JournalRow], content: bytes, bit: int, found: Sequence[JournalRow], note: str) -> str:
    """Return what is wrong; "" if nothing."""
    line = content[: bit // 8].count(b"\n") + 1
    end = content[bit // 8] == ord("\n")
    said = [int(n) for n in re.findall(r"line (\d+)", note)]
    if not said or not {*said} <= {line, line + 1}:
        return f"line {line} is damaged, and what is said is: {note or 'nothing'}"
    own = line - 2 if line > 2 and not end else -1
    if list(found) not in ([row for n, row in enumerate(rows) if n != own], list(rows)):
        return f"rows are lost that were sound: {len(found)} of {len(rows)} came back; {note}"
    return ""


def flip_all(rows: list[JournalRow], bits: int | None, trial: Trial, chance: random.Random) -> int:
    """Flip so many bits, each alone; print and count the faults."""
    with tempfile.TemporaryDirectory() as name:
        state, begun = Path(name), time.monotonic()
        filled(state, rows)
        (path,) = evenings_in(state).iterdir()
        content = path.read_bytes()
        places = range(len(content) * 8)
        counts = Counter[str]()
        for bit in places if bits is None else sorted(chance.sample(places, bits)):
            damaged = bytearray(content)
            damaged[bit // 8] ^= 1 << bit % 8
            path.write_bytes(damaged)
            try:
                wrong = judged(rows, content, bit, *trial(state, 1))
            except (AssertionError, OSError, subprocess.SubprocessError) as error:
                wrong = repr(error)
            counts["wrong" if wrong else "said"] += 1
            if wrong:
                print(f"bit {bit} of {len(places)}: {wrong}", flush=True)  # noqa: T201
    print(f"{trial.__name__}: {dict(counts)} ({time.monotonic() - begun:.0f} s)", flush=True)  # noqa: T201
    return counts["wrong"]


def main(argv: list[str]) -> int:
    """Flip, count and print the faults; return 1 if there were any."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--bits", type=int, help="so many in this process (all)")
    parser.add_argument("--program", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(argv)
    logging.disable(logging.CRITICAL)
    rows = [(n, event) for n, (_, event) in enumerate(played()[: given.rows], 1)]
    chance = random.Random(given.seed)
    wrong = flip_all(rows, given.bits, in_process, chance) + flip_all(rows, given.program, by_the_program, chance)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
