"""What all outputs show at one instant: the page's data.

What pages make of a snapshot is cached by functions with a limit (`by_identity`), never on the snapshot: a cached value
that holds another snapshot would keep it in memory, and all earlier ones with it.
"""

from __future__ import annotations

from referee.core.model.view import PhonesScreen, View, WifiScreen
from referee.core.values import Value, by_identity, replace
from referee.language.words import LANGUAGES
from referee.protocol.seats import Seats

CACHED = 32
"""Results in a cache: of two snapshots, with and without a code, in each language, for two kinds of pages."""


class Snapshot(Value):
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

    @property
    @by_identity(CACHED)
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

    @by_identity(CACHED)
    def in_language(self, language: str) -> Snapshot:
        """Return the snapshot with its view in that language; the display's picture stays as it is."""
        if language not in LANGUAGES or language == self.view.language:
            return self
        return replace(self, view=replace(self.view, language=language))

    @property
    def asleep(self) -> tuple[int, ...]:
        """Return the numbers of the seats whose phone has no open page: asleep or disconnected."""
        return tuple(line.number for line in self.view.phones if line.phone not in self.awake)
