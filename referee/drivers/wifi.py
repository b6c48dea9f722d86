"""Request another Wi-Fi network from a service that may change networks.

The referee itself has no right to change networks. It writes one word ("own", "home" or "off") into a file in its
runtime directory. referee-wifi.path notices the file and starts systemd/debian/wifi, which writes the file `ANSWER`:
lines with the word, the result, and the name and password of the own network.
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
"""Maximum number of characters that are read of a line of the answer."""


class Answer(Value):
    """The result of a request: "own", "home", "off", or why it failed, such as "no_radio".

    name, password: of the own network.
    """

    result: str
    name: str = ""
    password: str = ""


class Wifi:
    """Requests for a network. A thread waits for each answer."""

    def __init__(
        self,
        directory: Path | None,
        answered: Callable[[], object],
        *,
        file: Path = ANSWER,
        root: Path = Path("/"),
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`directory`: the service's runtime directory; None outside a service.

        `answered`: called on the thread when `answer` is set. `patience_s`: maximum wait for an answer, in s.
        """
        self._directory, self._answered, self._file, self._root = directory, answered, file, root
        self._patience_s = patience_s
        self._asked = 0
        self.answer: Answer | None = None
        """The answer to the last request; None until it arrives."""

    @property
    def there(self) -> bool:
        """Return whether this machine has Wi-Fi that the service can switch."""
        return self._directory is not None and bool(wireless(self._root))

    def choose(self, choice: str) -> None:
        """Request "own", "home" or "off". This replaces an earlier request."""
        self._asked += 1
        self.answer = None
        threading.Thread(target=self._ask, args=(choice, self._asked), name="wi-fi", daemon=True).start()

    def _ask(self, choice: str, number: int) -> None:
        answer = Answer("no_answer")
        with contextlib.suppress(OSError):  # the file cannot be written or read
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
                word, *lines = self._file.read_text("utf-8", "replace").splitlines()[:4] or [""]
                if word == choice and lines:
                    return Answer(*(line[:LETTERS] for line in lines))
            time.sleep(POLL_S)
        return Answer("no_answer")

    def _stamp(self) -> tuple[int, int] | None:
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ino
