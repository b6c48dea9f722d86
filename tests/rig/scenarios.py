"""Boot the service in the guest, play a scenario, and compare the results with what is required.

    python3 -m tests.rig.scenarios match [--keep DIR]     a whole match, see match.py and verify.py
    python3 -m tests.rig.scenarios trouble [--keep DIR]   faults around a table, see trouble.py
    python3 -m tests.rig.scenarios idle [--keep DIR]      an empty lobby, see idle.py

Exit status 1 if anything failed once; 75 if the guest measured in every try that this machine was too busy.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.rig import verify
from tests.rig.stalls import Stalls, Wrong
from tests.rig.tries import play_until_sound
from tests.rig.vm import PROJECT, RigError, give_up, read_json, run_script, shared_directory

GPIO_ERR_US = 2_000  # see fairness.STATED_ERROR_NS
CONFIG = f"""\
[table]
agreement = false
[pins]
profile = "direct4"
chip = "rig-pinctrl"
[arbiter]
gpio_err_us = {GPIO_ERR_US}
[sound]
pwm = "/sys/class/pwm/pwmchip0"
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
adapt_unit
start_service
status=0
python3 -m tests.rig.SCENARIO || status=$?
leave_evidence
exit $status
"""
TIMEOUT_S = 400
IDLE_LIMITS = {"switches_per_s": 5, "bytes_written": 0, "pictures": 1}  # over a minute, all threads


def build_wheel(into: Path) -> None:
    """Build the wheel as it is installed everywhere."""
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(into), str(PROJECT)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RigError(f"the wheel could not be built: {done.stderr.strip()}")


def boot(scenario: str, wheel: Path, share: Path, **more: Any) -> None:
    """Boot the service with the configuration in `share` and that module of this folder.

    `more`: for vm.run_script.
    """
    shutil.copy(wheel, share)
    run_script(SCRIPT.replace("SCENARIO", scenario), share, systemd=True, **{"timeout_s": TIMEOUT_S, **more})


@dataclass(frozen=True)
class Scene:
    """The result of a played scenario: its failures."""

    wrong: tuple[Wrong, ...]


def play(scenario: str, wheel: Path, share: Path) -> Scene:
    """Play a scenario with an empty `share`; the script's own failure comes first."""
    (share / "referee.toml").write_text(CONFIG)
    boot(scenario, wheel, share)
    failed = share / "failed.json"
    if not failed.exists():
        return Scene(tuple(CHECKS[scenario](share)))
    left = read_json(failed)
    if left["measured"]:
        return Scene((Wrong(f"the {scenario} could not be played", left["sentence"]),))
    stalls = Stalls(read_json(share / "seen.json")["stalls"])
    return Scene((stalls.wrong(left["sentence"], *left["wrong_ns"]),))


def check_match(share: Path) -> list[Wrong]:
    found = verify.differences(share)
    if not found:
        print("\n".join(verify.summary(share)))
    return found


def check_trouble(share: Path) -> Iterator[Wrong]:
    """Check for exactly two restarts, one report per loss, and consistent evidence."""
    left = read_json(share / "trouble.json")
    if left != {"NRestarts": "4", "ActiveState": "active"}:
        yield Wrong(f"at the end systemd said {left}")
    log = (share / "journal.log").read_text()
    for sentence in ("display lost", "display is back", "Watchdog timeout"):
        if log.count(sentence) != 1:
            yield Wrong(f"the log says '{sentence}' {log.count(sentence)} times:\n{log}")
    yield from map(Wrong, verify.replay(share, hands=0, verdicts=1))


def check_idle(share: Path) -> Iterator[Wrong]:
    """Check the limits of a device that may run on a battery all evening."""
    left = read_json(share / "idle.json")
    print(", ".join(f"{name}: {figure:g}" for name, figure in left.items()))
    for name, limit in IDLE_LIMITS.items():
        if left[name] > limit:
            yield Wrong(f"an empty lobby had {name} {left[name]:g}, not {limit} at most")


CHECKS: dict[str, Callable[[Path], Iterable[Wrong]]] = {
    "match": check_match,
    "trouble": check_trouble,
    "idle": check_idle,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Try the real service on simulated pins.")
    parser.add_argument("scenario", choices=CHECKS)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="copy what was recorded there")
    arguments = parser.parse_args()
    try:
        with shared_directory() as workshop:
            build_wheel(workshop)
            (wheel,) = workshop.glob("*.whl")
            what = f"the {arguments.scenario}"
            scene = play_until_sound(what, lambda share: play(arguments.scenario, wheel, share), arguments.keep)
    except RigError as error:
        return give_up(error)
    for wrong in scene.wrong:
        print(f"NOT AS IT MUST BE: {wrong}")
    if not scene.wrong:
        print(f"the {arguments.scenario} was as it must be")
    return 1 if scene.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
