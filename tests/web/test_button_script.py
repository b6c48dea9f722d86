"""The touches and answers of `button.js`, with Node's event targets in place of a browser's."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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

ANSWERS = """
const {{ answerClock }} = await import({script});
Object.defineProperty(globalThis, "navigator", {{ value: {{}} }});
let clock = 1000, timers = [];
Object.defineProperty(globalThis, "performance", {{ value: {{ now: () => clock }} }});
globalThis.setTimeout = (does, ms = 0) => {{ timers.push({{ does, at: clock + ms }}); return timers.length; }};
globalThis.clearTimeout = (number) => {{ if (number) timers[number - 1] = null; }};
const sent = [];
for (const question of {questions}) {{
  answerClock({{ bound: null, ...question }}, {{ send: (message) => sent.push(message) }}, {{}}, "");
}}
for (let next = 0; next < timers.length; next++) {{
  if (!timers[next]) continue;
  clock = Math.max(clock, timers[next].at);
  timers[next].does();
}}
console.log(JSON.stringify(sent.map(({{ clock, at, left }}) => [clock, at, left])));
process.exit(0);
"""


def ran(harness: str, **values: object) -> Any:
    """Return what the script prints in Node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node on this machine")
    written = {name: json.dumps(value) for name, value in values.items()}
    code = harness.format(script=json.dumps(SCRIPT.as_uri()), **written)
    command = [node, "--input-type=module", "-e", code]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout)


def touched(*events: tuple[str, Mapping[str, object]]) -> list[bool]:
    """Return what a page says after these events at its button."""
    said: list[bool] = ran(HARNESS, events=events)
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


def test_the_clock_s_time_is_answered_at_once_or_when_the_table_wants_it() -> None:
    assert ran(ANSWERS, questions=[{"clock": 1}, {"clock": 2, "after": 1050}]) == [[1, 1000, 1000], [2, 1050, 1050]]


def test_a_newer_question_replaces_one_that_waits() -> None:
    questions = [{"clock": 1, "after": 1050}, {"clock": 2, "after": 1050}, {"clock": 3, "after": 990}]
    assert ran(ANSWERS, questions=questions) == [[3, 1000, 1000]]
