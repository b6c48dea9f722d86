"""The way back to MicroPython's prompt from each state of a pod, and the message for an unsuitable Pico."""

from __future__ import annotations

from random import Random

import pytest

from referee.core.units import MS, S
from referee.drivers.pods.install import Prompt
from tests.firmware.emulated.desk import Desk, installer
from tests.firmware.emulated.pico import FULL, Line, needs_pico

pytestmark = needs_pico
MAIN = "exec(open('main.py').read())"
STATES = ("play", "volley", "full", "starting", "prompt", "raw", "broken", "noise", "away")


def lead(desk: Desk, line: Line, state: str, dice: Random) -> None:
    """Bring a pod in play into one of the states in which the prompt may be needed."""
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
    with installer(met.pico) as line:
        lead(met, line, state, Random(seed))
        prompt = Prompt(line, "the emulated Pico")
        prompt.reach()
        assert prompt.run("print(6 * 7)").strip() == "42"
        line.run(9 * S if FULL and not seed else 10 * MS)  # no watchdog fires at the prompt
        assert prompt.run("print(6 * 7)").strip() == "42"
        prompt.leave()
    met.meet()
    begun_ns = met.now_ns
    met.volley(Random(seed), edges=3)
    met.run(400 * MS)
    assert met.outside(begun_ns) == []
