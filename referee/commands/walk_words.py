"""What `referee doctor --walk` says, in the table's language: questions, findings and the sheet.

The limit of a sentence is a sheet's line. A question that a person answers by a number or by yes and no ends with what
may be typed.
"""

from __future__ import annotations

from referee.language.words import Word
from referee.screens.words import MIDDLE

WALK, LINE = "walk", 160
"""The place, and the most characters of a line there."""
_STATION = {"station": "8"}


def _line(key: str, **widest: object) -> Word:
    return Word(key, LINE, WALK, **widest)


HEAD = _line("head")
AGAIN = _line("again")
AGAIN_NUMBER = _line("again_number")

LAMP = _line("lamp", **_STATION)
LAMPS_ALL = _line("lamps_all")
LAMPS_NONE = _line("lamps_none")
LAMP_OK = _line("lamp_ok", **_STATION)
LAMP_WRONG = _line("lamp_wrong", **_STATION)
LAMPS_OK = _line("lamps_ok")
LAMPS_WEAK = _line("lamps_weak")
LAMPS_STAY = _line("lamps_stay")
LAMPS_MUTE = _line("lamps_mute")

DISPLAY = _line("display")
FRAME = _line("frame")
DISPLAY_TITLE = Word("walk_top", MIDDLE)
DISPLAY_OK = _line("display_ok")
DISPLAY_DARK = _line("display_dark")
DISPLAY_CUT = _line("display_cut")
DISPLAY_MUTE = _line("display_mute", reason="-" * 80)

TONE = _line("tone")
TONE_OK = _line("tone_ok")
TONE_SILENT = _line("tone_silent")
TONE_MUTE = _line("tone_mute", reason="-" * 100)

KNOB_RIGHT = _line("knob_right", clicks=4)
KNOB_LEFT = _line("knob_left", clicks=4)
KNOB_OK = _line("knob_ok")
KNOB_ROUND = _line("knob_round")
KNOB_STILL = _line("knob_still")
KNOB_UNPUSHED = _line("knob_unpushed", seconds=99)
KNOB_COUNTS = _line("knob_counts", clicks=4, counted=-99)

PRESS = _line("press", **_STATION)
STUCK = _line("stuck", station="knob")
NO_PRESS = _line("no_press", station="8", seconds=99)
EXCHANGED = _line("exchanged", station="8", other="knob")
CROSSTALK = _line("crosstalk", station="8", other="knob")
HELD = _line("held", station="8", seconds=99)
BOUNCES = _line("bounces", station="8", ms="999.9", edges=999, most=5)
PRESSED = _line("pressed", station="8", edges=99, ms="9.9")

UNANSWERED = _line("unanswered")
LEFT_OUT = _line("left_out")
POWER = _line("power")
SHEET = _line("sheet", name="-" * 20, day="2026-11-22 19:30", passed=99, faults=99, open=99)
MARKS = {True: Word("pass", 7, WALK), False: Word("fault", 7, WALK), None: Word("open", 7, WALK)}
