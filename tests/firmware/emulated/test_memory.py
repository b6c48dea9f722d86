"""Play allocates no memory: MicroPython's own count of its heap, with its collector switched off."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from referee.core.pods import wire as podwire
from referee.core.units import MS, S
from referee.drivers.pods.install import Prompt
from tests.firmware.emulated.desk import Desk, installer
from tests.firmware.emulated.pico import needs_pico

pytestmark = needs_pico
MAIN = """
import gc
gc.collect()
gc.disable()
exec(open('main.py').read())
print('allocated', gc.mem_alloc(), 'bytes')
"""


def allocated(flash: Path, play: Callable[[Desk], None]) -> int:
    """Return the bytes of heap in use after main.py has run through that, without a collection."""
    with Desk(flash) as desk, installer(desk.pico) as line:
        line.run(1100 * MS)
        prompt = Prompt(line, "the emulated Pico")
        prompt.reach()
        line.write(MAIN.encode() + b"\x04")
        desk.meet()
        play(desk)
        line.write(podwire.prompt())
        said = b""
        while b"bytes" not in said:
            assert b"Error" not in said, said
            said += line.read(4096)
        return int(said.split(b"allocated ")[1].split()[0])


def idle(desk: Desk) -> None:
    """Do nothing."""
    desk.run(100 * MS)


def much(desk: Desk) -> None:
    """Play a volley, all questions of a host in play, garbage, a host that does not read, a closed port."""
    dice, begun_ns = Random(1), desk.now_ns
    desk.volley(dice, edges=50)
    desk.run(400 * MS)
    for mask in range(8):
        desk.link.light(mask)
        desk.run(10 * MS)
    desk.link.say(podwire.identify(1))
    desk.ask(send=dice.randbytes(600).hex())
    desk.volley(dice, edges=9)
    desk.ask(hold=True)
    desk.run(400 * MS)
    desk.ask(hold=False)
    desk.run(400 * MS)
    desk.volley(dice, edges=9)
    desk.alone(400 * MS, dtr=False)
    desk.rest_alone(4 * S)
    desk.ask(dtr=True)
    desk.meet()
    desk.run(1 * S)
    assert desk.outside(begun_ns) == []


def test_play_allocates_nothing(flash: Path) -> None:
    assert allocated(flash, much) == allocated(flash, idle)
