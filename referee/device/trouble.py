"""If the device cannot start under a service manager, show why and wait until that changes.

At a terminal, an error message and exit status 2 are enough. A device has no terminal: with `Restart=always`, a wrong
line in its configuration would restart it every second, with a dark display. The program therefore keeps running. It
shows the error on the display that the rest of the configuration names, notifies the service manager, and exits when
the file has changed or after one minute, to be restarted. It writes no files.
"""

from __future__ import annotations

import logging
import signal
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from referee.config import Config, salvage
from referee.core.units import S
from referee.device import assembly
from referee.drivers.oled.display import Display
from referee.drivers.systemd import Notifier

LOG = logging.getLogger("referee")
PAGE_S = 4.0
"""Time in s for which a page of the sentence is shown; enough to read about fifteen words."""
AGAIN_S = 60.0
"""Time in s until the next try. By then, another process may have released pins or journal."""
LOOK_S = 1.0


def stand(sentence: str, path: Path | None, stopping: threading.Event, notifier: Notifier | None = None) -> int:
    """Show why the program cannot start, until a minute passes or the configuration changes.

    `path`: the configuration's file. Return the exit status: 0 if `stopping` was set while this was shown, else 2.
    """
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
    """Show why the program cannot start, like `stand`; SIGTERM and SIGINT end it, with result 0."""
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    return stand(sentence, path, stopping)


class Sign:
    """Shows a sentence on the display, if the display can be opened."""

    def __init__(self, sentence: str, config: Config) -> None:
        self._factory: Any = None
        self._display: Display[int] | None = None
        try:
            self._open(sentence, config)
        except Exception as exc:  # the sentence is also in the log
            LOG.warning("nothing can be shown: %s", exc)

    def _open(self, sentence: str, config: Config) -> None:
        from referee.screens.dialogs import draw_trouble

        self._factory = assembly.pin_factory(False, config)
        connect = assembly.panel(config, assembly.profile_of(config), self._factory)
        if connect is not None:
            size, language = assembly.glass(config), config.display.language
            draw = partial(draw_trouble, sentence, size=size, language=language)
            self._display = Display(connect, draw, LOG, bright=config.display.brightness)

    def turn(self, page: int) -> None:
        """Show a page of the sentence. Numbers beyond the last page start again at the first page."""
        if self._display is not None:
            self._display.show(page)

    def close(self) -> None:
        """Close the display, but leave its picture on until the next start."""
        if self._display is not None:
            self._display.close(blank=False)
        with suppress(Exception):
            if self._factory is not None:
                self._factory.close()


def _file_mark(path: Path | None) -> tuple[int, int] | None:
    """Return the file's modification time and size, which show whether the file has changed."""
    try:
        found = path.stat() if path is not None else None
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size) if found is not None else None
