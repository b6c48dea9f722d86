"""Evenings in which the daemon dies in every call, each time a millisecond later.

The deaths are before, between and after the stop tone with its lamps, which do not wait for the journal, and the row
that makes the call durable. A call that was not written is made again; the caller takes back a written verdict, and the
hand goes on. So one hand can have many deaths.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.units import MS
from tests.rig.kills import Plan

DEATHS = 200
AN_EVENING = 10
"""Deaths per evening: few, so that a stall of the emulator spoils little."""
HEAD = """\
table nna target=60 bonus=10 stations=2 agreement=false
names Anna Ben
+1      1,2 tap
+4      knob choose Start
+4      1,2 tap
+4      wait
        is PLAYING
"""
CALL = """\
+3      {seat} call
        is verdict clear {seat}
+1      knob choose False
+1      {seat} tap
+4      wait
        is PLAYING
"""


def evening(name: str, after_ms: Sequence[int]) -> Plan:
    """Return an evening with a death after each call's press, `after_ms` later."""
    calls = "".join(CALL.format(seat=1 + number % 2) for number in range(len(after_ms)))
    first, length = HEAD.count("\n") + 1, CALL.count("\n")
    return Plan(name, {first + number * length: ms * MS for number, ms in enumerate(after_ms)}, text=HEAD + calls)


def evenings(count: int) -> list[Plan]:
    """Return evenings with deaths at steps of a millisecond.

    Each evening has early and late ones.
    """
    apart = -(-count // AN_EVENING)
    return [evening(f"calls_{begin}", range(begin, count, apart)) for begin in range(apart)]
