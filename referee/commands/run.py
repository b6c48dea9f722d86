"""Run the device, or with `--simulate` a simulated table that you use in a browser."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from referee.commands.owner import become_owner
from referee.commands.terminal import UsageError, drop_output, whole
from referee.config import ADDRESS, ConfigError, address, load
from referee.core.model.table import SEATS
from referee.core.reading import short_sentence


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings in TOML")
    parser.add_argument(
        "--state", type=Path, metavar="DIR", help="directory of evenings and records (default: ./state)"
    )
    parser.add_argument("--simulate", action="store_true", help="simulate buttons and display; no hardware needed")
    parser.add_argument(
        "--bots", type=whole(0, len(SEATS)), default=0, metavar="N", help="let N bots play (with --simulate)"
    )
    parser.add_argument("--listen", type=_listen, metavar="HOST:PORT", help="address of the page")


def _listen(text: str) -> str:
    if address(text) is None:
        raise argparse.ArgumentTypeError(f"must be {ADDRESS}, not {text!r}")
    return text


def _state(path: Path) -> Path:
    """Return the state directory's path. Raises UsageError if no directory can be there."""
    there = next(place for place in (path.absolute(), *path.absolute().parents) if place.exists())
    if not there.is_dir():
        raise UsageError(f"referee run: --state {path}: {there} is a file, allowed is a directory")
    return path


def _say(text: str) -> None:
    """Print a line. If standard output is broken or full, log it instead."""
    try:
        print(text, flush=True)
    except OSError as exc:
        drop_output()
        logging.getLogger("referee").info("%s (standard output: %s)", text, exc.strerror)


def run(args: argparse.Namespace) -> int:
    """Run the referee until a signal stops it, and return the exit status.

    Raises UsageError for bots without --simulate, and ConfigError for a mistake in the configuration. Under a service
    manager, the display shows a ConfigError until the configuration changes.
    """
    from referee.device.daemon import Options, serve
    from referee.drivers.systemd import Notifier

    if args.bots and not args.simulate:
        raise UsageError("referee run: --bots N needs --simulate: bots press simulated buttons only")
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    state = _state(args.state or Path("state"))
    try:
        config = load(args.config)
        become_owner(state)
        listen = args.listen or config.web.listen
        return serve(Options(config, state, args.simulate, args.bots, listen, _say))
    except ConfigError as exc:
        if not Notifier().watched or args.simulate:
            raise
        from referee.device.trouble import stand_until_told

        return stand_until_told(short_sentence(str(exc)), args.config)
