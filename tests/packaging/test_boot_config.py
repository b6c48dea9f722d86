"""`boot-config`: the package's script writes a wiring's lines into config.txt, or prints one sentence."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.drivers.pins.pinmap import profile

SCRIPT = Path("systemd/debian/boot-config").resolve()
DIRECT4 = "\n".join(
    ("# card-table-referee: begin", "[all]", *profile("direct4").overlays, "# card-table-referee: end", "")
)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """An existing config.txt."""
    path = tmp_path / "config.txt"
    path.write_bytes(b"# f\xfcr den Tisch\r\ndtparam=spi=on\r\n")
    return path


def called(config: Path, *words: str) -> int:
    """Return the script's exit status, with that file as the Pi's."""
    script: dict[str, Any] = runpy.run_path(str(SCRIPT))
    main = script["main"]
    main.__globals__["PLACES"] = (config,)
    main.__globals__["REFEREE"] = [sys.executable, "-m", "referee"]
    return int(main(list(words)))


def refusal(capfd: pytest.CaptureFixture[str]) -> str:
    """Return the one sentence printed."""
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_the_rest_of_the_file_is_kept_byte_by_byte(config: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Also letters of another encoding.

    Another wiring replaces the lines, and a backup has the original file.
    """
    before = config.read_bytes()
    for wiring in ("full8", "direct4"):
        assert called(config, wiring) == 0
    assert config.read_bytes() == before.rstrip(b"\r\n") + b"\n\n" + DIRECT4.encode()
    kept = config.with_name("config.txt.before-referee").read_bytes()
    assert kept.startswith(before.rstrip(b"\r\n"))
    assert called(config, "direct4") == 0
    assert capfd.readouterr().out.endswith("config.txt says it already.\n")
    assert sorted(path.name for path in config.parent.iterdir()) == ["config.txt", "config.txt.before-referee"]


def test_a_card_that_takes_no_writes_is_one_sentence(
    config: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int) -> None:
        raise PermissionError(13, "Permission denied")

    before = config.read_bytes()
    monkeypatch.setattr(os, "fsync", refuse)
    assert called(config, "direct4") == 2
    assert f": Permission denied: try it with sudo; {config} is as it was.\n" in refusal(capfd)
    assert [path.read_bytes() for path in config.parent.iterdir()] == [before]


def test_a_mark_without_its_end_is_one_sentence(config: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The lines below it may be the user's, so they stay."""
    config.write_text("# card-table-referee: begin\ndtparam=spi=on\n")
    assert called(config, "direct4") == 2
    assert "and none '# card-table-referee: end' below it" in refusal(capfd)
    assert config.read_text() == "# card-table-referee: begin\ndtparam=spi=on\n"
