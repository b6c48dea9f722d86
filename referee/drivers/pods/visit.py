"""A short connection to a line: identify the pod, measure its clock, send a command.

For commands, while the referee does not run: a line can be open in one program only.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Sequence

from referee.core.clocks.fit import Quality
from referee.core.pods.link import FIRST_EXCHANGES, Link, News, Refused, Up
from referee.core.pods.wire import Hello, Tested, identify, selftest
from referee.core.values import Value
from referee.drivers.pods.linethread import LineThread
from referee.drivers.pods.port import Port, open_line

PATIENCE_S = 6.0
"""Maximum time of a visit in s: longer than a link takes to find that a device is no pod."""


class Met(Value):
    """The result of a visit to a device. hello: None if the device is not a usable pod.

    `reason` then says why, as the end of a sentence about the device.
    """

    line: str
    hello: Hello | None
    reason: str
    quality: Quality | None = None
    tested: int | None = None


def visit(
    line: str,
    frame: bytes = b"",
    *,
    until: Callable[[Link, Sequence[News]], bool] | None = None,
    patience_s: float = PATIENCE_S,
) -> Met:
    """Connect to a pod, send `frame`, and stay until `until` returns True.

    By default, stay until the pod's clock is known. In any case, leave after `patience_s`.
    """
    try:
        opened = open_line(line)
    except (OSError, ValueError) as exc:
        return Met(
            line, None, f"cannot be opened ({_error_sentence(exc)}); is the referee running? `systemctl stop referee`"
        )
    link = Link(time.monotonic_ns())
    come: queue.SimpleQueue[Sequence[News]] = queue.SimpleQueue()
    ended: queue.SimpleQueue[str] = queue.SimpleQueue()
    port = Port(
        line,
        opened,
        link,
        clock=time.monotonic_ns,
        news=lambda port, now_ns, news: come.put(news),
        ended=lambda port, why: ended.put(why),
    )
    thread = LineThread(time.monotonic_ns)
    thread.serve(port)
    try:
        heard = _listen(port, come, frame, until or _is_fitted, time.monotonic() + patience_s)
    finally:
        port.close()
        thread.close()
    return _meeting(line, link, heard, "" if ended.empty() else ended.get())


def _is_fitted(link: Link, heard: Sequence[News]) -> bool:
    return link.quality(time.monotonic_ns()).exchanges >= FIRST_EXCHANGES


def _listen(
    port: Port,
    come: queue.SimpleQueue[Sequence[News]],
    frame: bytes,
    until: Callable[[Link, Sequence[News]], bool],
    end_s: float,
) -> list[News]:
    heard: list[News] = []
    while time.monotonic() < end_s and not (port.link.up and until(port.link, heard)):
        try:
            news = come.get(timeout=0.05)
        except queue.Empty:
            continue
        heard += news
        if any(isinstance(item, Refused) for item in news):
            break
        if frame and any(isinstance(item, Up) for item in news):
            port.order(lambda link: link.say(frame))
    return heard


def _meeting(line: str, link: Link, heard: Sequence[News], why: str) -> Met:
    refused = next((item.reason for item in heard if isinstance(item, Refused)), None)
    if refused is not None or link.hello is None:
        return Met(line, None, refused or f"does not answer{f' ({why})' if why else ''}")
    tested = next((item.failed for item in reversed(heard) if isinstance(item, Tested)), None)
    return Met(line, link.hello, "", link.quality(time.monotonic_ns()), tested)


def blink(line: str, seconds: int) -> Met:
    """Make the pod's lamps blink for that many seconds."""
    return visit(line, identify(seconds))


def self_test(line: str) -> Met:
    """Run the pod's self-test, and measure its clock."""

    def done(link: Link, heard: Sequence[News]) -> bool:
        return _is_fitted(link, heard) and any(isinstance(item, Tested) for item in heard)

    return visit(line, selftest(), until=done)


def _error_sentence(exc: BaseException) -> str:
    if "exclusively lock" in str(exc):  # pyserial's words contain the system's
        return "somebody else holds it"
    return getattr(exc, "strerror", None) or str(exc) or type(exc).__name__
