"""The display: pictures go in from the daemon's loop and appear on a panel, by a worker thread of its own.

The mailbox holds one frame, the newest. `show()` puts it there and returns at once; a slow bus only means that frames
in between are never drawn. The worker sleeps until there is a frame, until a lost panel is worth trying again, or for a
minute: a chip that restarts by itself is dark and raises nothing, so the panel is asked before each frame and once a
minute, and where it cannot answer, it is sent everything again. A panel that fails is dropped, opened again after
Health's pause and refreshed whole; nothing it raises reaches the daemon.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from logging import Logger
from typing import Generic, NamedTuple, TypeVar

from PIL import Image

from referee.drivers.health import Health
from referee.drivers.oled.panel import OledPanel

BRIGHT, DIM = 0xCF, 0x10
"""Contrast levels, luma's default for an SSD1306 and what is still read across a table in the evening."""
TEND_NS = 60_000_000_000
"""How long a panel on which nothing changes is left alone."""
CLOSE_S = 2.0
"""How long an orderly end waits for a stuck bus."""

F = TypeVar("F")


class _Mail(NamedTuple, Generic[F]):
    frame: F
    dim: bool


class Display(Generic[F]):
    """One display. Frames are anything that `draw` turns into a 1-bit picture (views, or pictures themselves).

    connect opens the panel and raises when it is not there. on_shown is told, in the worker, which frame stands on the
    panel since when. clock_ns counts the retries.
    """

    def __init__(
        self,
        connect: Callable[[], OledPanel],
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
        self._panel: OledPanel | None = None
        self._tend_ns = 0  # when the panel is looked after next, while there is one
        self._level: int | None = None  # what the panel's contrast is
        self._latest: _Mail[F] | None = None  # what it shows or should show
        self._mail: _Mail[F] | None = None
        self._state = threading.Condition()
        self._ending: bool | None = None  # None: running; else whether to blank
        self._busy = True  # until the worker sleeps
        self._worker = threading.Thread(target=self._run, name="display", daemon=True)
        self._worker.start()

    def show(self, frame: F, dim: bool = False) -> None:
        """Makes this the frame to show, in place of one that still waits. Never blocks."""
        with self._state:
            self._mail = _Mail(frame, dim)
            self._state.notify_all()

    def set_brightness(self, bright: int, dim: int) -> None:
        """Other contrast levels, 0..255, from now on."""
        with self._state:
            self._levels = {False: bright, True: min(dim, bright)}
            self._mail = self._mail or self._latest
            self._state.notify_all()

    @property
    def lost(self) -> bool:
        """True while the panel does not answer."""
        return self._health.lost

    def wake(self) -> None:
        """Looks at the clock again: for tests, whose clock does not run by itself."""
        with self._state:
            self._state.notify_all()

    def settle(self, timeout_s: float = 5.0) -> bool:
        """Waits until everything shown so far stands on the panel, or the panel is lost. False at the timeout."""
        with self._state:
            return self._state.wait_for(lambda: self._mail is None and not self._busy, timeout_s)

    def close(self, blank: bool = True) -> None:
        """Ends the worker; with `blank` the panel goes dark. A stuck bus is left behind after a while."""
        with self._state:
            self._ending = blank
            self._state.notify_all()
        self._worker.join(CLOSE_S)

    # -- the worker ----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while (work := self._next()) is not None:
            try:
                work()
            except Exception as exc:  # whatever a bus, a library or a picture raises: the match goes on
                self._drop(exc)
            else:
                self._health.ok()
        if self._panel is not None:
            self._close_panel(bool(self._ending))

    def _next(self) -> Callable[[], None] | None:
        """What to do now: put a new frame, or the latest again when a lost panel is due; look after the panel.

        None at the end.
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
        """Seconds until a lost panel is due, or one to be looked after; None (no limit) before the first frame."""
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
        """Raise where the panel's chip says that it has restarted; one that says nothing is refreshed once a minute."""
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
