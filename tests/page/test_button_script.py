"""The touches and answers of `button.js`, with Node's event targets in place of a browser's."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "referee" / "page" / "static" / "button.js"
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

KEPT = """
Object.defineProperty(globalThis, "navigator", {{ value: {{}} }});
globalThis.setTimeout = () => 0;
let slept = 0;
const now = Date.now;
Date.now = () => now() + slept;
const stored = {stored};
Object.defineProperty(globalThis, "sessionStorage", {{ value: {{
  getItem: (key) => stored[key] ?? null,
  setItem: (key, text) => {{ if ({full}) throw new Error("full"); stored[key] = text; }},
}} }});
let pages = 0, page, sent, open;
const line = {{ send: (message) => {{ if (open) sent.push(message); return open; }} }};
const does = {{
  async load() {{ page = await import({script} + `?${{pages++}}`); open = false; sent = []; }},
  open() {{ open = true; page.sendKept(line); }},
  lose() {{ open = false; sent = []; }},
  touch(at) {{ page.sendTouch(line, true, at, at + 1); page.sendTouch(line, false, at + 100, at + 101); }},
  sleep() {{ slept += 60; }},
  confirm() {{ page.answerClock({{ got: sent.map(({{ id }}) => id), bound: null }}, line, {{}}, ""); sent = []; }},
}};
for (const [step, ...values] of {steps}) await does[step](...values);
console.log(JSON.stringify(sent.map(({{ touch, at, seen, run }}) => [touch, at, seen ?? null, Boolean(run)])));
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


def sent_by_page(
    *steps: tuple[str | int, ...], stored: Mapping[str, str] = MappingProxyType({}), full: bool = False
) -> Any:
    """Return the touches that the last page has sent since its last loss: down, stamp, seen, by another clock."""
    return ran(KEPT, steps=steps, stored=dict(stored), full=full)


OWN = [[True, 5, 6, False], [False, 105, 106, False]]
"""A touch by the page's own clock."""


def test_page_sends_again_what_the_table_has_not_confirmed() -> None:
    lost = [("load",), ("open",), ("touch", 5), ("lose",)]
    assert sent_by_page(*lost, ("open",)) == OWN
    assert sent_by_page(*lost, ("open",), full=True) == OWN  # nothing can be stored
    assert sent_by_page(*lost, ("open",), ("confirm",), ("open",)) == []


def test_next_page_hands_over_a_touch_by_its_clock_s_name() -> None:
    lost = [("load",), ("touch", 5), ("load",)]
    assert sent_by_page(*lost, ("touch", 5), ("open",)) == [[True, 5, None, True], *OWN]
    assert sent_by_page(*lost, ("open",), ("confirm",), ("load",), ("open",)) == []
    assert sent_by_page(*lost, ("open",), full=True) == []


def test_clock_that_stood_still_has_another_name() -> None:
    assert sent_by_page(("load",), ("touch", 5), ("sleep",), ("touch", 5), ("open",)) == [[True, 5, None, True], *OWN]


def test_kept_touches_are_few_and_of_a_known_kind() -> None:
    many = [("touch", at) for at in range(20)]
    assert len(sent_by_page(("load",), *many, ("open",))) == 16
    later = {"touches": json.dumps({"schema": 2, "touches": [{"touch": True, "at": 5, "run": "a", "id": 1}]})}
    assert sent_by_page(("load",), ("open",), stored=later) == []
    assert sent_by_page(("load",), ("open",), stored={"touches": "{"}) == []
