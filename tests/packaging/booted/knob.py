"""Turn and push the knob by its contacts in the guest, along the lines that the display lists.

    python3 -m tests.packaging.booted.knob item.more item.device item.off

For each of these keys the list is opened if needed, turned to that line and pushed. The page gives the display's lines.
Exits with 1 if a list has no such line.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request
from typing import Any

from tests.rig.chip import CLOSED, OPEN, make_chip
from tests.rig.pins import ENCODER_A, ENCODER_B, KNOB

VIEW = "http://127.0.0.1:8080/api/view"
CHANGE_S, PUSH_S = 0.05, 0.15
SHOWN_S = 10.0
"""Seconds within which an emulated machine shows the result of a push."""
POLL_S = 0.2


def screen() -> dict[str, Any]:
    """Return the displayed screen."""
    with urllib.request.urlopen(VIEW, timeout=SHOWN_S) as answer:
        shown: dict[str, Any] = json.load(answer)["screen"]
    return shown


def push() -> None:
    """Push the knob, and release it."""
    chip = make_chip()
    chip.set_contact(KNOB, CLOSED)
    time.sleep(PUSH_S)
    chip.set_contact(KNOB, OPEN)
    time.sleep(PUSH_S)


def turn(steps: int) -> None:
    """Turn by so many detents, clockwise if positive: A leads."""
    chip = make_chip()
    leads, follows = (ENCODER_A, ENCODER_B) if steps > 0 else (ENCODER_B, ENCODER_A)
    for line, level in ((leads, CLOSED), (follows, CLOSED), (leads, OPEN), (follows, OPEN)) * abs(steps):
        chip.set_contact(line, level)
        time.sleep(CHANGE_S)


def place(shown: dict[str, Any], key: str) -> int | None:
    """Return the index of the listed line with that key, or None."""
    lines = shown.get("items", ())
    return next((at for at, line in enumerate(lines) if isinstance(line, dict) and line.get("key") == key), None)


def wait_for(key: str, cursor: bool) -> dict[str, Any] | None:
    """Wait for the list with that line, with `cursor` on it; return None on a timeout."""
    give_up = time.monotonic() + SHOWN_S
    while time.monotonic() < give_up:
        shown = screen()
        at = place(shown, key)
        if at is not None and (not cursor or shown["cursor"] == at):
            return shown
        time.sleep(POLL_S)
    return None


def choose(key: str) -> bool:
    """Turn to that line and push; return whether it worked."""
    if "items" not in screen():
        push()
    shown = wait_for(key, cursor=False)
    if shown is None:
        return False
    at = place(shown, key)
    assert at is not None
    turn(at - shown["cursor"])
    if wait_for(key, cursor=True) is None:
        return False
    push()
    return True


def main(keys: list[str]) -> int:
    """Return 0 if every line was found and pushed."""
    for key in keys:
        if not choose(key):
            print(f"no line {key}: {json.dumps(screen())}", file=sys.stderr)  # noqa: T201
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
