"""A device that cannot start under a service manager says why on its display, and waits instead of spinning.

At a terminal the sentence and the status 2 are enough. A device has no terminal: with `Restart=always` a wrong line in
its configuration would start it every second, for ever, behind a dark display. So the program stays: it shows the
sentence on whatever display the rest of the configuration names, tells the service manager, and ends when the file has
changed or a minute has passed, to be started again. It writes nothing.
"""

from __future__ import annotations

import logging
import signal
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from referee.app import assembly
from referee.config import Config, salvage
from referee.core.units import S
from referee.drivers.oled.display import Display
from referee.drivers.systemd import Notifier

LOG = logging.getLogger("referee")
PAGE_S = 4.0
"""How long a part of the sentence stands: about fifteen words are read in that time."""
AGAIN_S = 60.0
"""Not every trouble is the file's: pins or a journal that another process holds may be free by then."""
LOOK_S = 1.0


def stand(sentence: str, path: Path | None, stopping: threading.Event, notifier: Notifier | None = None) -> int:
    """Show it until the file changes, a minute has passed (2), or `stopping` is set (0)."""
    notifier = notifier or Notifier()
    LOG.error("cannot start: %s", sentence)
    sign = Sign(sentence, salvage(path))
    before, pause_s = _file_mark(path), min(LOOK_S, (notifier.watchdog_ns or 2 * S) / 2 / S)
    try:
        notifier.ready(f"cannot start: {sentence}")
        for look in range(round(AGAIN_S / pause_s)):
            sign.turn(int(look * pause_s / PAGE_S))
            notifier.watchdog()
            if stopping.wait(pause_s):
                return 0
            if _file_mark(path) != before:
                return 2
        return 2
    finally:
        notifier.stopping()
        sign.close()


def stand_until_told(sentence: str, path: Path | None) -> int:
    """The same for a program: SIGTERM and SIGINT end it."""
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    return stand(sentence, path, stopping)


class Sign:
    """The sentence on the display, if there is one that can be had."""

    def __init__(self, sentence: str, config: Config) -> None:
        self._factory: Any = None
        self._display: Display[int] | None = None
        try:
            self._open(sentence, config)
        except Exception as exc:  # the sentence stands in the log, too
            LOG.warning("nothing can be shown: %s", exc)

    def _open(self, sentence: str, config: Config) -> None:
        from referee.screens.trouble import draw_trouble

        self._factory = assembly.pin_factory(False, config)
        connect = assembly.panel(config, assembly.profile_of(config), self._factory)
        if connect is not None:
            size, language = assembly.glass(config), config.display.language
            draw = partial(draw_trouble, sentence, size=size, language=language)
            self._display = Display(connect, draw, LOG, bright=config.display.brightness)

    def turn(self, page: int) -> None:
        """Show the page of that number; after the last one the first comes again."""
        if self._display is not None:
            self._display.show(page)

    def close(self) -> None:
        """What stands on the panel stays: the next start draws over it, and nobody sees it dark in between."""
        if self._display is not None:
            self._display.close(blank=False)
        with suppress(Exception):
            if self._factory is not None:
                self._factory.close()


def _file_mark(path: Path | None) -> tuple[int, int] | None:
    """By what a change of the file is noticed."""
    try:
        found = path.stat() if path is not None else None
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size) if found is not None else None
