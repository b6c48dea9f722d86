"""What the core says stands where whoever looks for it would look: in the file of the phase or game that says it."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from referee.language import told
from referee.language.places import Told

FOLDER = Path(told.__file__).parent
CORE = FOLDER.parents[1] / "core"
SHARED, OUTSIDE = "shared", "outside"
FILES = sorted(path.stem for path in FOLDER.glob("[a-z]*.py"))
ROOMS = {
    **{path.stem: (path,) for path in (CORE / "phases").glob("[a-z]*.py")},
    **{path.stem: (path,) for path in (CORE / "games").glob("[a-z]*.py")},
    **{path.name: tuple(path.glob("*.py")) for path in (CORE / "games").iterdir() if path.is_dir()},
    "past": (CORE / "match" / "past.py",),
}
"""A phase's module, a game's file or folder, and undo: what a file of texts can be called after."""


@cache
def text_of(room: str) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in ROOMS[room])


def says(room: str, key: str) -> bool:
    """Whether a room says it: by its key, by its kind with names put in, by a name that another puts in, as a phase."""
    kind, _, name = key.partition(".")
    if kind == "phase":
        return f'name: ClassVar[str] = "{name.upper()}"' in text_of(room)
    put_in = f'f"{kind}.{{'
    put_in_elsewhere = f'"{name}"' in text_of(room) and any(put_in in text_of(other) for other in ROOMS)
    return f'"{key}"' in text_of(room) or put_in in text_of(room) or put_in_elsewhere


def words_in(file: str) -> tuple[Told, ...]:
    return import_module(f"{told.__name__}.{file}").TOLD  # type: ignore[no-any-return]


@pytest.mark.parametrize("file", [file for file in FILES if file not in (SHARED, OUTSIDE)])
def test_a_file_of_texts_is_called_after_who_says_them(file: str) -> None:
    """Or says them where another one of the file is too long for its place."""
    instead = {word.shorter for word in words_in(file)}
    assert [word.key for word in words_in(file) if word.key not in instead and not says(file, word.key)] == []


def test_what_one_room_alone_says_stands_in_its_own_file() -> None:
    """If it has one: what is shared is said by several, or by one that says too little for a file."""
    for word in (*words_in(SHARED), *words_in(OUTSIDE)):
        rooms = [room for room in ROOMS if f'"{word.key}"' in text_of(room)]
        assert len(rooms) != 1 or rooms[0] not in FILES, f"{word.key} belongs into {rooms[0]}.py"


def test_every_text_stands_once() -> None:
    every = [word.key for file in FILES for word in words_in(file)]
    assert len(set(every)) == len(every)
    assert {*every} <= told.BY_KEY.keys()


def test_what_is_said_instead_is_a_text_of_the_same_place() -> None:
    for word in told.BY_KEY.values():
        assert not word.shorter or told.BY_KEY[word.shorter].place == word.place
