"""The way back to MicroPython's prompt, from whatever a pod is doing; and what a Pico that cannot be one says."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from referee.core.units import MS, S
from referee.drivers.pods import install as pods_install
from referee.drivers.pods.install import Prompt
from tests.firmware.emulated.desk import Desk, installer
from tests.firmware.emulated.pico import FULL, Line, Pico, image, long, needs_pico

pytestmark = needs_pico
MAIN = "exec(open('main.py').read())"
STATES = ("play", "volley", "full", "starting", "prompt", "raw", "broken", "noise", "away")


def lead(desk: Desk, line: Line, state: str, dice: Random) -> None:
    """A pod in play into one of the states in which somebody may want its prompt."""
    if state == "volley":
        desk.volley(dice, edges=21)
        desk.run(dice.randrange(2, 30) * MS)
    elif state == "full":
        desk.ask(hold=True)
        desk.volley(dice, edges=21)
        desk.run(300 * MS)
        desk.ask(hold=False)
    elif state == "starting":
        desk.ask(power={"off_ns": 5 * MS})
        line.run(dice.randrange(1, 1100) * MS)
    elif state in ("prompt", "raw", "broken"):
        Prompt(line, "the emulated Pico").reach()
        if state == "prompt":
            line.write(b"\x02for n in range(3):\r")
        elif state == "raw":
            line.write(b"print('half a program")
        else:
            line.write(f"import pod\npod.Pod.turn = lambda self: 1 // 0\n{MAIN}\x04".encode())
            line.run(dice.randrange(2600) * MS)
    elif state == "noise":
        line.write(dice.randbytes(200) + b"\x7e\x7d")
    elif state == "away":
        desk.alone(100 * MS, dtr=False)
        desk.rest_alone(4 * S)
        desk.ask(dtr=True)


@pytest.mark.parametrize("seed", range(10 if FULL else 1))
@pytest.mark.parametrize("state", STATES if FULL else ("volley", "broken"))
def test_the_prompt_is_reached_from_whatever_the_pod_is_doing(met: Desk, state: str, seed: int) -> None:
    """And from there the pod's program starts again, and tells every change."""
    with installer(met.pico) as line:
        lead(met, line, state, Random(seed))
        prompt = Prompt(line, "the emulated Pico")
        prompt.reach()
        assert prompt.run("print(6 * 7)").strip() == "42"
        line.run(9 * S if FULL and not seed else 10 * MS)  # no watchdog barks at the prompt
        assert prompt.run("print(6 * 7)").strip() == "42"
        prompt.leave()
    met.meet()
    begun_ns = met.now_ns
    met.volley(Random(seed), edges=3)
    met.run(400 * MS)
    assert met.outside(begun_ns) == []


@long
def test_the_program_is_replaced_on_a_running_pod(flash: Path) -> None:
    """By `referee pod install` itself; the Pico starts anew with it, and presses are stamped."""
    with Desk(flash) as desk:
        desk.meet()
        with installer(desk.pico):
            pods_install.install("the emulated Pico")
        desk.meet()
        begun_ns = desk.now_ns
        desk.volley(Random(1), edges=9)
        desk.run(400 * MS)
        assert desk.outside(begun_ns) == []


@long
@pytest.mark.parametrize(
    ("version", "machine", "said"),
    [
        ((1, 29, 0), "Raspberry Pi Pico with RP2040", b"is for MicroPython 1.22 to 1.28, not for 1.29"),
        ((1, 21, 1), "Raspberry Pi Pico with RP2040", b"is for MicroPython 1.22 to 1.28, not for 1.21"),
        ((1, 28, 0), "Raspberry Pi Pico2 with RP2350", b"is for an RP2040, not for: Raspberry Pi Pico2 with RP2350"),
    ][: None if FULL else 1],
)
def test_a_pico_that_cannot_be_a_pod_says_why(flash: Path, version: tuple[int, ...], machine: str, said: bytes) -> None:
    """Again and again, and whoever asks this line as a host hears it; a Ctrl-C ends it."""
    pretended = f"""
import board
class Implementation(tuple):
    _machine = {machine!r}
class System:
    implementation = Implementation(('micropython', {version!r}))
    platform = 'rp2'
board.sys = System
{MAIN}
"""
    with Pico(flash) as pico, installer(pico) as line:
        line.run(1100 * MS)
        Prompt(line, "the emulated Pico").reach()
        line.write(pretended.encode() + b"\x04")
        line.run(2500 * MS)
        heard = b"".join(line.read(4096) for _ in range(20))
        assert heard.count(said) >= 2
        Prompt(line, "the emulated Pico").reach()


def test_a_uf2_and_a_bin_are_the_same_image(tmp_path: Path) -> None:
    """As micropython.org gives it, in blocks of 256 bytes; one for another chip is refused."""
    found = image()
    assert found is not None
    with Pico(found) as pico:
        pico.ask(save=str(tmp_path / "flash.bin"))
    flash = (tmp_path / "flash.bin").read_bytes()
    for family, fits in ((0xE48BFF56, True), (0xE48BFF59, False)):
        made = tmp_path / f"{family:x}.uf2"
        made.write_bytes(uf2(flash.rstrip(b"\xff"), family))
        with Pico(made) as pico:
            if not fits:
                with pytest.raises(ValueError, match="Expecting value"):
                    pico.ask(save=str(tmp_path / "other.bin"))
                continue
            pico.ask(save=str(tmp_path / "other.bin"))
        assert (tmp_path / "other.bin").read_bytes() == flash


def uf2(data: bytes, family: int) -> bytes:
    """These bytes from the flash's beginning on, as a UF2."""
    pieces = [data[at : at + 256].ljust(256, b"\xff") for at in range(0, len(data), 256)]
    out = b""
    for number, piece in enumerate(pieces):
        words = (0x0A324655, 0x9E5D5157, 0x2000, 0x10000000 + 256 * number, 256, number, len(pieces), family)
        block = b"".join(word.to_bytes(4, "little") for word in words) + piece
        out += block.ljust(508, b"\0") + (0x0AB16F30).to_bytes(4, "little")
    return out
