"""Faults injected into a whole device: `referee doctor` names each with its remedy and exits with 1.

The machine's faults (supply, heat, clock source, service, card ...) are injected into the file tree of a Pi 4 as in
test_machine_check.py; faults of pins, display, sound, storage, settings and pods where each meets the doctor.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gpiozero_gpiod.mock import GpiodMockFactory
from referee.cli import main
from referee.commands import machine_check
from referee.core.clocks.fit import Quality
from referee.core.pods.wire import Hello
from referee.core.units import MS
from referee.drivers.pins.pinmap import profile
from referee.drivers.pods.visit import Met
from referee.storage.evenings.folder import evenings_in
from tests.commands.house import kept
from tests.commands.test_machine_check import Pi
from tests.drivers.pi.trees import TREES, plant

IDENT = "e66141040b2c3f2a"


class Panel:
    """A display that acknowledges."""

    def close(self, blank: bool) -> None:
        """Do nothing."""


class Bench:
    """A sound device with the breadboard's wiring; a fault changes it."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder, self.patch = folder, patch
        self.state, self.config = folder / "state", folder / "referee.toml"
        self.state.mkdir()
        self.settings = ""
        self.pi = Pi(plant(folder / "pi", TREES["4B"], profile("direct4").overlays))
        self.factory = GpiodMockFactory(revision="a03111")
        chip = folder / "fe20c000.pwm" / "pwm" / "pwmchip0"
        chip.mkdir(parents=True)
        (chip / "export").touch()
        (chip / "device").symlink_to("../../../fe20c000.pwm")
        self.pwm = chip
        self.pods: list[Met] = []
        patch.setattr("referee.device.assembly.pin_factory", lambda simulate, config: self.factory)
        self.panel(Panel)
        patch.setattr(machine_check, "Machine", lambda: self.pi)
        patch.setattr("referee.drivers.pods.lines.found_lines", lambda: tuple(met.line for met in self.pods))
        patch.setattr("referee.drivers.pods.visit.self_test", lambda line: next(m for m in self.pods if m.line == line))

    def panel(self, connect: Callable[[], Any]) -> None:
        """Let the display be opened by `connect`."""
        self.patch.setattr("referee.device.assembly.panel", lambda config, wiring, factory: connect)

    def pod(self, bound_ns: int | None = MS // 5, tested: int | None = 0, *, away: bool = False) -> None:
        """Plug in a pod of stations 1 and 2, or remove it."""
        self.settings += f'[pods.contacts]\n{IDENT} = ["1", "2"]\n'
        quality = None if bound_ns is None else Quality(bound_ns, 0.0, 8)
        if not away:
            self.pods = [
                Met(
                    "/dev/ttyACM0",
                    Hello(1, IDENT, "0.1.0", 2, 0, 125, 1000, 1000, 0, 0, False, False),
                    "",
                    quality,
                    tested,
                )
            ]

    def doctor(self, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[dict[str, Any]]]:
        """Return the doctor's status and findings."""
        self.config.write_text(f'[pins]\nprofile = "direct4"\n[sound]\npwm = "{self.pwm}"\n{self.settings}')
        status = main(["doctor", "--json", "--config", str(self.config), "--state", str(self.state)])
        return status, json.loads(capsys.readouterr().out)["findings"]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A sound device."""
    made = Bench(tmp_path, monkeypatch)
    with made.factory:
        yield made


def _raises(error: Exception) -> Callable[[], Any]:
    def connect() -> Any:
        raise error

    return connect


class Fault(NamedTuple):
    """A fault: how to inject it, the part that is named, and the texts of the fault and its remedy."""

    done: Callable[[Bench], object]
    part: str
    said: str


def _unwritable(bench: Bench) -> None:
    """Root may write everywhere, so the answer is changed."""
    allowed = os.access
    bench.patch.setattr(os, "access", lambda path, mode: mode != os.W_OK and allowed(path, mode))


def _held(bench: Bench, gpio: int) -> None:
    """Close the contact from the start: claiming its line sets the mock to its rest level."""
    watch = bench.factory.watch

    def watched(*given: Any, **named: Any) -> Any:
        made = watch(*given, **named)
        made.pins[gpio]._change_state(False)
        return made

    bench.patch.setattr(bench.factory, "watch", watched)


def _file(bench: Bench, name: str, content: bytes) -> None:
    path = bench.state / name
    path.parent.mkdir()
    path.write_bytes(content)


def _damaged(bench: Bench) -> None:
    (path,) = evenings_in(kept(bench.state)).iterdir()
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = b"0" + lines[2]
    path.write_bytes(b"".join(lines))


TABLE = {
    "a pin that somebody has": Fault(
        lambda b: b.factory.reserve_pins(b.factory, 17), "pins", r"A pin cannot be claimed .*`systemctl stop referee`"
    ),
    "a button held down": Fault(lambda b: _held(b, 17), "buttons", "1 reads pressed: let go, or look for a short"),
    "no display": Fault(
        lambda b: b.panel(_raises(OSError(121, "Remote I/O error"))), "display", "not answer .*: check its cable"
    ),
    "no PWM": Fault(
        lambda b: (b.pwm / "export").unlink(), "sound", "'pwm' in .* is no PWM chip's directory; allowed is"
    ),
    "an evening that cannot be read": Fault(
        lambda b: _file(b, "evenings/2026-11-26_1930.jsonl", b"no evening"), "evenings", "1930.jsonl holds no readable"
    ),
    "an evening with a damaged line": Fault(_damaged, "evenings", "is damaged: line 3 .*; `referee replay .*jsonl`"),
    "a damaged record": Fault(lambda b: _file(b, "records/00003.json", b"{}"), "records", "record 3 is damaged"),
    "a folder that takes nothing": Fault(_unwritable, "storage", "cannot be written: nothing would be saved; .*sudo"),
    "a disk that is nearly full": Fault(
        lambda b: b.patch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 5 << 20})),
        "storage",
        "5 MB are free: make room",
    ),
    "a pod that is away": Fault(lambda b: b.pod(away=True), "pods", "3f2a .* not plugged in: .*plug"),
    "a pod with a loose clock": Fault(lambda b: b.pod(9 * MS), "pods", "±9.* ms, allowed .*: plug it in without a hub"),
    "a pod without a clock": Fault(lambda b: b.pod(None), "pods", "does not tell its clock: .*plug"),
    "a pod that tests nothing": Fault(lambda b: b.pod(tested=None), "pods", "not answered its self-test: .*install"),
}
"""Faults of the table's parts."""


def test_a_sound_device_has_no_fault(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.pod()
    status, found = bench.doctor(capsys)
    assert [f["sentence"] for f in found if f["ok"] is False] == []
    assert status == 0


@pytest.mark.parametrize("name", TABLE)
def test_a_fault_of_a_part_is_named_with_its_fix(name: str, bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    fault = TABLE[name]
    fault.done(bench)
    status, found = bench.doctor(capsys)
    accused = [f for f in found if f["ok"] is False]
    assert (status, {f["part"] for f in accused}) == (1, {fault.part}), accused
    assert any(re.search(fault.said, f["sentence"]) for f in accused), accused
