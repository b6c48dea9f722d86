"""Play a whole match of two hands from outside the daemon: people's actions and what they must see.

Runs in the guest, next to the service. Writes /share/seen.json for verify.py. Four players to 60 points, ten for the
caller: a start that is stopped, a hand that ends in a tie, one that ends too close to call, a winner.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import astuple
from pathlib import Path

from referee.core.messages import msg
from referee.core.model.view import (
    CountCell,
    CountdownScreen,
    CountScreen,
    Label,
    MenuScreen,
    OverScreen,
    ReadyScreen,
    StandingsScreen,
    VerdictScreen,
    WaitScreen,
)
from referee.core.units import MS
from tests.core.sitting import Sitting
from tests.rig.chip import Step
from tests.rig.people import (
    ANNA,
    BEN,
    LEA,
    MAX,
    NERTZ,
    PLAYERS,
    QUESTION_S,
    TARGET,
    TIE_WINDOW_NS,
    lines,
    lobby,
    playing,
)
from tests.rig.table import HOLD_US, TAP_US, StalledError, Table, UnexpectedError
from tests.screens.samples import FIELDS

LOBBY_MENU = Sitting().tap("1", "2", "3", "4").push().screen(MenuScreen).items
"""The knob's list when four have joined."""
TIE_GAP_US = 3_000
GREY_GAP_US = 20_000


def empty_count(hand: int, callers: Sequence[Label]) -> CountScreen:
    """Return a count without entries; a caller has no cards left and need not enter it."""
    cells = tuple(
        CountCell(p, ("0" if p in callers else None, None, None), 0, False, None, (p in callers, False, False))
        for p in PLAYERS
    )
    return CountScreen(hand, FIELDS, cells, called=tuple(callers))


def count(table: Table, seat: int, left: int, lake: int) -> list[Step]:
    """Enter a seat's count: taps count up, a hold goes on.

    A caller passes `left` = 0, which is locked.
    """
    tens, ones = divmod(lake, 10)
    digits = (left, tens, ones)
    return table.gesture(seat, [held for digit in digits for held in (*[TAP_US] * digit, HOLD_US)])


def sit_down(table: Table) -> None:
    """Let each player tap in the lobby, and begin the match with a push of the knob."""
    table.expect(lobby(0))
    for seated in (1, 2, 3, 4):
        # harmless here if a stalled emulator makes it a press; verify.py knows the length of each
        table.spike(seated, lasts_us=50)
        table.tap(seated)
        table.expect(lobby(seated))
    table.push()
    table.expect(MenuScreen(msg("title.next_match"), LOBBY_MENU, 0))
    table.push()


def all_ready(table: Table, hand: int, totals: Sequence[int], last: list[Step]) -> None:
    """Let each player deal and tap; the screen shows who is awaited.

    `last`: Max's action at his turn.
    """
    sorts = msg("note.sorts", who=PLAYERS[hand - 1], lake=msg("field.lake"))
    notes = (sorts,) if hand > 1 else (msg("note.backs"), sorts)
    table.expect(ReadyScreen(hand, TARGET, PLAYERS, lines(totals), notes=notes))
    table.wait(QUESTION_S)
    table.tap(2)
    table.expect(ReadyScreen(hand, TARGET, (ANNA, MAX, LEA), lines(totals), notes=notes))
    table.tap(1, 4)
    table.together(last)


def countdown(table: Table) -> None:
    """Wait for one of the beats: each lasts a second, and on a busy host this machine cannot draw all."""
    table.expect(CountdownScreen(msg("beat.ready")), CountdownScreen(msg("beat.set")))


def play(table: Table, hand: int, totals: Sequence[int]) -> None:
    """Play GO and two seconds of cards; dark lamps, since a press would be the call."""
    countdown(table)
    table.expect_lit(1, 2, 3, 4)
    table.expect(*playing(hand, totals, 0))
    table.expect_lit()
    table.expect(*playing(hand, totals, 2))


def ready_and_stop(table: Table) -> list[Step]:
    """Make Max ready, stop at SET, which begins 2 s later, and press again.

    In one list: a beat takes a second, and an emulated machine shows it late.
    """
    return table.gesture(3, [TAP_US, TAP_US], between_us=2_500_000)


def first_hand(table: Table) -> None:
    nothing = (0, 0, 0, 0)
    all_ready(table, 1, nothing, ready_and_stop(table))
    countdown(table)
    table.expect(WaitScreen((MAX,)))
    table.wait(QUESTION_S)
    table.tap(3)
    play(table, 1, nothing)
    table.expect(*playing(1, nothing, 4))
    # Anna, 3 ms later Ben, and Max after the call
    table.press_apart((1, 0), (2, TIE_GAP_US), (3, 310_000), within_us=5_000)
    table.expect(*(tie((ANNA, BEN), gap_ms) for gap_ms in range(1, 10)))
    table.expect_lit(1)
    table.expect_lit(2)
    table.expect(empty_count(1, (ANNA, BEN)))
    table.wait(QUESTION_S)
    table.together(count(table, 1, 0, 30), count(table, 2, 0, 24), count(table, 3, 4, 21), count(table, 4, 7, 12))
    totals = (35, 29, 13, -2)  # 30 and 24 and half of ten each; 21 less 2 · 4; 12 less 2 · 7
    table.expect_lit(1, 2, 3, 4)
    table.expect(StandingsScreen(1, lines(totals, totals, ranked=True)))


def second_hand(table: Table) -> None:
    before = (35, 29, 13, -2)
    all_ready(table, 2, before, table.gesture(3, [TAP_US]))
    play(table, 2, before)
    # Max, and Lea later by the tie window: the errors make the order uncertain
    table.press_apart((3, 0), (4, GREY_GAP_US), within_us=3_000)
    table.expect(VerdictScreen("tie", True, (MAX, LEA), None, 20 * MS, TIE_WINDOW_NS, **NERTZ))
    table.expect(empty_count(2, (MAX, LEA)))
    table.wait(QUESTION_S)
    table.together(count(table, 1, 3, 32), count(table, 2, 6, 20), count(table, 3, 0, 26), count(table, 4, 0, 18))
    table.expect(OverScreen(2, (ANNA,), lines((61, 37, 44, 21), (26, 8, 31, 23), ranked=True)))


def play_all(table: Table) -> None:
    """Play from the empty lobby to the winner."""
    sit_down(table)
    first_hand(table)
    second_hand(table)
    table.wait(1)


def tie(callers: tuple[Label, ...], gap_ms: int) -> VerdictScreen:
    return VerdictScreen("tie", False, callers, None, gap_ms * MS, TIE_WINDOW_NS, **NERTZ)


def leave(table: Table, share: Path) -> None:
    """Write everything that was seen for the host."""
    seen, wires = table.seen, table.wires
    document = {
        "frames": [(at_ns, frame.packed.hex()) for at_ns, frame in seen.frames],
        "lamps": wires.lamps,
        "tones": wires.tones,
        "spikes": seen.spikes,
        "stalls": table.pulse.stalls(),
        "presses": [(seat, astuple(write)) for seat, write in seen.presses],
    }
    (share / "seen.json").write_text(json.dumps(document))


def leave_failure(table: Table, share: Path, error: Exception) -> None:
    """Write the script's failure, and the instants between which it happened.

    `measured`: what the toggler's times show to be no valid match.
    """
    wrong_ns = (table.right_ns, table.now_ns())
    failed = {"sentence": str(error), "wrong_ns": wrong_ns, "measured": isinstance(error, StalledError)}
    (share / "failed.json").write_text(json.dumps(failed))


def run(table: Table, share: Path, play: Callable[[Table], None]) -> None:
    """Play, and write what was seen and what failed."""
    try:
        with table:
            play(table)
    except (UnexpectedError, StalledError) as error:
        leave_failure(table, share, error)
    finally:
        leave(table, share)


def together(table: Table) -> None:
    """Play the match."""
    table.keep_together()
    play_all(table)


if __name__ == "__main__":
    run(Table(), Path("/share"), together)
