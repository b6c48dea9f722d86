"""Evenings in which the daemon dies in every call, each time a millisecond later: between the stop tone with its lamps,
which do not wait for the journal, and the row that makes the call durable, and on both sides of that.

A call that was not written is called again; a verdict that was is taken back by the caller, and the hand goes on. So
one hand has as many deaths as the evening is long.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.units import MS
from tests.rig.kills import Plan

DEATHS = 200
AN_EVENING = 10
"""So few that a stall of the emulator spoils little."""
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
    """A death so long after each call's press; the first is line HEAD has lines, and one more."""
    calls = "".join(CALL.format(seat=1 + number % 2) for number in range(len(after_ms)))
    first, length = HEAD.count("\n") + 1, CALL.count("\n")
    return Plan(name, {first + number * length: ms * MS for number, ms in enumerate(after_ms)}, text=HEAD + calls)


def evenings(count: int) -> list[Plan]:
    """So many deaths at steps of a millisecond; each evening has early ones and late ones."""
    apart = -(-count // AN_EVENING)
    return [evening(f"calls_{begin}", range(begin, count, apart)) for begin in range(apart)]
