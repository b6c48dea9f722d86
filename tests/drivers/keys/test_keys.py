"""Keyboards come and go, are told apart by their ports, and light their lamps."""

from __future__ import annotations

import queue
import resource
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from referee.core.model.events import Linked
from referee.core.presses.signals import Edge
from referee.core.values import replace
from referee.drivers.keys.keys import Keys
from referee.drivers.keys.nodes import Keyboard, KeyRow, Node
from tests.drivers.keys.fake import MS, A, B, Plugged

PAD = Node("/dev/input/event3", "Number pad", "046d:c31c", "usb-1.2", codes=frozenset({A, B}))
TWIN = replace(PAD, path="/dev/input/event4", port="usb-1.3")
BUZZ = Node("/dev/input/event7", "Buzz", "054c:0002", "usb-1.4", codes=frozenset(range(0x120, 0x130)))
PATIENCE_S = 30
pytest.importorskip("evdev")


def buttons(device: str, codes: Mapping[int, str], grab: bool = False) -> Keyboard:
    return Keyboard(device, tuple((str(code), station) for code, station in codes.items()), grab)


class Table:
    """Keys with a queue of what they have passed on."""

    def __init__(self, plugged: Plugged, *keyboards: Keyboard) -> None:
        self.rows: queue.SimpleQueue[KeyRow] = queue.SimpleQueue()
        self.said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.keys = Keys(
            keyboards,
            self._take,
            debounce_ns=9 * MS,
            polling_ns=8 * MS,
            find=plugged.find,
            open_=plugged.open,
            news=plugged.news,
            report=self.said.put,
        )
        self.keys.start()

    def _take(self, rows: Sequence[KeyRow]) -> None:
        for row in rows:
            self.rows.put(row)

    def row(self) -> KeyRow:
        return self.rows.get(timeout=PATIENCE_S)

    def linked(self) -> tuple[bool, tuple[str, ...], tuple[str, ...]]:
        row = self.row()
        assert isinstance(row, Linked)
        return row.up, row.stations, row.closed


@pytest.fixture
def plugged() -> Iterator[Plugged]:
    machine = Plugged()
    yield machine
    machine.close()


def test_press_comes_through_with_half_the_delay_as_its_error(plugged: Plugged) -> None:
    pad = plugged.plug(PAD)
    table = Table(plugged, buttons("046d:c31c", {A: "1"}))
    assert table.linked() == (True, ("1",), ())
    t_ns = time.monotonic_ns() // 1000 * 1000
    pad.report(t_ns, (A, 1))
    row = table.row()
    assert isinstance(row, Edge)
    assert (row.t_ns, row.err_ns, row.arrived_ns >= t_ns) == (t_ns - 9 * MS, 9 * MS, True)
    table.keys.close()


def test_interval_of_the_descriptor_replaces_the_setting(plugged: Plugged) -> None:
    pad = plugged.plug(replace(PAD, polling_ns=1 * MS))
    table = Table(plugged, buttons("046d:c31c", {A: "1"}))
    table.linked()
    pad.report(time.monotonic_ns(), (A, 1))
    row = table.row()
    assert isinstance(row, Edge)
    assert row.err_ns == (9 + 1 + 1) * MS // 2
    table.keys.close()


def test_unplugged_with_a_key_down_and_plugged_in_again(plugged: Plugged) -> None:
    pad = plugged.plug(PAD)
    table = Table(plugged, buttons("046d:c31c", {A: "1", B: "2"}))
    table.linked()
    pad.report(time.monotonic_ns(), (A, 1))
    table.row()
    plugged.unplug(PAD)
    up, stations, _ = table.linked()
    assert (up, set(stations)) == (False, {"1", "2"})
    pad = plugged.plug(PAD, B)
    assert table.linked() == (True, ("1", "2"), ("2",))
    pad.report(time.monotonic_ns(), (A, 1))
    row = table.row()
    assert isinstance(row, Edge)
    assert row.closed
    table.keys.close()


def test_two_of_a_kind_are_told_apart_by_their_ports(plugged: Plugged) -> None:
    first, second = plugged.plug(PAD), plugged.plug(TWIN)
    table = Table(plugged, buttons("046d:c31c@usb-1.3", {A: "2"}), buttons("046d:c31c@usb-1.2", {A: "1"}, grab=True))
    assert {table.linked()[1], table.linked()[1]} == {("1",), ("2",)}
    for pad, station in ((first, "1"), (second, "2")):
        pad.report(time.monotonic_ns(), (A, 1))
        row = table.row()
        assert isinstance(row, Edge)
        assert row.station == station
    assert plugged.grabbed == [PAD.path]
    table.keys.close()


def test_keyboard_with_two_device_files_is_one(plugged: Plugged) -> None:
    plugged.plug(replace(PAD, codes=frozenset({A})))
    more = plugged.plug(replace(PAD, path="/dev/input/event5", codes=frozenset({B})))
    table = Table(plugged, buttons("046d:c31c", {A: "1", B: "2"}))
    assert {table.linked()[1], table.linked()[1]} == {("1",), ("2",)}
    more.report(time.monotonic_ns(), (B, 1))
    row = table.row()
    assert isinstance(row, Edge)
    assert row.station == "2"
    table.keys.close()


def test_second_of_a_kind_is_reported_and_does_not_press(plugged: Plugged) -> None:
    first, second = plugged.plug(PAD), plugged.plug(TWIN)
    table = Table(plugged, buttons("046d:c31c", {A: "1"}))
    table.linked()
    assert "is there" in table.said.get(timeout=PATIENCE_S)
    assert '"046d:c31c@usb-1.3"' in table.said.get(timeout=PATIENCE_S)
    second.report(time.monotonic_ns(), (A, 1))
    first.report(time.monotonic_ns(), (A, 1))
    table.row()
    assert table.rows.empty()
    table.keys.close()
    second.close()


def test_keyboard_without_rights_is_reported_once_and_others_work(plugged: Plugged) -> None:
    plugged.refused.add(PAD.path)
    plugged.plug(PAD).close()
    table = Table(plugged, buttons("046d:c31c", {A: "1"}))
    assert "usermod -aG input" in table.said.get(timeout=PATIENCE_S)
    plugged.plug(TWIN)
    table.linked()
    assert "is there" in table.said.get(timeout=PATIENCE_S)
    table.keys.close()


def test_lamp_of_a_handset_follows_its_station(plugged: Plugged, tmp_path: Path) -> None:
    lamps = {n: str(tmp_path / f"buzz{n}") for n in (1, 2, 3, 4)}
    for lamp in lamps.values():
        Path(lamp).mkdir()
    plugged.plug(replace(BUZZ, lamps=lamps))
    table = Table(plugged, buttons("054c:0002", {0x120: "1", 0x125: "2", 0x12F: "4"}))
    table.linked()
    table.keys.light(frozenset({"2", "4"}))
    until = time.monotonic() + PATIENCE_S
    while _brightness(lamps) != ["0", "1", "0", "1"] and time.monotonic() < until:
        threading.Event().wait(0.01)
    assert _brightness(lamps) == ["0", "1", "0", "1"]
    table.keys.close()
    assert _brightness(lamps) == ["0", "0", "0", "0"]


def _brightness(lamps: Mapping[int, str]) -> list[str]:
    files = [Path(lamp) / "brightness" for lamp in lamps.values()]
    return [file.read_text() if file.exists() else "" for file in files]


def test_it_waits_without_waking_up(plugged: Plugged) -> None:
    plugged.plug(PAD)
    table = Table(plugged, buttons("046d:c31c", {A: "1"}))
    table.linked()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
    threading.Event().wait(0.5)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - before < 5
    table.keys.close()
