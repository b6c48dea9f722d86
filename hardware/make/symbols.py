"""Our own schematic symbols: few, plain, and the same on every version of KiCad.

A symbol is drawn from numbers, so the schematics can be generated (and checked) without KiCad's libraries. Units:
one step is 1.27 mm (50 mil), KiCad's grid; x to the right, y **up**, as in KiCad's symbol files. A pin's place is
the point at which a wire meets it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

STEP_MM = 1.27
SIDES = {"left": 0, "right": 180, "up": 270, "down": 90}
"""A pin's side of the body, and the direction in degrees in which KiCad draws it from its end to the body."""


@dataclass(frozen=True)
class SymbolPin:
    """One pin. `kind` is KiCad's electrical type, for the electrical rules check."""

    number: str
    name: str
    x: int
    y: int
    side: str
    kind: str = "passive"
    length: float = 2.0


@dataclass(frozen=True)
class Symbol:
    """A drawing with pins.

    `texts`: places of reference and value, (x, y up, justify), upright and turned by 90.
    """

    name: str
    prefix: str
    pins: tuple[SymbolPin, ...]
    art: tuple[str, ...]
    texts: tuple[tuple[float, float, str], tuple[float, float, str]]
    turned: tuple[tuple[float, float, str], tuple[float, float, str]] = ((0, 2.8, ""), (0, -2.8, ""))
    named: bool = False
    power: bool = False
    pin_of: dict[str, SymbolPin] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        self.pin_of.update({pin.number: pin for pin in self.pins})

    def named_pin(self, name: str) -> SymbolPin:
        """The pin of that name, which the symbol must have."""
        return next(pin for pin in self.pins if pin.name == name)


def mm(steps: float) -> str:
    """Steps as KiCad's millimetres, shortest form."""
    return f"{round(steps * STEP_MM, 4):g}"


def line(*points: tuple[float, float], fill: str = "none", width: float = 0.2) -> str:
    """A polyline of a symbol."""
    path = " ".join(f"(xy {mm(x)} {mm(y)})" for x, y in points)
    return f"(polyline (pts {path}) (stroke (width {width * STEP_MM:g}) (type default)) (fill (type {fill})))"


def box(left: float, top: float, right: float, bottom: float, fill: str = "none") -> str:
    """A rectangle of a symbol."""
    corners = f"(start {mm(left)} {mm(top)}) (end {mm(right)} {mm(bottom)})"
    return f"(rectangle {corners} (stroke (width 0.254) (type default)) (fill (type {fill})))"


def ring(x: float, y: float, radius: float) -> str:
    """A circle of a symbol."""
    looks = "(stroke (width 0.254) (type default)) (fill (type none))"
    return f"(circle (center {mm(x)} {mm(y)}) (radius {mm(radius)}) {looks})"


_BESIDE = ((2.2, 0.9, "left"), (2.2, -0.9, "left"))


def _two(name: str, prefix: str, *art: str, reach: int = 3, ends: tuple[float, float] = (1, 1)) -> Symbol:
    """A part with two pins, 1 above and 2 below; `ends`: the body's reach from the middle."""
    above = SymbolPin("1", "1", 0, reach, "up", length=reach - ends[0])
    below = SymbolPin("2", "2", 0, -reach, "down", length=reach - ends[1])
    return Symbol(name, prefix, (above, below), art, _BESIDE)


def chip(name: str, prefix: str, width: int, *, left: str, right: str, kinds: str = "", gap: int = 2) -> Symbol:
    """A box with named pins, written "number:name" from top to bottom, "-" for a gap.

    `kinds`: "number=electrical type" for pins that are not passive.
    """
    types = dict(pair.split("=") for pair in kinds.split())
    sides = {"left": left.split(), "right": right.split()}
    rows = max(len(side) for side in sides.values())
    half, top = width // 2, 0
    pins = [
        SymbolPin(
            number,
            label,
            (-half - 2) if side == "left" else (half + 2),
            top - gap * row,
            side,
            types.get(number, "passive"),
        )
        for side, entries in sides.items()
        for row, entry in enumerate(entries)
        if entry != "-"
        for number, _, label in [entry.partition(":")]
    ]
    bottom = top - gap * (rows - 1) - 2
    art = box(-half, top + 2, half, bottom, fill="background")
    return Symbol(name, prefix, tuple(pins), (art,), ((-half, top + 4.6, "left"), (-half, top + 3, "left")), named=True)


def header(name: str, prefix: str, names: str, width: int = 10) -> Symbol:
    """A connector: a column of pins on its left, numbered from 1.

    "-" leaves a gap only in the drawing.
    """
    entries, number = [], 0
    for label in names.split():
        number += label != "-"
        entries.append("-" if label == "-" else f"{number}:{label}")
    return chip(name, prefix, width, left=" ".join(entries), right="")


_GPIO_ROWS = (
    "3V3 5V", "GPIO2 5V", "GPIO3 GND", "GPIO4 GPIO14", "GND GPIO15", "GPIO17 GPIO18", "GPIO27 GND", "GPIO22 GPIO23",
    "3V3 GPIO24", "GPIO10 GND", "GPIO9 GPIO25", "GPIO11 GPIO8", "GND GPIO7", "ID_SD ID_SC", "GPIO5 GND",
    "GPIO6 GPIO12", "GPIO13 GND", "GPIO19 GPIO16", "GPIO26 GPIO20", "GND GPIO21",
)  # fmt: skip
"""Raspberry Pi's 40-pin header, row by row (Raspberry Pi documentation; a test compares pinlint's table)."""


def _pi() -> Symbol:
    left = " ".join(f"{2 * row + 1}:{names.split()[0]}" for row, names in enumerate(_GPIO_ROWS))
    right = " ".join(f"{2 * row + 2}:{names.split()[1]}" for row, names in enumerate(_GPIO_ROWS))
    gpios = [n for n in range(1, 41) if n not in (1, 2, 4, 6, 9, 14, 17, 20, 25, 30, 34, 39)]
    kinds = " ".join([*(f"{n}=bidirectional" for n in gpios), "1=power_out", "2=power_out", "6=power_out"])
    return chip("RASPBERRY_PI", "J", 22, left=left, right=right, kinds=kinds)


def _pico() -> Symbol:
    """Raspberry Pi Pico: the pod's pins at their places on the board (Pico data sheet)."""
    left = "40:VBUS 36:3V3 - 4:GP2 5:GP3 6:GP4 7:GP5 9:GP6 10:GP7 11:GP8 12:GP9 - 24:GP18 - 38:GND"
    right = "- - - 14:GP10 15:GP11 16:GP12 17:GP13 19:GP14 20:GP15 21:GP16 22:GP17"
    kinds = " ".join(f"{n}=bidirectional" for n in (4, 5, 6, 7, 9, 10, 11, 12, 24, 14, 15, 16, 17, 19, 20, 21, 22))
    return chip("PICO", "U", 14, left=left, right=right, kinds=f"{kinds} 40=power_out 36=power_out 38=power_out")


def _power(net: str, *art: str, text: tuple[float, float, str], side: str) -> Symbol:
    pin = SymbolPin("1", net, 0, 0, side, "power_in", 0)
    return Symbol(net, "#PWR", (pin,), art, ((0, 0, ""), text), ((0, 0, ""), text), power=True)


_UP = (line((0, 0), (0, 1.4)), line((-0.7, 1.0), (0, 2.0), (0.7, 1.0)))
_DOWN = (line((0, 0), (0, -1)), line((-1, -1), (1, -1), (0, -2), (-1, -1)))
_BODY = [(-0.8, 2), (0.8, 2), (0.8, -2), (-0.8, -2), (-0.8, 2)]

SYMBOLS: dict[str, Symbol] = {
    symbol.name: symbol
    for symbol in (
        _two("R", "R", line(*_BODY), ends=(2, 2)),
        _two(
            "C", "C", line((-1.6, 0.6), (1.6, 0.6), width=0.4), line((-1.6, -0.6), (1.6, -0.6), width=0.4),
            ends=(0.6, 0.6),
        ),
        _two(
            "CP", "C", box(-1.6, 0.9, 1.6, 0.4), line((-1.6, -0.6), (1.6, -0.6), width=0.4),
            line((-1.5, 1.8), (-0.7, 1.8)), line((-1.1, 2.2), (-1.1, 1.4)), ends=(0.9, 0.6),
        ),
        _two(
            "TVS", "D", line((-1, 1.6), (1, 1.6), (0, 0), (-1, 1.6)), line((-1, -1.6), (1, -1.6), (0, 0), (-1, -1.6)),
            line((-1.4, -0.4), (-1.0, 0), (1.0, 0), (1.4, 0.4)), ends=(1.6, 1.6),
        ),
        _two(
            "LED", "D", line((-1, 1), (1, 1), (0, -0.8), (-1, 1)), line((-1, -0.8), (1, -0.8)),
            line((-1.5, 0.2), (-2.5, -0.8), (-2.4, -0.1)), line((-1.5, 1.2), (-2.5, 0.2), (-2.4, 0.9)), ends=(1, 0.8),
        ),
        _two("POLYFUSE", "F", line(*_BODY), line((-1.6, -1.8), (-1.0, -1.8), (1.0, 1.8)), ends=(2, 2)),
        _two("PIEZO", "BZ", box(-1.8, 0.5, 1.8, -0.5), line((-1.8, 1), (1.8, 1)), line((-1.8, -1), (1.8, -1))),
        Symbol(
            "PUSH", "SW",
            (SymbolPin("1", "1", -4, 0, "left"), SymbolPin("2", "2", 4, 0, "right")),
            (ring(-1.6, 0, 0.4), ring(1.6, 0, 0.4), line((-2, 1.2), (2, 1.2)), line((0, 1.2), (0, 2.4))),
            ((0, 5.4, ""), (0, 3.6, "")),
        ),
        Symbol(
            "NMOS", "Q",
            (
                SymbolPin("1", "G", -4, 0, "left", "input"), SymbolPin("2", "S", 2, -4, "down"),
                SymbolPin("3", "D", 2, 4, "up"),
            ),
            (
                line((-2, 0), (-1.2, 0)), line((-1.2, 1.6), (-1.2, -1.6)), line((-0.5, 2), (-0.5, -2)),
                line((-0.5, 1.5), (2, 1.5), (2, 2)), line((-0.5, -1.5), (2, -1.5), (2, -2)),
                line((-0.5, 0), (0.5, 0.5), (0.5, -0.5), (-0.5, 0), fill="outline"),
                line((0.5, 0), (2, 0), (2, -1.5)),
            ),
            ((3.2, 0.9, "left"), (3.2, -0.9, "left")),
        ),
        _two("JUMPER", "JP", ring(0, 1.2, 0.4), ring(0, -1.2, 0.4), line((0.9, 1.2), (0.9, -1.2)), ends=(1.6, 1.6)),
        chip(
            "74HCT595", "U", 14,
            left="16:VCC - 14:SER 11:SRCLK 10:~{SRCLR} 12:RCLK 13:~{OE} - 8:GND",
            right="15:QA 1:QB 2:QC 3:QD 4:QE 5:QF 6:QG 7:QH 9:QH'",
            kinds="16=power_in 8=power_in 14=input 11=input 10=input 12=input 13=input 15=tri_state 1=tri_state "
            "2=tri_state 3=tri_state 4=tri_state 5=tri_state 6=tri_state 7=tri_state 9=output",
        ),
        chip(
            "ULN2803A", "U", 12,
            left="1:I1 2:I2 3:I3 4:I4 5:I5 6:I6 7:I7 8:I8 9:GND",
            right="18:O1 17:O2 16:O3 15:O4 14:O5 13:O6 12:O7 11:O8 10:COM",
            kinds="1=input 2=input 3=input 4=input 5=input 6=input 7=input 8=input 9=power_in "
            + " ".join(f"{n}=open_collector" for n in range(11, 19)),
        ),
        chip(
            "TC4428A", "U", 12,
            left="6:VDD 2:IN_A 4:IN_B 3:GND", right="- 7:~{OUT_A} 5:OUT_B -",
            kinds="6=power_in 3=power_in 2=input 4=input 7=output 5=output",
        ),
        header("STATION", "J", "LINE GND - - - LAMP+ LAMP-"),
        header("OLED_SPI", "J", "GND VCC SCL SDA RES DC CS"),
        header("OLED_I2C", "J", "GND VCC SCL SDA"),
        header("ENCODER", "J", "A C B SW SW'"),
        header("AMPLIFIER", "J", "LRC BCLK DIN GAIN SD GND VIN"),
        header("POWER", "J", "SW GND", width=8),
        header("PIEZO_PLUG", "J", "A B", width=8),
        header("SYNC", "J", "SYNC GND", width=8),
        header("SYNC_PLUG", "J", "GND SYNC GND'", width=8),
        chip("RJ45", "J", 12, left="", right="1:LINE 2:GND - - 3:LAMP+ 6:LAMP- - 4:open 5:open 7:open 8:open"),
        _pi(),
        _pico(),
        Symbol(
            "TESTPOINT", "TP", (SymbolPin("1", "1", 0, -2, "down"),), (ring(0, 0.8, 0.8),),
            ((1.6, 1.2, "left"), (1.6, -0.4, "left")),
        ),
        Symbol("HOLE", "H", (), (ring(0, 0, 1), ring(0, 0, 2)), ((3, 0.9, "left"), (3, -0.9, "left"))),
        _power("GND", *_DOWN, text=(0, -3.1, ""), side="down"),
        _power("+3V3", *_UP, text=(0, 2.9, ""), side="up"),
        _power("+5V", *_UP, text=(0, 2.9, ""), side="up"),
    )
}  # fmt: skip
