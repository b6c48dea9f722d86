"""Files written by commands: complete or unchanged, with one sentence for a failure."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from referee.commands.files import check_place, write_whole
from referee.commands.terminal import UsageError


def test_a_place_is_looked_at_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "old.svg").write_text("old")
    for name in ("old.svg", "new.svg"):
        check_place("referee x: --plot", tmp_path / name)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"old.svg": "old"}


@pytest.mark.parametrize("name", ["", "folder", "none/m.json", "m" * 256], ids=["", "folder", "none", "long"])
@pytest.mark.parametrize("data", [None, b"new"])
def test_where_no_file_can_be_is_one_sentence(name: str, data: bytes | None, tmp_path: Path) -> None:
    """The sentence has the given name, not that of a temporary file."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match=r"^referee x: --output .*: .+(, allowed is .+|\)|does not exist)$") as caught:
        write_whole("referee x: --output", tmp_path / name, data)
    assert ".part" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_an_older_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "m.json"
    target.write_text("old")

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (9, hard))
    try:
        with pytest.raises(UsageError, match=r"m\.json: cannot be written \(File too large\)"):
            write_whole("referee x: --output", target, b"something new")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]


def test_what_is_no_file_stays_what_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole("referee x: --output", pipe, b"told")
        assert os.read(reader, 9) == b"told"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
