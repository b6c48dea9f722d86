"""The page's own labels, in the table's language."""

from __future__ import annotations

from referee.language.words import Word


def _label(key: str, *values: str) -> Word:
    return Word(key, None, "page", **dict.fromkeys(values, ""))


LAID = _label("laid")
SIMULATED = _label("simulated")
TABLE = _label("table")
REFEREE = _label("referee")
ABOUT = _label("about")
PHASE = _label("phase")
SOUND_ON = _label("sound_on")
SOUND_OFF = _label("sound_off")
DEVICE = _label("device")
DISPLAY = _label("display")
TURN_LEFT = _label("turn_left")
TURN_RIGHT = _label("turn_right")
PUSH = _label("push")
ETCHED = _label("etched")
CLOCKS = _label("clocks")
CLOCK_AWAY = _label("clock.away")
SEATS = _label("seats")
NO_SCRIPT = _label("no_script", "words")
MANUAL = _label("manual")
MANUAL_DARK = _label("manual.dark")
MANUAL_DARK_MEANS = _label("manual.dark_means")
MANUAL_BLINKING = _label("manual.blinking")
MANUAL_BLINKING_MEANS = _label("manual.blinking_means")
MANUAL_STEADY = _label("manual.steady")
MANUAL_STEADY_MEANS = _label("manual.steady_means")
MANUAL_KNOB = _label("manual.knob")
MANUAL_KNOB_MEANS = _label("manual.knob_means")
MANUAL_KEYS = _label("manual.keys", "count")
BUTTON = _label("button", "number")
BOT = _label("bot")
A_BOT = _label("a_bot")
WITH = _label("with", "number")
POINTS = _label("points", "total")
LAMP = _label("lamp", "state")
LOST = _label("lost")
LAMPS = {
    "dark": _label("lamp.dark"),
    "steady": _label("lamp.steady"),
    "slow": _label("lamp.slow"),
    "double": _label("lamp.double"),
    "alternate": _label("lamp.alternate"),
    "beat": _label("lamp.beat"),
    "all_on": _label("lamp.all_on"),
    "pulse3": _label("lamp.pulse3"),
    "fault": _label("lamp.fault"),
    "wink": _label("lamp.wink"),
}
"""What a lamp's pattern means."""
