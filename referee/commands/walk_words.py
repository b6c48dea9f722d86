"""What `referee doctor --walk` says, in the table's language: questions, findings and the sheet.

The limit of a sentence is a sheet's line. A question that a person answers by a number or by yes and no ends with what
may be typed.
"""

from __future__ import annotations

from referee.screens.words import MIDDLE, Word

LINE = 160
_STATION = {"station": "8"}

HEAD = Word("Walk through the device: every part in turn. Answer at the keyboard; Ctrl-C ends it.", LINE)
AGAIN = Word("Please type y or n.", LINE)
AGAIN_NUMBER = Word("Please type a number, or nothing.", LINE)

LAMP = Word("Lamp {station}: does it light, and no other? [y/n]", LINE, **_STATION)
LAMPS_ALL = Word("Do all lamps light now, equally bright? [y/n]", LINE)
LAMPS_NONE = Word("Are all lamps dark now? [y/n]", LINE)
LAMP_OK = Word("Lamp {station} lights, and it alone.", LINE, **_STATION)
LAMP_WRONG = Word(
    "Lamp {station} was asked for, and that is not what lights: lamp turned round, its wire, or two leads exchanged.",
    LINE,
    **_STATION,
)
LAMPS_OK = Word("All lamps light together and go dark together.", LINE)
LAMPS_WEAK = Word("All at once they do not light as they should: measure the lamp rail, fuse F1 and the supply.", LINE)
LAMPS_STAY = Word("Lamps stay lit that should be dark: the driver chip, or a lamp wire on ground.", LINE)
LAMPS_MUTE = Word("The lamps cannot be written: the overlay lines, and nothing else may hold their pins or bus.", LINE)

DISPLAY = Word("The display shows a number: type it (only Enter: none can be read).", LINE)
FRAME = Word("Is there a whole line round the picture, with TOP at the top? [y/n]", LINE)
DISPLAY_TITLE = Word("TOP", MIDDLE)
DISPLAY_OK = Word("The display shows what it is told, whole and upright.", LINE)
DISPLAY_DARK = Word("What the display was told could not be read on it: its lead's order, its supply, 'chip'.", LINE)
DISPLAY_CUT = Word("The picture is cut or stands on its head: 'chip' in section [display], or turn the module.", LINE)
DISPLAY_MUTE = Word("The display cannot be written ({reason}): its cable and the overlay lines.", LINE, reason="-" * 80)

TONE = Word("How many beeps do you hear? (type the number; only Enter: none)", LINE)
TONE_OK = Word("The piezo sounds.", LINE)
TONE_SILENT = Word(
    "The beeps were not heard as played: overlay lines, the driver chip, glue on the disc's middle.", LINE
)
TONE_MUTE = Word("The piezo's PWM cannot be written ({reason}).", LINE, reason="-" * 100)

KNOB_RIGHT = Word("Turn the knob {clicks} clicks to the right, then push it.", LINE, clicks=4)
KNOB_LEFT = Word("Turn the knob {clicks} clicks to the left, then push it.", LINE, clicks=4)
KNOB_OK = Word("The knob counts every click both ways and its push works.", LINE)
KNOB_ROUND = Word("The knob turns the wrong way: A and B are exchanged.", LINE)
KNOB_STILL = Word("The knob was pushed, and no click came: A, B and the common pin of the encoder.", LINE)
KNOB_UNPUSHED = Word("No push of the knob came in {seconds} s: its two push wires.", LINE, seconds=99)
KNOB_COUNTS = Word(
    "{clicks} clicks were counted as {counted}: A and B touch, or their capacitors.", LINE, clicks=4, counted=-99
)

PRESS = Word("Press button {station} and let it go.", LINE, **_STATION)
STUCK = Word(
    "{station} reads pressed and nobody presses: a short, water, or the contact that is closed at rest.",
    LINE,
    station="knob",
)
NO_PRESS = Word(
    "{station}: no press came in {seconds} s; its cable, its jack, the contact.", LINE, station="8", seconds=99
)
EXCHANGED = Word("{station} was asked for and {other} came: two leads are exchanged.", LINE, station="8", other="knob")
CROSSTALK = Word(
    "{station} was pressed and {other} moved too: two wires touch, or a ground is missing.",
    LINE,
    station="8",
    other="knob",
)
HELD = Word("{station} does not let go: it still reads pressed after {seconds} s.", LINE, station="8", seconds=99)
BOUNCES = Word(
    "{station} bounces for {ms} ms ({edges} edges), allowed are {most} ms: a worn or dirty contact.",
    LINE,
    station="8",
    ms="999.9",
    edges=999,
    most=5,
)
PRESSED = Word(
    "{station}: pressed and let go, {edges} edges, settled after {ms} ms.", LINE, station="8", edges=99, ms="9.9"
)

UNANSWERED = Word("Not answered.", LINE)
LEFT_OUT = Word("Virtual, or none by the configuration.", LINE)
POWER = Word("Not pressed here: it switches the machine off. Try it last.", LINE)
SHEET = Word(
    "Walk of {name} on {day}: {passed} passed, {faults} at fault, {open} open",
    LINE,
    name="-" * 20,
    day="2026-11-22 19:30",
    passed=99,
    faults=99,
    open=99,
)
MARKS = {True: Word("PASS", 7), False: Word("FAULT", 7), None: Word("OPEN", 7)}
