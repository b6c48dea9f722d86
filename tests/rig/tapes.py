"""Whole evenings at the real service: boot it, play a tape, and compare the results.

    python3 -m tests.rig.tapes tapes [NAME ...] [--keep DIR]
    python3 -m tests.rig.tapes kills [NAME ...] [--seed N] [--count N] [--keep DIR]
    python3 -m tests.rig.tapes calls [NAME ...] [--count N] [--keep DIR]

A tape is played with the waiting for people cut out. It passes if all its conditions are met, if the daemon's journal
has the same result as an Engine with the same tape, and if display, lamps and piezo matched the journal in each life of
the daemon.

Exit status 1 if anything failed once; 75 if the guest measured in every try that this machine was too busy.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from referee.core.model.table import Setup
from referee.core.units import MS, S
from referee.storage.evenings.folder import evenings_in, find_latest
from tests.rig import calls, kills, lives
from tests.rig.kills import Plan
from tests.rig.pins import pin_map_for, profile_for
from tests.rig.scenarios import GPIO_ERR_US, boot, build_wheel
from tests.rig.stalls import Stalls, Wrong
from tests.rig.tries import play_until_sound
from tests.rig.vm import RigError, give_up, provision, read_json, shared_directory
from tests.tapes.play import Play
from tests.tapes.tape import wired_names

TIMEOUT_S = 900
ROUNDS = 3
ENDINGS = 8
"""Number of deaths of which one is in the middle of a gesture and ends its evening."""
RACE_SLIP_NS = 5_000_000
"""Allowed difference of the distance of two presses in a race from the tape's, in ns."""
DETENTS_LOST = 0.05
"""Share of detents that an emulated machine may lose: it reads a line's level after the next change."""


@dataclass(frozen=True)
class Outcome:
    """The result: failures, durations, phases of the daemon's deaths, power losses of the machine."""

    wrong: tuple[Wrong, ...]
    seconds: float
    died_in: tuple[str, ...]
    plugs: int = 0


def config_for(setup: Setup) -> str:
    """Return the configuration of a table with that setup, wired as the rig."""
    document: dict[str, dict[str, Any]] = {
        "table": {"preset": setup.preset, "agreement": setup.agreement},
        "pins": {"profile": profile_for(len(setup.stations)), "chip": "rig-pinctrl"},
        "arbiter": {"gpio_err_us": GPIO_ERR_US},
        "sound": {"pwm": "/sys/class/pwm/pwmchip0"},
        "rules": dict(setup.options),
        "names": dict(setup.names),
    }
    return "".join(
        f"[{section}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in content.items())
        for section, content in document.items()
    )


Boot = tuple[dict[str, Any], dict[str, Any]]
"""The players' record of a boot of the machine, and what was seen in it."""


def play(plan: Plan, wheel: Path, share: Path) -> Outcome:
    """Boot, play and compare; boot again after each pulled plug."""
    setup = plan.score.setup
    (share / "referee.toml").write_text(config_for(setup))
    (share / "pinmap.toml").write_text(pin_map_for(len(setup.stations)))
    boots = list(_boots(plan, wheel, share))
    wrong = tuple(differences(plan, share, boots))
    died_in = tuple(phase for evening, _ in boots for phase, _, _ in evening["deaths"])
    return Outcome(wrong, sum(evening["seconds"] for evening, _ in boots), died_in, len(boots) - 1)


def _boots(plan: Plan, wheel: Path, share: Path) -> Iterator[Boot]:
    """Boot until the plug is not pulled any more. The disk is kept, memory is not."""
    disk = None
    if plan.plug:
        disk = share / "disk.img"
        subprocess.run(["cp", "--sparse=always", provision().disk, disk], check=True)
    while True:
        (share / "plan.json").write_text(json.dumps(asdict(plan)))
        (share / "plug").unlink(missing_ok=True)
        boot("play_tape", wheel, share, timeout_s=TIMEOUT_S, disk=disk, plug=share / "plug")
        evening = read_json(share / "evening.json")
        yield evening, read_json(share / "seen.json")
        if not evening["unplugged"]:
            return
        plan = replace(plan, begin=evening["unplugged"])


def differences(plan: Plan, share: Path, boots: Sequence[Boot]) -> Iterator[Wrong]:
    """Yield all failures."""
    for evening, seen in boots:
        if evening["failed"]:
            wrong = Stalls(seen["stalls"]).wrong(evening["failed"], *evening["wrong_ns"])
            yield replace(wrong, excuse=wrong.excuse or _late(evening) or _slip(evening))
            return
    rows = find_latest(evenings_in(share)).tape.rows
    as_played, as_meant = lives.story(rows), Play(plan.score).run().story()
    if plan.last is None and as_played != as_meant:
        slip = next(filter(None, (_slip(evening) for evening, _ in boots)), "")
        yield Wrong(f"the journal tells of {as_played}, the tape of {as_meant}", slip)
    detents, lost = (sum(evening[what] for evening, _ in boots) for what in ("detents", "lost_detents"))
    if lost > max(detents * DETENTS_LOST, 2):
        yield Wrong(f"of {detents} detents of the knob {lost} were lost")
    yield from lives.differences(rows, boots)


def _late(evening: dict[str, Any]) -> str:
    """Return the lateness of the people since the table was last right, by the toggler's times."""
    since_ns, _ = evening["wrong_ns"]
    late = [(late_ns, at_ns) for at_ns, late_ns in evening["late"] if at_ns >= since_ns]
    if not late:
        return ""
    late_ns, at_ns = max(late)
    return f"the people's hands were {late_ns // MS} ms late at {at_ns / S:.3f} s, by the toggler's times"


def _slip(evening: dict[str, Any]) -> str:
    """Return a changed race, by the toggler's times: another race has another verdict."""
    worst_ns = max((abs(played - meant) for meant, played in evening["races"]), default=0)
    if worst_ns <= RACE_SLIP_NS:
        return ""
    return f"two presses of a race came {worst_ns / MS:.1f} ms out of their distance, by the toggler's times"


class Report:
    """The results so far; each evening is printed when it is over."""

    def __init__(self, wheel: Path, keep: Path | None) -> None:
        self.died_in: Counter[str] = Counter()
        self.statuses = [0]
        self._wheel, self._keep = wheel, keep

    def play(self, plans: Iterable[Plan]) -> None:
        """Play the plans one after the other, even if one fails."""
        for plan in plans:
            try:
                outcome = self._until_sound(plan)
            except RigError as error:
                self.statuses.append(give_up(error))
                continue
            died = f"; died {len(outcome.died_in)} times: {' '.join(outcome.died_in)}" if outcome.died_in else ""
            plugs = f"; unplugged {outcome.plugs} times" if outcome.plugs else ""
            print(f"{plan.tape}: {outcome.seconds:.0f} s{died}{plugs}", flush=True)
            for wrong in outcome.wrong:
                print(f"NOT AS IT MUST BE: {plan.tape}: {wrong}", flush=True)
                self.statuses.append(1)
            self.died_in.update(outcome.died_in)

    def _until_sound(self, plan: Plan) -> Outcome:
        keep = self._keep and self._keep / plan.tape
        return play_until_sound(plan.tape, lambda share: play(plan, self._wheel, share), keep)

    @property
    def status(self) -> int:
        """Return the exit status: failures count before inconclusive results."""
        return min(filter(None, self.statuses), default=0)


@contextmanager
def reporting(keep: Path | None) -> Iterator[Report]:
    """Use the product as it is installed."""
    with shared_directory() as workshop:
        build_wheel(workshop)
        (wheel,) = workshop.glob("*.whl")
        yield Report(wheel, keep)


def play_kills(report: Report, seed: str, count: int, among: Sequence[str]) -> None:
    """Play the evenings of this seed, then more for phases without a death.

    A death in a call can miss its phase by milliseconds.
    """
    report.play(kill_plans(seed, count, among))
    wanted = kills.all_phases() if set(among) == set(wired_names()) else set()
    for again in range(ROUNDS):
        if missing := wanted - report.died_in.keys():
            report.play(kills.drawn(f"{seed}, again {again}", 1, among, missing))
    print(f"died {report.died_in.total()} times: {', '.join(f'{n} in {p}' for p, n in sorted(report.died_in.items()))}")
    if missing := wanted - report.died_in.keys():
        report.statuses.append(give_up(RigError(f"the daemon has never died in {', '.join(sorted(missing))}")))


PLUGS = {"power_cuts": (43, 80)}
"""Tape -> its power cuts that take the whole machine, a boot each; the others take the daemon alone."""
DEFAULT_SEED, DEFAULT_COUNT = "1", 25
SHORT = Plan("four_friends", {18: None, 25: 35 * MS, 37: None})
"""For every change: a typical evening with three deaths, one of them in a call."""


def kill_plans(seed: str, count: int, among: Sequence[str]) -> list[Plan]:
    """Return evenings with at least `count` deaths, of all tapes and in all their phases.

    Some end with one.
    """
    wanted = kills.all_phases() if set(among) == set(wired_names()) else set()
    endings = [kills.ending(seed, name) for name in kills.some(seed, among, count // ENDINGS)]
    return [*kills.drawn(seed, count - len(endings), among, wanted), *endings]


def _plans(part: str, count: int | None, among: Sequence[str]) -> list[Plan]:
    if part == "short":
        return [SHORT]
    if part == "calls":
        return [plan for plan in calls.evenings(count or calls.DEATHS) if not among or plan.tape in among]
    return [Plan(name, plug=PLUGS.get(name, ())) for name in among]


def main() -> int:
    parser = argparse.ArgumentParser(description="Play whole evenings at the real service on simulated pins.")
    parser.add_argument(
        "part",
        choices=("tapes", "kills", "short", "calls"),
        help="as they are; with a daemon that dies in them; one of these; with one that dies in each call",
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"of {', '.join(wired_names())} (calls: of calls_0, ...); all, if none is given",
    )
    parser.add_argument("--seed", default=DEFAULT_SEED, metavar="N", help="kills: where they are drawn from")
    parser.add_argument("--count", type=int, metavar="N", help="kills: how many at least; calls: how many")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="copy what was recorded there")
    arguments = parser.parse_args()
    known = [*wired_names()]
    if arguments.part == "calls":
        known = [plan.tape for plan in calls.evenings(arguments.count or calls.DEATHS)]
    if unknown := [name for name in arguments.names if name not in known]:
        parser.error(f"there is no tape '{unknown[0]}'; there are {', '.join(known)}")
    among = arguments.names or known
    try:
        with reporting(arguments.keep) as report:
            if arguments.part == "kills":
                play_kills(report, arguments.seed, arguments.count or DEFAULT_COUNT, among)
            else:
                report.play(_plans(arguments.part, arguments.count, among))
    except RigError as error:
        return give_up(error)
    return report.status


if __name__ == "__main__":
    sys.exit(main())
