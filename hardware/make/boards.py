"""The Raspberry Pis that the consoles take, and all that differs between them, in one table.

Sockets, supplies and ports: the makers' product briefs. What a board draws itself: Raspberry Pi documentation, "Power
supply" (typical bare board), doubled for a busy processor (?). That each header spares half an ampere at 3.3 V is
said of all of them (?). PWM chips: `referee/drivers/pwm/chip.py`, which finds them by these names. Pins, overlays and
the carrier are the same on all.
"""

from __future__ import annotations

from dataclasses import dataclass

SUPPLY_SHARE = 0.9
"""Of what a supply gives, so much may be drawn."""


@dataclass(frozen=True)
class Board:
    """A Raspberry Pi: A that it draws itself, that its usual supply gives, that its header's 3.3 V spare; its power
    socket, its USB sockets for pods, its PWM's device, how it comes back after "Off", where the printed case has it."""

    own_a: float
    supply_a: float
    spare_3v3_a: float
    socket: str
    usb: str
    pwm: str
    wakes: str
    case: str


_BUTTON = "the power button"
_FITS = "ports through the rear wall"
BOARDS = {
    "Zero 2 W": Board(
        0.7,
        2.5,
        0.5,
        "micro-USB",
        "1 micro-USB, by an adapter",
        "3f20c000.pwm",
        _BUTTON,
        "on the printed `zero-mount`, an angled plug",
    ),
    "3B+": Board(1.0, 2.5, 0.5, "micro-USB", "4", "3f20c000.pwm", _BUTTON, _FITS),
    "4B": Board(1.2, 3.0, 0.5, "USB-C", "4", "fe20c000.pwm", _BUTTON, _FITS),
    "5": Board(1.6, 5.0, 0.5, "USB-C", "4", "1f00098000.pwm", "its own button; the console's is doubtful (?)", _FITS),
}


def table(drawn_a: float) -> str:
    """The guide's table: a row a difference, a column a board; `drawn_a`: what hangs on it with everything on."""
    rows = [
        ("power socket", [board.socket for board in BOARDS.values()]),
        ("supply", [f"5 V, {board.supply_a:g} A" for board in BOARDS.values()]),
        (
            "spare with all lamps and the amplifier on",
            [f"{SUPPLY_SHARE * board.supply_a - board.own_a - drawn_a:.1f} A" for board in BOARDS.values()],
        ),
        ("USB sockets for pods", [board.usb for board in BOARDS.values()]),
        ('comes back after "Off" by', [board.wakes for board in BOARDS.values()]),
        ("PWM of lamps and piezo", [f"`{board.pwm}`" for board in BOARDS.values()]),
        ("in the printed case", [board.case for board in BOARDS.values()]),
    ]
    lines = [f"| | {' | '.join(BOARDS)} |", f"|---|{'---|' * len(BOARDS)}"]
    return "\n".join([*lines, *(f"| {what} | {' | '.join(values)} |" for what, values in rows)])
