"""board.py itself, over simulated hardware: the ring of words, and what is written to the host."""

from __future__ import annotations

import sys
import types
from array import array
from typing import Any

import pytest

from referee.drivers.pods import install as pods_install
from tests.firmware.benchpod import FIRMWARE
from tests.firmware.ends import firmware


class Channel:
    """A DMA channel that the test moves. `fetched` runs when its position is read."""

    def __init__(self) -> None:
        self.count = 0


@pytest.fixture(scope="module")
def board() -> Any:
    """The module, on a machine without pins."""
    firmware("hot")
    rp2 = types.SimpleNamespace(
        asm_pio=lambda **options: lambda function: function, PIO=types.SimpleNamespace(SHIFT_LEFT=0, JOIN_RX=2)
    )
    pretended: dict[str, Any] = {"rp2": rp2, "machine": types.SimpleNamespace(), "uctypes": types.SimpleNamespace()}
    before = {name: sys.modules.get(name) for name in pretended}
    sys.modules.update(pretended)
    module = types.ModuleType("board")
    exec(compile((FIRMWARE / "board.py").read_text(), "board.py", "exec"), vars(module))
    for name, was in before.items():
        if was is None:
            del sys.modules[name]
        else:
            sys.modules[name] = was
    return module


def ring(board: Any, size: int) -> Any:
    """Return a ring whose words are their own numbers, with nothing fetched yet."""
    made = board.Ring.__new__(board.Ring)
    made.size, made._begin, made._read = size, 3, 0
    made._memory = array("I", bytes(4 * (size + 3)))
    made._dma = Channel()
    made._dma.count = board.TRANSFERS
    return made


def fetched(board: Any, made: Any, count: int) -> None:
    """Let the DMA write `count` words."""
    done = made.done()
    for number in range(done, done + count):
        made._memory[made._begin + number % made.size] = number
    made._dma.count = board.TRANSFERS - done - count


def test_words_come_once_and_in_order_over_the_ring_s_end(board: Any) -> None:
    """Pieces of every size, some twenty rounds of the ring."""
    made, words, wanted = ring(board, 64), array("I", bytes(4 * 64)), 0
    for piece in [0, 1, 7, 40, 48, 3] * 12:
        fetched(board, made, piece)
        found = made.take(words)
        assert (found & 0xFFFF, found >> 16) == (piece, 0)
        assert list(words[:piece]) == list(range(wanted, wanted + piece))
        wanted += piece


def test_what_was_overwritten_before_the_copy_is_counted(board: Any) -> None:
    """The newest words come.

    16 may be overwritten while they are read, so as many count as lost.
    """
    made, words = ring(board, 64), array("I", bytes(4 * 64))
    fetched(board, made, 100)
    found = made.take(words)
    assert (found & 0xFFFF, found >> 16) == (48, 52)
    assert list(words[:48]) == list(range(52, 100))


def test_what_was_overwritten_during_the_copy_is_not_believed(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The DMA's position is read again after the copy; overwritten words are copied again."""
    made, words = ring(board, 64), array("I", bytes(4 * 64))
    fetched(board, made, 40)
    copy, late = board.hot.copy, [30]

    def slow(*given: Any) -> None:
        copy(*given)
        if late:
            fetched(board, made, late.pop())

    monkeypatch.setattr(board.hot, "copy", slow)
    found = made.take(words)
    count, lost = found & 0xFFFF, found >> 16
    assert lost == 70 - 48
    assert list(words[:count]) == list(range(lost, 70))


def test_a_pod_starts_anew_before_its_dma_has_counted_down(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A DMA that has counted to 0 fetches nothing more.

    The restart is not in the middle of an evening.
    """
    anew: list[int] = []
    made = ring(board, 64)
    monkeypatch.setattr(board.machine, "reset", lambda: anew.append(made.done()), raising=False)
    assert board.TRANSFERS < 1 << 30, "a number for which MicroPython needs no memory"
    assert board.LAST >= 100 * board.RING
    pod = board.Board.__new__(board.Board)
    pod._edges, pod.words, pod.lost = made, array("I", bytes(4 * 64)), 0
    for done, times in ((board.TRANSFERS - board.LAST - 7, 0), (board.TRANSFERS - board.LAST, 0)):
        made._dma.count, made._read = board.TRANSFERS - done, done - 7
        assert (pod.fetch(), pod.fetch(), len(anew)) == (7, 0, times)
    fetched(board, made, 1)
    assert (pod.fetch(), anew) == (1, [board.TRANSFERS - board.LAST + 1])
    assert pod.lost == 0


PICO, PICO_2 = "Raspberry Pi Pico W with RP2040", "Raspberry Pi Pico2 with RP2350"
RISC_V = "Raspberry Pi Pico2 with RP2350-RISCV"


@pytest.mark.parametrize(
    ("version", "machine", "hz", "said"),
    [
        ((1, 22, 0), PICO, 125_000_000, None),
        ((1, 28, 0, ""), PICO, 133_000_000, None),
        ((1, 21, 9), PICO, 125_000_000, "MicroPython 1.22 to 1.29, not for 1.21"),
        ((1, 29, 0), PICO, 125_000_000, None),
        ((1, 30, 0), PICO, 125_000_000, "MicroPython 1.22 to 1.29, not for 1.30"),
        ((1, 29, 0), PICO_2, 150_000_000, None),
        ((1, 23, 0), PICO_2, 150_000_000, "MicroPython 1.24 to 1.29, not for 1.23"),
        ((1, 29, 0), RISC_V, 150_000_000, "RP2040 or RP2350, not for: Raspberry Pi Pico2 with RP2350-RISCV"),
        ((1, 28, 0), PICO, 125_500_000, "whole MHz"),
    ],
)
def test_a_board_on_which_it_has_not_run_is_refused_with_a_sentence(
    board: Any,
    version: tuple[object, ...],
    machine: str,
    hz: int,
    said: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The program itself checks the versions that `referee pod install` checks."""

    class Implementation(tuple[object, ...]):
        __slots__ = ()
        _machine = machine

    here = types.SimpleNamespace(implementation=Implementation(("micropython", version)), platform="rp2")
    monkeypatch.setattr(board, "sys", here)
    monkeypatch.setattr(board.machine, "freq", lambda: hz, raising=False)
    reason = board.unfit()
    assert reason is None if said is None else said in reason
    assert (board.OLDEST, board.NEWEST) == (pods_install.OLDEST, pods_install.NEWEST)
