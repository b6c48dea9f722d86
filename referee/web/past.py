"""This device's past matches, as the page knows them: asked of a program of its own, once for each question.

The device says how that program is called (`Served.past`); `drivers/records/child.py` says what it answers. It steps
behind the referee as the page does. Answers are kept for a moment, so that people who turn pages start it once.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence

import msgspec

from referee.core.documents.figures import Figures
from referee.core.documents.past import EveningRecords, PastMatch, PastPage
from referee.core.values import Json

LOG = logging.getLogger("referee")
FRESH_S = 5.0
"""An answer that is older is asked for again."""
MOST_ANSWERS = 8
"""Answers that are kept."""
PATIENCE_S = 180.0
"""A program that takes longer is ended. It steps behind all others: where seven of them kept two cores busy, half a
second of a processor took 23 seconds, and an index of 10,000 records that is lost takes ten of them."""


class PastError(Exception):
    """The past cannot be told now."""


class PastFeed:
    """What this device remembers. For one event loop. Every method raises PastError when it cannot be answered."""

    def __init__(self, command: Sequence[str] = (), clock: Callable[[], float] = time.monotonic) -> None:
        """`command`: the program, to which verbs are added; an empty one: nothing is remembered. `clock`: seconds."""
        self._command, self._clock = tuple(command), clock
        self._answers: dict[tuple[str, ...], tuple[float, bytes]] = {}
        self._asking = asyncio.Lock()

    async def matches(self) -> bytes:
        """Every match as a JSON document."""
        return await self._ask("list") if self._command else b'{"matches":[]}'

    async def page(self, number: int) -> PastPage:
        """That page of evenings, or the nearest one that there is."""
        if not self._command:
            return PastPage(1, 1, ())
        return msgspec.json.decode(await self._ask("page", str(number)), type=PastPage)

    async def evening(self, number: str) -> EveningRecords | None:
        """The evening that goes by that match's number; None where there is none."""
        if not self._command:
            return None
        return msgspec.json.decode(await self._ask("evening", number), type=EveningRecords | None)

    async def match(self, number: str) -> PastMatch | None:
        """That match; None where there is none."""
        if not self._command:
            return None
        return msgspec.json.decode(await self._ask("match", number), type=PastMatch | None)

    async def figures(self) -> tuple[Figures, ...]:
        """What all matches come to."""
        if not self._command:
            return ()
        return msgspec.json.decode(await self._ask("figures"), type=tuple[Figures, ...])

    async def keep(self, document: bytes) -> dict[str, Json]:
        """What the program says of a match's document, which is kept if it is new. PastError."""
        if not self._command:
            raise _past_error("there is no directory to keep matches in")
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
    """What a program says when it is given that. PastError where it fails or takes too long."""
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe)
    except OSError as error:
        raise _past_error(str(error)) from None
    try:
        said, why = await asyncio.wait_for(process.communicate(given), PATIENCE_S)
    except (TimeoutError, asyncio.CancelledError) as error:
        process.kill()
        await process.wait()
        if isinstance(error, asyncio.CancelledError):
            raise
        raise _past_error("it took too long") from None
    if process.returncode:
        raise _past_error(why.decode(errors="replace").strip().rpartition("\n")[2])
    return said


def _past_error(why: str) -> PastError:
    LOG.warning("the page cannot tell the past matches, or keep one: %s", why)
    return PastError(why)
