"""Past matches for the page, which a separate program reads from the disk.

Each question is one run of that program. The device gives its command (`Served.past`); `storage/records/reader.py`
defines its answers. It has a lower priority than the referee, as the page has. Answers are cached briefly, so that
people who turn pages do not start it each time.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from referee.core.documents.figures import Figures
from referee.core.documents.past import EveningRecords, PastMatch, PastPage
from referee.core.values import Json
from referee.protocol.processes import run_once

LOG = logging.getLogger("referee")
FRESH_S = 5.0
"""Age in s up to which an answer is reused."""
MOST_ANSWERS = 8
"""Maximum number of cached answers."""
PATIENCE_S = 180.0
"""Time in s after which the program is ended.

It runs at the lowest priority: while seven of them kept two cores busy, half a second of processor time took 23
seconds, and rebuilding a lost index of 10,000 records takes ten of them.
"""

_Found = TypeVar("_Found")


class PastError(Exception):
    """Past matches are not available now."""


class PastFeed:
    """Fetches past matches of this device from a program, and caches its answers.

    Use it on one event loop. Every method raises PastError if the program fails.
    """

    def __init__(self, command: Sequence[str] = (), clock: Callable[[], float] = time.monotonic) -> None:
        """`command`: the program; a verb such as "list" is added. Empty: there are no past matches.

        `clock`: returns seconds.
        """
        self._command, self._clock = tuple(command), clock
        self._answers: dict[tuple[str, ...], tuple[float, bytes]] = {}
        self._asking = asyncio.Lock()

    async def matches(self) -> bytes:
        """Return the list of all matches as encoded JSON."""
        return await self._ask("list") if self._command else b'{"matches":[]}'

    async def page(self, number: int) -> PastPage:
        """Return page `number` of the list of evenings, or the nearest page that exists."""
        return await self._answer(PastPage, PastPage(1, 1, ()), "page", str(number))

    async def evening(self, number: str) -> EveningRecords | None:
        """Return the evening whose first match has this number; None if there is none."""
        return await self._answer(EveningRecords | None, None, "evening", number)

    async def match(self, number: str) -> PastMatch | None:
        """Return the match of that number; None if there is none."""
        return await self._answer(PastMatch | None, None, "match", number)

    async def figures(self) -> tuple[Figures, ...]:
        """Return the statistics of all matches."""
        return await self._answer(tuple[Figures, ...], (), "figures")

    async def _answer(self, kind: Any, none: _Found, *verb: str) -> _Found:
        """Return the program's answer as a value of type `kind`; `none` if there is no program."""
        found: _Found = msgspec.json.decode(await self._ask(*verb), type=kind) if self._command else none
        return found

    async def keep(self, document: bytes) -> dict[str, Json]:
        """Import a match's document; return the program's answer. Raises PastError."""
        if not self._command:
            raise _past_error("there is no directory for matches")
        async with self._asking:
            said: dict[str, Json] = msgspec.json.decode(await _output([*self._command, "keep"], document))
            self._answers.clear()
        return said

    async def _ask(self, *verb: str) -> bytes:
        async with self._asking:
            asked_s, answer = self._answers.pop(verb, (float("-inf"), b""))
            if self._clock() - asked_s > FRESH_S:
                asked_s, answer = self._clock(), await _output([*self._command, *verb])
            self._answers[verb] = asked_s, answer
            while len(self._answers) > MOST_ANSWERS:
                del self._answers[next(iter(self._answers))]
            return answer


async def _output(command: Sequence[str], given: bytes = b"") -> bytes:
    """Run a program with this input; return its output.

    Raises PastError if it fails or takes too long.
    """
    try:
        status, said, why = await run_once(command, PATIENCE_S, given)
    except OSError as error:
        raise _past_error(str(error)) from None
    if status:
        raise _past_error(why.decode(errors="replace").strip().rpartition("\n")[2])
    return said


def _past_error(why: str) -> PastError:
    LOG.warning("the page cannot read the past matches, or save one: %s", why)
    return PastError(why)
