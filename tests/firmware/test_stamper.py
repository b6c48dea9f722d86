"""The PIO program in an emulator: every change stamped to the tick, without drift."""

from __future__ import annotations

import random

import pytest

from tests.firmware.assembled import assembled, needs_pio
from tests.firmware.benchpod import FIRMWARE

pytestmark = needs_pio
TICK = 7
"""Cycles of the state machine per tick."""


def stamped(edges: list[tuple[int, int, int]], cycles: int) -> list[tuple[int, int]]:
    """Run edges (cycle, pin, level) of eight high pins.

    Return the pushed words as (level of the pins, tick).
    """
    from pioemu import ShiftRegister, State, emulate

    opcodes, wrap_target, wrap = assembled(FIRMWARE / "board.py", "stamper")
    waiting, level, words = sorted(edges), 0xFF, []

    def pins(clock: int) -> int:
        nonlocal level
        while waiting and waiting[0][0] <= clock:
            _, pin, value = waiting.pop(0)
            level = level | 1 << pin if value else level & ~(1 << pin)
        return level

    pins.__annotations__ = {"clock": int}  # tells the emulator what to pass
    begin = State(output_shift_register=ShiftRegister(0xFFFFFFFF, 0), y_register=0)
    steps = emulate(
        opcodes,
        stop_when=lambda _, state: state.clock >= cycles,
        initial_state=begin,
        input_source=pins,
        shift_isr_right=False,
        wrap_target=wrap_target,
        wrap_top=wrap,
    )
    for _, after in steps:
        while after.receive_fifo:
            word = after.receive_fifo.popleft()
            words.append((word >> 24, 0xFFFFFF - (word & 0xFFFFFF)))
    return words[1:]  # the first one has the level at the start


def residues(edges: list[tuple[int, int, int]], words: list[tuple[int, int]]) -> list[int]:
    """Return the cycles from each edge to its stamp, plus a constant."""
    return [tick * TICK - edge[0] for edge, (_, tick) in zip(edges, words, strict=True)]


def test_both_state_machines_fit_the_board() -> None:
    """They share the program: 14 of 32 instructions."""
    opcodes, _, wrap = assembled(FIRMWARE / "board.py", "stamper")
    assert (len(opcodes), wrap) == (14, 6)


def test_many_edges_do_not_make_it_drift() -> None:
    """The path of a change costs exactly two ticks: with one cycle more, the last stamp would be off by 71 ticks."""
    edges = [(1_000 + 50 * n, n % 8, (n // 8) & 1) for n in range(500)]
    words = stamped(edges, 27_000)
    late = residues(edges, words)
    assert len(words) == 500
    assert max(late) - min(late) < 2 * TICK
    assert abs(sum(late[:200]) - sum(late[-200:])) / 200 < 1


@pytest.mark.parametrize("seed", range(2))
def test_eight_bouncing_contacts_are_stamped_within_two_ticks(seed: int) -> None:
    """Random gaps from the 0.11 us that a change costs: jitter below 0.12 us at 125 MHz, every level right."""
    dice = random.Random(seed)
    at, level, edges, levels = 100, 0xFF, [], []
    for _ in range(150):
        pin = dice.randrange(8)
        level ^= 1 << pin
        edges.append((at, pin, level >> pin & 1))
        levels.append(level)
        at += dice.randrange(14, 400)
    words = stamped(edges, at + 100)
    late = residues(edges, words)
    assert [seen for seen, _ in words] == levels
    assert max(late) - min(late) < 2 * TICK


def test_contacts_that_change_together_share_a_word() -> None:
    """Two pins within one turn: one word or two, and the last one has both."""
    words = stamped([(1_000, 2, 0), (1_001, 5, 0)], 1_200)
    assert len(words) in (1, 2)
    assert words[-1][0] == 0xFF & ~(1 << 2) & ~(1 << 5)
