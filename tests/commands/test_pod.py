"""`referee pod`: real pods on ptys, other devices, no device; text and JSON output."""

from __future__ import annotations

import json
import threading
import tomllib
from pathlib import Path
from typing import Any

import pytest

from referee.cli import main
from referee.commands import doctor_checks
from referee.commands.pod import faults
from referee.config import parse
from referee.drivers.pods import lines
from referee.drivers.pods.lines import Pods
from tests.drivers.pods.test_install import pico
from tests.drivers.pods.test_lines import somebody
from tests.firmware.benchpod import PATIENCE_S, BenchPod, needs_node

IDENT = "e66141040b2c3f2a"


@pytest.fixture(autouse=True)
def _no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search only the serial lines of a test."""
    monkeypatch.setattr(lines, "found_lines", lambda: ())


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Return a function that gives status, output and error text."""
    status = main(["pod", *words])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def document(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    """Return a function that runs the command with --json and checks that it prints only that document."""
    status, out, err = said(capsys, *words, "--json")
    assert err == ""
    found: dict[str, Any] = json.loads(out)
    return status, found


@needs_node
def test_list_tells_who_is_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "referee.toml"
    with BenchPod(IDENT) as pod, somebody(b"$GPRMC,\r\n") as mouse:
        file.write_text(f'[pods]\nlines = ["{pod.line}", "{mouse}"]\n[pods.contacts]\n3f2a = ["5", "", "knob"]\n')
        status, out, _ = said(capsys, "list", "--config", str(file))
        first, second = out.splitlines()
        assert (status, second) == (0, f"{mouse} speaks NMEA like a GPS receiver and is no pod.")
        assert first.startswith(f"{IDENT}  {pod.line}  release 2.0.0  clock ±")
        assert first.endswith("stations 5 - knob")
        status, found = document(capsys, "list", "--line", pod.line)
    [one] = found["pods"]
    assert (one["pod"], one["stations"], one["contacts"], one["closed"]) == (IDENT, [], 8, [])
    assert 0 < one["clock"]["bound_ns"] < 50_000_000


@needs_node
def test_identify_makes_its_lamps_blink(capsys: pytest.CaptureFixture[str]) -> None:
    with BenchPod(IDENT) as pod:
        status, out, _ = said(capsys, "identify", "3F2A", "--seconds", "3", "--line", pod.line)
        assert (status, out) == (0, f"{IDENT} blinks for 3 s.\n")
        pod.until_lit(0xFF)
        pod.until_lit(0)


@needs_node
def test_selftest_says_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    with BenchPod(IDENT) as pod:
        assert said(capsys, "selftest", "--line", pod.line) == (0, f"{IDENT}: all is well.\n", "")
        pod.tell("fails", 0b101)
        status, out, _ = said(capsys, "selftest", "--line", pod.line)
        assert status == 1
        assert out.splitlines() == [f"{IDENT}: {fault}." for fault in faults(0b101)]
        status, found = document(capsys, "selftest", "--line", pod.line)
        assert (status, found["pods"][0]["faults"]) == (1, faults(0b101))


def test_every_bit_of_a_self_test_has_a_sentence() -> None:
    assert len(faults(0b1111)) == 4
    assert faults(1 << 9) == ["it found a fault that this referee does not know"]
    assert faults(0) == []


@needs_node
def test_a_pod_that_is_not_there_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with BenchPod(IDENT) as pod:
        status, out, err = said(capsys, "identify", "beef", "--line", pod.line)
    assert (status, out) == (2, "")
    assert err == f'referee pod identify: there is no pod "beef", plugged in is {IDENT}\n'


BAD: dict[tuple[str, ...], str] = {
    ("selftest",): "referee pod selftest: no pod is plugged in\n",
    ("install",): "referee pod install: needs one Pico, found none; --line LINE says which\n",
}


@pytest.mark.parametrize("words", BAD)
def test_bad_use_is_one_sentence(words: tuple[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, *words) == (2, "", BAD[words])


@needs_node
def test_a_line_held_by_the_referee_is_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    with BenchPod(IDENT) as pod:
        there = threading.Event()
        held = Pods({"3f2a": ("1",)}, lambda rows: there.set(), lines=[pod.line], report=lambda text: None)
        held.start()
        assert there.wait(PATIENCE_S)
        _, out, _ = said(capsys, "list", "--line", pod.line)
        held.close()
    assert out.startswith(f"{pod.line} cannot be opened (somebody else holds it); is the referee running?")


@needs_node
def test_install_puts_the_program_on_a_bare_pico(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writing goes through MicroPython's own prompt."""
    monkeypatch.setattr("referee.commands.pod.BACK_S", 1.0)
    with pico() as board:
        status, out, _ = said(capsys, "install", "--line", board.line)
        assert board.said() == "reset"
        assert "pod.py" in board.files()
    assert status == 1
    assert out.splitlines()[-1].startswith(f"It is installed, but {board.line} runs MicroPython but not the pod's")


@needs_node
def test_install_on_a_pod_shows_it_again(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The writing itself is tested elsewhere; the pod is listed again."""
    monkeypatch.setattr("referee.drivers.pods.install.install", lambda line, say: say("pod.py, 5 bytes") or "1.27")
    with BenchPod(IDENT) as pod:
        status, out, _ = said(capsys, "install", "--line", pod.line)
        assert status == 0
        assert out.splitlines()[:2] == ["  pod.py, 5 bytes", "MicroPython 1.27 now runs the pod's program."]
        assert IDENT in out
        assert document(capsys, "install", "--line", pod.line)[1]["micropython"] == "1.27"


# -- the doctor ----------------------------------------------------------------------------------------------------


def checked(config: str) -> list[tuple[bool | None, str]]:
    """Return the doctor's findings on pods with that configuration."""
    return [(finding.ok, finding.sentence) for finding in doctor_checks.pod_findings(parse(tomllib.loads(config)))]


@needs_node
def test_the_doctor_names_each_pod_and_its_clock(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with BenchPod(IDENT) as pod, BenchPod("00000000deadbeef") as other, somebody(b"$GPRMC,\r\n") as mouse:
        lines = f'[pods]\nlines = ["{pod.line}", "{other.line}", "{mouse}"]\n'
        config = f'{lines}[pods.contacts]\n3f2a = ["5", "", "6"]\n0000 = ["7"]\n'
        well, nobodys, its_clock, stranger, missing = checked(config)
        file = tmp_path / "referee.toml"
        file.write_text(config)
        assert main(["doctor", "--simulate", "--config", str(file), "--state", str(tmp_path)]) == 1
        assert (
            "FAULT  pods      The pod 0000 (stations 7) is not plugged in: plug it in, and look at its cable."
            in capsys.readouterr().out
        )
    assert well[0] is True
    assert well[1].startswith(f"Pod 3f2a on {pod.line}, stations 5, 6: its clock is known to ±")
    assert nobodys == (
        None,
        'Pod beef is no station\'s: [pods.contacts] takes a line such as 00000000deadbeef = ["1", "2"].',
    )
    assert its_clock[0] is True
    assert stranger == (False, f"{mouse} speaks NMEA like a GPS receiver and is no pod.")
    assert missing == (False, "The pod 0000 (stations 7) is not plugged in: plug it in, and look at its cable.")


@needs_node
def test_the_doctor_tells_what_a_pod_s_self_test_found() -> None:
    with BenchPod(IDENT) as pod:
        pod.tell("fails", 0b100)
        found = checked(f'[pods]\nlines = ["{pod.line}"]\n[pods.contacts]\n3f2a = ["5"]\n')
    assert found[0] == (False, f"Pod 3f2a: {faults(0b100)[0]}.")
