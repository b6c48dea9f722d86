"""The enclosure rebuilt by the CAD tool: sound as it is, and injected faults are found."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hardware.enclosure import parameters

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-cad" / "bin" / "python"
pytestmark = pytest.mark.skipif(
    not (ROOT / ".venv-cad" / ".ready").exists(), reason="the CAD tool is not installed: make hardware-tools"
)


def check(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m hardware.enclosure check` in the CAD tool's own environment."""
    command = [str(PYTHON), "-m", "hardware.enclosure", "check", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)


def test_the_enclosure_is_sound() -> None:
    done = check()
    assert (done.stdout, done.returncode) == ("The enclosure is sound.\n", 0)


FAULTS = {
    "a lid too low": ("console", "console.front_mm=24", "console-lid and carrier run into each other"),
    "a hood below the display": ("console", "display.below_pane_mm=-4", "console-hood and display run into each other"),
    "a window too small": ("console", "display.window_margin_mm=-2", "console-hood hides the display"),
    "a flat lid over the Pi": ("console", "console.slope_deg=2", "console-lid and carrier run into each other"),
    "no eave": ("console", "console.eave_mm=3.5", "socket 1 stands in the rain: the eave does not reach over it"),
    "a bar too thick": ("station", "ballast.bar_mm=[60,100,16]", "button and bar run into each other"),
    "a guard ring too high": ("station", "guard.height_mm=9", "the button stands -1.5 mm over its guard ring"),
    "a bridge too long": ("prints", "zero.post_slack_mm=8", "zero-mount has a bridge of 22"),
    "a cap over nothing": ("prints", "zero.side_mm=-1", "zero-mount needs support: "),
    "a Zero's mount in the plug's way": (
        "zero",
        "zero.arm_mm=4.9",
        "no plug reaches the Zero's power socket: zero-mount",
    ),
    "a speaker below the lid": ("console", "speaker.deep_mm=45", "speaker run into each other"),
    "a stand without a pocket": ("stand", "stand.pocket_mm=0.5", "display-stand and display run into each other"),
    "breadboards too long": ("pod", "pod.slack_mm=-2", "pod-tray and breadboard A run into each other"),
    "a lid on the wires": ("pod", "pod.height_mm=32", "pod-lid and wires run into each other"),
    "a console wider than a bed": ("prints", "console.width_mm=216", "console-lid is 221.6 mm long, the bed has 220"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault: str) -> None:
    room, change, said = FAULTS[fault]
    done = check("--room", room, "--set", change)
    assert said in done.stdout
    assert done.returncode == 1


@pytest.mark.parametrize("preset", sorted(parameters.presets()))
def test_a_station_for_another_button_fits(preset: str) -> None:
    done = check("--preset", preset)
    assert (done.stdout, done.returncode) == ("The enclosure is sound.\n", 0)


def test_a_parameter_that_is_none_is_bad_usage() -> None:
    done = check("--set", "console.hight_mm=3")
    assert (done.stderr, done.returncode) == ("'console.hight_mm' is no parameter; they stand in parameters.toml\n", 2)


OVERHANGS = """
from build123d import Box, Pos, Rot, Align
from hardware.enclosure.overhang import hanging, triangles
LOW, MID = Align.MIN, Align.CENTER
def box(x, y, z, long, wide, high): return Pos(x, y, z) * Box(long, wide, high, align=(LOW, LOW, LOW))
post = box(0, 0, 0, 5, 10, 12)
shapes = {
    "a tongue of 6 mm": post + box(0, 0, 10, 11, 10, 2),
    "a bridge of 15 mm": post + box(20, 0, 0, 5, 10, 12) + box(0, 0, 10, 25, 10, 2),
    "steep": post + Pos(5, 0, 4) * Rot(0, 40, 0) * box(-3, 0, 0, 3, 10, 8),
    "flat": post + Pos(5, 0, 4) * Rot(0, 75, 0) * box(-3, 0, 0, 3, 10, 12),
}
for name, solid in shapes.items():
    found = hanging(triangles(solid))
    print(f"{name}|{found.bridge_mm:.1f}|{found.tongue_mm:.1f}")
"""


def test_what_hangs_over_is_measured() -> None:
    """A tongue and a bridge by their lengths, a face of 40 degrees not at all, one of 75 as a tongue."""
    done = subprocess.run(
        [str(PYTHON), "-c", OVERHANGS], cwd=ROOT, capture_output=True, text=True, timeout=600, check=True
    )
    rows = [line.split("|") for line in done.stdout.splitlines()]
    found = {name: (float(bridge), float(tongue)) for name, bridge, tongue in rows}
    assert found["a tongue of 6 mm"] == pytest.approx((0.0, 6.0), abs=0.5)
    assert found["a bridge of 15 mm"] == pytest.approx((15.0, 0.0), abs=0.8)
    assert found["steep"][1] <= 2.0
    assert found["flat"][1] > 2.0
