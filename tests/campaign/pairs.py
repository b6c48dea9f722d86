"""Play each preset, option value and company: `python -m tests.campaign.pairs` (`make pairs`).

    python -m tests.campaign.pairs         one hand each at tables in which all pairs occur
    python -m tests.campaign.pairs --all   each combination of preset, one option value and company (an hour)

It fails on an exception, on a wrong verdict that is not grey, and when a phase lasts three times its limit
(`judge.py`). A value that the preset alone forbids is left out.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from random import Random
from typing import Any

from referee.core.model.options import RuleError, RuleOption
from referee.core.model.registry import presets
from referee.core.values import replace
from referee.simulator.table.skill import COMPANIES
from tests.campaign.plan import WIRED, Plan, plan_of
from tests.campaign.run import played

Chosen = tuple[str, Any]
"""An option and its value."""
FALSE_CALLS = ("play-on", "zero", "points:10")
TARGETS = (20, 40)
"""Targets that end a match after a hand or two."""
SEATS = 4
PACE = 20


def values(option: RuleOption) -> tuple[Any, ...]:
    """Return the values of an option that are played: all choices.

    For numbers the smallest and some larger ones.
    """
    if option.name == "target":
        return TARGETS
    if option.kind in ("choice", "choice-or-number"):
        return tuple(option.choices)
    if option.kind == "switch":
        return (False, True)
    if option.kind == "jokers":
        return (0, 2)
    if option.kind == "false-call":
        return FALSE_CALLS
    return tuple(sorted({min(option.least + more, option.most) for more in (0, 3, 10)}))


def allowed(preset: str) -> list[Chosen]:
    """Return each value of each option that the preset accepts alone."""
    options: list[Any] = list(presets()[preset].OPTIONS)
    everything = [(option.name, value) for option in options for value in values(option)]
    return [chosen for chosen in everything if _fits(preset, {chosen[0]: chosen[1]})]


def _fits(preset: str, options: dict[str, Any]) -> bool:
    try:
        presets()[preset].rules(preset, options)
    except RuleError:
        return False
    return True


def plan(preset: str, options: dict[str, Any], company: str) -> Plan:
    """Plan one hand at a table of four without other trouble."""
    seats = tuple(map(str, range(1, SEATS + 1)))
    told = ",".join(f"{name}={value}" for name, value in options.items())
    quiet = replace(plan_of("pairs/1"), cuts=(), stations=WIRED, remote=(), grazes_s=0, leans_s=0, links_s=0, child_s=0)
    return replace(
        quiet,
        seed=f"{preset} {company} {told}/1",
        preset=preset,
        options=tuple(options.items()),
        seats=seats,
        company=company,
        pace=PACE,
        hands=1,
        err_ns=300_000,
        wide_err_ns=0,
        filed=False,
    )


def each() -> Iterator[Plan]:
    """Yield each preset, value and company alone."""
    for preset in presets():
        for name, value in allowed(preset):
            for company in COMPANIES:
                yield plan(preset, {name: value}, company)


def pairwise() -> Iterator[Plan]:
    """Yield tables in which each value meets each preset that accepts it and each company.

    Presets meet each company too.
    """
    dice = Random("pairs")
    met: set[tuple[str, Chosen]] = set()
    for preset in presets():
        takes, companies = allowed(preset), dice.sample(sorted(COMPANIES), len(COMPANIES))
        wanted = {(who, chosen) for who in (preset, *companies) for chosen in takes}
        idle = rounds = 0
        while rounds < len(companies) or (wanted - met and idle < len(companies)):
            company = companies[rounds % len(companies)]
            rounds += 1
            options = _row(preset, company, takes, met, dice)
            news = {(who, chosen) for who in (preset, company) for chosen in options.items()} - met
            idle = 0 if news else idle + 1
            if news or rounds <= len(companies):
                met |= news
                yield plan(preset, options, company)


def _row(preset: str, company: str, takes: list[Chosen], met: set[tuple[str, Chosen]], dice: Random) -> dict[str, Any]:
    """Choose options that fit together, first those with the fewest pairs so far."""
    options: dict[str, Any] = {}
    fresh = {chosen: ((preset, chosen) in met, (company, chosen) in met, dice.random()) for chosen in takes}
    for name, value in sorted(takes, key=fresh.__getitem__):
        if name not in options and _fits(preset, options | {name: value}):
            options[name] = value
    return options


def main(argv: list[str] | None = None) -> int:
    """Return 0 if nothing was found, else 1 and print the findings."""
    parser = argparse.ArgumentParser(prog="make pairs")
    parser.add_argument("--all", action="store_true", help="each by itself")
    args = parser.parse_args(argv)
    began_s, count, failed = time.monotonic(), 0, 0
    for one in each() if args.all else pairwise():
        count += 1
        try:
            played(one)
        except Exception as error:  # any exception is a finding
            failed += 1
            print(f"{one.seed}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    print(f"{count} tables in {time.monotonic() - began_s:.0f} s, {failed} failed")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
