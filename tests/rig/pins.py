"""The lines of the simulated chip. Four seats use the profile direct4, as shipped.

The lines are repeated here on purpose: a rig that read the product's own pin map would agree with any mistake in it.

No shipped profile gives this kernel more than four seats with visible lamps: full8 lights its lamps over SPI, and there
is no simulated SPI controller. A Pi's header has room for eight buttons and eight lamps on separate lines, with
encoder, I2C and piezo, if I2S, UART and SPI stay unused. So tapes for other tables use a pin map with one more profile.
The first four seats and everything shared are wired in it as in direct4. It exists only in the rig.
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
    """Return the profile for a table of that many seats."""
    return SHIPPED if seats == SHIPPED_SEATS else OWN


def pin_map_for(seats: int) -> str:
    """Return the pin map to install for a table of that many seats."""
    shipped = PLACES[0].read_text(encoding="utf-8")
    return shipped if seats == SHIPPED_SEATS else shipped + _own_profile(seats)


def _own_profile(seats: int) -> str:
    stations = []
    for seat in range(1, seats + 1):
        lamp = f'to = "uln2803.I{seat}", role = "out", boot = "low", ma = 0.7'
        stations.append(f'{{ gpio = {BUTTONS[seat]}, net = "P{seat}_BTN", to = "station{seat}.1", {_INPUT} }},')
        stations.append(f'{{ gpio = {LAMPS[seat]}, net = "P{seat}_LED", {lamp} }},')
    return "\n    ".join((_HEAD, *stations, *_SHARED)) + "\n]\n"
