"""The folder of the evenings: which one is continued, and files that are not evenings."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.storage.evenings.folder import (
    EveningError,
    compress,
    evenings_in,
    find_latest,
    free_name,
    names,
    next_id,
    path_of,
    read_evening,
)
from referee.storage.evenings.rows import line, start_row
from tests.storage.evenings.desk import EVENING, OPENED, Desk, filled


def newer(path: Path) -> None:
    """Write an evening in an unknown format."""
    row = start_row(OPENED, 1, 1, "boot-1", 5, 99)
    path.write_bytes(line(type(row)("start", 1, 1, 5, 2, "", 99, "boot-1", row.event)))


ODD: dict[str, Callable[[Path], object]] = {
    "a link": lambda path: path.symlink_to("/etc/passwd"),
    "a directory": Path.mkdir,
    "a pipe": os.mkfifo,
    "two gigabytes": lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_RDWR), 2 << 30),
    "empty": Path.touch,
    "no text": lambda path: path.write_bytes(bytes(range(256)) * 9),
    "a newer format": newer,
}


@pytest.mark.parametrize("kind", ODD)
def test_an_odd_file_costs_one_sentence(kind: str, tmp_path: Path) -> None:
    filled(tmp_path)
    odd = evenings_in(tmp_path) / "2999-01-01_0000.jsonl"
    ODD[kind](odd)
    before = odd.lstat()
    desk = Desk(tmp_path)
    assert desk.journal.take_recovered().rows == (() if kind == "a newer format" else tuple(EVENING))
    assert len(find_latest(evenings_in(tmp_path)).troubles) == (0 if kind == "empty" else 1)
    desk.journal.append([(10, OPENED)])
    desk.until_durable(10)
    assert desk.journal.close()
    assert (odd.lstat().st_mode, odd.lstat().st_size) == (before.st_mode, before.st_size)
    assert find_latest(evenings_in(tmp_path)).tape.rows == ((10, OPENED),)
    if kind != "empty":
        with pytest.raises(EveningError):
            read_evening(odd)


def begun(state: Path, count: int) -> list[Path]:
    """Write so many evenings in order."""
    for _ in range(count):
        desk = Desk(state)
        desk.journal.append([(1, OPENED), *EVENING[1:]])
        assert desk.journal.close()
    folder = evenings_in(state)
    return sorted((path_of(folder, name) for name in names(folder)), key=lambda path: read_evening(path).id)


def test_an_evening_without_its_beginning_is_not_gone_on_with(tmp_path: Path) -> None:
    """The evening before it is not continued either: the last rows are in the damaged file."""
    _, last = begun(tmp_path, 2)
    content = last.read_bytes()
    last.write_bytes(b"".join(content.splitlines(keepends=True)[2:]))
    found = find_latest(evenings_in(tmp_path))
    assert (found.path, found.next_id) == (None, 2)
    assert found.troubles == (f"{last} holds no readable evening",)
    desk = Desk(tmp_path)
    assert desk.journal.take_recovered().rows == ()
    desk.journal.append([(1, OPENED)])
    assert desk.journal.close()
    assert find_latest(evenings_in(tmp_path)).tape.rows == ((1, OPENED),)


def test_all_but_the_last_evening_are_compressed(tmp_path: Path) -> None:
    paths = begun(tmp_path, 3)
    before = [read_evening(path) for path in paths]
    compress(evenings_in(tmp_path))
    folder = evenings_in(tmp_path)
    assert [path_of(folder, path.name.partition(".")[0]).suffix for path in paths] == [".gz", ".gz", ".jsonl"]
    assert [read_evening(path_of(folder, path.name.partition(".")[0])) for path in paths] == before
    compress(folder)
    assert find_latest(folder).path == paths[-1]
    paths[-1].unlink()
    assert next_id(folder) == 3
    assert free_name(folder, 0) == "1970-01-01_0000"


def test_the_longer_file_of_an_evening_stays_uncompressed(tmp_path: Path) -> None:
    """An evening whose file was damaged during writing goes on in another one, perhaps with an earlier name."""
    path = begun(tmp_path, 2)[1]
    filled(tmp_path)
    latest = find_latest(evenings_in(tmp_path)).path
    assert latest is not None
    path.with_name("2999-01-01_0000.jsonl").write_bytes(latest.read_bytes()[:-40])
    compress(evenings_in(tmp_path))
    assert find_latest(evenings_in(tmp_path)).path == latest


def test_an_evening_of_a_newer_format_is_not_compressed(tmp_path: Path) -> None:
    first, _ = begun(tmp_path, 2)
    other = evenings_in(tmp_path) / "2000-01-01_0000.jsonl"
    newer(other)
    compress(evenings_in(tmp_path))
    assert other.exists()
    assert not first.exists()
    assert find_latest(evenings_in(tmp_path)).troubles


def test_a_damaged_compressed_evening_keeps_its_sound_rows(tmp_path: Path) -> None:
    path, _ = begun(tmp_path, 2)
    rows = path.read_bytes() + b"0" * 9000
    compress(evenings_in(tmp_path))
    packed = path.with_name(f"{path.name}.gz")
    packed.write_bytes(gzip.compress(rows, 0)[:-6000])
    assert read_evening(packed).rows == tuple(EVENING)
    packed.write_bytes(packed.read_bytes()[:100])
    with pytest.raises(EveningError, match="holds no readable evening"):
        read_evening(packed)


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    bomb = tmp_path / "2999-01-01_0000.jsonl.gz"
    bomb.write_bytes(gzip.compress(bytes(65 << 20)))
    with pytest.raises(EveningError, match="longer than 64 MiB"):
        read_evening(bomb)


def test_a_strange_name_costs_one_sentence(tmp_path: Path) -> None:
    filled(tmp_path)
    (evenings_in(tmp_path) / "two\nlines.jsonl").write_bytes(b"no evening")
    found = find_latest(evenings_in(tmp_path))
    assert found.tape.rows == tuple(EVENING)
    assert found.troubles == (f"{evenings_in(tmp_path)}: 'two\\nlines.jsonl' is no evening's name",)
