"""The fixture's firmware: its PIO program in an emulator, volley.py on MicroPython."""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path

import pytest

from tests.firmware.assembled import assembled, needs_pio
from tests.firmware.benchpod import each_micropython, needs_node, run_on
from tests.firmware.pretended import FIRMWARE, volley

PLAYED = "play 0:3+ 1:5+ 3:3- 120:3+ 120:8+ 4000:5- 4000:3- 4001:8-"


@pytest.fixture
def words() -> list[int]:
    """The program's words for PLAYED."""
    kept: list[int] = []
    assert volley.answer(PLAYED, lambda words, length_us: kept.extend(words)) == "played 8"
    return kept


@needs_pio
def test_the_program_moves_every_contact_at_its_step(words: list[int]) -> None:
    """A step is one cycle of the program's clock; at the end the program stops."""
    from pioemu import State, emulate

    opcodes, wrap_target, wrap = assembled(FIRMWARE / "main.py", "player")
    state = State(transmit_fifo=deque(words), pin_directions=0)
    seen: list[tuple[int, int]] = []
    running = emulate(
        opcodes,
        stop_when=lambda opcode, now: now.clock > 4001 * volley.STEPS_A_US + 100,
        initial_state=state,
        auto_pull=True,
        pull_threshold=32,
        shift_osr_right=True,
        wrap_target=wrap_target,
        wrap_top=wrap,
    )
    for before, after in running:
        if after.pin_directions != before.pin_directions:
            seen.append((after.clock, after.pin_directions & 0xFF))
    first = seen[0][0]
    masks = {0: 0b100, 1: 0b10100, 3: 0b10000, 120: 0b10010100, 4000: 0b10000000, 4001: 0}
    assert [((clock - first) / volley.STEPS_A_US, mask) for clock, mask in seen] == list(masks.items())


@needs_node
@each_micropython
def test_a_volley_has_the_same_words_on_micropython(micropython: Path, words: list[int]) -> None:
    """The file that is copied to the Pico, run on MicroPython, including its refusals."""
    script = f"""
import json, volley
kept = []
said = volley.answer({PLAYED!r}, lambda words, length_us: kept.extend(words))
refused = volley.answer("play 5:3+", None)
print(json.dumps([kept, said, refused, volley.answer("hello", None)]))
"""
    assert json.loads(run_on(micropython, script, FIRMWARE)) == [
        words,
        "played 8",
        "error contact 3 is left closed",
        "fixture 1 contacts 8 step_ns 200",
    ]
