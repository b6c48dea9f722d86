"""Install the pod's program on a Pico: MicroPython's own prompt at the other end of a pty."""

from __future__ import annotations

import ast
import json
import os
import pty
import subprocess
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.drivers.pods import install as pods_install
from referee.drivers.pods.install import FILES, InstallError, install, program
from tests.drivers.pods.test_lines import somebody
from tests.firmware.benchpod import FIRMWARE, HERE, HIGHEST, each_micropython, needs_node
from tests.firmware.ends import firmware

MICROPYTHON = {"array", "binascii", "gc", "machine", "micropython", "os", "rp2", "select", "struct", "sys", "time"}
MICROPYTHON |= {"uctypes"}
"""Its modules on the RP2040."""


class Pico:
    """A simulated Pico for tests."""

    def __init__(self, line: str, node: subprocess.Popen[str]) -> None:
        self.line, self._node = line, node

    def files(self) -> dict[str, str]:
        """Return its files."""
        assert self._node.stdin is not None
        self._node.stdin.write("files\n")
        self._node.stdin.flush()
        while (said := self.said()) == "reset":
            pass
        found: dict[str, str] = json.loads(said)
        return found

    def said(self) -> str:
        """Return its next line."""
        assert self._node.stdout is not None
        return self._node.stdout.readline().strip()


@contextmanager
def pico(*named: str, micropython: Path = HIGHEST) -> Iterator[Pico]:
    """Start a board at MicroPython's prompt with that platform, name and minor version."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    command = ["node", str(HERE / "repl.mjs"), str(micropython), str(master), *named]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[master], text=True) as node:
        os.close(master)
        board = Pico(os.ttyname(slave), node)
        assert board.said() == "ready"
        try:
            yield board
        finally:
            node.terminate()
    os.close(slave)


@needs_node
@each_micropython
def test_a_bare_pico_becomes_a_pod(micropython: Path) -> None:
    with pico(micropython=micropython) as board:
        said: list[str] = []
        assert install(board.line, said.append) == "1.28"
        assert board.said() == "reset"
        assert board.files() == {name: (FIRMWARE / name).read_text() for name in FILES}
        assert said[0].startswith("frames.py, ")
        install(board.line, restart=False)  # over an older one as well
        assert set(board.files()) == set(FILES)


@needs_node
def test_an_install_that_breaks_off_leaves_no_half_pod(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plug is pulled before the files get their names: the incomplete program does not run."""

    def torn(*args: object) -> None:
        raise OSError("the line has ended")

    with pico() as board:
        monkeypatch.setattr(pods_install, "_check", torn)
        with pytest.raises(OSError, match="ended"):
            install(board.line)
        assert not set(board.files()) & set(FILES)


@needs_node
def test_a_file_that_arrived_otherwise_gets_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checksums are compared on the Pico itself."""
    monkeypatch.setattr(pods_install, "crc32", lambda data: 1)
    with pico() as board:
        with pytest.raises(InstallError, match=r"stored frames\.py with errors"):
            install(board.line)
        assert not set(board.files()) & set(FILES)


@needs_node
@pytest.mark.parametrize("board", ["Raspberry Pi Pico2 with RP2350", "Raspberry Pi Pico 2 W with RP2350"])
def test_a_pico_2_becomes_a_pod(board: str) -> None:
    with pico("rp2", board, "29") as bare:
        assert install(bare.line, restart=False) == "1.29"
        assert set(bare.files()) == set(FILES)


@needs_node
@pytest.mark.parametrize(
    ("board", "minor", "said"),
    [
        ("Raspberry Pi Pico2 with RP2350", "23", r"runs MicroPython 1\.23; allowed is 1\.24 to 1\.29"),
        ("Raspberry Pi Pico2 with RP2350-RISCV", "29", r"a pod is a Pico with an RP2040 or RP2350 \(ARM\)"),
    ],
)
def test_a_pico_2_that_cannot_be_a_pod_is_refused(board: str, minor: str, said: str) -> None:
    with pico("rp2", board, minor) as bare, pytest.raises(InstallError, match=said):
        install(bare.line)


@needs_node
def test_what_is_no_rp2_chip_is_refused() -> None:
    """MicroPython's own platform name is checked before anything is written."""
    with pico("esp32") as board:
        with pytest.raises(InstallError, match="runs MicroPython on esp32"):
            install(board.line)
        assert board.files() == {}


@needs_node
@pytest.mark.parametrize("minor", ["21", "30"])
def test_a_micropython_that_nobody_has_tried_is_refused(minor: str) -> None:
    """An older one lacks what the stamper needs; a newer one may keep less for the host."""
    with pico("rp2", "Raspberry Pi Pico W with RP2040", minor) as board:
        with pytest.raises(InstallError, match=rf"runs MicroPython 1\.{minor}; allowed is 1\.22 to 1\.29"):
            install(board.line)
        assert board.files() == {}


def test_who_has_no_prompt_is_told_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPS mouse, or a Pico without MicroPython."""
    monkeypatch.setattr(pods_install, "REACH_S", 0.05)
    with somebody(b"$GPRMC,\r\n") as line, pytest.raises(InstallError, match="shows no MicroPython prompt"):
        install(line)


def test_the_program_is_what_the_firmware_is(monkeypatch: pytest.MonkeyPatch) -> None:
    files = program()
    own = {name.removesuffix(".py") for name in files}
    for data in files.values():
        for node in ast.walk(ast.parse(data)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            assert set(names) <= own | MICROPYTHON
    assert set(files) == {path.name for path in FIRMWARE.glob("*.py")}
    monkeypatch.setattr(pods_install, "PLACES", ())
    with pytest.raises(InstallError, match="missing from this installation"):
        program()


def test_mip_gets_the_same_files_in_the_same_order() -> None:
    """Each file in its folder, main.py last, with the release number that the pod reports."""
    package = json.loads((FIRMWARE / "package.json").read_text())
    assert package["urls"] == [[name, name] for name in FILES]
    assert FILES[-1] == "main.py"
    assert package["version"] == ".".join(map(str, firmware("pod").RELEASE))
