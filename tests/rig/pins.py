"""Which line of the simulated chip is what. Four seats hang on the profile direct4, as it is shipped.

Written down again on purpose: a rig that read the product's own pin map would agree with any mistake in it.

No shipped profile shows this kernel more than four seats with lamps that can be seen: full8 lights its lamps over SPI,
and there is no simulated SPI controller. A Pi's header has room for eight buttons and eight lamps on lines of their own
beside encoder, I2C and piezo as long as I2S, UART and SPI stay unused, so tapes for other tables than one of four bring
a pin map with one profile more. The first four seats and everything shared are wired in it as in direct4. No table is
built like this: it belongs to the rig.
"""

from __future__ import annotations

from referee.drivers.pins.pinmap import PLACES

BUTTONS = {1: 17, 2: 27, 3: 22, 4: 23, 5: 7, 6: 8, 7: 9, 8: 10}
LAMPS = {1: 24, 2: 25, 3: 16, 4: 26, 5: 18, 6: 19, 7: 20, 8: 21}
ENCODER_A, ENCODER_B, KNOB = 5, 6, 12

SHIPPED, SHIPPED_SEATS = "direct4", 4
OWN = "rig"
_INPUT = 'role = "in", pull = "up", active = "low"'
_HEAD = f"""
[profile.{OWN}]
title = "the rig's: lamps direct, as many as there are seats"
overlays = ["dtparam=i2c_arm=on", "dtoverlay=pwm,pin=13,func=4", "dtparam=audio=off"]
pins = ["""
_SHARED = (
    f'{{ gpio = {ENCODER_A}, net = "ENC_A", to = "encoder.A", {_INPUT} }},',
    f'{{ gpio = {ENCODER_B}, net = "ENC_B", to = "encoder.B", {_INPUT} }},',
    f'{{ gpio = {KNOB}, net = "ENC_SW", to = "encoder.SW", {_INPUT} }},',
    '{ gpio = 2, net = "I2C_SDA", to = "oled.SDA", role = "i2c1", signal = "SDA" },',
    '{ gpio = 3, net = "I2C_SCL", to = "oled.SCL", role = "i2c1", signal = "SCL" },',
    '{ gpio = 13, net = "BUZZER", to = "buzzer.drive", role = "pwm", boot = "low", ma = 3.0 },',
)


def profile_for(seats: int) -> str:
    """The name of the profile for a table of so many."""
    return SHIPPED if seats == SHIPPED_SEATS else OWN


def pin_map_for(seats: int) -> str:
    """The product's pin map as it must be installed for a table of so many."""
    shipped = PLACES[0].read_text(encoding="utf-8")
    return shipped if seats == SHIPPED_SEATS else shipped + _own_profile(seats)


def _own_profile(seats: int) -> str:
    stations = []
    for seat in range(1, seats + 1):
        lamp = f'to = "uln2803.I{seat}", role = "out", boot = "low", ma = 0.7'
        stations.append(f'{{ gpio = {BUTTONS[seat]}, net = "P{seat}_BTN", to = "station{seat}.1", {_INPUT} }},')
        stations.append(f'{{ gpio = {LAMPS[seat]}, net = "P{seat}_LED", {lamp} }},')
    return "\n    ".join((_HEAD, *stations, *_SHARED)) + "\n]\n"
