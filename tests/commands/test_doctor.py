"""`referee doctor`: what it finds, and that it says what to do."""

from __future__ import annotations

import json
import queue
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.cli import main
from referee.commands.doctor import measured, sync_wire
from referee.core.signals import Edge
from referee.drivers import pinmap
from referee.drivers.mock_factory import RefereeMockFactory


def scripted(*rows: Edge) -> Callable[..., Any]:
    """A source that gives these rows and then nothing."""
    waiting = list(rows)

    def take(timeout: float) -> Edge:
        if not waiting:
            raise queue.Empty
        return waiting.pop(0)

    return take


def findings(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, bool | None]]:
    """The exit status, and each part's verdict."""
    status = main(["doctor", "--json", *arguments])
    found = json.loads(capsys.readouterr().out)["findings"]
    return status, {finding["part"]: finding["ok"] for finding in found}


def test_a_sound_simulated_table_has_no_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pins and storage are looked at, what is virtual is left out, and the status is 0."""
    status, parts = findings(capsys, "--simulate", "--state", str(tmp_path))
    assert status == 0
    assert parts == {"pins": True, "display": None, "sound": None, "storage": True, "journal": None}


def test_a_machine_without_pins_is_told_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence, the other parts still looked at, status 1."""
    monkeypatch.setenv("REFEREE_GPIO_CHIP", "no-such-chip")
    status, parts = findings(capsys, "--state", str(tmp_path))
    assert status == 1
    assert (parts["pins"], parts["display"], parts["storage"]) == (False, None, True)


def test_a_sync_wire_is_pulsed_and_listened_to() -> None:
    """Whole it is said how well its pulses are known; cut, or with its pin taken, what to do."""
    wiring = pinmap.profile("full8", sync=True)
    with RefereeMockFactory() as factory:
        cut = sync_wire(wiring, factory, 300_000, high_s=0)
        assert (cut.ok, cut.sentence) == (
            False,
            "SYNC_IN on GPIO14 saw 0 of 5 pulses of SYNC_OUT on GPIO15: check the wire, "
            "and that the serial console is off.",
        )
        factory.solder(15, 14)
        whole = sync_wire(wiring, factory, 300_000, high_s=0)
        assert whole.ok
        assert whole.sentence.startswith("The wire's pulses come back and are known to within ")
        factory.reserve_pins(factory, 15)
        taken = sync_wire(wiring, factory, 300_000, high_s=0)
        assert taken.ok is False
        assert taken.sentence.startswith("The wire's pins cannot be had (")


def test_a_damaged_journal_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is named, and not touched."""
    journal = tmp_path / "journal.db"
    journal.write_bytes(b"no database at all" * 100)
    status, parts = findings(capsys, "--simulate", "--state", str(tmp_path))
    assert (status, parts["journal"]) == (1, False)
    assert journal.read_bytes() == b"no database at all" * 100


def test_a_button_s_bounce_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    """Edges and settling time of the press that was asked for."""
    rows = [Edge("3", closed, t) for closed, t in ((True, 0), (False, 200_000), (True, 1_300_000))]
    found = measured("3", scripted(*rows, Edge("1", True, 1_400_000)))
    assert (found.ok, found.sentence) == (True, "3: 3 edges, settled after 1.3 ms.")
    assert capsys.readouterr().out == "Press button 3.\n"


def test_exchanged_and_dead_buttons_are_told_apart() -> None:
    """Another station's press means exchanged cables, none a broken one."""
    assert "two cables are exchanged" in measured("3", scripted(Edge("5", True, 0))).sentence
    assert "check its cable" in measured("3", scripted()).sentence


def test_a_chattering_button_does_not_keep_the_doctor(capsys: pytest.CaptureFixture[str]) -> None:
    """After a second of chatter the measurement ends with what it has."""
    rows = [Edge("3", n % 2 == 0, n * 200_000_000) for n in range(100)]
    assert measured("3", scripted(*rows)).sentence.startswith("3: 7 edges")


def test_the_piezo_s_pwm_is_named_or_missed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found, the doctor says which channel of which chip; missing or wrongly named, what to do."""
    chip = tmp_path / "1f00098000.pwm" / "pwm" / "pwmchip2"
    chip.mkdir(parents=True)
    (chip / "export").touch()
    (chip / "device").symlink_to("../../../1f00098000.pwm")
    monkeypatch.setenv("REFEREE_GPIO_CHIP", "no-such-chip")
    config = tmp_path / "referee.toml"
    for given, ok, said in (
        (chip, True, f"The piezo's PWM is channel 1 of {chip} (1f00098000.pwm)."),
        (chip / "pwm1", False, f"Option 'pwm' in section [sound] is '{chip}/pwm1', a channel; allowed is "),
    ):
        config.write_text(f'[sound]\npwm = "{given}"\n')
        main(["doctor", "--json", "--config", str(config), "--state", str(tmp_path)])
        (sound,) = [f for f in json.loads(capsys.readouterr().out)["findings"] if f["part"] == "sound"]
        assert sound["ok"] is ok
        assert sound["sentence"].startswith(said)
