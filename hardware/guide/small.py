"""The pictures of the small builds, one each: what is joined to what. Pins are the profile's and the pod's."""

from __future__ import annotations

from html import escape

from hardware.make.models import PICO_PINS
from referee.drivers.pins.lint import HEADER
from referee.drivers.pins.pinmap import Profile

GROUNDS = (9, 25, 14, 20)
"""Pins of the Pi that are GND, one near each button's (Raspberry Pi documentation)."""
SEATS = 4
_INK, _BOARD, _BUTTON = "#20242c", "#70b280", "#d5dae2"
_COLOURS = ("#d9b800", "#1f9d47", "#2566c8", "#8a3fb5")


def pictures(direct4: Profile, pod: Profile) -> dict[str, str]:
    """File name -> SVG."""
    legs = PICO_PINS.split()
    grounds = [number for number, name in enumerate(legs, start=1) if name == "GND"]
    pico = [
        (legs.index(f"GP{pin.gpio}") + 1, grounds[n])
        for n, pin in zip(range(SEATS), pod.stations().values(), strict=False)
    ]
    pi = [(HEADER[pin.gpio], GROUNDS[n]) for n, pin in enumerate(direct4.stations().values())]
    return {
        "build-buzz.svg": _page(
            [*_box(40, 60, 150, 90, "laptop", "#96c2e8"), _line(190, 105, 300, 105, _INK), *_handsets()]
        ),
        "build-box.svg": _page(_wired("Pico: leg", pico)),
        "build-phone.svg": _page(_wired("Pi: pin", pi)),
    }


def _handsets() -> list[str]:
    shown = _box(300, 80, 110, 50, "USB", "#e4e7ec")
    for n in range(SEATS):
        shown += [
            _line(410, 105, 480, 40 + 60 * n, _INK),
            *_box(480, 18 + 60 * n, 150, 44, f"handset {n + 1}", _BUTTON),
        ]
        shown.append(f'<circle cx="608" cy="{40 + 60 * n}" r="13" fill="#d22b2b"/>')
    return shown


def _wired(board: str, pins: list[tuple[int, int]]) -> list[str]:
    """A board at the left, its pins' numbers at both ends of each wire, a button per seat at the right."""
    shown = _box(30, 14, 130, 244, board, _BOARD)
    for n, ((line, ground), colour) in enumerate(zip(pins, _COLOURS, strict=True)):
        top = 26 + 60 * n
        shown += _box(420, top - 8, 210, 48, f"seat {n + 1}", _BUTTON)
        for y, number, what, ink in ((top, line, "NO", colour), (top + 32, ground, "COM", _INK)):
            shown += [
                _line(160, y, 420, y, ink),
                _text(150, y + 5, str(number), "end"),
                _text(408, y - 4, str(number), "end"),
            ]
            shown.append(_text(428, y + 5, what, "start"))
    return shown


def _box(x: int, y: int, width: int, height: int, name: str, fill: str) -> list[str]:
    return [
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" stroke="{_INK}"/>',
        _text(x + width // 2, y + height // 2 + 5, name, "middle"),
    ]


def _line(x: int, y: int, right: int, down: int, ink: str) -> str:
    return f'<path d="M{x} {y}L{right} {down}" stroke="{ink}" stroke-width="3"/>'


def _text(x: int, y: int, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="14" text-anchor="{anchor}">{escape(text)}</text>'


def _page(shown: list[str]) -> str:
    size = 'width="660" height="272" viewBox="0 0 660 272"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" fill="{_INK}">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="#fff"/>', *shown, "</svg>\n"])
