"""Break a hall of simulated tables at random, and check that no result is lost, doubled or out of order.

python -m tests.hall.proof --seed 1 --faults 200 --tables 20
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
import time
from collections.abc import Sequence

from tests.hall.databases import postgresql, replicated
from tests.hall.proof.campaign import run
from tests.hall.proof.links import enter_private
from tests.hall.proof.stage import Plan

TARGET_S = 2.0
DATABASES = '"postgresql": a new server; "synchronous", "asynchronous": with a standby (default: a file of SQLite)'


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the value that this percentage of the values does not exceed."""
    return sorted(values)[min(len(values) * percent // 100, len(values) - 1)]


def main() -> int:
    """Run a campaign and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    option = parser.add_argument
    option("--seed", type=int, default=1)
    option("--faults", type=int, default=200)
    option("--tables", type=int, default=20)
    option("--together", type=int, default=5, help="tables in a process")
    option("--share", type=float, default=1.0, help="of the tables that play at a time")
    option("--speed", type=float, default=12, help="seconds at the tables in a second")
    option("--database", default="", help=DATABASES)
    option("--halls", type=int, default=1, help="halls that share the database")
    option("--cluster", action="store_true", help="a cluster of three NATS servers, not one Mosquitto")
    option("--network", action="store_true", help="namespaces and faults of packets, not proxies (root, iproute2)")
    option("--only", default="", help='only faults with one of these in their names, such as "power,link"')
    args = parser.parse_args()
    if args.network:
        enter_private()
    os.environ["PYTHONUNBUFFERED"] = "1"
    begun_s = time.monotonic()
    with contextlib.ExitStack() as stack:
        pair, database = None, args.database
        if args.database == "postgresql":
            database = stack.enter_context(postgresql())
        elif args.database in ("synchronous", "asynchronous"):
            pair = stack.enter_context(replicated(synchronous=args.database == "synchronous"))
            database = pair.url
        plan = Plan(
            args.seed, args.tables, args.together, args.speed, database, pair, args.halls, args.cluster, args.network
        )
        only = tuple(filter(None, args.only.split(",")))
        campaign = asyncio.run(run(plan, args.faults, only, args.share))
    judge, faults = campaign.stage.judge, campaign.faults
    print(f"{faults.done.total()} faults:")
    for kind, count in sorted(faults.done.items()):
        print(f"  {count:5} {kind}")
    print(f"{judge.results} results of {args.tables} tables, {campaign.matches} outcomes")
    print(f"{judge.lost} lost, {judge.doubled} doubled, {judge.unordered} out of order within a match")
    print(f"{faults.lost_rows} rows taken back by power cuts, none of them in the hall")
    for name, counts in zip(("results", "decisions"), zip(*faults.taken_back, strict=True), strict=False):
        print(f"rows that failovers took back: {sum(counts)} {name}, in {sum(map(bool, counts))} of {len(counts)}")
    if campaign.stage.page is not None:
        print(f"page of standings through HAProxy right after: {_spread(campaign.stage.page.waits_s)}")
    for kind, count in faults.compared_without.items():
        print(f"{count} times compared without a {kind}")
    print(f"standings right after reconnection: {_spread(campaign.latencies_s)}")
    print(f"standings right after mending: {_spread(campaign.since_mended_s)}")
    print(f"{time.monotonic() - begun_s:.0f} s")
    return int(percentile(campaign.latencies_s, 95) > TARGET_S)


def _spread(values: Sequence[float]) -> str:
    p50, p95, most = (percentile(values, percent) for percent in (50, 95, 100))
    return f"median {p50:.3f} s, p95 {p95:.3f} s, max {most:.3f} s"


if __name__ == "__main__":
    sys.exit(main())
