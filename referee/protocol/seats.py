"""The people at all seats, collected from several views: most screens name only a few."""

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
)
from referee.core.values import Value, replace


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
