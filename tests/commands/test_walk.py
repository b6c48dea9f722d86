"""`referee doctor --walk` with mock pins and fakes, and a simulated person who sees, hears and presses.

The person answers by what the device does: mock pins that are high, the picture on the panel, the beeps on the PWM. A
fault between the device and the person must be found; a device without one passes.
"""

from __future__ import annotations

import queue
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gpiozero_gpiod.mock import GpiodMockFactory
from referee.bench import walk
from referee.bench.findings import Finding
from referee.bench.walk import text_of
from referee.cli import main
from referee.core.presses.signals import KNOB
from referee.core.units import MS
from referee.drivers.buttons import Buttons
from referee.drivers.lamps import DirectLamps
from referee.drivers.oled.panel import SMALL_PX, OledPanel
from referee.drivers.pins import pinmap
from referee.language.words import speaking
from tests.drivers.fakes import FakePwm
from tests.drivers.oled.fake import FakeSerial

WIRING = pinmap.profile("direct4")
STATIONS = tuple(WIRING.stations())
CLICK = ((1, "ENC_A", 0), (2, "ENC_B", 0), (3, "ENC_A", 1), (4, "ENC_B", 1))
"""One detent to the right: A changes first."""


class Device:
    """The parts, and their rows as they come, without waiting."""

    def __init__(self, tone: FakePwm | None = None) -> None:
        self.factory = GpiodMockFactory(revision="a02082")
        self.glass = FakeSerial()
        self.tone = tone or FakePwm()
        self.rows: queue.SimpleQueue[walk.InputRow] = queue.SimpleQueue()
        self.contacts = Buttons(self.factory, WIRING, self.keep)
        self.now_ns = 0
        lamps = DirectLamps(self.factory, {name: pin.gpio for name, pin in WIRING.lamps().items()})
        take, down = self.take, self.contacts.start()
        self.bench = walk.Bench(
            WIRING,
            lamps,
            lambda: OledPanel(self.glass),
            SMALL_PX,
            self.tone,
            take,
            down,
            lambda: self.now_ns,
            lambda s: None,
        )

    def keep(self, batch: Sequence[walk.InputRow]) -> None:
        for row in batch:
            self.rows.put(row)

    def take(self, timeout: float) -> walk.InputRow:
        return self.rows.get(timeout=0)

    def lit(self) -> set[str]:
        return {name for name, pin in WIRING.lamps().items() if self.factory.pin(pin.gpio).state}

    def level(self, net: str, level: int, after_ns: int = 50 * MS) -> None:
        self.now_ns += after_ns
        self.factory.edge(WIRING.gpio(net), self.now_ns, level)


class Somebody:
    """Follows each request and reports what is seen and heard.

    Subclasses put a fault between the person and the device.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self.told: list[str] = []

    def tell(self, text: str) -> None:
        self.told.append(text)
        if found := re.fullmatch(r"Press button (\d) and let it go\.", text):
            self.press(found[1])
        elif found := re.fullmatch(r"Turn the knob (\d) clicks to the (right|left), then push it\.", text):
            self.turn(int(found[1]), found[2] == "right")
            self.push()

    def ask(self, question: str) -> str | None:
        self.told.append(question)
        if found := re.match(r"Lamp (\d)", question):
            return "y" if self.seen() == {found[1]} else "n"
        if question == text_of("lamps_all"):
            return "Yes" if self.seen() == set(STATIONS) else "No"
        if question == text_of("lamps_none"):
            return "n" if self.seen() else "y"
        if question == text_of("display"):
            return self.read()
        if question == text_of("frame"):
            return "y"
        assert question == text_of("tone")
        return self.heard()

    def seen(self) -> set[str]:
        return self.device.lit()

    def read(self) -> str:
        shown = self.device.glass.memory.picture().tobytes()
        return next((str(n) for n in range(10, 100) if walk.picture(n, SMALL_PX).tobytes() == shown), "")

    def heard(self) -> str:
        return str(sum(high > 0 for _, high in self.device.tone.log))

    def press(self, station: str) -> None:
        self.device.level(f"P{station}_BTN", 0)
        self.device.level(f"P{station}_BTN", 1)

    def turn(self, clicks: int, right: bool) -> None:
        for _, net, level in CLICK * clicks:
            swapped = {"ENC_A": "ENC_B", "ENC_B": "ENC_A"}
            self.device.level(net if right else swapped[net], level)

    def push(self) -> None:
        self.device.level("ENC_SW", 0)
        self.device.level("ENC_SW", 1)


def walked(kind: type[Somebody] = Somebody, device: Device | None = None) -> tuple[list[Finding], Somebody]:
    """Return the findings of a walk with that person."""
    device = device or Device()
    person = kind(device)
    found = list(walk.walk(device.bench, person, random.Random(1)))
    assert device.lit() == set()  # dark, silent and blank afterwards
    assert device.tone.log[-1:] in ([(0, 0)], [])
    return found, person


def faults(kind: type[Somebody], device: Device | None = None) -> list[str]:
    """Return the faults found by such a walk."""
    return [finding.sentence for finding in walked(kind, device)[0] if finding.ok is False]


def test_a_sound_device_passes_every_part() -> None:
    found, person = walked()
    assert [(f.part, f.ok) for f in found] == [
        *[("lamps", True)] * (len(STATIONS) + 1),
        ("display", True),
        ("sound", True),
        ("knob", True),
        *[("buttons", True)] * len(STATIONS),
        ("power", None),
    ]
    assert "not" not in person.told[1]
    assert person.device.glass.memory.picture().getbbox() is not None


class SwappedLamps(Somebody):
    def seen(self) -> set[str]:
        swap = {"2": "3", "3": "2"}
        return {swap.get(name, name) for name in super().seen()}


class LampOnGround(Somebody):
    def seen(self) -> set[str]:
        return super().seen() | {"4"}


class WeakSupply(Somebody):
    def seen(self) -> set[str]:
        return set() if len(super().seen()) > 2 else super().seen()


class Blind(Somebody):
    def read(self) -> str:
        return ""


class YesToAll(Somebody):
    def ask(self, question: str) -> str | None:
        self.told.append(question)
        return "1" if question in (text_of("display"), text_of("tone")) else "y"


class UpsideDown(Somebody):
    def ask(self, question: str) -> str | None:
        return "n" if question == text_of("frame") else super().ask(question)


class Deaf(Somebody):
    def heard(self) -> str:
        return ""


class KnobReversed(Somebody):
    def turn(self, clicks: int, right: bool) -> None:
        super().turn(clicks, not right)


class KnobDouble(Somebody):
    def turn(self, clicks: int, right: bool) -> None:
        super().turn(2 * clicks, right)


class KnobLoose(Somebody):
    def turn(self, clicks: int, right: bool) -> None:
        pass


class NoPush(Somebody):
    def push(self) -> None:
        pass


class Exchanged(Somebody):
    def press(self, station: str) -> None:
        super().press({"1": "2", "2": "1"}.get(station, station))


class Touching(Somebody):
    def press(self, station: str) -> None:
        if station == "3":
            self.device.level("P3_BTN", 0)
            self.device.level("P4_BTN", 0, after_ns=100)
            self.device.level("P4_BTN", 1)
            self.device.level("P3_BTN", 1)
        else:
            super().press(station)


class Dead(Somebody):
    def press(self, station: str) -> None:
        if station != "2":
            super().press(station)


class Sticks(Somebody):
    def press(self, station: str) -> None:
        self.device.level(f"P{station}_BTN", 0)
        if station != "4":
            self.device.level(f"P{station}_BTN", 1)


class Worn(Somebody):
    def press(self, station: str) -> None:
        if station == "1":
            for n in range(12):
                self.device.level("P1_BTN", n % 2, after_ns=MS)
        super().press(station)


FAULTS: dict[type[Somebody], list[str]] = {
    SwappedLamps: [text_of("lamp_wrong", station="2"), text_of("lamp_wrong", station="3")],
    LampOnGround: [*(text_of("lamp_wrong", station=name) for name in "123"), text_of("lamps_stay")],
    WeakSupply: [text_of("lamps_weak")],
    Blind: [text_of("display_dark")],
    YesToAll: [text_of("display_dark"), text_of("tone_silent")],
    UpsideDown: [text_of("display_cut")],
    Deaf: [text_of("tone_silent")],
    KnobReversed: [text_of("knob_round")],
    KnobDouble: [text_of("knob_counts", clicks=4, counted=8)],
    KnobLoose: [text_of("knob_still")],
    NoPush: [text_of("knob_unpushed", seconds=15)],
    Exchanged: [text_of("exchanged", station="1", other="2"), text_of("exchanged", station="2", other="1")],
    Touching: [text_of("crosstalk", station="3", other="4")],
    Dead: [text_of("no_press", station="2", seconds=15)],
    Sticks: [text_of("held", station="4", seconds=10)],
    Worn: ["1 bounces for 11.0 ms (14 edges), allowed are 5 ms: a worn or dirty contact."],
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_is_found_and_named(kind: type[Somebody]) -> None:
    assert faults(kind) == FAULTS[kind]


def test_a_contact_that_is_closed_at_rest_is_named() -> None:
    """A contact closed before the test is named; its own press is missed too."""
    device = Device()
    device.bench.down = ("2", KNOB)
    assert faults(Somebody, device) == [text_of("stuck", station="2"), text_of("stuck", station="knob")]


def test_what_was_pressed_before_the_question_does_not_count() -> None:
    """Someone has leant on button 2 and turned the knob meanwhile; each request starts afresh."""
    device = Device()
    person = Somebody(device)
    person.press("2")
    assert [finding.ok for finding in walk.buttons(device.bench, person)] == [True] * len(STATIONS)
    person.turn(1, True)
    assert walk.knob(device.bench, person).ok


def test_parts_that_cannot_be_written_are_faults_and_not_questions() -> None:
    class NoPwm(FakePwm):
        def set(self, period_ns: int, high_ns: int) -> None:
            raise OSError("no chip")

        def off(self) -> None:
            raise OSError("no chip")

    device = Device(NoPwm())

    def gone() -> OledPanel:
        raise OSError("no bus")

    class NoLamps(DirectLamps):
        def _write(self, *pictures: Any) -> None:
            raise OSError("no pin")

    device.bench.connect = gone
    device.bench.lamps = NoLamps(device.factory, {})
    found, person = walked(Somebody, device)
    assert [f.sentence for f in found if f.ok is False] == [
        text_of("lamps_mute"),
        text_of("display_mute", reason="no bus"),
        text_of("tone_mute", reason="no chip"),
    ]
    assert not any("?" in text or "number" in text for text in person.told)


def test_what_the_device_has_not_is_left_open() -> None:
    device = Device()
    device.bench.lamps = device.bench.connect = device.bench.tone = None
    open_ = [(f.part, f.sentence) for f in walked(Somebody, device)[0] if f.ok is None]
    assert open_ == [
        ("lamps", text_of("left_out")),
        ("display", text_of("left_out")),
        ("sound", text_of("left_out")),
        ("power", text_of("power")),
    ]


def test_nobody_at_the_keyboard_passes_nothing() -> None:
    class Gone(Somebody):
        def ask(self, question: str) -> str | None:
            return None

    found, _ = walked(Gone)
    assert {f.part: f.ok for f in found} == {
        "lamps": None,
        "display": None,
        "sound": None,
        "knob": True,
        "buttons": True,
        "power": None,
    }


def test_an_answer_that_is_none_is_asked_for_again() -> None:
    class Mumbles:
        def __init__(self, *answers: str) -> None:
            self.answers = list(answers)
            self.told: list[str] = []

        def tell(self, text: str) -> None:
            self.told.append(text)

        def ask(self, question: str) -> str | None:
            return self.answers.pop(0)

    person = Mumbles("what?", "SÌ")
    assert walk.yes(person, "?") is True
    assert person.told == [text_of("again")]
    assert walk.yes(Mumbles("a", "b", "c"), "?") is None
    assert walk.number(Mumbles("two", "17"), "?") == 17
    assert walk.number(Mumbles("a", "b", "c"), "?") is None


@pytest.mark.parametrize("size", [(128, 64), (256, 64)])
@pytest.mark.parametrize("language", ["en", "de", "it"])
def test_the_test_picture_fits_every_display(size: tuple[int, int], language: str) -> None:
    """The line runs along every edge, the digits are on it, and each number has its own picture."""
    with speaking(language):
        pictures = [walk.picture(n, size) for n in range(10, 100)]
    assert len({image.tobytes() for image in pictures}) == 90
    for image in pictures[:1]:
        right, bottom = size[0] - 1, size[1] - 1
        assert all(image.getpixel((x, y)) for x in range(size[0]) for y in (0, bottom))
        assert all(image.getpixel((x, y)) for x in (0, right) for y in range(size[1]))
        inside = image.crop((1, 1, right, bottom)).getbbox()
        assert inside is not None
        assert inside[0] > 0
        assert inside[2] < right - 1
        assert inside[3] < bottom - 1


# -- the command ---------------------------------------------------------------------------------------------------


def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, typed: Sequence[str], *arguments: str) -> int:
    """Run the command on a machine of mock pins with typed lines."""
    lines = iter(typed)
    monkeypatch.setattr("sys.stdin.readline", lambda: f"{next(lines)}\n", raising=False)
    monkeypatch.setattr(
        "referee.device.assembly.pin_factory", lambda simulate, config: GpiodMockFactory(revision="a02082")
    )
    monkeypatch.setattr(walk, "PATIENCE_S", 0.0)
    config = tmp_path / "referee.toml"
    config.write_text('[pins]\nprofile = "direct4"\n[display]\nchip = "none"\nlanguage = "de"\n[sound]\nquiet = true\n')
    return main(["doctor", "--config", str(config), "--state", str(tmp_path), *arguments])


def test_the_command_walks_and_prints_its_sheet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(monkeypatch, tmp_path, ["j"] * 6, "--walk") == 1  # no one presses anything
    told = capsys.readouterr()
    assert "Lampe 1: leuchtet sie, und keine andere? [j/n]" in told.err
    assert "Lampe 4 leuchtet, und nur sie." in told.out
    assert "    GUT  lamps" in told.out
    assert re.search(r"Gang durch .* am \d{4}-.*: 5 gut, 5 fehlerhaft, 3 offen", told.out)


def test_a_walk_needs_a_real_device(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--walk", "--simulate"]) == 2
    said = "referee doctor: --walk needs a real device, so it cannot go with --simulate\n"
    assert capsys.readouterr().err == said
