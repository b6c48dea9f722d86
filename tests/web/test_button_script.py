"""The touches of `button.js`, with Node's event targets in place of a browser's."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "referee" / "web" / "static" / "button.js"
HARNESS = """
const {{ listenTo }} = await import({script});
Object.defineProperty(globalThis, "navigator", {{ value: {{}} }});
globalThis.setTimeout = () => 0; // nothing is said once more
globalThis.clearTimeout = () => {{}};
const button = Object.assign(new EventTarget(), {{ setPointerCapture() {{}} }});
const said = [];
listenTo(button, (down) => said.push(down));
for (const [type, more] of {events}) button.dispatchEvent(Object.assign(new Event(type), more));
console.log(JSON.stringify(said));
process.exit(0); // the script keeps a timer
"""


def touched(*events: tuple[str, Mapping[str, object]]) -> list[bool]:
    """Return what a page says after these events at its button."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node on this machine")
    code = HARNESS.format(script=json.dumps(SCRIPT.as_uri()), events=json.dumps(events))
    done = subprocess.run(
        [node, "--input-type=module", "-e", code], capture_output=True, text=True, check=True, timeout=60
    )
    said: list[bool] = json.loads(done.stdout)
    return said


def test_ten_fingers_are_one_touch() -> None:
    down = [("pointerdown", {"pointerId": n}) for n in range(10)]
    up = [("pointerup", {"pointerId": n}) for n in range(10)]
    assert touched(*down, *up) == [True, False]
    assert touched(*down, *up[:9]) == [True]


def test_a_finger_that_leaves_the_screen_s_edge_lets_go_once() -> None:
    ends = [("pointercancel", {"pointerId": 1}), ("lostpointercapture", {"pointerId": 1})]
    assert touched(("pointerdown", {"pointerId": 1}), *ends) == [True, False]


def test_a_key_that_repeats_is_one_touch() -> None:
    assert touched(*[("keydown", {"key": " "})] * 3, ("keyup", {"key": " "})) == [True, False]


def test_a_screen_reader_s_click_is_a_touch_and_a_finger_s_click_is_none() -> None:
    assert touched(("click", {"pointerType": ""})) == [True]
    assert touched(("click", {"pointerType": "touch"})) == []
