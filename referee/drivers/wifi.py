"""Asks for another Wi-Fi network; a service with the rights to change networks does it.

The referee itself may change no network. It leaves a file with one word ("own", "home" or "off") in its runtime
directory. referee-wifi.path sees the file and starts systemd/debian/wifi, which answers with the file `ANSWER`: the
word, then the result, then the name and password of the own network.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from pathlib import Path

from referee.core.values import Value
from referee.drivers.pi.vitals import wireless

NOTE = "wifi"
"""The file in the service's runtime directory that triggers referee-wifi.path."""
ANSWER = Path("/run/referee-wifi/answer")
PATIENCE_S, POLL_S = 60.0, 0.2
LETTERS = 64
"""Maximum length of a line of the answer that is read."""


class Answer(Value):
    """result: "own", "home", "off", or why it failed, such as "no_radio"."""

    result: str
    name: str = ""
    password: str = ""


class Wifi:
    """Asks for a network and waits for the answer on a thread."""

    def __init__(
        self,
        directory: Path | None,
        answered: Callable[[], object],
        *,
        file: Path = ANSWER,
        root: Path = Path("/"),
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`directory`: the service's runtime directory, None outside a service. `answered`: called on the thread."""
        self._directory, self._answered, self._file, self._root = directory, answered, file, root
        self._patience_s = patience_s
        self._asked = 0
        self.answer: Answer | None = None
        """The answer to the last request; None while it is awaited."""

    @property
    def there(self) -> bool:
        """Return whether this machine has Wi-Fi that the service can switch."""
        return self._directory is not None and bool(wireless(self._root))

    def choose(self, choice: str) -> None:
        """Ask for a network: "own", "home" or "off". A later request replaces an earlier one."""
        self._asked += 1
        self.answer = None
        threading.Thread(target=self._ask, args=(choice, self._asked), name="wi-fi", daemon=True).start()

    def _ask(self, choice: str, number: int) -> None:
        answer = Answer("no_answer")
        with contextlib.suppress(OSError):  # unwritable: nobody answers
            answer = self._wait(choice, number)
        if number == self._asked:
            self.answer = answer
            self._answered()

    def _wait(self, choice: str, number: int) -> Answer:
        before = self._stamp()
        assert self._directory is not None
        fresh = self._directory / f"{NOTE}.new"
        fresh.write_text(choice, "ascii")
        fresh.replace(self._directory / NOTE)
        give_up_s = time.monotonic() + self._patience_s
        while number == self._asked and time.monotonic() < give_up_s:
            if self._stamp() != before:
                word, *told = self._file.read_text("utf-8", "replace").splitlines()[:4] or [""]
                if word == choice and told:
                    return Answer(*(line[:LETTERS] for line in told))
            time.sleep(POLL_S)
        return Answer("no_answer")

    def _stamp(self) -> tuple[int, int] | None:
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ino
