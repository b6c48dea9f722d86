"""Small files of the state directory: the device starts with any content and sets bad files aside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.device.phones.pairing import HouseBook, HousePreset, PhoneBook
from referee.protocol.page import Known, digest_of, pack
from referee.storage.evenings.writer import Journal
from tests.core.sitting import Sitting
from tests.device.device_case import kept
from tests.storage.evenings.memory import status_of

SMALL = ("phones.json", "houses.json", "evenings.lock")
TOKENS: tuple[bytes, ...] = (
    b"1e999",
    b"-1e999",
    b"NaN",
    b"[" * 100_000,
    b"{}",
    b"null",
    b"true",
    b'"\\ud800"',
    b"\xff",
    b"\0",
    b"9" * 5000,
)
TOKENS += ('"\u0660"'.encode(), "\u00b2".encode(), b'"' + b"x" * 100_000 + b'"', b"-1", b"2.5", b",", b'"format":2')


@cache
def good() -> dict[str, bytes]:
    """Return each file of a state directory with a match in progress, paired phones and house rules."""
    with TemporaryDirectory() as name:
        state = Path(name) / "state"
        kept(state, Sitting().playing("1", "2"))
        book, houses = PhoneBook(state / "phones.json"), HouseBook(state / "houses.json")
        for _ in range(3):
            book.pair()
        houses.save(HousePreset("Ours", "nna", {"target": 50, "language": "de", "names": True}))
        start(state)
        return {str(path.relative_to(state)): path.read_bytes() for path in state.rglob("*") if path.is_file()}


def start(state: Path) -> None:
    """Read the files as a start does, then use and write them all."""
    journal = Journal(state, "boot-2")
    try:
        journal.take_recovered()
        assert status_of(journal).kind == "ok"
    finally:
        journal.close()
    book, houses = PhoneBook(state / "phones.json"), HouseBook(state / "houses.json")
    pack(Known(book.phones))
    assert book.phone_with(digest_of("stranger")) is None
    book.revoke(7)
    assert book.pair()[0].name in {phone.name for phone in book.phones}
    json.dumps([[one.name, one.preset, one.options] for one in houses.presets]).encode()
    assert houses.preset_named("stranger") is None
    houses.forget("ours")
    assert houses.save(HousePreset("Mine", "nna", {}))


@st.composite
def mutants(draw: st.DrawFn) -> tuple[str, bytes]:
    """Draw a small file's name and its content after a few faults."""
    name = draw(st.sampled_from(SMALL))
    content = good()[name]
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(content)))
        cut = draw(st.sampled_from((0, 1, 1, 2, 10, 10_000)))
        into = draw(st.one_of(st.sampled_from(TOKENS), st.binary(max_size=4)))
        content = content[:at] + into + content[at + cut :]
    return name, content


@settings(max_examples=30)
@given(mutant=mutants())
@example(mutant=("phones.json", b'{"format":1,"next":1e999,"revoked":0,"phones":[]}'))
@example(mutant=("phones.json", b"[" * 100_000))
@example(mutant=("houses.json", b'{"format":1,"presets":' + b"[" * 100_000))
@example(mutant=("evenings.lock", "process 1\nunsaved \u00b2 x\n".encode()))
@example(
    mutant=(
        "phones.json",
        '{"format":1,"next":2,"revoked":0,"phones":[{"name":"phone-1","digest":"\u00e9","role":"own"}]}'.encode(),
    )
)
def test_the_device_starts_whatever_a_small_file_holds(mutant: tuple[str, bytes]) -> None:
    with TemporaryDirectory() as folder:
        state = Path(folder)
        for name, content in (good() | dict([mutant])).items():
            (state / name).parent.mkdir(exist_ok=True)
            (state / name).write_bytes(content)
        start(state)
        for path in state.glob("*-damaged-*"):
            assert path.read_bytes() == mutant[1]
        start(state)


def huge(path: Path) -> None:
    """Create a sparse file of 2 GiB."""
    path.touch()
    os.truncate(path, 2 << 30)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.mkdir(),
        os.mkfifo,
        lambda path: path.symlink_to(path.parent / "elsewhere"),
        lambda path: path.symlink_to(path.name),
        huge,
    ],
    ids=["folder", "pipe", "link", "loop", "2 GiB"],
)
def test_what_is_no_small_file_is_set_aside(name: str, make: Callable[[Path], object], tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(good()[name])
    make(tmp_path / name)
    start(tmp_path)
    assert (tmp_path / name).is_file()
    assert not (tmp_path / name).is_symlink()
    assert (tmp_path / "elsewhere").read_bytes() == good()[name]
    notes = make is huge and name == "evenings.lock"  # only its first block is ever read
    assert len(list(tmp_path.glob("*-damaged-1.*"))) == (0 if notes else 1)


def test_short_file_takes_little_memory_whatever_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "short").write_bytes(b"short")
    script = """if True:
        import resource, sys
        from referee.storage.files import read_regular
        resource.setrlimit(resource.RLIMIT_DATA, (1 << 27, 1 << 27))
        sys.stdout.buffer.write(read_regular(sys.argv[1], 1 << 30))
    """
    done = subprocess.run([sys.executable, "-c", script, tmp_path / "short"], capture_output=True, check=True)
    assert done.stdout == b"short"
