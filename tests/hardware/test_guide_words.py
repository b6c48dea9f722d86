"""The guide's technical words: each colour, voltage, size, leg and file name is what the sources have.

A claim is a pattern and the words that its groups must have. Every technical word of the guide must be in a claim, or
in a table that `test_guide` compares with the schematics, so a new sentence needs a claim.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from itertools import chain

import pytest

from hardware.enclosure import parameters
from hardware.guide import breadboard, holes, oscard
from hardware.make import boards, boot_rules, catalogue, facts_rules, wiring
from referee.drivers.pins import pinmap
from systemd.debian import offline
from tests.hardware.test_guide import BLOCKS, GUIDE, HARDWARE, NETS, WORDS, chapters

PARTS, KNOWN = catalogue.load(), parameters.load()
PRINTS = json.loads((HARDWARE / "enclosure" / "parts.json").read_text(encoding="utf-8"))["parts"]
COLOUR = breadboard.SUPPLY_COLOURS
LEAD = {str(contact): colour for contact, colour, _, _ in wiring.LEAD}
PRESETS = tuple(parameters.presets())
SECTIONS = tomllib.loads((HARDWARE / "enclosure" / "parameters.toml").read_text(encoding="utf-8"))
STEEL_G_MM3 = 0.00785
METER_RED = "red"
"""The colour of a meter's plus tip (its leads come in red and black)."""
IRON_C, INSERTS_C = "350", "230"
"""Lead-free solder (Stannol), brass inserts in PETG (CNC Kitchen); degrees Celsius (?)."""
FUSE_OHM, CONTACT_OHM, BOARD_CONTACT_OHM, LEAST_KOHM = "3", "2", "3", "2"
"""At most: a polyfuse after it tripped once (Bourns MF-R, MF-MSMF), a micro-switch with its lead, with two plugs more;
at least a seat's 2.2 kohm."""
SUPPLIES_KOHM = {"Breadboards": ["1 kΩ", "100 Ω", "100 Ω"], "Heirloom": ["5 kΩ", "1 kΩ", "1 kΩ"]}
"""Between GND and 5 V, GND and 3.3 V, 5 V and 3.3 V; estimated from the circuits (?)."""
STRIP_MM, KNOB_GAP_MM, LAYER, NOZZLE, INFILL = "6", "1.5", "0.2", "0.4", "25"


def rounded_g(volume_mm3: float) -> str:
    """Return the mass of a solid print of PETG (1.27 g/cm3), in whole grams."""
    return f"{volume_mm3 * 0.00127:.0f}"


def rail(nets: str, reference: str, plus: str = "1") -> str:
    """Return the guide's word for the rail at a part's plus leg."""
    return {"+5V_LAMP": "lamp", "+3V3": "3.3 V", "+5V": "5 V"}[NETS[nets].net(reference, plus)]


def rails_of(boards: str) -> Counter[str]:
    """Return how many long lines of these breadboards each supply has."""
    return Counter(holes.CONSOLE.rails[board, line] for board in boards for line in holes.RAILS)


RAILS = rails_of("AB")
COUNT = {1: "One", 2: "two", 3: "three", 4: "four"}
LOWER_A = {"+5V_LAMP": "lamps"}[holes.CONSOLE.rails["A", "+low"]]
BUSES = tuple(PARTS[key].what.split(", ")[2] for key in ("display_i2c", "display"))
HELD = {"3000": "three"}[boot_rules.HELD_MS]
BAR = sorted(KNOWN.ballast.bar_mm)
STATION_HOURS, CONSOLE_HOURS = 13, 31
PRINTING_HOURS = tuple(str(CONSOLE_HOURS + seats * STATION_HOURS) for seats in (2, 8))
POD_G = rounded_g(PRINTS["pod-tray"]["volume_mm3"] + PRINTS["pod-lid"]["volume_mm3"])
PAIR = [LEAD[contact] for contact in ("2", "6")]
PI_TABLE = " \\| ".join(
    f"USB-{'C' if board.supply_a > 2.5 else 'A'}, {board.supply_a:g} A" for board in boards.BOARDS.values()
)

CLAIMS: list[tuple[str, tuple[str, ...]]] = [
    # colours
    (r"Rings' colours: ([^.]*)\.", (", ".join(f"{n} {name}" for n, name in enumerate(KNOWN.colours.seat, 1)),)),
    (r"Dab the (\w+) ring's number (\w+)\.", (KNOWN.colours.seat[7], "white")),
    (r"lamp's (plus) is where the (\w+) tip lights it", ("plus", METER_RED)),
    (r"switch to 1 (\S+) and 2 (\w+), lamp's (plus) to 3 (\S+), (minus) to 6 (\w+)\.",
     (LEAD["1"], LEAD["2"], "plus", LEAD["3"], "minus", LEAD["6"])),
    (r"5 V on a 3\.3 V wire kills Pi and Pico: (\w+) is (5 V), (\w+) (3\.3 V), (\w+) lamps, and nothing else is\. "
     r"(\w+) is (GND): cut and strip the (\w+) wire",
     (COLOUR["+5V"], "5 V", COLOUR["+3V3"], "3.3 V", COLOUR["+5V_LAMP"], COLOUR["GND"].title(), "GND", COLOUR["GND"])),
    (r"Cut the (\w+) wire \(for (GND)\)", (COLOUR["GND"], "GND")),
    (r"row B's, or (\w+) and (\w+) exchanged", (PAIR[0], PAIR[1])),
    (r"either way round; of the other two the (\w+) is (\d)\.", (f"{LEAD['3'].partition('-')[0]}r", "3")),
    # rails and legs
    (r"(\w+) rail has (5 V), (\w+) (3\.3 V), (\w+) (GND); A's (lower) one feeds the (lamps) through fuse (F\d)",
     (COUNT[RAILS["+5V"]], "5 V", COUNT[RAILS["+3V3"]], "3.3 V", COUNT[RAILS["GND"]], "GND", "lower", LOWER_A, "F1")),
    (r"(C1)'s (longer) leg \((\+)\) goes to the (\S+(?: V)?) rail", ("C1", "longer", "+", rail("direct4", "C1"))),
    (r"(C7)'s (\+) leg goes to the (\S+(?: V)?) rail", ("C7", "+", rail("direct4", "C7"))),
    (r"It must be set to (\w+); many come as (\w+)", BUSES),
    (r"(C4) has a (\+) leg", ("C4", "+")),
    (r"!\[C1: its stripe is (\w+)\]", ("minus",)),
    (r"over the gap, notch (\w+): leg (\d) is (\w+) the notch; count (\w+), then back along the (\w+) side",
     ("left", "1", "below", "right", "upper")),
    (r"Board A is (\w+) B, number 1 (\w+)\.", ("above", "left")),
    (r"A at the (\w+), USB (\w+) \(", ("rear", "left")),
    (r"jumpers onto the Pi \(pin 1: (inner) row, at the memory card's end; pin 2 (beside) it", ("inner", "beside")),
    (r"Three legs are (\w), (\w) \((\w+)\), (\w); the other two are the push", ("A", "C", "middle", "B")),
    (r"the switch \((\w+), and (\w+): (\w+) at rest\), of another onto the lamp", ("COM", "NO", "open")),
    (r"(more) than (\d) kΩ; (less): contact (\w+) \|", ("more", LEAST_KOHM, "less", "NC")),
    (r"Measure from wire 1 to 2: (\w+) at rest, (less) than (\d) Ω pressed", ("open", "less", CONTACT_OHM)),
    (r"J1\.1 and J1\.2, pressed \| (less) than (\d) Ω", ("less", CONTACT_OHM)),
    (r"button 1 pressed \| (less) than (\d) Ω", ("less", BOARD_CONTACT_OHM)),
    (r"5 V rail and lamp rail \(F1\) \| (less) than (\d) Ω", ("less", FUSE_OHM)),
    (r"TP1 and TP4 \(F1\) \| (less) than (\d) Ω", ("less", FUSE_OHM)),
    (r"posts from \*(\w+)\* \(iron at (\d+) °C", ("below", INSERTS_C)),
    (r"four into the tray from \*(\w+)\*, two into the clamp's (\w+) face", ("outside", "upper")),
    (r"The socket sits \*(\w+)\*: it plugs onto the Pi", ("below",)),
    (r"seat 1 (\w+) from there", ("leftmost",)),
    (r"posts at the (\w+) wall, the Zero over the other two and the mount's beam, pins (\w+)\.", ("right", "left")),
    (r"its plug goes into (\w+), the (\w+) socket", ("PWR", "outer")),
    (r"Four screws M2\.5×12 from (\w+) into (\d+) mm spacers", ("below", f"{KNOWN.carrier.above_pi_mm:g}")),
    (r"four screws M3×8 from (\w+)\.", ("below",)),
    (r"Encoder from (\w+); rubber ring, washer, nut from (\w+)\. Push the knob on, leaving a gap of ([\d.]+) mm",
     ("below", "above", KNOB_GAP_MM)),
    (r"Button through both from (\w+); nut tight from (\w+)", ("above", "inside")),
    # volts
    (r"to (GND): 5 V rail ([\d.]+) to ([\d.]+) V \(else weak supply, short: unplug\), 3\.3 V rail ([\d.]+) to ([\d.]+) "
     r"V, lamp rail as the (\S+ V) rail \(else (F\d) tripped\), (J1\.1) ([\d.]+) to ([\d.]+) V at rest, under ([\d.]+) "
     r"V pressed",
     ("GND", "4.5", "5.3", "3.2", "3.4", "5 V", "F1", "J1.1", "3.1", "3.4", "0.1")),
    (r"without a card: ([\d.]+) to ([\d.]+) V between TP1 and TP3, ([\d.]+) to ([\d.]+) V between TP2 and TP3",
     ("4.8", "5.3", "3.2", "3.4")),
    (r"TP1 to TP5: (5 V), (3\.3 V), (GND), fused lamp supply, the line that keeps lamps dark",
     ("5 V", "3.3 V", "GND")),
    (rf"supply at (5) V \| ({PI_TABLE}) \|", ("5", PI_TABLE.replace("\\", ""))),
    (r"Voltage unknown: take it for (\d+) V", ("5",)),
    (r"Hold the power button for (\w+) seconds to switch off", (HELD,)),
    # sizes
    (r"arcade, (\d+) mm hole, up to (\d+) mm deep", (f"{KNOWN.button.hole_mm:.0f}", f"{KNOWN.button.depth_mm:g}")),
    (r"soldering iron \((\d+) °C, inserts (\d+) °C\)", (IRON_C, INSERTS_C)),
    (r"heavy box, (\d+) mm deep, holes for button and jack \((\d+) × (\d+) mm", ("60", "15", "17")),
    (r"bar (\d+) × (\d+) mm, sawn off at (\d+) mm \((\d+) g\)",
     (f"{BAR[1]:g}", f"{BAR[0]:g}", f"{BAR[2]:g}", f"{BAR[0] * BAR[1] * BAR[2] * STEEL_G_MM3:.0f}")),
    (r"Cut one plug off a patch lead, strip (\d+) mm", (STRIP_MM,)),
    (r"For a (\d+) mm hole or a (\d+) mm dome", ("24", "60")),
    (r"\((\d+) g of filament, not (\d+)\)", ("226", "160")),
    (r"(\d+) g, (\d+) hours \(\?\)\)\. Four M3 inserts", (POD_G, "20")),
    (r"printer runs (\d+) to (\d+) hours", PRINTING_HOURS),
    (r"About (\d+) hours for the console, (\d+) for each station", (str(CONSOLE_HOURS), str(STATION_HOURS))),
    (r"printed, (\d+) hours each", (str(STATION_HOURS),)),
    (r"([\d.]+) mm layers, nozzle ([\d.]+) mm, (\d) walls, (\d) layers top and bottom, (\d+) % infill",
     (LAYER, NOZZLE, "4", "5", INFILL)),
    (r"a printer with a (\d+) mm bed", (f"{KNOWN.print.bed_mm:g}",)),
    (r"round tops up to (\d+) mm", (f"{KNOWN.clamp.table_mm - 2:g}",)),
    (r"resistor (R\d+), ([\d.]+ kΩ), in holes (\w\d+) and (\w\d+) of board (\w)", ("R11", "2.2 kΩ", "h2", "h6", "A")),
    (r"holes of ([\d.]+) mm \(knob\) and ([\d.]+) mm in",
     (f"{KNOWN.encoder.hole_mm:g}", f"{KNOWN.power.hole_mm:g}")),
    (r"Its 7-pin lead goes from J17 \((\d+ cm), no longer", (PARTS["xh7_lead"].what.rpartition(", ")[2],)),
    (r"more than (\d) ms of bounce is a worn contact", ("5",)),
    (r"Keyboards are fair to (\d+) ms", ("10",)),
    (r"To print at (\d+) %", ("100",)),
    (r"after `(make hardware-tools)`: (\d) GB", ("make hardware-tools", "1")),
    # names
    (r"`(bags-\*\.csv)` in \[bom\]", ("bags-*.csv",)),
    (r'Buy "no number" by `(\w+)`', ("choose",)),
    (r"publishes, with `(\S+)`, guide and card", ("hardware.zip",)),
    (r"`prints/presets/(\w+)` or `(\w+)`", PRESETS),
    (r"Per player `(\S+)`, `(\S+)`, `(\S+)` with the seat's number", ("station-shell", "station-plate", "guard-ring")),
    (r"One each of `(\S+)`, `(\S+)`, `(\S+)`, `(\S+)`, `(\S+)`, `(\S+)` \(Zero\)",
     ("console-base", "console-lid", "console-hood", "knob", "clamp", "zero-mount")),
    (r"Print `(\S+)` and `(\S+)` \(\[settings", ("pod-tray", "pod-lid")),
    (r"the caps of `(\S+)`", ("zero-mount",)),
    (r"\| extra \| `(\S+)`, 2 M2\.5×6", ("zero-mount",)),
    (r"on `(\S+)` \(print both", ("display-stand",)),
    (r"needs `(\w+) = (\w+)` in `\[(\w+)\]`", ("sync_wire", "true", "pins")),
    (r"set `(\w+) = (\w+)`", ("upside_down", "true")),
    (r"with `\[(\w+)\]` of \[parameters", ("pod",)),
    (r"against `\[(\w+)\]`, `\[(\w+)\]`, `\[(\w+)\]` of", ("display", "encoder", "power")),
    (r"Else change what differs; `(make \w+)`", ("make hardware",)),
    (r"writes `(\S+)`", ("enclosure/parts",)),
    (r"Drop `(\S+)` \(MicroPython", ("RPI_PICO-….uf2",)),
    (r"write `(\S+)`, with that number", ("pod.toml",)),
    (r"settings, and `(pod install)` wants `(sudo)`", ("pod install", "sudo")),
    (r"You need `(\S+)` of a", ("card-table-referee-…-card.zip",)),
    (r"or of `(make offline)`", ("make offline",)),
    (r"later run `(ssh NAME@HOST\.local)`", ("ssh NAME@HOST.local",)),
    (r"A drive `(\w+)` appears", (oscard.DRIVE,)),
    (r"Copy its `(\S+)` and folder `(\w+)` to that drive", (oscard.FILES[0][1], oscard.FILES[2][0])),
    (r"create `(\S+)` on the drive", ("/".join(oscard.FILES[3][:2]),)),
    (r"dark, read `(\S+)` on the drive", ("referee/first-start.txt",)),
    (r"`(\S+)` explains all settings; after a change run `(sudo systemctl restart referee)`",
     ("/etc/referee/referee.toml", "sudo systemctl restart referee")),
    (r"stopped \(`(sudo systemctl stop referee)`\) run with `(sudo)`", ("sudo systemctl stop referee", "sudo")),
    (r"Then `(sudo systemctl start referee)`", ("sudo systemctl start referee",)),
    (r"add the line `(\S+)` \(\?\) to `(\S+)` \(with `(sudo)`\)",
     ("dtoverlay=max98357a,no-sdmode", "/boot/firmware/config.txt", "sudo")),
    (r"3\.11 or newer and `(make)` \(Debian: and `(\S+)`\)", ("make", "python3-venv")),
    (r"\[`(make keys)`\]", ("make keys",)),
    (r"yet: `(make release)` on Debian makes it", ("make release",)),
]  # fmt: skip
"""Pattern in the guide's text, and what its groups must be."""
TERM = re.compile(
    r"\b(?:[Rr]ed|[Oo]range|[Bb]rown|[Bb]lack|[Gg]reen|[Bb]lue|[Yy]ellow|[Ww]hite|longer|shorter|minus|leftmost|NO|NC)\b|"
    r"(?<![\w.])\d+(?:\.\d+)? (?:mm|V|kΩ|Ω|A|%|g|ms|hours|°C|GB)\b|`[^`]+`|\b(?:5 V|3\.3 V|GND|lamp) rail\b"
)
"""A technical word: it must be in a claim."""
TABLE = re.compile(r"\| [^|]+ and [^|]+ \| (?:more than )?[\d.]+ k?Ω[^|]*\|")
"""A row of what must be measured: `test_guide` and the tests below compare it with the schematics."""


@pytest.mark.parametrize(("pattern", "wanted"), CLAIMS, ids=[pattern[:40] for pattern, _ in CLAIMS])
def test_a_claim_is_what_the_sources_have(pattern: str, wanted: tuple[str, ...]) -> None:
    found = [match.groups() for match in re.finditer(pattern, WORDS)]
    assert found
    assert set(found) == {wanted}


def test_every_technical_word_is_in_a_claim() -> None:
    text = re.sub(r"```.*?```", "", GUIDE, flags=re.S)
    text = " ".join(text.split())
    spans = [match.span() for pattern, _ in [*CLAIMS, (TABLE.pattern, ())] for match in re.finditer(pattern, text)]
    loose = [
        text[match.start() - 30 : match.end() + 20]
        for match in TERM.finditer(text)
        if not any(start <= match.start() and match.end() <= end for start, end in spans)
    ]
    assert loose == []


@pytest.mark.parametrize("chapter", SUPPLIES_KOHM)
def test_supplies_are_apart_by_so_much(chapter: str) -> None:
    text = chapters()[chapter]
    rows = re.findall(r"^\| [^|,]+ and [^|,]+ \| more than ([\d.]+ k?Ω)", text, re.M)
    assert rows == SUPPLIES_KOHM[chapter]


def test_the_filament_is_the_prints() -> None:
    station = sum(PRINTS[name]["volume_mm3"] for name in ("station-shell", "station-plate", "guard-ring-1"))
    assert abs(float(rounded_g(station)) - 160) <= 2


def test_a_box_is_deeper_than_its_button() -> None:
    assert KNOWN.button.depth_mm + 15 < 60


def test_each_breadboard_configuration_is_its_profile() -> None:
    [card] = [tomllib.loads(text) for kind, text in BLOCKS if kind == "toml" and "[pins]" in text]
    assert card["pins"]["profile"] in pinmap.load()
    assert card["pins"]["profile"] == "direct4"
    assert card["display"]["chip"] == PARTS["display_i2c"].what.split(", ")[1].lower()
    assert re.findall(r'a small one: "(\w+)" or "(\w+)"', GUIDE) == [("ssd1306", "sh1106")]


def test_the_names_are_the_projects() -> None:
    assert set(chain(*(wanted for pattern, wanted in CLAIMS if pattern.startswith(("Print ", "One each"))))) <= set(
        PRINTS
    )
    assert {"display", "encoder", "power", "pod"} <= set(SECTIONS)
    assert "vendor-data" in (offline.HERE / "card.txt").read_text(encoding="utf-8")


def test_the_lamp_is_bridged_as_the_catalogue_says() -> None:
    step = GUIDE.partition("### 2. The lamp")[2].partition("###")[0]
    assert ("so bridge" in step) == PARTS["button"].bridged


def test_which_parts_have_no_right_way_round() -> None:
    """Diodes D may be turned, because their facts say so."""
    turned = {fact["polarity"] for fact in facts_rules.read() if fact["part"] in ("tvs", "t_tvs")}
    assert turned == {"both ways"}
    assert "small capacitors and diodes D fit either way round" in WORDS
