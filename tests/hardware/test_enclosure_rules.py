"""Dimensions of the printed parts against bought parts, printer and hand.

Without the CAD tool.
"""

from __future__ import annotations

import math
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.enclosure import rules, sight
from hardware.make.catalogue import HARDWARE

FILE = HARDWARE / "enclosure" / "parameters.toml"


def changed(tmp_path: Path, name: str, value: str) -> list[str]:
    """Return the complaints with one parameter changed."""
    section, _, key = name.partition(".")
    text = FILE.read_text(encoding="utf-8")
    at = text.index(f"\n[{section}]")
    head, body = text[:at], text[at:]
    path = tmp_path / FILE.name
    path.write_text(
        head + re.sub(rf"^{key} = [^#\n]*", f"{key} = {value} ", body, count=1, flags=re.M), encoding="utf-8"
    )
    return list(rules.complaints(path))


def test_the_committed_dimensions_break_no_rule() -> None:
    assert list(rules.complaints(FILE)) == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("console.lid_mm", "1.0", "console.lid_mm is 1; allowed are 2.4 to 5 for a wall or a screw's hold."),
        ("button.hole_mm", "26.0", "button.hole_mm is 26; allowed are 30.1 to 30.8 for the button that is bought."),
        ("pi.hole_length_mm", "57.0", "pi.hole_length_mm is 57.0; it must be 58.0."),
        ("display.pane_seat_mm", "2.2", "the pane's seat leaves 0.8 mm of the hood's face; allowed are 1.2 at least."),
        (
            "display.tilt_deg",
            "45.0",
            "a capital letter is seen 4.6 mm tall from 0 degrees sideways, eyes 400 mm over the",
        ),
        (
            "seats.sideways_deg",
            "[70.0]",
            "letters are seen at 0.46 of their width from 70 degrees sideways, eyes 400 mm",
        ),
        ("hood.pilot_deep_mm", "4.0", "the hood's screws go 5.0 mm into it; its holes take 4, and 4.5 hold."),
        ("hood.window_up_mm", "60.0", "the display's window at 60 mm does not fit into a face of 55."),
        ("speaker.pitch_mm", "50.0", "the grille's holes are 50 mm apart on 34: too few to be heard through."),
        ("button.depth_mm", "44.0", "the button is 1.0 mm too deep for the station above its bar."),
        ("guard.outer_mm", "75.0", "the guard ring is 75 mm wide on a station of 76; it needs 2 less."),
        ("station.button_y_mm", "-40.0", "the guard ring stands 6.0 mm over the station's edge."),
        ("guard.pilot_deep_mm", "3.0", "guard.pilot_deep_mm is 3; allowed are 4.5 to 7 for a wall or a screw's hold."),
        ("console.width_mm", "230.0", "console.width_mm is 230; a bed of 220 takes 10 less."),
        (
            "station.number_up_mm",
            "0.5",
            "station.number_up_mm is 0.5; allowed are 0.8 to 1.5 for the part that is bought.",
        ),
        ("station.number_stroke", "0.2", "station.number_stroke is 0.2; allowed are 0.08 to 0.15"),
        ("guard.tongue_mm", "[24.0, 3.0]", "the number's tongue is 24 x 3 mm; it needs 25.4 x 2.4."),
        ("station.number_y_mm", "20.0", "the number is 0.0 mm behind the guard ring; a finger needs 2."),
        ("station.number_y_mm", "44.0", "the number's tongue ends 1.5 mm beyond the station's top."),
        ("guard.tongue_mm", "[34.0, 6.0]", "the number stands higher than the guard ring; a hand would press it"),
        ("colours.rgb", '["#e69f00", "#e69f00"]', "colours.rgb has 1 different ones; 8 seats need 8."),
        ("station.screw_room_mm", "6.0", "the plate's screws M3×10 go 7.0 mm into their threads; 4 hold, and there is"),
        (
            "print.insert_depth_mm",
            "5.0",
            "the lid's screws M3×8 go 5.2 mm into their threads; 4 hold, and there is room",
        ),
        ("pi.standoff_mm", "7.0", "the Pi's screws M2.5×12 go 2.5 mm into their threads; 3.5 hold, and there is"),
        ("pi.standoff_mm", "4.0", "the Zero's screws M2.5×6 go 4.5 mm into their threads; 3.5 hold, and there is room"),
        ("zero.hole_width_mm", "24.0", "zero.hole_width_mm is 24.0; it must be 23.0."),
        ("speaker.pitch_mm", "4.0", "between the grille's holes are 1.0 mm; allowed are 1.2 at least."),
        ("speaker.cone_mm", "39.0", "the grille is 39 mm wide under a speaker of 40."),
        ("keystone.pitch_mm", "8.6", "keystone.pitch_mm is 8.6; allowed are 16.8 to 20 for the part that is bought."),
        ("pi.port_height_mm", "164.0", "pi.port_height_mm is 164; allowed are 16 to 17.5 for the part that is bought."),
        ("card.size_mm", "[70.0, 104.0]", "the card is 70 x 104 mm; under a station are 72 x 102.0."),
        ("rubber.strip_mm", "[60.0, 12.0, 2.0]", "a strip of rubber is 60 mm long; between screws and round corners"),
        ("rubber.strip_mm", "[50.0, 12.0, 1.0]", "a strip of rubber is 1 mm thick; it needs 1.5 to keep card and"),
        ("encoder.at_mm", "[13.65, 26.0]", "encoder.at_mm is 13.65; allowed are 115 to 160 for what stands beside it."),
        ("encoder.at_mm", "[136.5]", "encoder.at_mm is [136.5]; its limits are ((115.0, 160.0), (20.0, 35.0))."),
        ("seats.eye_mm", "[4000.0, 570.0]", "seats.eye_mm is [4000.0, 570.0]; it must be [400.0, 570.0]."),
        ("seats.sideways_deg", "[0.0]", "seats.sideways_deg is [0.0]; it must be [-60.0, "),
        ("pod.wires_mm", "30.0", "the pod's lid is 1.5 mm over the wires; its lip needs 3."),
        ("clamp.nut_deep_mm", "11.0", "the clamp's arm leaves 3.0 mm over its nut; allowed are 4 at least."),
    ],
)
def test_a_dimension_that_does_not_do_is_a_sentence(tmp_path: Path, name: str, value: str, said: str) -> None:
    assert [text for text in changed(tmp_path, name, value) if text.startswith(said)]


def test_every_number_is_noticed_when_doubled_or_halved(tmp_path: Path) -> None:
    """Numbers of the parameters and of the presets, in lists too."""
    unnoticed = []
    for name in (FILE.name, "presets.toml"):
        shutil.copy(FILE, tmp_path / FILE.name)
        shutil.copy(FILE.with_name("presets.toml"), tmp_path / "presets.toml")
        source = (tmp_path / name).read_text(encoding="utf-8")
        for line in re.finditer(r"^\"?[\w.]+\"? = (?=[\[\d-])[^#\n]*", source, re.M):
            for number in re.finditer(r"-?\d+(?:\.\d+)?(?=[\], \n]|$)", line[0]):
                at, end = line.start() + number.start(), line.start() + number.end()
                for times in (2, 0.5) if float(number[0]) else ():
                    wrong = f"{source[:at]}{float(number[0]) * times:g}{source[end:]}"
                    (tmp_path / name).write_text(wrong, encoding="utf-8")
                    if not any(rules.complaints(tmp_path / FILE.name)):
                        unnoticed.append(f"{line[0]} times {times}")
    assert unnoticed == []


def test_a_dimension_without_limits_is_a_sentence(tmp_path: Path) -> None:
    """A new dimension needs its limits."""
    path = tmp_path / FILE.name
    path.write_text(FILE.read_text(encoding="utf-8").replace("[knob]", "[knob]\nskirt_mm = 3.0"), encoding="utf-8")
    assert list(rules.complaints(path)) == ["knob.skirt_mm has no limits; say in limits.py what it may be."]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            '"button.hole_mm" = 24.3',
            '"button.hole_mm" = 30.3',
            "preset arcade24: button.hole_mm is 30.3; allowed are 24.1",
        ),
        ('"guard.inner_mm" = 63.0', '"guard.inner_mm" = 59.0', "preset dome60: the guard ring is 10.5 mm wide round a"),
        ('"button.depth_mm" = 48.0', '"button.depht_mm" = 48.0', "preset dome60: button.depht_mm is no parameter."),
        (
            '"station.number_y_mm" = 46.0',
            '"station.number_y_mm" = 40.0',
            "preset dome60: the number is 12.0 mm behind the guard ring, which hides it from its player; 15.8 do not.",
        ),
        (
            "for a 24 mm hole, with lamp",
            "for a 48 mm hole, with lamp",
            "preset arcade24: it is 'arcade button for a 48 mm",
        ),
        ("[dome60]", "[dome100]", "preset dome100: no rule knows its button."),
    ],
)
def test_a_preset_keeps_the_rules_of_its_own_button(tmp_path: Path, before: str, after: str, said: str) -> None:
    shutil.copy(FILE, tmp_path / FILE.name)
    text = (FILE.parent / "presets.toml").read_text(encoding="utf-8").replace(before, after, 1)
    (tmp_path / "presets.toml").write_text(text, encoding="utf-8")
    assert [told for told in rules.complaints(tmp_path / FILE.name) if told.startswith(said)]


def test_a_dimension_that_is_missing_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / FILE.name
    assert list(rules.complaints(path)) == ["parameters.toml is missing: the printed parts have no dimensions."]
    path.write_text(FILE.read_text(encoding="utf-8").replace("lid_mm", "lit_mm"), encoding="utf-8")
    assert list(rules.complaints(path)) == ["parameters.toml has no console.lid_mm, which a rule asks for."]


@given(tilt=st.floats(5, 85), eye=st.floats(250, 800), sideways=st.floats(-80, 80))
def test_foreshortening_is_the_part_of_a_letter_that_is_square_to_the_line_of_sight(
    tilt: float, eye: float, sideways: float
) -> None:
    """Computed another way: the face's two edges crossed with the direction to the eye, in the console's frame."""
    known = rules.flat(tomllib.loads(FILE.read_text(encoding="utf-8")))
    known |= {"display.tilt_deg": tilt, "seats.eye_mm": [eye], "seats.sideways_deg": [sideways]}
    known["hood.window_up_mm"] = 0.0
    (seat,) = sight.seats(known)
    middle = known["console.front_mm"] + 50 * math.tan(math.radians(10)) + known["console.foot_height_mm"] - 1
    flat = math.sqrt(1000**2 - (eye - middle) ** 2)
    to_eye = (flat * math.sin(math.radians(sideways)), -flat * math.cos(math.radians(sideways)), eye - middle)
    upward = (0.0, math.cos(math.radians(tilt)), math.sin(math.radians(tilt)))
    assert seat.capital_mm == pytest.approx(_crossed(upward, to_eye) / 1000 * 12 * 27.49 / 64)
    assert seat.width == pytest.approx(_crossed((1.0, 0.0, 0.0), to_eye) / 1000)


def _crossed(a: tuple[float, float, float], b: tuple[float, float, float]) -> float:
    """Return the length of the cross product."""
    return math.hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def promised() -> list[tuple[float, int, set[int]]]:
    """Return table across in mm, displays, and the numbers of players of each row of the guide."""
    guide = (HARDWARE / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d.]+) m \| (.*?) \| (.*?) \|$", guide, re.M)
    return [
        (1000 * float(across), displays, players(words))
        for across, *cells in rows
        for displays, words in enumerate(cells, start=1)
    ]


def players(words: str) -> set[int]:
    """Return the numbers in words such as "2 to 4, 6 players"."""
    found: set[int] = set()
    for first, last in re.findall(r"(\d)(?: to (\d))?", words):
        found |= set(range(int(first), int(last or first) + 1))
    return found


def test_the_guide_promises_readable_text_to_exactly_these_players() -> None:
    known = rules.flat(tomllib.loads(FILE.read_text(encoding="utf-8")))
    assert len(promised()) == 8
    for across_mm, displays, told in promised():
        readable = {
            number
            for number in range(2, 9)
            if min(sight.arc_minutes(known, sight.Table(across_mm, number, displays))) >= sight.LEAST_ARC_MINUTES
        }
        assert told == readable, (across_mm, displays)
