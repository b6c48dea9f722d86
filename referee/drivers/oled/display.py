"""The display: a worker thread draws the newest frame on a panel.

A mailbox holds one frame, the newest. `show()` stores it and returns at once; on a slow bus, frames between are
skipped. The worker sleeps until there is a frame, until a retry of a failed panel is due, or for a minute. A chip that
restarts by itself is dark and raises no error, so the panel's status is read before each frame and once a minute; if it
cannot be read, everything is sent again once a minute. A panel that fails is closed, opened again after Health's pause,
and redrawn. Its errors do not reach the daemon.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from logging import Logger
from typing import Generic, NamedTuple, Protocol, TypeVar

from PIL import Image

from referee.drivers.health import Health

BRIGHT, DIM = 0xCF, 0x10
"""Contrast levels: luma's default for an SSD1306, and one still readable across a table."""
TEND_NS = 60_000_000_000
"""Interval in ns at which an unchanged panel is checked."""
CLOSE_S = 2.0
"""How long `close` waits for a stuck bus, in seconds."""

F = TypeVar("F")


class Panel(Protocol):
    """A panel that shows 1-bit pictures, such as an `OledPanel`. All methods may raise."""

    def write(self, image: Image.Image) -> None: ...
    def contrast(self, level: int) -> None: ...
    def answers(self) -> bool: ...
    def refresh(self) -> None: ...
    def close(self, blank: bool) -> None: ...


class _Mail(NamedTuple, Generic[F]):
    frame: F
    dim: bool


class Display(Generic[F]):
    """Draws frames and shows them on a panel, on its own thread (the worker).

    draw: turns a frame, a value of any type, into a 1-bit picture. connect: opens the panel, or raises. on_shown:
    called by the worker with a frame and the time at which the panel shows it. clock_ns: the clock for this time, for
    retries and for checks of the panel.
    """

    def __init__(
        self,
        connect: Callable[[], Panel],
        draw: Callable[[F], Image.Image],
        log: Logger,
        *,
        bright: int = BRIGHT,
        dim: int = DIM,
        on_shown: Callable[[F, int], None] | None = None,
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._connect, self._draw, self._log = connect, draw, log
        self._levels = {False: bright, True: min(dim, bright)}
        self._on_shown = on_shown
        self._clock_ns = clock_ns
        self._health = Health("display", log)
        self._panel: Panel | None = None
        self._tend_ns = 0  # when to check the panel next, while it is open
        self._level: int | None = None  # the panel's contrast
        self._latest: _Mail[F] | None = None  # the frame that it shows or should show
        self._mail: _Mail[F] | None = None
        self._state = threading.Condition()
        self._ending: bool | None = None  # None: running; else whether to blank at the end
        self._busy = True  # False while the worker sleeps
        self._worker = threading.Thread(target=self._run, name="display", daemon=True)
        self._worker.start()

    def show(self, frame: F, dim: bool = False) -> None:
        """Show this frame next. It replaces a frame that still waits. Never blocks."""
        with self._state:
            self._mail = _Mail(frame, dim)
            self._state.notify_all()

    def set_brightness(self, bright: int, dim: int) -> None:
        """Set the contrast, 0..255, of normal and of dimmed frames."""
        with self._state:
            self._levels = {False: bright, True: min(dim, bright)}
            self._mail = self._mail or self._latest
            self._state.notify_all()

    @property
    def lost(self) -> bool:
        return self._health.lost

    def wake(self) -> None:
        """Make the worker read the clock again. For tests, which set the clock by hand."""
        with self._state:
            self._state.notify_all()

    def settle(self, timeout_s: float = 5.0) -> bool:
        """Wait until the newest frame is shown or the panel has failed. Return False on timeout."""
        with self._state:
            return self._state.wait_for(lambda: self._mail is None and not self._busy, timeout_s)

    def close(self, blank: bool = True) -> None:
        """End the worker; with `blank`, blank the panel. Waits at most CLOSE_S for a stuck bus."""
        with self._state:
            self._ending = blank
            self._state.notify_all()
        self._worker.join(CLOSE_S)

    # -- the worker ----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while (work := self._next()) is not None:
            try:
                work()
            except Exception as exc:  # any error of bus, library or drawing; the match goes on
                self._drop(exc)
            else:
                self._health.ok()
        if self._panel is not None:
            self._close_panel(bool(self._ending))

    def _next(self) -> Callable[[], None] | None:
        """Wait for the next task: draw a frame, open a lost panel again, or check the panel.

        Return None after `close`.
        """
        with self._state:
            while self._ending is None:
                if work := self._due():
                    self._busy = True
                    return work
                self._busy = False
                self._state.notify_all()
                self._state.wait(self._pause_s())
            return None

    def _due(self) -> Callable[[], None] | None:
        now_ns = self._clock_ns()
        if self._mail is not None:
            self._latest, self._mail = self._mail, None
        elif not (self._health.lost and self._health.due(now_ns)):
            return self._tend if self._panel is not None and now_ns >= self._tend_ns else None
        if self._latest is None or not self._health.due(now_ns):
            return None
        return partial(self._put, self._latest)

    def _pause_s(self) -> float | None:
        """Return the seconds until a retry or a check is due; None if neither is planned."""
        tend_ns = None if self._panel is None else self._tend_ns
        due_ns = self._health.next_ns if self._health.next_ns is not None else tend_ns
        return None if due_ns is None else max(0, due_ns - self._clock_ns()) / 1e9 + 0.001

    def _put(self, mail: _Mail[F]) -> None:
        picture = self._draw(mail.frame)
        if self._panel is None:
            self._panel, self._level = self._connect(), None
            self._tend_ns = self._clock_ns() + TEND_NS
        else:
            self._tend()
        self._panel.write(picture)
        level = self._levels[mail.dim]
        if level != self._level:
            self._panel.contrast(level)
            self._level = level
        if self._on_shown is not None:
            self._on_shown(mail.frame, self._clock_ns())

    def _tend(self) -> None:
        """Check the panel. Raises an error if the panel's chip has restarted.

        If the chip's status cannot be read, send everything again once a minute.
        """
        now_ns = self._clock_ns()
        assert self._panel is not None
        if not self._panel.answers() and now_ns >= self._tend_ns:
            self._panel.refresh()
        if now_ns >= self._tend_ns:
            self._tend_ns = now_ns + TEND_NS

    def _drop(self, exc: Exception) -> None:
        self._health.note_failure(exc, self._clock_ns())
        if self._panel is not None:
            self._close_panel(blank=False)

    def _close_panel(self, blank: bool) -> None:
        panel, self._panel = self._panel, None
        try:
            if panel is not None:
                panel.close(blank)
        except Exception as exc:
            self._log.debug("display did not close: %s", exc)
