"""List, identify and test button pods, or install their program."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.commands.terminal import UsageError, whole
from referee.config import LOCAL_LINE, Config, is_local_line, load
from referee.core.reading import list_text, quoted_value
from referee.core.units import ms_text

if TYPE_CHECKING:
    from referee.drivers.pods.visit import Met

FAULTS = (
    "its stamper does not push: the program and its Pico do not fit, install it again",
    "its stamper's clock is off: the Pico is faulty",
    "a contact is closed: let go, or look for a short",
    "it runs out of memory: install it again, and nothing else on that Pico",
)
"""What each bit of a self-test's result means."""
BACK_S = 15.0
"""How long a restarted Pico may take to answer, in seconds."""


def add(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (_, said) in ACTIONS.items():
        action = actions.add_parser(name, help=said, description=said)
        action.add_argument("--config", type=Path, metavar="FILE", help="settings in TOML")
        action.add_argument("--line", type=_line, metavar="LINE", help=f"{LOCAL_LINE} (default: every Pico)")
        action.add_argument("--json", action="store_true", help="print one JSON document")
        if name in ("identify", "selftest"):
            action.add_argument(
                "pod", nargs="?", metavar="POD", help="the last digits of its number (default: every pod)"
            )
        if name == "identify":
            seconds = "duration in seconds, 1 to 255 (default: 5)"
            action.add_argument("--seconds", type=whole(1, 255), default=5, metavar="N", help=seconds)


def _line(text: str) -> str:
    if not is_local_line(text):
        raise argparse.ArgumentTypeError(f"must be {LOCAL_LINE}, not {text!r}")
    return text


def run(args: argparse.Namespace) -> int:
    """Run the chosen action and return the exit status."""
    config = load(args.config)
    status: int = ACTIONS[args.action][0](args, config)
    return status


# -- list ----------------------------------------------------------------------------------------------------------


def _list(args: argparse.Namespace, config: Config) -> int:
    from referee.drivers.pods.visit import visit

    met = [visit(line) for line in _lines(args, config)]
    _print(args, met, config)
    return 0


def _print(args: argparse.Namespace, met: Sequence[Met], config: Config) -> None:
    if args.json:
        print(json.dumps({"pods": [_document(one, config) for one in met]}))
        return
    print("\n".join(_sentence(one, config) for one in met) or "No Pico is plugged in.")


def _document(met: Met, config: Config) -> dict[str, Any]:
    hello, quality = met.hello, met.quality
    if hello is None:
        return {"line": met.line, "pod": None, "reason": met.reason}
    found: dict[str, Any] = {
        "line": met.line,
        "pod": hello.ident,
        "release": hello.release,
        "contacts": hello.contacts,
        "stations": list(stations_of(config, hello.ident)),
        "sync_wire": hello.sync,
        "closed": [n + 1 for n in range(hello.contacts) if hello.closed >> n & 1],
        "clock": None,
    }
    if quality is not None and quality.bound_ns is not None:
        found["clock"] = {"bound_ns": quality.bound_ns, "drift_ppm": round(quality.drift_ppm, 1)}
    if met.tested is not None:
        found["faults"] = faults(met.tested)
    return found


def _sentence(met: Met, config: Config) -> str:
    hello, quality = met.hello, met.quality
    if hello is None:
        return f"{met.line} {met.reason}."
    named = [station or "-" for station in stations_of(config, hello.ident)]
    where = f"stations {' '.join(named)}" if named else f'not in [pods.contacts]: {hello.ident} = ["1", "2"]'
    known = quality is not None and quality.bound_ns is not None
    sure = f"clock ±{ms_text(quality.bound_ns, 2)} ms" if quality and known and quality.bound_ns else "clock not known"
    return f"{hello.ident}  {met.line}  release {hello.release}  {sure}  {where}"


def stations_of(config: Config, ident: str) -> tuple[str, ...]:
    """Return the stations of that pod's contacts; empty if it is not in the configuration."""
    return next((named for end, named in config.pods.contacts if ident.endswith(end)), ())


def faults(tested: int) -> list[str]:
    """Return a sentence for each fault. `tested`: the self-test's result, a bit for each fault."""
    said = [text for bit, text in enumerate(FAULTS) if tested >> bit & 1]
    return said + (["it found a fault that this referee does not know"] if tested >> len(FAULTS) else [])


# -- identify, selftest --------------------------------------------------------------------------------------------


def _identify(args: argparse.Namespace, config: Config) -> int:
    from referee.drivers.pods.visit import blink

    met = [blink(one.line, args.seconds) for one in _pods_meant(args, config)]
    if args.json:
        print(json.dumps({"pods": [_document(one, config) for one in met]}))
    else:
        for one in met:
            print(f"{one.hello.ident} blinks for {args.seconds} s." if one.hello else f"{one.line} {one.reason}.")
    return 0 if all(one.hello for one in met) else 1


def _selftest(args: argparse.Namespace, config: Config) -> int:
    from referee.drivers.pods.visit import self_test

    met = [self_test(one.line) for one in _pods_meant(args, config)]
    if args.json:
        print(json.dumps({"pods": [_document(one, config) for one in met]}))
    else:
        for one in met:
            _report(one)
    return 0 if all(one.tested == 0 for one in met) else 1


def _report(met: Met) -> None:
    if met.hello is None:
        print(f"{met.line} {met.reason}.")
    elif met.tested is None:
        print(f"{met.hello.ident} has not answered its self-test.")
    else:
        print("\n".join(f"{met.hello.ident}: {fault}." for fault in faults(met.tested) or ["all is well"]))


def _pods_meant(args: argparse.Namespace, config: Config) -> list[Met]:
    """Return the chosen pods, by default all plugged in. Raises UsageError if there are none."""
    from referee.drivers.pods.visit import visit

    met = [visit(line) for line in _lines(args, config)]
    there = [one for one in met if one.hello is not None]
    chosen = [one for one in there if args.pod is None or (one.hello and one.hello.ident.endswith(args.pod.lower()))]
    if chosen:
        return chosen
    others = list_text(one.hello.ident for one in there if one.hello)
    strangers = "; ".join(f"{one.line} {one.reason}" for one in met if one.hello is None)
    missing = "no pod is plugged in" if args.pod is None or not there else f"there is no pod {quoted_value(args.pod)}"
    answered = f", plugged in {'is' if len(there) == 1 else 'are'} {others}" if there else ""
    why = f" ({strangers})" if strangers else ""
    raise UsageError(f"referee pod {args.action}: {missing}{answered}{why}")


def _lines(args: argparse.Namespace, config: Config) -> tuple[str, ...]:
    from referee.drivers.pods.lines import found_lines

    return (args.line,) if args.line else tuple(dict.fromkeys((*found_lines(), *config.pods.lines)))


# -- install -------------------------------------------------------------------------------------------------------


def _install(args: argparse.Namespace, config: Config) -> int:
    from referee.drivers.pods.install import install

    lines = _lines(args, config)
    if len(lines) != 1:
        found = ", ".join(lines) or "none"
        raise UsageError(f"referee pod install: needs one Pico, found {found}; --line LINE says which")
    quiet = args.json
    version = install(lines[0], lambda text: None if quiet else print(f"  {text}", flush=True))
    met = _back(args, config)
    if quiet:
        print(json.dumps({"micropython": version, "pods": [_document(met, config)]}))
    elif met.hello:
        print(f"MicroPython {version} now runs the pod's program.")
        print(_sentence(met, config))
    else:
        print(f"It is installed, but {met.line} {met.reason}.")
    return 0 if met.hello else 1


def _back(args: argparse.Namespace, config: Config) -> Met:
    """Wait until the pod has restarted, and connect to it."""
    from referee.drivers.pods.visit import Met, visit

    end = time.monotonic() + BACK_S
    met = Met(args.line or "the Pico", None, "has not come back; unplug it and plug it in again")
    while met.hello is None and time.monotonic() < end:
        time.sleep(0.5)
        for line in _lines(args, config):
            met = visit(line, patience_s=4)
    return met


ACTIONS = {
    "list": (_list, "list the connected pods and the error bounds of their clocks"),
    "identify": (_identify, "make a pod's lamps blink"),
    "selftest": (_selftest, "run the self-test of pods"),
    "install": (_install, "copy the pod's program to a Pico that runs MicroPython"),
}
