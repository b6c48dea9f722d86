"""House presets: rules that a household has named, kept in a file of the state directory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from referee.core.names import fold
from referee.core.values import Value
from referee.storage.files import read_small, write_small

MOST_HOUSES = 32
_Text = Annotated[str, Meta(max_length=2048)]
_Options = Annotated[dict[_Text, bool | int | _Text], Meta(max_length=256)]


class HousePreset(Value):
    """Rules that a household has named: a preset with changed options."""

    name: _Text
    preset: _Text
    options: _Options


class _StoredHouses(Value):
    """The content of a `HouseBook`'s file."""

    format: Literal[1] = 1
    presets: Annotated[tuple[HousePreset, ...], Meta(max_length=MOST_HOUSES)] = ()


class HouseBook:
    """The house presets, kept in a file. Not thread-safe."""

    def __init__(self, path: Path) -> None:
        """Read the presets from that file; none if it is missing or unreadable."""
        self._path = path
        self.presets = read_small(path, _StoredHouses()).presets

    def preset_named(self, name: str) -> HousePreset | None:
        """Return the house preset of that name, ignoring case and outer spaces, or None."""
        return next((one for one in self.presets if fold(one.name) == fold(name)), None)

    def save(self, one: HousePreset) -> bool:
        """Save a house preset; it replaces one of the same name. Return False if the book is full.

        Raises OSError.
        """
        others = tuple(other for other in self.presets if fold(other.name) != fold(one.name))
        if len(others) >= MOST_HOUSES:
            return False
        self._write((*others, one))
        return True

    def forget(self, name: str) -> bool:
        """Delete the house preset of that name; return whether it existed."""
        others = tuple(other for other in self.presets if fold(other.name) != fold(name))
        found = len(others) < len(self.presets)
        if found:
            self._write(others)
        return found

    def _write(self, presets: tuple[HousePreset, ...]) -> None:
        """Write the file atomically: a power cut leaves the old one."""
        write_small(self._path, _StoredHouses(presets=presets))
        self.presets = presets
