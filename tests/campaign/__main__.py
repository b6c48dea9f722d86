"""Play random whole evenings until the given number of hands have been sealed.

    make campaign                            300 hands
    make campaign HANDS=10000 SEED=7        as many as before a release
    make campaign SEED=7 ARGS="--only 123"   repeat one evening, printed phase by phase

Each evening follows from the seed and its number alone. It fails on a lost sealed hand, on a wrong verdict that is not
grey, on any exception, and when a phase lasts three times its limit.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
import traceback
from collections import Counter

from tests.campaign.judge import WrongError
from tests.campaign.plan import plan_of
from tests.campaign.run import Told, played

MOST_FAILURES = 10
TOLD_HANDS = 250
"""Hands between two progress reports."""


def main(argv: list[str] | None = None) -> int:
    """Return 0 if nothing was found, else 1; print each failing evening and how to repeat it."""
    parser = argparse.ArgumentParser(prog="make campaign")
    parser.add_argument("--hands", type=int, default=300)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the number of the first evening")
    parser.add_argument("--only", type=int, help="this evening alone, told phase by phase")
    args = parser.parse_args(argv)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that an interrupted campaign prints its progress
    if args.only is not None:
        return _again(args)
    return _campaign(args)


def _campaign(args: argparse.Namespace) -> int:
    hands, number, failed, began_s = 0, args.first, 0, time.monotonic()
    seen: Counter[str] = Counter()
    while hands < args.hands and failed < MOST_FAILURES:
        try:
            told = _evening(args, number)
        except KeyboardInterrupt:  # print what has been played so far
            break
        if told is None:
            failed += 1
        else:
            if (hands + told.hands) // TOLD_HANDS > hands // TOLD_HANDS:
                print(f"{hands + told.hands} hands, {time.monotonic() - began_s:.0f} s", file=sys.stderr, flush=True)
            hands += told.hands
            seen += told.seen
        number += 1
    took_s = time.monotonic() - began_s
    print(f"seed {args.seed}: {hands} hands in {number - args.first} evenings, {failed} of them failed, {took_s:.0f} s")
    print(", ".join(f"{what} {times}" for what, times in sorted(seen.items())))
    return 1 if failed else 0


def _evening(args: argparse.Namespace, number: int) -> Told | None:
    plan = plan_of(f"{args.seed}/{number}")
    try:
        return played(plan)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # any exception is what a campaign looks for
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = "" if isinstance(error, WrongError) else f" at {where.filename}:{where.lineno}"
        print(f"evening {number}: {type(error).__name__}: {str(error)[:600]}{place}\n  {plan.told()}")
        print(f'  again: make campaign SEED={args.seed} ARGS="--only {number}"', flush=True)
        return None


def _again(args: argparse.Namespace) -> int:
    plan = plan_of(f"{args.seed}/{args.only}")
    print(plan.told())
    told = played(plan, tell=print)
    print(f"{told.hands} hands, {dict(told.seen)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
