"""What all outputs show at one instant: the page's data."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from referee.core.model.view import PhonesScreen, View, WifiScreen
from referee.core.values import Value, replace
from referee.language.words import LANGUAGES
from referee.web.seats import Seats

_Made = TypeVar("_Made")


class Snapshot(Value, dict=True):
    """What all outputs show at one instant.

    pixels: the display's picture, row by row, 8 pixels a byte, the leftmost in the highest bit, 1 for lit: `tobytes()`
    of a Pillow image of mode "1". seats: the people with their totals; bots: the stations at which bots play; awake:
    the phones that have a page open; the feed fills in all three.

    same_match: the view's match was left out, because it is the same as in the snapshot before.
    """

    view: View
    pixels: bytes = b""
    width: int = 128
    height: int = 64
    seats: Seats = ()
    bots: frozenset[str] = frozenset()
    same_match: bool = False
    awake: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        wanted = (self.width + 7) // 8 * self.height
        if self.pixels and len(self.pixels) != wanted:
            raise ValueError(f"{self.width}x{self.height} pixels are {wanted} bytes, got {len(self.pixels)}")

    @cached_property
    def veiled(self) -> Snapshot:
        """Return the snapshot without a pairing code or Wi-Fi password, and without its picture."""
        screen = self.view.screen
        if isinstance(screen, PhonesScreen) and screen.code:
            view = replace(self.view, screen=PhonesScreen(screen.address, seats=screen.seats))
        elif isinstance(screen, WifiScreen) and screen.password:
            view = replace(self.view, screen=WifiScreen(screen.choice))
        else:
            return self
        return replace(self, view=view, pixels=bytes(len(self.pixels)))

    def in_language(self, language: str) -> Snapshot:
        """Return the snapshot with its view in that language; the display's picture stays as it is."""
        if language not in LANGUAGES or language == self.view.language:
            return self
        return self.kept(f"in {language}", lambda: replace(self, view=replace(self.view, language=language)))

    def kept(self, what: str, make: Callable[[], _Made]) -> _Made:
        """Return the result of `make`, which is called once and cached under the key `what`."""
        if what not in self.__dict__:
            self.__dict__[what] = make()
        made: _Made = self.__dict__[what]
        return made

    @property
    def asleep(self) -> tuple[int, ...]:
        """Return the numbers of the seats whose phone has no open page: asleep or disconnected."""
        return tuple(line.number for line in self.view.phones if line.phone not in self.awake)
