"""What the outputs show at an instant, for the page, with the seats.

The people at all seats are collected from several views: most screens name only a few.

What pages make of a snapshot is cached by functions with a limit (`by_identity`), never on the snapshot: a cached value
that holds another snapshot would keep it in memory, and all earlier ones with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from referee.core.messages import Msg
from referee.core.model.view import (
    CountScreen,
    Label,
    LobbyScreen,
    OverScreen,
    PhonesScreen,
    PlayingScreen,
    ReadyScreen,
    StandingsScreen,
    TeamLine,
    TurnScreen,
    View,
    WifiScreen,
)
from referee.core.values import Value, by_identity, replace
from referee.language.words import LANGUAGES


class SeatLine(Value):
    """One seat: its number, its player's name, and its team's total.

    total: None before the match. told: text that replaces the total. partner: the partner's seat number.
    """

    number: int
    name: str | None = None
    total: Fraction | None = None
    partner: int | None = None
    told: Msg | None = None


Seats = tuple[SeatLine, ...]


def seats_after(before: Seats, view: View) -> Seats:
    """Return the seats `before`, updated with the names and totals that the view shows."""
    screen = view.screen
    if isinstance(screen, LobbyScreen):
        return tuple(SeatLine(cell.number, cell.name, None, cell.pair) for cell in screen.seats)
    seats = before or tuple(SeatLine(number) for number in range(1, len(view.lamps) + 1))
    if view.match is not None and not any(seat.name for seat in seats):  # after a restart, POWER_BACK has no names
        seats = _with_totals(seats, view.match.lines)
    if isinstance(screen, PhonesScreen) and screen.seats:
        told = zip(seats, screen.seats, strict=True)
        return tuple(replace(seat, name=cell.name, partner=cell.pair) for seat, cell in told)
    if isinstance(screen, CountScreen):
        return _with_names(seats, (cell.label for cell in screen.cells))
    if isinstance(screen, ReadyScreen | PlayingScreen | TurnScreen | StandingsScreen | OverScreen):
        return _with_totals(seats, screen.lines)
    return seats


def _with_names(seats: Seats, labels: Iterable[Label]) -> Seats:
    by_number = {label.numbers[0]: label.name for label in labels}
    return tuple(replace(seat, name=by_number.get(seat.number, seat.name)) for seat in seats)


def _with_totals(seats: Seats, lines: Iterable[TeamLine]) -> Seats:
    by_number = {number: line for line in lines for number in line.label.numbers}
    return tuple(_plate(seat, by_number[seat.number]) if seat.number in by_number else seat for seat in seats)


def _plate(seat: SeatLine, line: TeamLine) -> SeatLine:
    numbers = line.label.numbers
    partner = next((number for number in numbers if number != seat.number), None)
    name = line.label.name if seat.number == numbers[0] else seat.name
    return SeatLine(seat.number, name, line.total, partner, line.told)


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
