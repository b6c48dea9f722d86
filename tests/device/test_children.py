"""Child processes: bytes to a slow one, and the question whether it still answers."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.device.children import mqtt
from referee.device.children import page as web
from referee.device.children import supervisor as children
from referee.device.children.page import bind_sockets
from referee.device.children.supervisor import QUESTIONS, Child, Heartbeat, KeptChild
from referee.page import update_upload as update
from referee.protocol import processes
from referee.protocol.mqtt import Settings
from referee.protocol.page import Served
from referee.protocol.processes import FIRST_VICTIM, run_once
from referee.web.mdns import given_name

HANGS_S = 60.0
PATIENCE_S = 60.0
POLL_S = 0.01
LONG = 64 << 20
GARBAGE = bytes(range(255, 10, -1))


def test_what_finds_no_room_is_sent_later_in_order() -> None:
    child = Child.__new__(Child)  # its end of the socket alone
    child.rest, (child._line, theirs) = b"", socket.socketpair()
    sent, number = b"", 0
    while child.send_now(part := bytes([number]) * 50_000):
        sent, number = sent + part, number + 1
    with ThreadPoolExecutor() as threads, theirs.makefile("rb") as lines:
        read = threads.submit(lines.read)
        child.send(b"end")
        child._line.close()
        assert read.result() == sent + b"end"
    theirs.close()
    assert number > 0
    assert not child.send_now(b"gone")


# -- faults of each kind of child ----------------------------------------------------------------------------------


@contextmanager
def kept(kind: str, folder: Path) -> Iterator[KeptChild]:
    """Run the page or the MQTT link, whose broker is away."""
    child: KeptChild
    if kind == "page":
        child = web.PageProcess(Served(("1", "2"), False, "127.0.0.1"), bind_sockets("127.0.0.1", 0))
    else:
        child = mqtt.Publisher(Settings("127.0.0.1", 9, False, "t1", str(folder)), lambda: None)
    try:
        yield child
    finally:
        child.stop()


def wait(wanted: Callable[[], object], look: Callable[[], object] = lambda: None) -> None:
    """Wait until something has happened; call `look` again and again, as the device does."""
    end_s = time.monotonic() + PATIENCE_S
    while not wanted():
        assert time.monotonic() < end_s
        look()
        threading.Event().wait(POLL_S)


def answers(child: KeptChild) -> bool:
    """Return whether the child has answered a question."""
    return child.pid is not None and child._pulse._number > 0 and child._pulse._asked_s is None


def signals(number: int) -> Callable[[KeptChild], None]:
    """Return a function that sends a signal to the child."""

    def send(child: KeptChild) -> None:
        assert child.pid is not None
        os.kill(child.pid, number)

    return send


def garbles(child: KeptChild) -> None:
    """Send garbage to the child."""
    assert child._child is not None
    child._child.send(GARBAGE + b"\n")


def starves(child: KeptChild) -> None:
    """Let the child get no more memory, and send it a long message."""
    assert child._child is not None
    resource.prlimit(child._child.process.pid, resource.RLIMIT_DATA, (1, 1))
    with suppress(OSError):  # it ends before it has read all
        child._child.send(LONG.to_bytes(4, "big") + bytes(LONG))


@pytest.mark.parametrize("kind", ["page", "MQTT link"])
def test_child_has_less_memory_and_priority_than_the_referee(kind: str, tmp_path: Path) -> None:
    """If memory runs out, the kernel kills the child first."""
    with kept(kind, tmp_path) as child:
        wait(lambda: answers(child), child.look)
        pid, most = child.pid or 0, child._program.memory_bytes
        assert resource.prlimit(pid, resource.RLIMIT_DATA) == (most, most)
        assert os.getpriority(os.PRIO_PROCESS, pid) == min(os.getpriority(os.PRIO_PROCESS, 0) + children.STEP_BACK, 19)
        assert Path(f"/proc/{pid}/oom_score_adj").read_text() == f"{FIRST_VICTIM}\n"


FAULTS = {
    "killed": (signals(signal.SIGKILL), "status -9"),
    "stopped": (signals(signal.SIGSTOP), "it was stopped"),
    "garbage": (garbles, "status"),
    "no memory": (starves, "status"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", ["page", "MQTT link"])
def test_lost_child_is_named_and_comes_back(
    kind: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(children, "PAUSES_S", (0.05,))
    cause, why = FAULTS[fault]
    with kept(kind, tmp_path) as child:
        wait(lambda: answers(child), child.look)
        assert not child.lost
        lost = child.pid
        cause(child)
        wait(lambda: child.lost, child.look)
        wait(lambda: not child.lost, child.look)
        assert child.pid != lost
    ended, back = caplog.messages
    assert ended.startswith(f"the {kind} has ended ({why}")
    assert back == f"the {kind} is back"


@pytest.mark.parametrize(
    ("noise", "why"),
    [("", "it no longer answered"), ("lines", "it sent 10 invalid lines"), ("line", "it sent a line of more than")],
)
@pytest.mark.parametrize(("kind", "module", "program"), [("page", web, "PAGE"), ("MQTT link", mqtt, "CHILD")])
def test_child_that_breaks_its_line_is_named_and_comes_back(
    kind: str,
    module: object,
    program: str,
    noise: str,
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Garbage without an end does not fill the log."""
    monkeypatch.setattr(children, "PAUSES_S", (0.05,))
    monkeypatch.setenv("NOISE", noise)
    good = getattr(module, program)
    monkeypatch.setattr(
        module, program, replace(good, module="tests.device.broken_child", hangs_s=HANGS_S if noise else 0.0)
    )
    with kept(kind, tmp_path) as child:
        wait(lambda: child.lost, child.look)
        child._program = good
        wait(lambda: not child.lost, child.look)
    said = [message for message in caplog.messages if "invalid line:" not in message]
    assert f"the {kind} has ended ({why}" in said[0]
    assert said[-1] == f"the {kind} is back"
    assert len(caplog.messages) - len(said) <= children.MOST_WRONG * (len(said) - 1)


# -- programs that run once ------------------------------------------------------------------------------------------

STOPS, SLEEPS = "kill -STOP $$", "exec sleep 1000"


def script(path: Path, line: str) -> Path:
    """Write a program that notes its process ID in a file next to it, and runs that line of the shell."""
    path.write_text(f'#!/bin/sh\necho $$ > "{path}.pid"\n{line}\n')
    path.chmod(0o755)
    return path


def is_gone(path: Path) -> bool:
    """Return whether the program of that script has ended."""
    return not Path("/proc", path.with_name(f"{path.name}.pid").read_text().strip()).exists()


async def test_program_gets_its_input_and_leaves_its_output() -> None:
    shell = ("sh", "-c", "cat; echo wrong >&2; exit 3")
    assert await run_once(shell, PATIENCE_S, b"given") == (3, b"given", b"wrong\n")
    with pytest.raises(FileNotFoundError):
        await run_once(("/nowhere/at-all",), PATIENCE_S)


@pytest.mark.parametrize(
    ("line", "limit_s", "why"), [(STOPS, PATIENCE_S, "stopped"), (SLEEPS, 0.5, "longer than 0.5 s")]
)
async def test_program_that_is_stopped_or_late_is_killed(
    line: str, limit_s: float, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "LOOK_S", POLL_S)
    program = script(tmp_path / "program", line)
    with pytest.raises(TimeoutError, match=why):
        await run_once((str(program),), limit_s)
    assert is_gone(program)


async def test_late_check_of_an_update_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "CHECK_S", 0.5)
    program = script(tmp_path / "update", SLEEPS)

    async def parts() -> AsyncIterator[bytes]:
        yield b"bundle"

    with pytest.raises(update.UpdateError):
        await update.UpdateInbox((str(program), str(tmp_path))).take(parts())
    assert is_gone(program)


def test_stopped_busctl_does_not_keep_the_page_shut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "LOOK_S", POLL_S)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    busctl = script(tmp_path / "busctl", STOPS)
    assert asyncio.run(given_name()) == ""
    assert is_gone(busctl)


# -- the heartbeat -------------------------------------------------------------------------------------------------


class Clock:
    """A clock set by the test, in seconds."""

    def __init__(self) -> None:
        self.now_s = 1.0

    def __call__(self) -> float:
        return self.now_s


def test_a_process_is_asked_once_and_again_some_time_after_its_answer() -> None:
    clock = Clock()
    pulse = Heartbeat(HANGS_S, clock)
    asked = pulse.question()
    assert asked is not None
    clock.now_s += HANGS_S
    assert pulse.question() is None
    pulse.note_answer(asked)
    clock.now_s += HANGS_S / QUESTIONS - 1
    assert pulse.question() is None
    clock.now_s += 2
    assert pulse.question() == asked + 1


def test_an_old_answer_is_no_answer() -> None:
    clock = Clock()
    pulse = Heartbeat(HANGS_S, clock)
    assert pulse.question() is not None
    pulse.note_answer(99)
    clock.now_s += HANGS_S + 1
    assert [pulse.hangs(), pulse.hangs()] == [False, True]


@given(st.lists(st.one_of(st.sampled_from(["say", "answer", "look"]), st.floats(0, 2 * HANGS_S)), max_size=40))
def test_it_hangs_when_an_answer_is_late_at_two_looks_in_a_row_and_not_else(steps: list[str | float]) -> None:
    """A machine that was suspended wakes with a late answer under way, so one late check is not enough."""
    clock = Clock()
    pulse = Heartbeat(HANGS_S, clock)
    asked: tuple[int, float] | None = None
    late = 0
    for step in steps:
        if isinstance(step, float):
            clock.now_s += step
        elif step == "say":
            question = pulse.question()
            asked, late = (asked, late) if question is None else ((question, clock.now_s), 0)
        elif step == "answer" and asked is not None:
            pulse.note_answer(asked[0])
            asked = None
        elif step == "look":
            late = late + 1 if asked is not None and clock.now_s - asked[1] > HANGS_S else 0
            assert pulse.hangs() is (late >= 2)
