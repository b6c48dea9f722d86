"""The host's side of a pod's protocol: frames and messages, both ways.

link.py acts on them. `Decoder` finds frames in any bytes. A flag byte occurs only between frames, so after garbage the
next good frame is found. firmware/README.md documents the protocol byte by byte; tests/vectors/frames.json checks
both ends.
"""

from __future__ import annotations

import struct
from binascii import crc32

from referee.core.values import Value

VERSION = 2
LONGEST = 320
"""Maximum bytes between two flag bytes; anything longer is not a frame."""
HELLO, REPORT, BEAT, ANSWER, PULSE, TESTED = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06
ASK, ACK, SYNC, LAMPS, IDENTIFY, SELFTEST, PROMPT = 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47
ROUND = 1 << 16
"""Reports number their items with 16 bits: after 65,535 comes 0."""
_RESIDUE = 0x2144DF1C
"""The CRC of any data that ends with its own CRC."""
TICK_CYCLES = 7
"""Cycles of the pod's state machine (PIO) for each tick of its clock."""


# -- frames --------------------------------------------------------------------------------------------------------


def make_frame(kind: int, payload: bytes = b"") -> bytes:
    """Return one frame, ready to write.

    >>> make_frame(ASK, bytes((VERSION,))).hex()
    '7e4102970db5467e'
    """
    body = bytes((kind,)) + payload
    body += crc32(body).to_bytes(4, "little")
    body = body.replace(b"\x7d", b"\x7d\x5d").replace(b"\x7e", b"\x7d\x5e").replace(b"\x03", b"\x7d\x23")
    return b"\x7e" + body + b"\x7e"


def split_frame(piece: bytes) -> tuple[int, bytes] | None:
    """Return the bytes between two flag bytes as (kind, payload); None if they are not a frame."""
    if len(piece) > LONGEST:
        return None
    body = piece
    if 0x7D in body:
        body = body.replace(b"\x7d\x23", b"\x03").replace(b"\x7d\x5e", b"\x7e").replace(b"\x7d\x5d", b"\x7d")
    if len(body) < 5 or crc32(body) != _RESIDUE:
        return None
    return body[0], body[1:-4]


class Decoder:
    """Split bytes, in pieces of any size, into complete frames."""

    def __init__(self) -> None:
        self._kept = b""

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Return the frames that these bytes complete, as (kind, payload)."""
        pieces = (self._kept + data).split(b"\x7e")
        self._kept = pieces.pop()[-LONGEST - 1 :]
        found = []
        for piece in pieces:
            frame = split_frame(piece)
            found += [] if frame is None else [frame]
        return found


# -- messages ------------------------------------------------------------------------------------------------------


class Hello(Value):
    """A pod's identity.

    closed: contacts closed before change number `first`, bit 0 is contact 1; ticks: the pod's clock.
    boot: a random number, new at each start. mhz: frequency of its state machine; `ns` uses it. common_err_ns: the
    error that all stamps share; own_err_ns: the error of a single one. sync: whether the pod has the sync wire. failed:
    whether its last self-test found a fault.
    """

    boot: int
    ident: str
    release: str
    contacts: int
    closed: int
    mhz: int
    common_err_ns: int
    own_err_ns: int
    first: int
    ticks: int
    sync: bool
    failed: bool

    def ns(self, ticks: int) -> int:
        """Convert ticks of the pod's clock to ns since its start.

        A tick is seven cycles of its state machine.
        """
        return ticks * TICK_CYCLES * 1_000 // self.mhz


class Foreign(Value):
    """A pod with another protocol version."""

    version: int


class ContactChange(Value):
    """One change of a contact (0 is contact 1).

    gap: earlier changes were lost, or its stamp may be too late.
    """

    contact: int
    closed: bool
    gap: bool
    ticks: int


class Report(Value):
    """Changes of contacts, numbered from `first`. The changes of each contact are in order."""

    first: int
    items: tuple[ContactChange, ...]


class Beat(Value):
    """The pod's statement that the changes before number `next` are all changes up to `ticks`.

    behind: contacts (bits) with further changes that are not reported yet.
    """

    ticks: int
    next: int
    closed: int
    behind: int
    lamps: int
    queued: int
    lost: int


class Answer(Value):
    """The pod's clock when the request with this token began to arrive, and when it answered."""

    token: int
    came: int
    left: int


class Pulse(Value):
    """The pod's clock at a rising edge of the sync wire."""

    ticks: int


class Tested(Value):
    """The result of the self-test: bits of what failed, 0 if nothing did."""

    failed: int


PodMessage = Hello | Foreign | Report | Beat | Answer | Pulse | Tested

_HELLO = struct.Struct("<BBI8s3sBBHIHH7s")
_BEAT = struct.Struct("<7sHBBBHH")
_ANSWER = struct.Struct("<I7s7s")
_HEAD = struct.Struct("<HI")
_ITEM = struct.Struct("<3sB")
_ACK = struct.Struct("<IHB")
_TICKS, _CLOSED, _GAP = 0xFFFFFF, 8 << 24, 16 << 24


def read_message(kind: int, payload: bytes) -> PodMessage | None:
    """Decode a frame into a message; None for unknown frames, which are ignored.

    The last byte of each frame from a pod is a running count. The host acknowledges the newest frame by its count.
    """
    size = len(payload) - 1
    if kind == REPORT:
        return _report(payload, size)
    if kind == BEAT and size == _BEAT.size:
        ticks, number, closed, behind, lit, queued, lost = _BEAT.unpack_from(payload)
        return Beat(_number(ticks), number, closed, behind, lit, queued, lost)
    if kind == ANSWER and size == _ANSWER.size:
        token, came, left = _ANSWER.unpack_from(payload)
        return Answer(token, _number(came), _number(left))
    if kind == HELLO:
        return _hello(payload)
    if kind == PULSE and size == 7:
        return Pulse(_number(payload[:size]))
    if kind == TESTED and size == 2:
        return Tested(_number(payload[:size]))
    return None


def _number(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _report(payload: bytes, size: int) -> Report | None:
    """Decode contact changes from the first `size` bytes of a payload; None if it is no report.

    Each change is one 32-bit word: ticks, and flags in the bits above them.
    """
    if size < _HEAD.size or (size - _HEAD.size) % _ITEM.size:
        return None
    first, turn, *words = struct.unpack_from(f"<HI{(size - _HEAD.size) // _ITEM.size}I", payload)
    items = []
    for word in words:
        ticks = word & _TICKS | turn + (word >> 29 & 3) << 24
        items.append(ContactChange(word >> 24 & 7, word & _CLOSED != 0, word & _GAP != 0, ticks))
    return Report(first, tuple(items))


def _hello(payload: bytes) -> Hello | Foreign | None:
    """Decode a Hello. In every version the first byte is the version; the rest may differ."""
    if payload and payload[0] != VERSION:
        return Foreign(payload[0])
    if len(payload) != _HELLO.size + 1:
        return None
    _, flags, boot, ident, release, contacts, closed, mhz, common, own, first, ticks = _HELLO.unpack(payload[:-1])
    if not mhz:
        return None
    named, numbered = ident.hex(), ".".join(map(str, release))
    sync, failed = bool(flags & 1), bool(flags & 2)
    return Hello(boot, named, numbered, contacts, closed, mhz, common, own, first, _number(ticks), sync, failed)


def ask() -> bytes:
    """Return the frame that asks for the pod's identity and all unacknowledged changes."""
    return make_frame(ASK, bytes((VERSION,)))


def ack(boot: int, number: int, ordinal: int) -> bytes:
    """Return the frame that acknowledges all contact changes of this boot before `number`.

    ordinal: the running count of the newest frame received.
    """
    return make_frame(ACK, _ACK.pack(boot, number, ordinal))


def sync(token: int) -> bytes:
    """Return the frame that asks for the pod's clock. The ANSWER has the same 32-bit token."""
    return make_frame(SYNC, token.to_bytes(4, "little"))


def lamps(mask: int) -> bytes:
    """Return the frame that lights exactly these lamps; bit 0 is lamp 1."""
    return make_frame(LAMPS, bytes((mask,)))


def identify(seconds: int) -> bytes:
    """Return the frame that makes every lamp blink for this time, at most 255 s."""
    return make_frame(IDENTIFY, bytes((seconds,)))


def selftest() -> bytes:
    """Return the frame that asks the pod to test itself. It answers TESTED."""
    return make_frame(SELFTEST)


def prompt() -> bytes:
    """Return the frame that stops the pod's program and starts MicroPython's prompt."""
    return make_frame(PROMPT, b"prompt")
