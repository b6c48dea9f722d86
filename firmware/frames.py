"""Frames on the wire: what README.md calls a frame, made and found again. Nothing here knows the hardware.

    7E  escaped( kind, payload ..., CRC-32 of both, least significant byte first )  7E

7E stands nowhere else, so whoever has lost the thread has it again at the next frame. 7D escapes: 7D 5E is 7E, 7D 5D is
7D, and 7D 23 is 03, because a 03 would stop the program of a pod that is still starting.

The host's other end of this is referee/core/podwire.py; both are held against tests/vectors/frames.json.
"""

from binascii import crc32

VERSION = 1
LONGEST = 160  # bytes between two flags; more is no frame of ours

# pod to host
HELLO, REPORT, BEAT, ANSWER, PULSE, TESTED = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06
# host to pod
ASK, ACK, SYNC, LAMPS, IDENTIFY, SELFTEST, PROMPT = 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47


def framed(kind, payload=b""):
    """One frame, ready to be written."""
    body = bytes((kind,)) + payload
    body += (crc32(body) & 0xFFFFFFFF).to_bytes(4, "little")
    body = body.replace(b"\x7d", b"\x7d\x5d").replace(b"\x7e", b"\x7d\x5e").replace(b"\x03", b"\x7d\x23")
    return b"\x7e" + body + b"\x7e"


def unframed(piece):
    """What stood between two flags as (kind, payload), or None for what is no frame."""
    if len(piece) > LONGEST:
        return None
    body = piece.replace(b"\x7d\x23", b"\x03").replace(b"\x7d\x5e", b"\x7e").replace(b"\x7d\x5d", b"\x7d")
    if len(body) < 5 or crc32(body[:-4]) & 0xFFFFFFFF != int.from_bytes(body[-4:], "little"):
        return None
    return body[0], body[1:-4]


class Intake:
    """Bytes as they come, in pieces of any size; gives the frames that are complete."""

    def __init__(self):
        self._kept = b""
        self.refused = 0  # pieces that were no frames

    def feed(self, data):
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
