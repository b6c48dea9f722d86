"""`referee keys`: list keyboards, and learn their keys."""

from __future__ import annotations

import json
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.cli import main
from referee.commands import keys
from referee.config import load, parse
from referee.core.values import replace
from referee.drivers.keys.nodes import Node, device_name
from tests.drivers.keys.fake import MS, A, B, C, PipeKeyboard, Plugged

pytest.importorskip("evdev")
PAD = Node("/dev/input/event3", "Number pad", "046d:c31c", "usb-1.2", codes=frozenset({A, B, C}), polling_ns=8 * MS)
TWIN = replace(PAD, path="/dev/input/event4", port="usb-1.3")


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> Iterator[Plugged]:
    machine = Plugged()
    monkeypatch.setattr(keys, "found_nodes", machine.find)
    monkeypatch.setattr(keys, "open_node", machine.open)
    monkeypatch.setattr("os.access", lambda path, mode: path not in machine.refused)
    yield machine
    machine.close()


def tapping(pad: PipeKeyboard, *codes: int) -> None:
    """Press and release each key."""
    for code in codes:
        pad.report(time.monotonic_ns(), (code, 1))
        pad.report(time.monotonic_ns(), (code, 0))


def holding(pad: PipeKeyboard, *codes: int) -> None:
    """Hold these keys together."""
    pad.report(time.monotonic_ns(), *((code, 1) for code in codes))
    pad.report(time.monotonic_ns(), *((code, 0) for code in codes))


def test_list_names_a_keyboard_by_its_port_only_if_there_are_two(
    plugged: Plugged, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["keys", "list"]) == 0
    assert capsys.readouterr().out == "No keyboard is plugged in.\n"
    plugged.nodes = [PAD]
    plugged.refused.add(PAD.path)
    path = tmp_path / "referee.toml"
    path.write_text('[keys.buttons."046d:c31c"]\nKEY_A = "1"\n')
    assert main(["keys", "list", "--config", str(path)]) == 0
    assert capsys.readouterr().out.startswith("046d:c31c  Number pad on usb-1.2: ±9.5 ms, stations 1; this user")
    plugged.nodes = [PAD, TWIN]
    assert main(["keys", "list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["keyboards"]
    assert [one["device"] for one in found] == ["046d:c31c@usb-1.2", "046d:c31c@usb-1.3"]
    assert found[0]["polling_ms"] == 8


def test_learned_keys_are_a_configuration(plugged: Plugged, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "tonight.toml"
    pad = plugged.plug(PAD)
    tapping(pad, A, A, B)
    holding(pad, A, B)
    assert main(["keys", "learn", "1", "2", "--config", str(path)]) == 0
    said = capsys.readouterr().out
    assert "That is the key for seat 1. Press another one." in said
    assert "Number pad reports all 2 at once." in said
    config = load(path)
    assert config.pins.profile == "none"
    assert [(one.device, one.keys) for one in config.keyboards] == [
        ("046d:c31c", (("KEY_A", "1"), ("KEY_B", "2"))),
    ]
    plugged.devices[PAD.path] = PipeKeyboard()
    assert main(["keys", "learn", "--config", str(path)]) == 2
    assert "has a section [keys.buttons] already" in capsys.readouterr().err


def test_keys_that_are_not_heard_together_are_reported(plugged: Plugged, capsys: pytest.CaptureFixture[str]) -> None:
    pad = plugged.plug(PAD)
    tapping(pad, A, B, C)
    holding(pad, A, C)
    assert main(["keys", "learn", "1", "2", "3"]) == 1
    said = capsys.readouterr().out
    assert "Number pad reports only 2 of them at once, without seat 2." in said
    assert tomllib.loads(said.rpartition("settings:")[2])["keys"]["buttons"]["046d:c31c"]["KEY_B"] == "2"


def test_two_of_a_kind_are_learned_by_their_ports(plugged: Plugged, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = plugged.plug(PAD), plugged.plug(TWIN)
    board = keys.changes([(PAD, first), (TWIN, second)])
    tapping(first, A)
    one = keys._ask(board, "1", [])
    tapping(second, A)
    two = keys._ask(board, "2", [one])
    assert keys.section_text({device_name(key.node, plugged.nodes): [key] for key in (one, two)}) == (
        '[keys.buttons."046d:c31c@usb-1.2"]  # Number pad\nKEY_A = "1"\n\n'
        '[keys.buttons."046d:c31c@usb-1.3"]  # Number pad\nKEY_A = "2"\n'
    )
    first.close()
    second.close()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["13"], "the stations 13 are given; allowed are 1, "),
        (["1", "1"], "the stations 1 1 are given; "),
        (["1"], "no keyboard is plugged in"),
    ],
)
def test_a_mistake_is_one_sentence(
    plugged: Plugged, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["keys", "learn", *words]) == 2
    assert sentence in capsys.readouterr().err


def test_without_rights_it_says_what_to_do(plugged: Plugged, capsys: pytest.CaptureFixture[str]) -> None:
    plugged.nodes = [PAD]
    plugged.refused.add(PAD.path)
    assert main(["keys", "learn"]) == 2
    assert capsys.readouterr().err.endswith("`sudo usermod -aG input $USER`, then log in again\n")


def test_doctor_says_what_a_keyboard_lacks(plugged: Plugged, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = parse({"keys": {"buttons": {"046d:c31c": {"KEY_A": "1"}}}})
    [missing] = keys.findings(config)
    assert (missing.ok, "046d:c31c (stations 1) is not plugged in" in missing.sentence) == (False, True)
    plugged.nodes = [PAD]
    [well] = keys.findings(config)
    assert (well.ok, well.sentence) == (True, "046d:c31c  Number pad on usb-1.2: ±9.5 ms, stations 1.")
    plugged.refused.add(PAD.path)
    [locked] = keys.findings(config)
    assert (locked.ok, "usermod -aG input" in locked.sentence) == (False, True)
    assert list(keys.findings(parse({}))) == []
