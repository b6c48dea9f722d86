"""List keyboards, number pads and quiz sets, and learn which of their keys are buttons."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import selectors
import sys
import termios
import time
import tty
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from referee.bench.findings import Finding, fault
from referee.commands.terminal import UsageError
from referee.config import KEY_STATIONS, Config, load
from referee.core.model.table import SEATS
from referee.core.presses.signals import Edge
from referee.core.reading import list_text
from referee.core.units import MS, ns_from_ms
from referee.core.values import Value
from referee.device.assembly import NO_EVDEV
from referee.drivers.keys.keys import NO_RIGHTS
from referee.drivers.keys.nodes import Device, Node, Reader, device_name, found_nodes, name_of_code, open_node
from referee.storage.files import rewrite

PATIENCE_S = 60.0
"""How long to wait for a key, in seconds."""
Change = tuple[Node, int, bool]
"""A key of a keyboard, and whether it went down."""
NEW_FILE = '[pins]\nprofile = "none"  # all buttons are keys\n'
"""Start of a new configuration file: that of a laptop."""


def add(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (_, said) in ACTIONS.items():
        action = actions.add_parser(name, help=said, description=said)
        action.add_argument("--config", type=Path, metavar="FILE", help=FILE_HELP[name])
        if name == "list":
            action.add_argument("--json", action="store_true", help="print one JSON document")
        else:
            stations = f"the stations to ask for: {list_text(KEY_STATIONS)} (default: 1 2 3 4)"
            action.add_argument("stations", nargs="*", metavar="STATION", help=stations)


def run(args: argparse.Namespace) -> int:
    """Run the chosen action and return the exit status."""
    return int(ACTIONS[args.action][0](args))


# -- list ----------------------------------------------------------------------------------------------------------


def _list(args: argparse.Namespace) -> int:
    config, nodes = load(args.config), found_nodes()
    keyboards = {(node.kind, node.port): node for node in reversed(nodes)}  # the first device file of each
    found = [_document(node, nodes, config) for node in reversed(keyboards.values())]
    if args.json:
        print(json.dumps({"keyboards": found}))
    else:
        print("\n".join(map(_sentence, found)) or "No keyboard is plugged in.")
    return 0


def _document(node: Node, nodes: Sequence[Node], config: Config) -> dict[str, Any]:
    return {
        "device": device_name(node, nodes),
        "name": node.name,
        "port": node.port,
        "uniq": node.uniq,
        "readable": os.access(node.path, os.R_OK),
        "polling_ms": node.polling_ns and node.polling_ns / MS,
        "error_ms": node.delay_ns(ns_from_ms(config.keys.debounce_ms), ns_from_ms(config.keys.polling_ms)) / 2 / MS,
        "lamps": len(node.lamps),
        "stations": next((dict(one.keys) for one in config.keyboards if node.is_meant_by(one.device)), {}),
    }


def _sentence(found: Mapping[str, Any]) -> str:
    stations = f"stations {', '.join(found['stations'].values())}" if found["stations"] else "no stations"
    rights = "" if found["readable"] else f"; {NO_RIGHTS}"
    return f"{found['device']}  {found['name']} on {found['port']}: ±{found['error_ms']:g} ms, {stations}{rights}"


def findings(config: Config) -> Iterator[Finding]:
    """Check the configured keyboards, for `referee doctor`."""
    nodes = found_nodes()
    if config.keyboards and find_spec("evdev") is None:
        yield fault("keys", f"The section [keys.buttons] {NO_EVDEV}.")
    for one in config.keyboards:
        node = next((node for node in nodes if node.is_meant_by(one.device)), None)
        if node is None:
            stations = ", ".join(station for _, station in one.keys)
            told = f"The keyboard {one.device} (stations {stations}) is not plugged in"
            yield fault("keys", f"{told}: plug it in; `referee keys list` names those that are.")
        else:
            found = _document(node, nodes, config)
            yield Finding("keys", found["readable"], f"{_sentence(found)}.")


# -- learn ---------------------------------------------------------------------------------------------------------


class Learned(Value):
    """A key that a player has pressed for a station."""

    station: str
    node: Node
    code: int


def _learn(args: argparse.Namespace) -> int:
    stations = tuple(args.stations or ("1", "2", "3", "4"))
    _check(stations, args.config)
    nodes, groups = found_nodes(), dict[str, list[Learned]]()
    with contextlib.ExitStack() as held:
        board = changes(_opened(nodes, held))
        if sys.stdin.isatty():  # or the keys would be typed into the shell
            held.callback(termios.tcsetattr, sys.stdin, termios.TCSAFLUSH, termios.tcgetattr(sys.stdin))
            tty.setcbreak(sys.stdin)
        for station in stations:
            one = _ask(board, station, [one for group in groups.values() for one in group])
            groups.setdefault(device_name(one.node, nodes), []).append(one)
        unheard = [station for group in groups.values() for station in _hold(board, group)]
    section = section_text(groups)
    if args.config:
        old = args.config.read_text("utf-8") if args.config.exists() else NEW_FILE
        args.config.touch()
        rewrite(args.config, f"{old.rstrip()}\n\n{section}".encode())
    print(f"{args.config} now has these keys." if args.config else f"\nPut this into the settings:\n\n{section}")
    return 1 if unheard else 0


def _check(stations: Sequence[str], path: Path | None) -> None:
    """Raise UsageError for unknown or repeated stations, or if `path` has keys already.

    path: the configuration file, if there is one.
    """
    if not set(stations) <= set(KEY_STATIONS) or len(set(stations)) < len(stations):
        given = f"the stations {' '.join(stations)} are given"
        raise UsageError(f"referee keys learn: {given}; allowed are {list_text(KEY_STATIONS)}, each once")
    if path is not None and path.exists() and load(path).keyboards:
        raise UsageError(f"referee keys learn: {path} has a section [keys.buttons] already; take it out first")


def _opened(nodes: Sequence[Node], held: contextlib.ExitStack) -> list[tuple[Node, Device]]:
    """Open all keyboards that this user may read. Raises UsageError if there are none."""
    if find_spec("evdev") is None:
        raise UsageError(f"referee keys learn {NO_EVDEV}")
    usable = [node for node in nodes if os.access(node.path, os.R_OK)]
    if not usable:
        why = f"{nodes[0].name}: {NO_RIGHTS}" if nodes else "no keyboard is plugged in"
        raise UsageError(f"referee keys learn: {why}")
    opened = [(node, open_node(node, grab=False)) for node in usable]
    for _, device in opened:
        held.callback(device.close)
    return opened


def changes(opened: Sequence[tuple[Node, Device]]) -> Iterator[Change]:
    """Yield each key that goes down or up, with its keyboard. Stop after PATIENCE_S without any."""
    with selectors.DefaultSelector() as waiting:
        for node, device in opened:
            reader = Reader(device, {code: str(code) for code in node.codes}, "", 0, time.monotonic_ns)
            waiting.register(device.fd, selectors.EVENT_READ, (node, reader))
        while ready := waiting.select(PATIENCE_S):
            for key, _ in ready:
                node, reader = key.data
                edges = (row for row in reader.read() if isinstance(row, Edge))
                yield from ((node, int(edge.station), edge.closed) for edge in edges)


def _ask(board: Iterator[Change], station: str, learned: Sequence[Learned]) -> Learned:
    """Ask for the station's key. Return the first pressed key that has no station yet.

    Raises UsageError if none is pressed.
    """
    print(f"Press the key for {_title(station)}.")
    for node, code, closed in board:
        known = next((one for one in learned if (one.node, one.code) == (node, code)), None)
        if closed and known is not None:
            print(f"That is the key for {_title(known.station)}. Press another one.")
        elif closed:
            print(f"  {name_of_code(code)} of {node.name}")
            return Learned(station, node, code)
    raise UsageError(f"referee keys learn: no key was pressed for {_title(station)} within {PATIENCE_S:.0f} s")


def _title(station: str) -> str:
    return f"seat {station}" if station.isdecimal() else station


def _hold(board: Iterator[Change], group: Sequence[Learned]) -> list[str]:
    """Ask people to hold all seats' keys of a keyboard together.

    Return the stations whose keys the keyboard did not report at that time.

    Cheap keyboards cannot tell some combinations apart, and report at most six keys by USB's simple protocol.
    """
    name, seats = group[0].node.name, {(one.node.path, one.code): one.station for one in group if one.station in SEATS}
    if len(seats) < 2:
        return []
    print(f"Hold all {len(seats)} keys of {name} together, then let go.")
    down, most = set[tuple[str, int]](), set[tuple[str, int]]()
    for node, code, closed in board:
        (down.add if closed else down.discard)((node.path, code))
        most = max(most, down & seats.keys(), key=len)
        if len(most) == len(seats) or (most and not down & seats.keys()):
            break
    unheard = [station for key, station in seats.items() if key not in most]
    if unheard:
        print(f"{name} reports only {len(most)} of them at once, without {list_text(map(_title, unheard))}.")
        print("Presses at the same time can be lost: choose other keys, or a keyboard for each player.")
    else:
        print(f"{name} reports all {len(seats)} at once.")
    return unheard


def section_text(groups: Mapping[str, Sequence[Learned]]) -> str:
    """Return the configuration's sections for these keys. groups: keyboard's name -> its keys."""
    return "\n".join(
        f"[keys.buttons.{json.dumps(device)}]  # {group[0].node.name}\n"
        + "".join(f'{name_of_code(one.code)} = "{one.station}"\n' for one in group)
        for device, group in groups.items()
    )


ACTIONS = {
    "list": (_list, "list the keyboards that are plugged in"),
    "learn": (_learn, "ask for the key of each station, and test that they are heard together"),
}
FILE_HELP = {"list": "settings in TOML", "learn": "settings in TOML to which the keys are added; made if it is missing"}
