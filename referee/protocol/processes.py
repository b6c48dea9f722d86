"""The start of a child process, its limits, and programs that run once."""

from __future__ import annotations

import contextlib
import logging
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

FIRST_VICTIM = 800
"""The `oom_score_adj` of a child, of -1000 to 1000.

If memory runs out, the kernel kills a child and not the referee.
"""
LOOK_S = 5.0
"""Time in s between two looks at a program that runs once."""
ONCE_BYTES = 512 << 20
"""Maximum bytes of the data of a program that runs once."""


def beat(number: int) -> bytes:
    """Return a child's answer to question `number`, as a line."""
    return b'{"beat":%d}\n' % number


def begin() -> None:
    """Prepare a child's process: set up its log, and ignore SIGINT, SIGTERM and SIGHUP."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")


def is_stopped(pid: int) -> bool:
    """Return whether a signal has stopped this child of ours, such as SIGSTOP."""
    try:
        return os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None
    except (AttributeError, ChildProcessError):  # AttributeError: no Linux
        return False


def environment() -> dict[str, str]:
    """Return a child's environment: it imports from the same paths as its parent."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def confine(pid: int, memory_bytes: int, step_back: int = 0) -> None:
    """Limit the memory of a child, lower its priority, and let the kernel kill it before the referee.

    Do what the system allows: a sandbox may forbid some of it.
    """
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid) + step_back)
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text(str(FIRST_VICTIM))
    with contextlib.suppress(OSError, ValueError, AttributeError):  # AttributeError: no Linux
        resource.prlimit(pid, resource.RLIMIT_DATA, (memory_bytes, memory_bytes))


async def run_once(
    command: Sequence[str], limit_s: float, given: bytes = b"", *, process_group: int | None = None
) -> tuple[int, bytes, bytes]:
    """Run a program with this input to its end. Return its exit status, output and errors.

    limit_s: time in s after which it is killed. Raises OSError if it cannot start, TimeoutError if it was killed.
    """
    import asyncio  # a child without it stays small

    pipe, end_s = asyncio.subprocess.PIPE, time.monotonic() + limit_s
    process = await asyncio.create_subprocess_exec(
        *command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment(), process_group=process_group
    )
    confine(process.pid, ONCE_BYTES)
    talk = asyncio.ensure_future(process.communicate(given))
    try:
        while not (await asyncio.wait([talk], timeout=max(min(LOOK_S, end_s - time.monotonic()), 0)))[0]:
            if is_stopped(process.pid):
                raise TimeoutError("it was stopped")
            if time.monotonic() >= end_s:
                raise TimeoutError(f"it took longer than {limit_s:g} s")
        said, why = talk.result()
    finally:
        talk.cancel()
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, said, why
