"""Assemble PIO programs of the firmware into opcodes for an emulator."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path

import pytest

needs_pio = pytest.mark.skipif(
    find_spec("pioemu") is None or find_spec("adafruit_pioasm") is None,
    reason="no PIO emulator is installed: `make firmware-check` does so",
)
SPELLED = {"x_dec": "x--", "x_not_y": "x!=y", "in_": "in", "wrap": ".wrap", "wrap_target": ".wrap_target"}


def assembled(path: Path, name: str) -> tuple[list[int], int, int]:
    """Return the opcodes of that `@asm_pio` function, and the instructions between which it wraps."""
    import adafruit_pioasm

    tree = ast.parse(path.read_text(encoding="utf-8"))
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    lines = [_line(statement.value) for statement in function.body if isinstance(statement, ast.Expr)]
    program = adafruit_pioasm.Program("\n".join([f".program {name}", *lines]))
    return list(program.assembled), program.pio_kwargs.get("wrap_target", 0), program.pio_kwargs["wrap"]


def _line(call: ast.expr) -> str:
    assert isinstance(call, ast.Call)
    words = [str(one.value) if isinstance(one, ast.Constant) else ast.unparse(one) for one in call.args]
    operands = [SPELLED.get(word, word) for word in words]
    operation = ast.unparse(call.func)
    if operation == "label":
        return f"{operands[0]}:"
    between = " " if operation == "jmp" else ", "
    return f"{SPELLED.get(operation, operation)} {between.join(operands)}"
