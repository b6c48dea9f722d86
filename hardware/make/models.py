"""The electrical rules' data of each part, from the makers' data sheets.

A part is looked up by the value printed on the schematic, so another value is another part; an unknown one is a
complaint of its own. Volts, amperes, ohms, watts. (?) marks general knowledge that was not measured for this
project.
"""

from __future__ import annotations

from dataclasses import dataclass, field

RAILS = {"+5V": (4.75, 5.25), "+5V_LAMP": (4.5, 5.25), "+3V3": (3.135, 3.465), "GND": (0.0, 0.0)}
"""Minimum and maximum volts: USB's 5 V, less 0.25 V at the fuse; the Pi's 3.3 V with 5 %."""
PI_HIGH_V = 2.4
"""Minimum volts of a pad's high under its rated load (Compute Module data sheets: V_OH, 3.3 V supply)."""
PI_INPUT_MA = 5.0
"""Maximum current through a pad's diode, limited by the resistor before it; below makers' latch-up limit (?)."""
PAD_MA = 16.0
"""A pad's strongest drive (BCM2835 peripherals data sheet)."""


@dataclass(frozen=True)
class Chip:
    """Pin numbers of the data sheet by name.

    `high_v`: an input's minimum for a high at its supply; `input_ma`: an input's current at 3.3 V; `output_a`: an
    output's maximum current; `drop_v`: its voltage drop, minimum and maximum.
    """

    pins: dict[str, str]
    supply: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    high_v: float = 0.0
    input_ma: float = 0.001
    output_a: float = 0.0
    drop_v: tuple[float, float] = (0.0, 0.0)
    fixed: dict[str, str] = field(default_factory=dict)


def _by_number(**names: str) -> dict[str, str]:
    """Number the names in their order, "-" for none."""
    return {name: str(n) for n, name in enumerate(names["order"].split(), start=1) if name != "-"}


CHIPS: dict[str, Chip] = {
    # Nexperia 74HC_HCT595: at 4.5 to 5.5 V an input of 2.0 V is a high
    "74HCT595": Chip(
        _by_number(order="QB QC QD QE QF QG QH GND QH' ~{SRCLR} SRCLK RCLK ~{OE} SER QA VCC"),
        supply=("VCC", "GND"),
        inputs=("SER", "SRCLK", "RCLK"),
        high_v=2.0,
        output_a=0.006,
        fixed={
            "VCC": "+5V",
            "GND": "GND",
            "~{SRCLR}": "+5V",
            "SER": "SPI_MOSI",
            "SRCLK": "SPI_SCLK",
            "RCLK": "LED_LATCH",
        },
    ),
    # Texas Instruments ULN2803A: 2.4 V for 200 mA; 2.7 kohm before each base; 0.9 to 1.1 V lost at 100 mA
    "ULN2803A": Chip(
        _by_number(order="I1 I2 I3 I4 I5 I6 I7 I8 GND COM O8 O7 O6 O5 O4 O3 O2 O1"),
        supply=("GND",),
        inputs=tuple(f"I{n}" for n in range(1, 9)),
        high_v=2.4,
        input_ma=0.7,
        output_a=0.5,
        drop_v=(0.7, 1.1),
        fixed={"GND": "GND", "COM": "+5V_LAMP"},
    ),
    # Microchip TC4426/4427/4428: V_IH 2.4 V, 1.5 A peak
    "TC4428A": Chip(
        _by_number(order="- IN_A GND IN_B OUT_B VDD ~{OUT_A} -"),
        supply=("VDD", "GND"),
        inputs=("IN_A", "IN_B"),
        high_v=2.4,
        output_a=1.5,
        fixed={"VDD": "+5V", "GND": "GND", "IN_A": "BUZZER", "IN_B": "BUZZER"},
    ),
    # onsemi BSS138: threshold 0.8 to 1.5 V
    "BSS138": Chip(_by_number(order="G S D"), supply=(), inputs=("G",), high_v=1.5, output_a=0.2, fixed={"S": "GND"}),
}

WATTS = {"R_0805": 0.125, "R_1206": 0.25}
"""Rated watts of a resistor by its footprint (Yageo RC series); with leads the catalogue's words state it."""
LAMP_V = (1.8, 3.2)
"""A red lamp's minimum and a white one's maximum volts, at rated current (Lite-On and Kingbright data sheets)."""
LAMP_A = (0.003, 0.025)
"""Minimum current visible across a table, and maximum that a lamp of 5 mm bears for years."""
SUPPRESSOR_STANDOFF_V = {"PESD5V0S1BA": 5.0, "P6KE6.8CA": 5.8}
"""Stand-off volts of a suppressor, which must include the lamps' supply in case a cable puts it on the wrong wire."""
FUSE_HOLD_A = {"500mA": 0.5}
PIEZO_F = 0.12e-6
"""A disc of 41 mm (Murata 7BB-41-2L0: 100 to 120 nF)."""
DISPLAY_A = 0.2
"""A 2.42 inch SSD1309 module with every pixel lit (?)."""
AMPLIFIER_A = 0.65
"""3 W at 5 V from a class D amplifier (MAX98357A data sheet)."""

PLUGS: dict[str, dict[str, str]] = {
    "OLED_SPI": {"GND": "GND", "VCC": "+3V3", "SCL": "SPI_SCLK", "SDA": "SPI_MOSI", "RES": "OLED_RST", "DC": "OLED_DC",
                 "CS": "OLED_CS"},
    "OLED_I2C": {"GND": "GND", "VCC": "+3V3", "SCL": "I2C_SCL", "SDA": "I2C_SDA"},
    "ENCODER": {"A": "KNOB_A", "C": "GND", "B": "KNOB_B", "SW": "KNOB_SW", "SW'": "GND"},
    "AMPLIFIER": {"LRC": "I2S_LRCLK", "BCLK": "I2S_BCLK", "DIN": "I2S_DOUT", "SD": "AMP_ON", "GND": "GND",
                  "VIN": "+5V"},
    "POWER": {"SW": "POWER_SW", "GND": "GND"},
    "SYNC": {"GND": "GND"},
    "SYNC_PLUG": {"GND": "GND", "GND'": "GND"},
    "STATION": {"GND": "GND"},
}  # fmt: skip
"""Required nets of a plug's pins, by the names on the plugged-in module; other pins have no fixed net."""
PLUG_ORDER = {
    "OLED_SPI": "GND VCC SCL SDA RES DC CS",
    "OLED_I2C": "GND VCC SCL SDA",
    "ENCODER": "A C B SW SW'",
    "AMPLIFIER": "LRC BCLK DIN GAIN SD GND VIN",
    "POWER": "SW GND",
    "SYNC": "SYNC GND",
    "SYNC_PLUG": "GND SYNC GND'",
    "STATION": "LINE GND LAMP+ LAMP-",
    "RJ45": "LINE GND LAMP+ open open LAMP- open open",
}
"""The pins of a plug from 1 on: the modules' own order (the sellers' pictures), and the guide's for our plugs."""


PICO_PINS = (
    "GP0 GP1 GND GP2 GP3 GP4 GP5 GND GP6 GP7 GP8 GP9 GND GP10 GP11 GP12 GP13 GND GP14 GP15 "
    "GP16 GP17 GND GP18 GP19 GP20 GP21 GND GP22 RUN GP26 GP27 GND GP28 ADC_VREF 3V3 3V3_EN GND VSYS VBUS"
)
"""A Raspberry Pi Pico's pins from 1 to 40, a name each (its data sheet, "Pinout")."""
