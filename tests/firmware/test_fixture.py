"""The fixture's firmware on what is nearest to a Pico: its PIO program in an emulator, volley.py on MicroPython."""

from __future__ import annotations

import ast
import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.firmware.benchpod import each_micropython, needs_node, run_on
from tests.firmware.pretended import FIRMWARE, volley

PLAYED = "play 0:3+ 1:5+ 3:3- 120:3+ 120:8+ 4000:5- 4000:3- 4001:8-"


@pytest.fixture
def words() -> list[int]:
    """The program's words for PLAYED."""
    kept: list[int] = []
    assert volley.answer(PLAYED, lambda words, length_us: kept.extend(words)) == "played 8"
    return kept


def assembler_lines() -> list[str]:
    """`player` of main.py, an instruction a line, in the assembler's spelling."""
    tree = ast.parse((FIRMWARE / "main.py").read_text(encoding="utf-8"))
    program = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "player")
    lines = []
    for statement in program.body:
        assert isinstance(statement, ast.Expr)
        call = statement.value
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Name)
        operands = [str(ast.literal_eval(a)) if isinstance(a, ast.Constant) else ast.unparse(a) for a in call.args]
        lines.append(
            {
                "label": lambda name: f"{name}:",
                "wrap_target": lambda: ".wrap_target",
                "wrap": lambda: ".wrap",
                "jmp": lambda when, name: f"jmp {when.replace('_dec', '--')} {name}",
                "out": lambda to, bits: f"out {to}, {bits}",
            }[call.func.id](*operands)  # type: ignore[operator]
        )
    return lines


@pytest.mark.skipif(
    find_spec("pioemu") is None or find_spec("adafruit_pioasm") is None,
    reason="no PIO emulator is installed: `make firmware-check` does so",
)
def test_the_program_moves_every_contact_at_its_step(words: list[int]) -> None:
    """A step is one cycle of the program's clock: each move comes where the volley has it, and at the end it stands."""
    import adafruit_pioasm
    from pioemu import State, emulate

    assembled = adafruit_pioasm.Program("\n".join([".program player", *assembler_lines()]))
    from collections import deque

    state = State(transmit_fifo=deque(words), pin_directions=0)
    seen: list[tuple[int, int]] = []
    running = emulate(
        list(assembled.assembled),
        stop_when=lambda opcode, now: now.clock > 4001 * volley.STEPS_A_US + 100,
        initial_state=state,
        auto_pull=True,
        pull_threshold=32,
        shift_osr_right=True,
        wrap_target=assembled.pio_kwargs.get("wrap_target", 0),
        wrap_top=assembled.pio_kwargs["wrap"],
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
    """The file that is copied to the Pico, run there, refusals included."""
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
