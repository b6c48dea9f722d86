"""`referee doctor`: checks of the machine (boot, power, clocks, network, disk, service).

Each fault's sentence says what to do. Checks without data are skipped.
"""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from referee.bench.findings import Finding, fault, fine, open_
from referee.core.reading import count_text, list_text
from referee.drivers.pi import bootconfig, vitals
from referee.drivers.pi.model import Model, model, model_name, revision
from referee.drivers.pins.pinmap import Profile

OLDEST_KERNEL = (5, 10)
"""Oldest kernel with version 2 of the GPIO interface (5.10), which the pins need."""
COARSE = ("jiffies", "refined-jiffies")
MADE_S = 1_767_225_600
"""1 January 2026, UTC, in Unix seconds. A wall clock before this is wrong."""
WRITES, SLOW_S = 16, 0.1
"""Number of trial writes, and the time in s from which they are slow.

A verdict waits for one write before it is shown; people notice a delay of 0.1 s.
"""
ANSWER_S = 5.0
OWN_NETWORK = "referee-own"
"""Name of NetworkManager's connection for the device's own network (systemd/debian/wifi)."""


class Machine:
    """What the checks learn about the machine without reading files.

    Tests use a subclass that gives other answers.
    """

    root = Path("/")

    def power_saving(self, interface: str) -> bool | None:
        """Return whether the Wi-Fi interface uses power saving; None if unknown."""
        return vitals.saves_power(interface)

    def network(self) -> str | None:
        """Return the name of the Wi-Fi connection in use; "" without one, None if unknown."""
        return vitals.wifi_network()

    def is_synchronized(self) -> bool | None:
        """Return whether a time service keeps the wall clock right; None if unknown."""
        return vitals.is_synchronized()

    def wall_s(self) -> float:
        """Return the wall clock in Unix seconds."""
        return time.time()

    def service(self, unit: str) -> dict[str, str]:
        """Return properties of a systemd unit; empty without systemd."""
        if not (self.root / "run/systemd/system").is_dir():
            return {}
        wanted = ("LoadState", "ActiveState", "SubState", "UnitFileState", "NRestarts", "FragmentPath")
        asked = ["systemctl", "show", unit, *(f"--property={name}" for name in wanted)]
        try:
            told = subprocess.run(asked, capture_output=True, text=True, timeout=ANSWER_S, check=False).stdout
        except (OSError, subprocess.SubprocessError):
            return {}
        return dict(line.split("=", 1) for line in told.splitlines() if "=" in line)

    def write_s(self, directory: Path) -> list[float]:
        """Return how long each of some synchronized writes took, in s. Raises OSError."""
        took, file = [], directory / f".doctor-{os.getpid()}"
        try:
            with file.open("wb", buffering=0) as trial:
                for _ in range(WRITES):
                    begun = time.monotonic()
                    trial.write(bytes(4096))
                    os.fsync(trial.fileno())
                    took.append(time.monotonic() - begun)
        finally:
            file.unlink(missing_ok=True)
        return took


def findings(machine: Machine, wiring: Profile, state: Path, simulate: bool) -> Iterator[Finding]:
    """Run all checks; with `simulate`, only those of the wall clock and the disk."""
    if not simulate:
        name = model_name(machine.root)
        known = model(revision(machine.root))
        yield _board(name, known)
        yield from _kernel(machine.root)
        if known is not None:
            yield from _boot(machine.root, known, wiring)
        yield from _power(machine.root)
        yield from _wifi(machine)
        yield from _service(machine)
    yield _wall(machine)
    yield from _disk(machine, state)


def _board(name: str | None, known: Model | None) -> Finding:
    if name is None:
        return open_("machine", f"This is no Raspberry Pi ({platform.machine()}).")
    if known is None:
        return open_("machine", f"{name}: the referee does not know this model; its pins may differ.")
    return fine("machine", f"{name}: its header's pins are on {known.chip}, its I2C is bus 1.")


def _kernel(root: Path) -> Iterator[Finding]:
    release, numbers = vitals.kernel(root)
    if numbers is not None and numbers < OLDEST_KERNEL:
        yield fault(
            "kernel",
            f"The kernel is {release}, needed is {'.'.join(map(str, OLDEST_KERNEL))} or newer: update the system.",
        )
    source = vitals.clock_source(root)
    if source in COARSE:
        yield fault(
            "stamps",
            f"The kernel counts time by '{source}', in steps of milliseconds: take 'clocksource=' out of cmdline.txt.",
        )
    elif source:
        yield fine("stamps", f"Kernel {release or '?'} counts time by {source}.")


def _boot(root: Path, known: Model, wiring: Profile) -> Iterator[Finding]:
    try:
        config = bootconfig.read(root, known)
    except OSError as exc:
        yield open_("boot", f"config.txt cannot be read ({exc.strerror or exc}); try sudo.")
        return
    if config is None:
        yield fault("boot", f"There is no /{bootconfig.PLACES[0]}: is the card's first partition mounted?")
        return
    shown = f"/{config.path.relative_to(root)}"
    lacking, takers = (
        config.missing(wiring.overlays),
        list(config.takers((p.gpio for p in wiring.pins), wiring.overlays)),
    )
    yield from (_lacking_finding(shown, line, sure, known, wiring) for line, sure in lacking)
    yield from (_taken_finding(shown, taker, wiring) for taker in takers)
    if not lacking:
        yield from _nodes(root, wiring, shown)
        if not takers:
            yield fine("boot", f"{shown} has everything that {wiring.name} needs.")
    if wiring.wake and not known.wakes:
        yield open_("boot", f"A {known.name} has a power button of its own; GPIO3 may not wake it.")


def _lacking_finding(shown: str, line: str, sure: bool, known: Model, wiring: Profile) -> Finding:
    fix = f"`sudo /usr/libexec/referee/boot-config {wiring.name}`, then restart"
    if sure:
        told = f"{shown} lacks '{line}' for a {known.name}, or takes it back further down: {fix}."
        return fault("boot", told)
    return open_("boot", f"{shown} may lack '{line}', because it has a conditional section; {fix}.")


def _taken_finding(shown: str, taker: bootconfig.Taker, wiring: Profile) -> Finding:
    nets = list_text(net for gpio in taker.pins for net in (pin.net for pin in wiring.pins if pin.gpio == gpio))
    pins = list_text(f"GPIO{gpio}" for gpio in taker.pins)
    gives = "gives" if taker.sure else "gives (in a conditional section)"
    wired = f"{nets} {'is' if len(taker.pins) == 1 else 'are'} wired there"
    told = f"{shown} {gives} {pins} to '{taker.line}', and {wired}: put a # before that line, then restart."
    return Finding("boot", False if taker.sure else None, told)


def _nodes(root: Path, wiring: Profile, shown: str) -> Iterator[Finding]:
    """Check that the lines in config.txt have taken effect: the buses' device files exist."""
    for role, node, then in (
        ("spi0", "dev/spidev0.0", "restart"),
        ("i2c1", "dev/i2c-1", "`sudo modprobe i2c-dev`, and if that does not help, restart"),
    ):
        if any(pin.role == role for pin in wiring.pins) and not (root / node).exists():
            yield fault("boot", f"{shown} has the display's line, and there is no /{node}: {then}.")


def _power(root: Path) -> Iterator[Finding]:
    heat_c = vitals.heat_c(root)
    found = vitals.read_throttled(root)
    cause = "use a supply made for this Pi, and a short, thick cable"
    if found is not None and found.low_voltage:
        yield fault("power", f"The power supply is too weak: {cause}.")
    elif found is not None and found.was_low:
        yield fault("power", f"The power supply was too weak since the start: {cause}.")
    elif found is not None:
        yield fine("power", "The power supply was strong enough since the start.")
    if (found is not None and found.hot) or (heat_c is not None and heat_c >= vitals.HOT_C):
        told = "" if heat_c is None else f" ({heat_c:.0f} °C)"
        yield fault("heat", f"The processor is too hot{told} and slows down: give the case air.")
    elif found is not None and found.was_hot:
        yield fault("heat", "The processor has been too hot since the start: give the case air.")
    elif heat_c is not None:
        yield fine("heat", f"The processor has {heat_c:.0f} °C.")


def _wifi(machine: Machine) -> Iterator[Finding]:
    if not vitals.wireless(machine.root):
        yield open_("wi-fi", "This machine has no Wi-Fi: phones reach the page only through its network cable.")
        return
    blocked = vitals.wifi_block(machine.root)
    if blocked == "hard":
        yield fault("wi-fi", "A switch on the machine blocks the Wi-Fi: switch it on there.")
    elif blocked:
        yield open_("wi-fi", "The Wi-Fi is off: Device > Wi-Fi at the knob switches it on.")
    elif (name := machine.network()) is None:
        yield open_("wi-fi", "NetworkManager does not answer: Device > Wi-Fi at the knob needs it.")
    else:
        yield _network(name)
    if vitals.wifi_country(machine.root) is None:
        fix = "`sudo raspi-config nonint do_wifi_country DE` (your country's letters), then restart"
        yield open_("wi-fi", f"No country is set, so the Wi-Fi may use few channels: {fix}.")
    for interface in vitals.wireless(machine.root):
        saving = machine.power_saving(interface)
        if saving:
            yield fault(
                "wi-fi",
                f"{interface} has power saving on, so phones wait a tenth of a second: "
                f"`sudo iw dev {interface} set power_save off`; the Debian package does this.",
            )
        elif saving is not None:
            yield fine("wi-fi", f"{interface} has power saving off.")


def _network(name: str) -> Finding:
    if name == OWN_NETWORK:
        return fine("wi-fi", "The device's own network is open: Device > Wi-Fi > Own network shows its password.")
    if name:
        return fine("wi-fi", f"The Wi-Fi is in the home network, by the connection {name}.")
    return open_("wi-fi", "The Wi-Fi is in no network: Device > Wi-Fi at the knob, or `sudo nmtui`.")


def _service(machine: Machine) -> Iterator[Finding]:
    told = machine.service("referee.service")
    if not told:
        return
    state, restarts = told.get("ActiveState", ""), int(told.get("NRestarts") or 0)
    if told.get("LoadState") == "not-found":
        yield open_("service", "There is no referee.service: install the Debian package.")
    elif told.get("LoadState") not in ("loaded", None):
        yield fault("service", f"referee.service is {told['LoadState']}: `sudo systemctl unmask referee`.")
    elif state == "failed":
        yield fault("service", "The service has failed: `journalctl -u referee -n 50` says why.")
    elif told.get("UnitFileState") == "disabled":
        yield fault("service", "It does not start with the device: `sudo systemctl enable --now referee`.")
    elif restarts:
        yield fault(
            "service",
            f"It restarted after {count_text(restarts, 'failure', 'failures')}: `journalctl -u referee` says why.",
        )
    else:
        yield fine("service", f"referee.service is {state or 'unknown'} and starts with the device.")


def _wall(machine: Machine) -> Finding:
    now_s = machine.wall_s()
    if now_s < MADE_S:
        told = time.strftime("%Y-%m-%d", time.gmtime(max(now_s, 0)))
        return fault("clock", f'The wall clock says {told}: give it a network for a minute, or `sudo date -s "..."`.')
    if machine.is_synchronized():
        return fine("clock", "A time service keeps the wall clock right.")
    return open_(
        "clock",
        "No time service keeps the wall clock right: dates of evenings may be wrong; calls are not affected.",
    )


def _disk(machine: Machine, state: Path) -> Iterator[Finding]:
    place = next(p for p in (state.absolute(), *state.absolute().parents) if p.exists())
    found = vitals.disk(machine.root, place)
    if found is not None and found.read_only:
        yield fault("disk", f"{found.device} is mounted read-only: nothing is saved; restart, then look again.")
        return
    if found is not None and found.errors:
        yield fault(
            "disk",
            f"{found.device} was found damaged {count_text(found.errors, 'time', 'times')}: back up the matches "
            "(`referee backup`), and use a new card.",
        )
    if found is not None and found.worn is not None and found.worn >= vitals.WORN:
        yield fault("disk", f"{found.device} is worn to {found.worn} % of what its maker promises: replace it.")
    try:
        took = sorted(machine.write_s(place))
    except OSError as exc:
        yield fault("disk", f"{place} cannot be written ({exc.strerror or exc}): nothing would be saved.")
        return
    middle, worst = took[len(took) // 2], took[-1]
    told = f"A write takes {middle * 1000:.0f} ms to be on the disk (the slowest of {len(took)}: {worst * 1000:.0f})"
    if middle > SLOW_S:
        yield fault("disk", f"{told}, and every verdict waits for one: use a faster card.")
    else:
        yield fine("disk", f"{told}.")
