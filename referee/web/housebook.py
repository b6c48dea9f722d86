"""House presets: rules that a house plays, under a name of its own, kept in a file of the state directory."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from referee.core.names import fold
from referee.core.values import Json, Value

FORMAT = 1
MOST_HOUSES = 32


class HousePreset(Value):
    """A preset with options of the house, under a name."""

    name: str
    preset: str
    options: tuple[tuple[str, bool | int | str], ...]


class HouseBook:
    """The house presets, kept in a file. One thread at a time."""

    def __init__(self, path: Path) -> None:
        """What is in that file; nothing where there is none, or none that can be read."""
        self._path = path
        self.presets: tuple[HousePreset, ...] = ()
        try:
            self.presets = _read(json.loads(path.read_bytes()))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self.presets = ()

    def preset_named(self, name: str) -> HousePreset | None:
        """The house preset of that name, without case and outer spaces."""
        return next((one for one in self.presets if fold(one.name) == fold(name)), None)

    def save(self, one: HousePreset) -> bool:
        """Whether there was room; another of that name is gone then. OSError when it cannot be written."""
        others = tuple(other for other in self.presets if fold(other.name) != fold(one.name))
        if len(others) >= MOST_HOUSES:
            return False
        self._write((*others, one))
        return True

    def forget(self, name: str) -> bool:
        """Whether there was one of that name."""
        others = tuple(other for other in self.presets if fold(other.name) != fold(name))
        found = len(others) < len(self.presets)
        if found:
            self._write(others)
        return found

    def _write(self, presets: tuple[HousePreset, ...]) -> None:
        """Whole or not at all: a power cut leaves the file as it was."""
        rows = [{"name": one.name, "preset": one.preset, "options": dict(one.options)} for one in presets]
        beside = self._path.with_suffix(".new")
        number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(number, "w", encoding="utf-8") as file:
            json.dump({"format": FORMAT, "presets": rows}, file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self._path)
        self.presets = presets


def _read(document: Json) -> tuple[HousePreset, ...]:
    if document["format"] != FORMAT:
        raise ValueError("another format")
    return tuple(
        HousePreset(str(row["name"]), str(row["preset"]), _options(row["options"])) for row in document["presets"]
    )


def _options(told: Mapping[str, Json]) -> tuple[tuple[str, bool | int | str], ...]:
    return tuple((name, value) for name, value in told.items() if isinstance(value, bool | int | str))
