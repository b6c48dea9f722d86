"""This device's past matches, as the page knows it: told by a program of its own, which is begun when somebody asks.

The device says how that program is called (`Served.past`); it steps behind the referee as the page does and hands over
one pickled `DeviceHistory`. What was told is kept for a moment, so that people who turn pages begin it once. A match
that comes as a file is kept by another such program (`Served.keep`).
"""

from __future__ import annotations

import asyncio
import json
import logging
import pickle
import time
from collections.abc import Callable, Sequence

from referee.core.documents.figures import DeviceHistory
from referee.core.values import Json

LOG = logging.getLogger("referee")
FRESH_S = 5.0
"""What was told so long ago is told again, when it is asked for."""
PATIENCE_S = 180.0
"""A program that takes longer is ended. A thousand matches take some four seconds of a processor, but the program steps
behind all others: where seven of them kept two cores busy, half a second of a processor took 23 seconds."""


class PastError(Exception):
    """The past cannot be told now."""


class PastFeed:
    """What this device remembers. For one event loop."""

    def __init__(
        self, command: Sequence[str] = (), keep: Sequence[str] = (), clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`command`: the program that tells it; an empty one: nobody does. `keep`: the program that keeps a match which
        comes as a file; an empty one: none does. `clock`: seconds."""
        self._command, self._keep, self._clock = tuple(command), tuple(keep), clock
        self._history: DeviceHistory | None = None
        self._told_s = 0.0
        self._asking = asyncio.Lock()

    async def history(self) -> DeviceHistory:
        """All of it, as it stood a moment ago. PastError when it cannot be read."""
        async with self._asking:
            if self._history is None or self._clock() - self._told_s > FRESH_S:
                self._history = await self._tell()
                self._told_s = self._clock()
            return self._history

    async def keep(self, document: bytes) -> dict[str, Json]:
        """What `import_child` says of a match's document, which is kept if it is new. PastError when it cannot be."""
        if not self._keep:
            raise _past_error("there is no directory to keep matches in")
        async with self._asking:
            said: dict[str, Json] = json.loads(await _output(self._keep, document))
            self._history = None  # whoever looks next sees it
        return said

    async def _tell(self) -> DeviceHistory:
        if not self._command:
            return DeviceHistory((), ())
        history: DeviceHistory = pickle.loads(await _output(self._command))
        return history


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
