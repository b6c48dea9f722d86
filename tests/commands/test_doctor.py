"""`referee doctor`: its findings and their remedies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpiozero_gpiod.mock import GpiodMockFactory
from referee.cli import main
from referee.commands.doctor import sync_wire
from referee.drivers.pins import pinmap
from tests.commands.house import kept
from tests.drivers.soldered import SolderedFactory


def findings(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, bool | None]]:
    """Return a function that gives the exit status and each part's verdict."""
    status = main(["doctor", "--json", *arguments])
    found = json.loads(capsys.readouterr().out)["findings"]
    return status, {finding["part"]: finding["ok"] for finding in found}


def test_a_sound_simulated_table_has_no_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, parts = findings(capsys, "--simulate", "--state", str(tmp_path))
    assert status == 0
    clock = parts.pop("clock")  # this machine's own clock: synchronized or not
    assert clock in (True, None)
    sound = {"pins": True, "display": None, "sound": None, "voice": None, "storage": True, "evenings": None}
    assert parts == {**sound, "disk": True, "versions": True}


def test_a_sync_wire_is_pulsed_and_listened_to() -> None:
    wiring = pinmap.profile("full8", sync=True)
    with SolderedFactory() as factory:
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
        assert taken.sentence.startswith("The sync wire's pins cannot be claimed (")


def test_sound_evenings_and_records_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (kept(tmp_path) / "journal.db").write_bytes(b"SQLite format 3")
    status, parts = findings(capsys, "--simulate", "--state", str(tmp_path))
    assert (status, parts["evenings"], parts["records"], parts["journal"]) == (0, True, True, None)
    assert (tmp_path / "journal.db").read_bytes() == b"SQLite format 3"


def test_a_display_that_cannot_answer_is_never_said_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Panel:
        def close(self, blank: bool) -> None:
            assert not blank  # the picture of a running table is left alone

    monkeypatch.setattr(
        "referee.device.assembly.pin_factory", lambda simulate, config: GpiodMockFactory(revision="a02082")
    )
    monkeypatch.setattr("referee.device.assembly.panel", lambda config, wiring, factory: Panel)
    config = tmp_path / "referee.toml"
    for profile, ok, said in (
        ("full8", None, "It cannot answer on this bus: `referee doctor --walk` asks you what it shows."),
        ("direct4", True, "It answers."),
    ):
        config.write_text(f'[pins]\nprofile = "{profile}"\n')
        main(["doctor", "--json", "--config", str(config), "--state", str(tmp_path)])
        (display,) = [f for f in json.loads(capsys.readouterr().out)["findings"] if f["part"] == "display"]
        assert (display["ok"], display["sentence"]) == (ok, said)
