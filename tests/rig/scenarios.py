"""Boots the service in the guest, has people do things to it, and compares what came of it with what must be.

    python3 -m tests.rig.scenarios match [--keep DIR]       a whole match, see match.py and verify.py
    python3 -m tests.rig.scenarios trouble [--keep DIR]     what goes wrong around a table, see trouble.py
    python3 -m tests.rig.scenarios idle [--keep DIR]        an empty lobby, see idle.py

Exit status 1 when anything was not as it must be, 75 when this machine was too busy to tell.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.rig import verify
from tests.rig.vm import PROJECT, BusyError, RigError, give_up, read_json, run_script, shared_directory

GPIO_ERR_US = 2_000  # see fairness.STATED_ERROR_NS
CONFIG = f"""\
[pins]
profile = "direct4"
chip = "rig-pinctrl"
[arbiter]
gpio_err_us = {GPIO_ERR_US}
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
TRIES = 3
IDLE_LIMITS = {"switches_per_s": 5, "bytes_written": 0, "pictures": 1}  # over a minute, all threads
STALL_MAX_NS = 400_000_000  # a beat is a second: beyond this, what was seen of it proves nothing


def build_wheel(into: Path) -> None:
    """The product as it is installed everywhere."""
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(into), str(PROJECT)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RigError(f"the wheel could not be built: {done.stderr.strip()}")


def boot(scenario: str, wheel: Path, share: Path, **more: Any) -> None:
    """The service with the configuration that lies in `share`, and that module of this folder beside it.

    `more`: for vm.run_script.
    """
    shutil.copy(wheel, share)
    run_script(SCRIPT.replace("SCENARIO", scenario), share, systemd=True, **{"timeout_s": TIMEOUT_S, **more})


def play(scenario: str, wheel: Path, share: Path) -> str | None:
    """Play it, from an empty `share`; how the emulator spoilt it, None when it did not."""
    (share / "referee.toml").write_text(CONFIG)
    boot(scenario, wheel, share)
    stalled, seen = share / "stalled", share / "seen.json"
    if stalled.exists():
        return stalled.read_text()
    stall_ns = read_json(seen)["stall_ns"] if seen.exists() else 0
    return f"for {stall_ns / 1e9:.1f} s" if stall_ns > STALL_MAX_NS else None


def play_until_sound(scenario: str, keep: Path | None) -> list[str]:
    """A scenario that the emulator did not spoil; what was not as it must be in it, a sentence each."""
    with shared_directory() as workshop:
        build_wheel(workshop)
        (wheel,) = workshop.glob("*.whl")
        for _ in range(TRIES):
            with shared_directory() as share:
                try:
                    spoilt = play(scenario, wheel, share)
                finally:
                    if keep:
                        shutil.copytree(share, keep, dirs_exist_ok=True)
                if spoilt is None:
                    return list(CHECKS[scenario](share))
            print(f"the emulator stalled ({spoilt}): once more", flush=True)
    raise BusyError(f"the emulator stalled in every one of {TRIES} tries: this machine is too busy to tell")


def check_match(share: Path) -> list[str]:
    found = verify.differences(share)
    if not found:
        print("\n".join(verify.summary(share)))
    return found


def check_trouble(share: Path) -> Iterator[str]:
    """Two restarts, no more; each loss told once; and the evidence still tells one story."""
    left = read_json(share / "trouble.json")
    if left != {"NRestarts": "2", "ActiveState": "active"}:
        yield f"at the end systemd said {left}"
    log = (share / "journal.log").read_text()
    for sentence in ("display lost", "display is back", "Watchdog timeout"):
        if log.count(sentence) != 1:
            yield f"the log says '{sentence}' {log.count(sentence)} times:\n{log}"
    yield from verify.replay(share, hands=0, verdicts=1)


def check_idle(share: Path) -> Iterator[str]:
    """The limits of a device that may stand on a battery all evening."""
    left = read_json(share / "idle.json")
    print(", ".join(f"{name}: {figure:g}" for name, figure in left.items()))
    for name, limit in IDLE_LIMITS.items():
        if left[name] > limit:
            yield f"an empty lobby had {name} {left[name]:g}, not {limit} at most"


CHECKS: dict[str, Callable[[Path], Iterable[str]]] = {
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
        found = play_until_sound(arguments.scenario, arguments.keep)
    except RigError as error:
        return give_up(error)
    for sentence in found:
        print(f"NOT AS IT MUST BE: {sentence}")
    if not found:
        print(f"the {arguments.scenario} was as it must be")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
