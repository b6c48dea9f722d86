"""Sentences rendered by programs in place of espeak-ng that fail or never end."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.core.units import S
from referee.drivers.sound import speaker as module
from referee.drivers.sound.speaker import HEADER_BYTES, MOST_BYTES, Speaker, rendered
from tests.drivers.test_speaker import until

Program = Callable[[str], Path]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Return a function that installs a shell script as espeak-ng; it returns the file with the script's process."""
    rendered.cache_clear()
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def install(script: str) -> Path:
        path = tmp_path / "espeak-ng"
        path.write_text(f"#!/bin/sh\necho $$ >> {tmp_path}/started\n{script}\n")
        path.chmod(0o755)
        return tmp_path / "started"

    return install


def is_running(pid: str) -> bool:
    return Path(f"/proc/{pid.strip()}").exists()


def test_the_samples_follow_the_header(program: Program) -> None:
    program("cat >&2; head -c 100 /dev/zero")
    assert rendered("Anna wins!", "en") == bytes(100 - HEADER_BYTES)


@pytest.mark.parametrize("more", [0, 1])
def test_a_sentence_has_a_most_of_bytes(program: Program, more: int) -> None:
    program(f"head -c {HEADER_BYTES + MOST_BYTES + more} /dev/zero")
    if more:
        with pytest.raises(OSError, match=str(MOST_BYTES >> 10)):
            rendered("Anna wins!", "en")
    else:
        assert len(rendered("Anna wins!", "en")) == MOST_BYTES


def test_a_program_that_writes_for_ever_is_ended_and_logged_once(
    program: Program, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    started = program("exec cat /dev/zero")
    now_ns = [0]
    speaker = Speaker(("sh", "-c", f"cat > {tmp_path}/played"), clock=lambda: now_ns[0])
    with caplog.at_level(logging.WARNING):
        for n in (1, 2):
            now_ns[0] += 3600 * S
            speaker.say(f"Hand {n}.", "en")
            until(lambda n=n: started.exists() and started.read_text().count("\n") == n)
            until(lambda: speaker.lost)
        speaker.stop()
    assert not any(map(is_running, started.read_text().splitlines()))
    assert not (tmp_path / "played").exists()
    assert len(caplog.records) == 1
    assert str(MOST_BYTES >> 10) in caplog.text


def test_a_program_that_never_answers_is_ended(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RENDER_S", 0.05)
    started = program("exec sleep 600")
    with pytest.raises(OSError, match="-9"):
        rendered("Anna wins!", "en")
    assert not is_running(started.read_text())


def test_a_program_that_fails_is_an_error(program: Program) -> None:
    program("exit 3")
    with pytest.raises(OSError, match="status 3"):
        rendered("Anna wins!", "en")
