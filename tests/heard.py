"""Restore signals for child processes, however the tests were started."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def heard(number: signal.Signals) -> Iterator[None]:
    """Let child processes started in this context receive that signal.

    A program inherits ignored signals: a shell ignores Ctrl-C for background jobs, nohup a closed terminal. Without
    this, a child that a test wants to end by such a signal would never end.
    """
    before = signal.signal(number, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(number, before)
