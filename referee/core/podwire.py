"""A button pod's wire, as the host sees it: frames and messages, both ways. What they lead to is podlink.py's.

`Decoder` finds frames in whatever bytes come: they stand between flags that occur nowhere else, so after any garbage it
is in step again with the next good frame. firmware/README.md has the protocol byte by byte; tests/vectors/frames.json
holds both ends against each other.
"""

from __future__ import annotations

import struct
from binascii import crc32

from referee.core.values import dataclass

VERSION = 1
LONGEST = 160
"""Bytes between two flags; more is no frame of ours."""
HELLO, REPORT, BEAT, ANSWER, PULSE, TESTED = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06
ASK, ACK, SYNC, LAMPS, IDENTIFY, SELFTEST, PROMPT = 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47
ROUND = 1 << 16
"""Reports are numbered modulo this."""


# -- frames --------------------------------------------------------------------------------------------------------


def framed(kind: int, payload: bytes = b"") -> bytes:
    """One frame, ready to be written.

    >>> framed(ASK, bytes((VERSION,))).hex()
    '7e41012d5cbcdf7e'
    """
    body = bytes((kind,)) + payload
    body += crc32(body).to_bytes(4, "little")
    body = body.replace(b"\x7d", b"\x7d\x5d").replace(b"\x7e", b"\x7d\x5e").replace(b"\x03", b"\x7d\x23")
    return b"\x7e" + body + b"\x7e"


def unframed(piece: bytes) -> tuple[int, bytes] | None:
    """What stood between two flags as (kind, payload), or None for what is no frame."""
    if len(piece) > LONGEST:
        return None
    body = piece
    if b"\x7d" in body:
        body = body.replace(b"\x7d\x23", b"\x03").replace(b"\x7d\x5e", b"\x7e").replace(b"\x7d\x5d", b"\x7d")
    if len(body) < 5 or crc32(body[:-4]) != int.from_bytes(body[-4:], "little"):
        return None
    return body[0], body[1:-4]


class Decoder:
    """Bytes as they come, in pieces of any size; gives the frames that are complete."""

    def __init__(self) -> None:
        self._kept = b""
        self.refused = 0
        """Pieces that were no frames."""

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """The frames that these bytes complete, as (kind, payload)."""
        pieces = (self._kept + data).split(b"\x7e")
        self._kept = pieces.pop()[-LONGEST - 1 :]
        found = []
        for piece in pieces:
            if piece:
                frame = unframed(piece)
                if frame is None:
                    self.refused += 1
                else:
                    found.append(frame)
        return found


# -- messages ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hello:
    """Who the pod is. closed: contacts closed before report number `first`, bit 0 is contact 1; t_ns: its clock.

    boot: drawn at each start. stamp_err_ns: how far a stamp may be from the pod's own clock. sync: it has the wire.
    failed: bits of the last self-test that found something.
    """

    boot: int
    ident: str
    release: str
    contacts: int
    closed: int
    stamp_err_ns: int
    first: int
    t_ns: int
    sync: bool
    failed: bool


@dataclass(frozen=True, slots=True)
class Foreign:
    """A pod of another protocol version."""

    version: int


@dataclass(frozen=True, slots=True)
class Report:
    """What the contacts did: (closed, t_ns) in order, the first numbered `first`. gap: some before it were lost."""

    first: int
    gap: bool
    items: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Beat:
    """Up to t_ns of the pod's clock nothing happened but what is in the reports before number `next`."""

    t_ns: int
    next: int
    closed: int
    lamps: int
    queued: int
    lost: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The pod's clock while it answered the SYNC of that token."""

    token: int
    t_ns: int


@dataclass(frozen=True, slots=True)
class Pulse:
    """The pod's clock when the sync wire rose."""

    t_ns: int


@dataclass(frozen=True, slots=True)
class Tested:
    """The self-test's outcome: bits of what failed, 0 when nothing did."""

    failed: int


Message = Hello | Foreign | Report | Beat | Answer | Pulse | Tested

_HELLO = struct.Struct("<BBI8s3sBBIHQ")
_BEAT = struct.Struct("<QHBBHH")
_ANSWER = struct.Struct("<IQ")
_HEAD = struct.Struct("<HB")
_ITEM = struct.Struct("<BQ")


def parsed(kind: int, payload: bytes) -> Message | None:
    """A frame as a message; None for what this version does not know, which is nothing to it."""
    if kind == REPORT:
        return _report(payload)
    if kind == HELLO:
        return _hello(payload)
    if kind == BEAT and len(payload) == _BEAT.size:
        return Beat(*_BEAT.unpack(payload))
    if kind == ANSWER and len(payload) == _ANSWER.size:
        return Answer(*_ANSWER.unpack(payload))
    if kind == PULSE and len(payload) == 8:
        return Pulse(int.from_bytes(payload, "little"))
    if kind == TESTED and len(payload) == 2:
        return Tested(int.from_bytes(payload, "little"))
    return None


def _report(payload: bytes) -> Report | None:
    if len(payload) < _HEAD.size or (len(payload) - _HEAD.size) % _ITEM.size:
        return None
    first, gap = _HEAD.unpack_from(payload)
    return Report(first, bool(gap & 1), tuple(_ITEM.iter_unpack(payload[_HEAD.size :])))


def _hello(payload: bytes) -> Hello | Foreign | None:
    """The first byte is the version in every version; what follows may differ."""
    if payload and payload[0] != VERSION:
        return Foreign(payload[0])
    if len(payload) != _HELLO.size:
        return None
    _, flags, boot, ident, release, contacts, closed, err_ns, first, t_ns = _HELLO.unpack(payload)
    named, numbered = ident.hex(), ".".join(map(str, release))
    return Hello(boot, named, numbered, contacts, closed, err_ns, first, t_ns, bool(flags & 1), bool(flags & 2))


def ask() -> bytes:
    """Who are you? Answered by HELLO and by everything that is not acknowledged."""
    return framed(ASK, bytes((VERSION,)))


def ack(boot: int, number: int) -> bytes:
    """Everything before that number has come, of that boot."""
    return framed(ACK, struct.pack("<IH", boot, number))


def sync(token: int) -> bytes:
    """What is your clock? Answered at once by ANSWER with the same token of 32 bits."""
    return framed(SYNC, token.to_bytes(4, "little"))


def lamps(mask: int) -> bytes:
    """These lamps are lit, bit 0 is lamp 1."""
    return framed(LAMPS, bytes((mask,)))


def identify(seconds: int) -> bytes:
    """Blink with every lamp for that long, at most 255 s."""
    return framed(IDENTIFY, bytes((seconds,)))


def selftest() -> bytes:
    """Test yourself; answered by TESTED."""
    return framed(SELFTEST)


def prompt() -> bytes:
    """Leave the program, for MicroPython's prompt."""
    return framed(PROMPT, b"prompt")
