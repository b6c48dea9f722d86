"""Search for strategies of a lying source that break the arbiter's promise: `python -m tests.adversary`.

Plays the whole grid and random strategies of each kind of source. The exit status is 1 if one breaks the promise.
`--without-rule` plays at a table of an older release, which believes claims of any age, to see that the search works.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import count, islice
from random import Random
from types import ModuleType

from referee.core.presses.arbiter import AGE_NS
from tests.adversary import phones, pods

KINDS = {"phone": phones, "pod": pods}
TOGETHER = 250
"""Strategies that one table plays."""


def played(kind: str, age_ns: int | None, strategies: list[object]) -> list[object]:
    """Return the strategies that break the promise."""
    found: list[object] = KINDS[kind].holes(strategies, age_ns=age_ns)
    return found


def all_of(module: ModuleType, random: int, seed: int) -> Iterable[object]:
    """Yield the grid, then random strategies."""
    yield from module.grid()
    yield from islice((module.drawn(Random(f"{seed}.{number}")) for number in count()), random)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random", type=int, default=100_000, help="random strategies of each kind (default: 100000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=[*KINDS], action="append", help="a kind of source (default: all)")
    parser.add_argument("--without-rule", action="store_true", help="believe claims of any age")
    args = parser.parse_args()
    age_ns, broken = None if args.without_rule else AGE_NS, 0
    for kind in args.kind or KINDS:
        strategies = list(all_of(KINDS[kind], args.random, args.seed))
        tables = [strategies[at : at + TOGETHER] for at in range(0, len(strategies), TOGETHER)]
        with ProcessPoolExecutor(os.cpu_count()) as pool:
            found = [one for some in pool.map(partial(played, kind, age_ns), tables) for one in some]
        print(f"{kind}: {len(strategies):,} strategies, {len(found):,} break the promise", flush=True)
        for strategy in found[:5]:
            print(f"  {strategy}")
        broken += len(found)
    return broken > 0


if __name__ == "__main__":
    raise SystemExit(main())
