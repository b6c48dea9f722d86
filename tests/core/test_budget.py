"""How long a table waits beside its hands, with people who look for a second and then do one thing after the other.

The seconds are those that the manual of presses allows nine tables of ten; here everybody is as quick as `LOOK_NS`
says, and whatever the device itself takes (guards, beats, silences) is in them.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.core.model.table import Setup
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from tests.core.evenings import counted
from tests.core.games.thirtyone.table import table as table_of_31
from tests.core.sitting import Sitting

LOOK_NS = 1 * S
"""Until somebody has seen what is asked, and reaches for it."""
FOUR = ("1", "2", "3", "4")
EIGHT = tuple("12345678")
NAMED = tuple(zip(EIGHT, ("Anna", "Ben", "Max", "Lea", "Jonas", "Pia", "Mia", "Tom"), strict=True))


def looks(table: Sitting, ns: int = LOOK_NS) -> Sitting:
    """Somebody looks at the display before the next thing is done."""
    return table.wait(ns)


def chooses(table: Sitting, *lines: str) -> Sitting:
    """A line of the knob's list, or one of the list behind it: each is looked for."""
    for line in lines:
        looks(table).choose(line)
    return table


def lobby() -> tuple[Sitting, int]:
    """Four whom the device knows sit down, and one pushes Start."""
    table = Sitting(Setup(stations=FOUR, names=NAMED[:4]))
    begun_ns = table.now_ns
    for station in FOUR:
        looks(table).tap(station)
    assert chooses(table, "Start").phase == "READY"
    return table, begun_ns


def pairs() -> tuple[Sitting, int]:
    """Eight sit down, and pair by pair they hold their buttons."""
    table = Sitting(Setup(stations=EIGHT, names=NAMED))
    begun_ns = table.now_ns
    for one, other in zip(EIGHT[::2], EIGHT[1::2], strict=True):
        looks(looks(table).tap(one, other)).press(one, other, ns=900 * MS)
    assert chooses(table, "Start").phase == "READY"
    return table, begun_ns


def said_false(*, admitted: bool) -> tuple[Sitting, int]:
    """From the verdict's list to cards that move: the caller admits, or two of four say yes and the others nothing."""
    table = looks(Sitting(Setup(stations=FOUR)).playing(*FOUR).press("1"))
    begun_ns = table.now_ns
    looks(table.choose("False call")).tap(*(("1",) if admitted else ("2", "3")))
    return played(table), begun_ns


def played(table: Sitting) -> Sitting:
    """Up to the moment when cards move again."""
    while table.phase != "PLAYING":
        table.wait(10 * MS)
    return table


def admitted() -> tuple[Sitting, int]:
    return said_false(admitted=True)


def voted() -> tuple[Sitting, int]:
    return said_false(admitted=False)


def timeout() -> tuple[Sitting, int]:
    """From the push to its sound."""
    table = Sitting(Setup(stations=FOUR)).playing(*FOUR)
    table.heard()
    begun_ns = table.now_ns
    table.close(KNOB)
    while "time_out" not in {cue.name for cue in table.cues}:
        table.wait(10 * MS)
    return table, begun_ns


def burn() -> tuple[Sitting, int]:
    """From the push to the burnt card, the searching itself left out."""
    table = Sitting(Setup(stations=FOUR)).playing(*FOUR)
    begun_ns = table.now_ns
    chooses(table.press(KNOB, ns=400 * MS), "Stuck").wait(5 * S)
    looks(table).tap(*FOUR)
    return played(table), begun_ns


def old_count() -> tuple[Sitting, int]:
    """A hand back, by the team's own button: the list, the hand, four taps and three holds, the push that saves."""
    table = Sitting(Setup(stations=FOUR))
    for _ in range(2):
        counted(table.playing("1", "2"), "1", 5, "2").wait(5 * S)
    begun_ns = table.now_ns
    looks(looks(chooses(table, "Fix counts")).turn(1)).tap("2").hold("2").taps("2", 2).hold("2").tap("2").hold("2")
    assert looks(table).push().phase == "READY"
    return table, begun_ns


def power_back() -> tuple[Sitting, int]:
    """From the first picture until cards move."""
    table = Sitting(Setup(stations=FOUR)).playing(*FOUR).power_cut()
    begun_ns = table.now_ns
    return played(looks(table).tap(*FOUR)), begun_ns


def next_turn() -> tuple[Sitting, int]:
    """31: from the end of a tap until the next lamp is lit."""
    table: Sitting = table_of_31(3).dealt()
    table.close("2").wait(100 * MS)
    begun_ns = table.now_ns
    table.edges(("2", False, 0))
    while not table.view.lamps[2].lit:
        table.wait(1 * MS)
    return table, begun_ns


def values() -> tuple[Sitting, int]:
    """31: everybody enters at once what three cards are worth, here 28."""
    table = table_of_31(2).dealt().knocks().done()
    assert table.phase == "COUNTING"
    begun_ns = table.now_ns
    looks(table)
    return table.enters("1", 28), begun_ns


ALLOWED: dict[Callable[[], tuple[Sitting, int]], int] = {
    lobby: 12 * S,
    pairs: 30 * S,
    admitted: 8 * S,
    voted: 20 * S,
    timeout: 400 * MS,
    burn: 12 * S,
    old_count: 15 * S,
    power_back: 8 * S,
    next_turn: 50 * MS,
    values: 9 * S,
}


@pytest.mark.parametrize("waited", ALLOWED, ids=lambda waited: waited.__name__)
def test_a_table_waits_no_longer_than_the_manual_allows(waited: Callable[[], tuple[Sitting, int]]) -> None:
    """Sitting down, a false call, a pause, a burn, an old count, the power, 31: the device asks nothing twice."""
    table, begun_ns = waited()
    assert table.now_ns - begun_ns <= ALLOWED[waited]
