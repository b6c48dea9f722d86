"""The wiring table of a profile, as `referee pins` prints it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.drivers.pins.lint import GROUPS, HEADER
from referee.drivers.pins.pinmap import Pin, Profile

_HEADINGS = ("pin", "GPIO", "net", "to", "use")


def document(profile: Profile, conflicts: Sequence[str]) -> dict[str, Any]:
    """Return the profile as a JSON document. `conflicts`: the sentences of `lint.lint`.

    Keys: profile, title, overlays, reserved, free (BCM numbers), pins (gpio, header, net, to, role and other given
    fields), conflicts.
    """
    return {
        "profile": profile.name,
        "title": profile.title,
        "overlays": list(profile.overlays),
        "reserved": {name: list(GROUPS.get(name, ())) for name in profile.reserve},
        "free": _free(profile),
        "pins": [_entry(pin) for pin in profile.pins],
        "conflicts": list(conflicts),
    }


def text(profile: Profile, conflicts: Sequence[str]) -> str:
    """Format the profile: a table in header order, the lines for config.txt, the conflicts."""
    pins = sorted(profile.pins, key=lambda pin: (HEADER.get(pin.gpio, 99), pin.net))
    rows = [_HEADINGS, *(_row(pin) for pin in pins)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([f"{profile.name}: {profile.title}", "", *lines, "", *_notes(profile), "", *_verdict(conflicts)])


def _entry(pin: Pin) -> dict[str, Any]:
    entry: dict[str, Any] = {"gpio": pin.gpio, "header": HEADER.get(pin.gpio), "net": pin.net, "to": pin.to}
    entry["role"] = pin.role
    extra = {"signal": pin.signal, "pull": pin.pull, "active": pin.active, "boot": pin.boot, "extpull": pin.extpull}
    entry.update({name: value for name, value in extra.items() if value})
    if pin.ma:
        entry["ma"] = pin.ma
    return entry


def _row(pin: Pin) -> tuple[str, ...]:
    place = str(HEADER[pin.gpio]) if pin.gpio in HEADER else "-"
    return (place, str(pin.gpio), pin.net, pin.to, _use(pin))


def _use(pin: Pin) -> str:
    if pin.role == "in":
        return f"input, pull {pin.pull or 'missing'}, pressed = {pin.active or '?'}"
    if pin.role in ("out", "pwm"):
        name = "output" if pin.role == "out" else "PWM output"
        outside = f", pulled {pin.extpull} outside" if pin.extpull else ""
        return f"{name}, {pin.boot or '?'} at power-up{outside}, {pin.ma:g} mA"
    return f"{pin.role.upper()} {pin.signal}"


def _notes(profile: Profile) -> list[str]:
    reserve = ", ".join(f"{name} ({', '.join(map(str, GROUPS.get(name, ())))})" for name in profile.reserve)
    free = ", ".join(map(str, _free(profile)))
    config = ["config.txt needs:", *(f"    {line}" for line in profile.overlays)]
    return [f"Reserved: {reserve or 'nothing'}", f"Free: {free or 'nothing'}", *config]


def _free(profile: Profile) -> list[int]:
    taken = {pin.gpio for pin in profile.pins} | set(GROUPS["hat_id"])
    taken.update(gpio for name in profile.reserve for gpio in GROUPS.get(name, ()))
    return sorted(set(HEADER) - taken)


def _verdict(conflicts: Sequence[str]) -> list[str]:
    return ["Conflicts:", *(f"    {sentence}" for sentence in conflicts)] if conflicts else ["No conflicts."]
