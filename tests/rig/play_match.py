"""Boots the service in the guest, has a match played at it, and compares everything that came of it.

    python3 -m tests.rig.play_match [--keep DIR]

Exit status 1 when anything was not as it must be.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from tests.rig import verify
from tests.rig.vm import PROJECT, RigError, run_script, shared_directory

GPIO_ERR_US = 2_000  # see fairness.STATED_ERROR_NS
CONFIG = f"""\
[pins]
profile = "direct4"
chip = "rig-pinctrl"
[arbiter]
gpio_err_us = {GPIO_ERR_US}
[sound]
pwm = "/run/rig-pwm"
[rules]
target = 60
bonus = 10
[names]
1 = "Anna"
2 = "Ben"
3 = "Max"
4 = "Lea"
"""
SCRIPT = """\
set -e
. /project/tests/rig/service.sh
install_product
pretend_pwm
adapt_unit
start_service
status=0
python3 -m tests.rig.match $piezo || status=$?
leave_evidence
exit $status
"""
TIMEOUT_S = 400
TRIES = 3


def build_wheel(into: Path) -> None:
    """The product as it is installed everywhere."""
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(into), str(PROJECT)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RigError(f"the wheel could not be built: {done.stderr.strip()}")


def play_match(wheel: Path, share: Path) -> str | None:
    """Play it, from an empty `share`; how the emulator spoilt it, None when it did not."""
    shutil.copy(wheel, share)
    (share / "referee.toml").write_text(CONFIG)
    run_script(SCRIPT, share, systemd=True, timeout_s=TIMEOUT_S)
    stalled = share / "stalled"
    return stalled.read_text() if stalled.exists() else None


def play_until_sound(keep: Path | None) -> list[str]:
    """A match that the emulator did not spoil; what was not as it must be in it, a sentence each."""
    with shared_directory() as workshop:
        build_wheel(workshop)
        (wheel,) = workshop.glob("*.whl")
        for _ in range(TRIES):
            with shared_directory() as share:
                try:
                    spoilt = play_match(wheel, share)
                finally:
                    if keep:
                        shutil.copytree(share, keep, dirs_exist_ok=True)
                if spoilt is None:
                    return _compared(share)
            print(f"the emulator stalled ({spoilt}): once more", flush=True)
    return [f"the emulator stalled in every one of {TRIES} matches: the machine is too busy to play on"]


def _compared(share: Path) -> list[str]:
    found = verify.differences(share)
    if not found:
        print("\n".join(verify.summary(share)))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Play a match at the real service on simulated pins.")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="copy what was recorded there")
    arguments = parser.parse_args()
    try:
        found = play_until_sound(arguments.keep)
    except RigError as error:
        print(f"rig: {error}", file=sys.stderr)
        return 1
    for sentence in found:
        print(f"NOT AS IT MUST BE: {sentence}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
