"""Messages to systemd."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.drivers.systemd import (
    GOING_DOWN_NOTE,
    OFF_NOTE,
    TONE_LINK,
    UPDATE_NOTE,
    Notifier,
    ask_systemd,
    boot_id,
    goes_down,
    leave_tone,
)


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    """The service manager's end of the socket, and its name as in NOTIFY_SOCKET."""
    name = str(tmp_path / "notify") if request.param == "path" else f"@referee-test-{uuid.uuid4()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ours:
        ours.bind("\0" + name[1:] if name.startswith("@") else name)
        ours.settimeout(5)
        yield ours, name


def test_each_message_arrives(manager: tuple[socket.socket, str]) -> None:
    ours, name = manager
    notifier = Notifier({"NOTIFY_SOCKET": name})
    assert notifier.ready("Bär,\n4 buttons")
    assert ours.recv(999) == "READY=1\nSTATUS=Bär, 4 buttons".encode()
    assert notifier.watchdog()
    assert ours.recv(999) == b"WATCHDOG=1"
    assert notifier.stopping()
    assert ours.recv(999) == b"STOPPING=1"


@pytest.mark.parametrize("environ", [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "vsock:2:1234"}])
def test_without_a_socket_nothing_is_sent(environ: dict[str, str]) -> None:
    assert not Notifier(environ).ready("lobby")


def test_a_manager_that_does_not_read_never_blocks_us(manager: tuple[socket.socket, str]) -> None:
    """With a full queue a message is dropped at once; a blocking send would hang this test."""
    _, name = manager
    notifier = Notifier({"NOTIFY_SOCKET": name})
    assert not all(notifier.watchdog() for _ in range(10_000))


@pytest.mark.parametrize(
    ("environ", "interval_ns"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "30000000"}, 30_000_000_000),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 30_000_000_000),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({"WATCHDOG_USEC": "²"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
    ],
)
def test_the_watchdog_is_for_the_process_it_names(environ: dict[str, str], interval_ns: int | None) -> None:
    assert Notifier(environ).watchdog_ns == interval_ns


def test_the_boot_id_is_the_kernel_s(tmp_path: Path) -> None:
    given = tmp_path / "boot_id"
    given.write_text("4d3c-9f\n")
    assert boot_id(given) == "4d3c-9f"
    assert boot_id() == boot_id() != ""


def test_without_a_kernel_s_boot_id_each_process_has_its_own(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    names = [boot_id(tmp_path / "missing"), boot_id(tmp_path / "empty")]
    assert names[0] == boot_id(tmp_path / "missing") != names[1]
    assert all(name.startswith("unknown-") for name in names)


UNITS = Path(__file__).parents[2] / "systemd"


def test_the_note_is_the_one_that_the_path_unit_waits_for(tmp_path: Path) -> None:
    """In the service's runtime directory, which outlives it.

    A service that exited with 0 is not restarted.
    """
    for note in (OFF_NOTE, UPDATE_NOTE):
        assert ask_systemd(note, {"RUNTIME_DIRECTORY": f"{tmp_path}:/elsewhere"})
        assert (tmp_path / note).exists()
        assert f"PathExists=/run/referee/{note}" in (UNITS / f"referee-{note}.path").read_text("utf-8").splitlines()
        service = (UNITS / f"referee-{note}.service").read_text("utf-8").splitlines()
        assert next(line for line in service if "ExecStart=" in line) == f"ExecStart=/bin/rm -f /run/referee/{note}"
    service = (UNITS / "referee.service").read_text("utf-8").splitlines()
    assert f"ExecStartPre=/bin/rm -f /run/referee/{OFF_NOTE}" in service  # an unread note is not kept for later
    assert {"RuntimeDirectory=referee", "RuntimeDirectoryPreserve=yes", "RestartPreventExitStatus=0"} <= set(service)
    off = (UNITS / "referee-off.service").read_text("utf-8").splitlines()
    assert [line for line in off if line.startswith("ExecStart=")] == [
        f"ExecStart=/bin/rm -f /run/referee/{OFF_NOTE}",
        "ExecStart=/bin/systemctl --no-block poweroff",
    ]


def test_a_dead_daemon_s_tone_is_ended_on_whatever_channel_it_was(tmp_path: Path) -> None:
    """The unit's own line, run by a shell, silences the channel named by the daemon.

    It writes in the order that the kernel accepts. A table without a piezo names none, and
    nothing happens. A second life replaces the first's name.
    """
    node = tmp_path / "devices" / "1f00098000.pwm" / "pwm" / "pwmchip2" / "pwm1"
    node.mkdir(parents=True)
    for name, value in (("period", "2000"), ("duty_cycle", "1000"), ("enable", "1")):
        (node / name).write_text(value)
    runtime = tmp_path / "run"
    runtime.mkdir()
    service = (UNITS / "referee.service").read_text("utf-8").splitlines()
    (line,) = [line for line in service if line.startswith("ExecStopPost=")]
    command = line.removeprefix("ExecStopPost=-/bin/sh -c ").strip("'").replace("/run/referee", str(runtime))
    assert subprocess.run(["/bin/sh", "-c", command], check=False).returncode != 0
    assert leave_tone(tmp_path / "pwmchip0" / "pwm1", {"RUNTIME_DIRECTORY": str(runtime)})
    assert leave_tone(node, {"RUNTIME_DIRECTORY": f"{runtime}:/elsewhere"})
    assert leave_tone(node, {"RUNTIME_DIRECTORY": str(runtime)})
    assert [path.name for path in runtime.iterdir()] == [TONE_LINK]
    subprocess.run(["/bin/sh", "-c", command], check=True)
    assert [(node / name).read_text().strip() for name in ("period", "duty_cycle", "enable")] == ["2000", "0", "0"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_finds_nothing_to_say_about_the_units(tmp_path: Path) -> None:
    """The service's program is in a test directory; everything else is as installed."""
    for path in [*UNITS.glob("*.service"), *UNITS.glob("*.path")]:
        unit = path.name.replace("@.", "@sda1.")
        text = re.sub(
            r"^(Exec\w+=-?)(/opt|/usr/libexec|/usr/bin/referee|/var)\S*",
            r"\1/bin/true",
            path.read_text("utf-8"),
            flags=re.M,
        )
        (tmp_path / unit).write_text(text, "utf-8")
    command = ["systemd-analyze", "verify", "--man=no", *map(str, sorted(tmp_path.iterdir()))]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    ours = [line for line in found.stderr.splitlines() if "referee" in line]
    assert (ours, found.returncode) == ([], 0)


def test_a_note_says_that_the_machine_goes_down(tmp_path: Path) -> None:
    """The note of referee-going-down.service, in the directory given by the service manager."""
    assert not goes_down({"RUNTIME_DIRECTORY": str(tmp_path)})
    unit = (UNITS / "referee-going-down.service").read_text("utf-8")
    assert f"ExecStop=/bin/touch /run/referee/{GOING_DOWN_NOTE}\n" in unit
    (tmp_path / GOING_DOWN_NOTE).touch()
    assert goes_down({"RUNTIME_DIRECTORY": f"{tmp_path}:/elsewhere"})
