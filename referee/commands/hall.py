"""Run a hall of many tables: take their results by MQTT, store them, and show pairings and standings.

Needs the extra "hall". HALL_BROKER and HALL_DATABASE in the environment replace --broker and --database, so that a
password need not be on the command line.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import re
import socket
from pathlib import Path

from referee.commands.terminal import UsageError
from referee.config import ADDRESS, address

_PREFIX = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*")


def add(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option("--broker", action="append", metavar="URL", help="mqtt[s]://[USER:PASSWORD@]HOST[:PORT]; may be repeated")
    option("--state", type=Path, default=Path("hall"), metavar="DIR", help="directory of the database (./hall)")
    option("--database", metavar="URL", help="postgresql://USER@HOST[,HOST]/NAME instead of a file in the directory")
    option("--prefix", type=_prefix, default="referee", metavar="P", help="first part of all topics (referee)")
    option("--listen", type=_listen, default="127.0.0.1:8090", metavar="HOST:PORT", help="address of the pages")
    option("--host", action="append", default=[], metavar="NAME", help="a further name of this machine in addresses")
    option("--proxy", action="append", default=[], metavar="IP", help="a proxy that names clients in X-Forwarded-For")
    option("--certificate", type=Path, metavar="FILE", help="serve the pages by TLS with this certificate")
    option("--key", type=Path, metavar="FILE", help="the certificate's key, if it is in another file")
    option("--closed", action="store_true", help="show pages only to people who have logged in")
    option("--ca", type=Path, metavar="FILE", help="certificates that sign the broker's (mqtts)")
    option("--new-code", metavar="NAME", help="print a new code for this person or a new director, and end")


def _listen(text: str) -> str:
    if address(text) is None:
        raise argparse.ArgumentTypeError(f"must be {ADDRESS}, not {text!r}")
    return text


def _prefix(text: str) -> str:
    if not _PREFIX.fullmatch(text) or len(text) > 100:
        raise argparse.ArgumentTypeError(f"must be letters, digits, - and _, with / between parts, not {text[:100]!r}")
    return text


def run(args: argparse.Namespace) -> int:
    """Run the hall until a signal ends it.

    Raises UsageError, ValueError or OSError if it cannot start.
    """
    try:
        from referee.drivers.network import interfaces, reachable, routed_address
        from referee.hall.broker import AnotherHallError, address_of
        from referee.hall.schema import Database
        from referee.hall.service import Options, renew_code, serve
        from referee.hall.store import Store
    except ImportError as exc:
        raise UsageError(f'referee hall: {exc.name} is missing: install the extra "hall"') from None
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    database = args.database or os.environ.get("HALL_DATABASE") or _file(args.state)
    if args.new_code is not None:
        print(renew_code(Store(database).access, args.new_code))
        return 0
    urls = args.broker or os.environ.get("HALL_BROKER", "").split()
    if not urls:
        raise UsageError("referee hall: --broker URL is missing")
    for name in ("ca", "certificate", "key"):
        path = getattr(args, name)
        if path is not None and not path.is_file():
            raise UsageError(f"referee hall: --{name} {path}: there is no such file")
    listen = address(args.listen)
    assert listen is not None
    name = socket.gethostname().lower()
    everywhere = listen[0] in ("", "0.0.0.0", "::")
    options = Options(
        database=database,
        brokers=tuple(map(address_of, urls)),
        prefix=args.prefix,
        listen=listen,
        names=(name, f"{name}.local", *args.host),
        ca=str(args.ca or ""),
        certificate=str(args.certificate or ""),
        key=str(args.key or ""),
        closed=args.closed,
        proxies=tuple(args.proxy),
        shown=(name, *reachable(interfaces(), routed_address())[:4]) if everywhere else (),
    )
    try:
        asyncio.run(serve(options, _say))
    except (AnotherHallError, Database.lost) as exc:
        raise UsageError(f"referee hall: {exc}") from None
    return 0


def _file(state: Path) -> str:
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    return f"sqlite:///{state.absolute() / 'hall.db'}"


def _say(text: str) -> None:
    print(text, flush=True)
