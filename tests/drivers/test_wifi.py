"""The Wi-Fi: the request, the script that carries it out, and the answer. `nmcli` (here) stands for NetworkManager."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from referee.core.model.view import LobbyScreen, WifiScreen
from referee.core.phases.device import WIFI_NOTES
from referee.device.assembly import WifiOutput
from referee.drivers.network import Answer, Wifi
from tests.screens.samples import view

HERE = Path(__file__).parent
SCRIPT = HERE.parents[1] / "systemd" / "debian" / "wifi"
HOME = {"Heim": "802-11-wireless", "cable": "802-3-ethernet"}
PATIENCE_S = 30.0


class Machine:
    """A machine with that script as its service, and a pretended NetworkManager."""

    def __init__(self, folder: Path, **state: Any) -> None:
        self._folder, self._state = folder, folder / "state.json"
        (folder / "bin").mkdir()
        shutil.copy(HERE / "nmcli", folder / "bin" / "nmcli")
        usual: dict[str, Any] = {
            "devices": ["eth0:ethernet", "wlan0:wifi"],
            "known": HOME,
            "active": ["Heim"],
            "near": ["Heim"],
        }
        usual |= {"radio": "enabled", "hardware": "enabled", "running": True, "fails": [], "secrets": {}}
        self._state.write_text(json.dumps(usual | state))

    def now(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._state.read_text())
        return found

    def serve(self, word: str) -> list[str]:
        """Run the script for a note with this word, as the service does; return the lines of the answer."""
        note, answer = self._folder / "wifi", self._folder / "answer"
        note.write_text(word)
        path = f"{self._folder / 'bin'}:{os.environ['PATH']}"
        found = {**os.environ, "PATH": path, "NMCLI": str(self._state), "LC_ALL": "C"}
        done = subprocess.run([SCRIPT, note, answer, "2"], env=found, check=True, capture_output=True, text=True)
        assert "not pretended" not in done.stderr, done.stderr
        assert not note.exists()
        return answer.read_text().splitlines() if answer.exists() else []


def test_the_own_network_is_opened_and_keeps_its_password_until_the_home_network_is_chosen(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    word, result, name, password = machine.serve("own")
    assert (word, result) == ("own", "own")
    assert re.fullmatch(r"Table [1-9][0-9]", name)
    assert re.fullmatch(r"[a-z2-9]{10}", password)
    made = machine.now()["secrets"]
    assert machine.now()["active"] == ["referee-own"]
    assert (made["wifi.mode"], made["ipv4.method"], made["connection.autoconnect"]) == ("ap", "shared", "yes")
    assert machine.serve("own") == ["own", "own", name, password]
    assert machine.serve("off") == ["off", "off"]
    assert machine.now()["radio"] == "disabled"
    assert machine.serve("own") == ["own", "own", name, password]
    assert machine.serve("home") == ["home", "home"]
    assert (machine.now()["active"], machine.now()["known"]) == (["Heim"], HOME)
    assert machine.serve("own")[3] != password


@pytest.mark.parametrize(
    ("word", "why", "state"),
    [
        ("own", "no_manager", {"running": False}),
        ("own", "no_radio", {"devices": ["eth0:ethernet"]}),
        ("off", "no_radio", {"devices": []}),
        ("own", "blocked", {"hardware": "disabled"}),
        ("own", "not_up", {"fails": ["referee-own"]}),
        ("home", "no_home", {"known": {"cable": "802-3-ethernet"}, "active": []}),
        ("home", "not_near", {"active": [], "near": []}),
    ],
)
def test_a_failure_is_said_and_leaves_no_network_behind(
    word: str, why: str, state: dict[str, Any], tmp_path: Path
) -> None:
    machine = Machine(tmp_path, **state)
    assert machine.serve(word) == [word, why]
    assert "referee-own" not in machine.now()["known"]
    assert why in WIFI_NOTES


@pytest.mark.parametrize("word", ["", "reboot", "own; id", "\n"])
def test_another_word_does_nothing(word: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    before = machine.now()
    assert machine.serve(word) == []
    assert machine.now() == before


# -- the referee's side --------------------------------------------------------------------------------------------


def asks(tmp_path: Path, answers: Callable[[str], str | None], patience_s: float = PATIENCE_S) -> tuple[Wifi, Any]:
    """Return the driver, and a function that carries out its notes and waits until it has noticed the answer."""
    noticed = threading.Event()
    file = tmp_path / "answer"
    wifi = Wifi(tmp_path, noticed.set, file=file, patience_s=patience_s)

    def serve() -> None:
        note = tmp_path / "wifi"
        while not note.exists():
            noticed.wait(0.01)
        word = note.read_text()
        note.unlink()
        if (text := answers(word)) is not None:
            (tmp_path / "answer.new").write_text(text)
            (tmp_path / "answer.new").replace(file)
        assert noticed.wait(PATIENCE_S)

    return wifi, serve


def test_the_choice_is_asked_for_once_and_its_answer_is_shown(tmp_path: Path) -> None:
    wifi, serve = asks(tmp_path, lambda word: f"{word}\n{word}\nTable 42\nk7q4xm2p9r\n")
    output = WifiOutput(wifi)
    chosen = view(WifiScreen("own"))
    assert output.dress(chosen) == chosen
    output.show(chosen)
    assert output.dress(chosen) == chosen
    serve()
    dressed = output.dress(chosen)
    assert dressed.screen == WifiScreen("own", name="Table 42", password="k7q4xm2p9r")
    output.show(dressed)
    assert not (tmp_path / "wifi").exists()
    lobby = view(LobbyScreen("NNA", 100, (), 0))
    output.show(lobby)
    assert output.dress(lobby) == lobby
    assert output.dress(view(WifiScreen("home"))).screen == WifiScreen("home")


def test_a_failure_is_a_sentence(tmp_path: Path) -> None:
    wifi, serve = asks(tmp_path, lambda word: f"{word}\nno_home\n")
    output = WifiOutput(wifi)
    output.show(view(WifiScreen("home")))
    serve()
    assert output.dress(view(WifiScreen("home"))).screen == WifiScreen("home", WIFI_NOTES["no_home"])


def _given(text: str | None, word: str) -> str | None:
    return text


def test_an_old_answer_or_one_to_another_word_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "answer").write_text("own\nown\nTable 11\nold\n")
    texts: list[str | None] = [None, "off\noff\n", ""]
    for text in texts:
        wifi, serve = asks(tmp_path, partial(_given, text), patience_s=0.5)
        wifi.choose("own")
        serve()
        assert wifi.answer == Answer("no_answer")


def test_without_a_service_or_a_radio_there_is_no_wi_fi(tmp_path: Path) -> None:
    assert not Wifi(tmp_path, bool, root=tmp_path).there
    (tmp_path / "sys/class/net/wlan0/phy80211").mkdir(parents=True)
    assert Wifi(tmp_path, bool, root=tmp_path).there
    assert not Wifi(None, bool, root=tmp_path).there
