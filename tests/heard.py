"""Signals that a program under test hears, whoever runs the tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def heard(number: signal.Signals) -> Iterator[None]:
    """A process begun within it hears that signal.

    A program ignores what its caller ignores, and a shell ignores Ctrl-C for what it runs in the background, nohup a
    closed terminal: then one that a test wants to end by such a signal would go on for ever.
    """
    before = signal.signal(number, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(number, before)
