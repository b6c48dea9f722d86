"""Does a fault in a rule break a test that its row of docs/rules.md names? `python -m tests.rulefaults [--sample N]`.

Each fault is a change of one place that makes one rule another one. A fresh process imports the changed module and runs
the tests that the rule's row names, no others: one of them must fail. Files are never touched. `make rule-faults` tries
all of them, the suite two; `tests/test_rules.py` holds that each is still to be found in the code.
"""

# ruff: noqa: T201 -- a command

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.rules import FILES, SECTIONS

ROOT = Path(__file__).parent.parent
LIMIT_S = 300
CHILD = """
import sys
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.util import spec_from_loader

module, source, *tests = sys.argv[1:]

class Instead(MetaPathFinder, InspectLoader):
    def find_spec(self, name, path, target=None):
        return spec_from_loader(name, self) if name == module else None

    def get_source(self, fullname):
        return source

sys.meta_path.insert(0, Instead())
import pytest
sys.exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests]))
"""


class Fault(NamedTuple):
    """A rule, by its row's sentence; the module that has it; what stands there once, and the fault in its place."""

    said: str
    module: str
    code: str
    fault: str

    @property
    def path(self) -> Path:
        """The module's file."""
        return ROOT / (self.module.replace(".", "/") + ".py")

    @property
    def source(self) -> str:
        """The module with the fault."""
        return self.path.read_text(encoding="utf-8").replace(self.code, self.fault)


_SCORING = "referee.core.games.nertz.scoring"
_LEGAL = "referee.core.cards.legal"
_LIVES = "referee.core.games.thirtyone.scoring"
_SLAP = "referee.core.games.slap.play"
_LAST = "referee.core.games.lastone.play"
FAULTS = (
    Fault(
        "One point a card in the middle, minus two (or one) a card left.",
        _SCORING,
        "ruleset.penalty * count.reserve",
        "count.reserve",
    ),
    Fault("A wrong slap costs a card, or gives one to each of the others.", _SLAP, "callers, -costs)", "callers, 0)"),
    Fault("Kings may bring more.", _SCORING, " + ruleset.king_bonus * count.kings", ""),
    Fault(
        "Nobody called: all subtract. Abandoned: no score.",
        _SCORING,
        'if hand.end == "abandoned":\n        return {}',
        'if hand.end == "stuck":\n        return {}',
    ),
    Fault(
        "Tables play on, take points, or score the hand zero.", _SCORING, " - ruleset.false_points * false_calls", ""
    ),
    Fault("A count that cannot be is refused.", _SCORING, "count.foundation + count.reserve > ruleset.pack", "False"),
    Fault(
        "It ends when a team has the target after a hand; the highest wins.",
        _SCORING,
        "best = max(scores",
        "best = min(scores",
    ),
    Fault("Each hand may be settled by itself.", _SCORING, "ruleset.target is None or not leaders", "not leaders"),
    Fault("The winner collects each difference.", _SCORING, "else -owed", "else owed"),
    Fault("Equal: most calls, then a hand.", _SCORING, "most = max(tally", "most = min(tally"),
    Fault("Or the win is shared, and each loser pays once.", _SCORING, " / len(winners)", ""),
    Fault("Places are shared.", _SCORING, "sum(other > own", "sum(other >= own"),
    Fault(
        "Handicaps change the reserve, never below three, and are said before the deal.",
        _SCORING,
        "ruleset.reserve + extra(tally, team)",
        "ruleset.reserve",
    ),
    Fault(
        "A foundation starts with the ace and goes up one by one.",
        _LEGAL,
        "if card & RANK == 1:",
        "if card & RANK == 2:",
    ),
    Fault(
        "With an empty place a card slides under a whole column; without one not.",
        _LEGAL,
        "if rules.river_transfer and () in tableau.piles",
        "if () in tableau.piles",
    ),
    Fault(
        "NNA: aces, and reserve cards without a column, must go to the middle.",
        _LEGAL,
        "obliged_places(position, ready) if rules.withholding else ()",
        "()",
    ),
    Fault("Where all agree, playable cards in order go together.", _LEGAL, "if rules.stacking:", "if False:"),
    Fault(
        "All sit equally far from the middle, or seats move on between hands.",
        "referee.core.phases.roles",
        "(*taken[1:], *taken[:1])",
        "tuple(taken)",
    ),
    Fault(
        "Partners may be bound to alternate, and the device says who holds what.",
        "referee.core.games.nertz.play",
        "pair[len(table.hands) % 2]",
        "pair[0]",
    ),
    Fault(
        "After three burns without a play a reserve card may be burned.",
        "referee.core.games.nertz.stuck",
        "RESERVE_AFTER = 3",
        "RESERVE_AFTER = 4",
    ),
    Fault("Cards of one suit worth 31, or as near as possible.", _LIVES, "return 11 if", "return 1 if"),
    Fault(
        "The knocker alone lowest loses two, or what is left.",
        _LIVES,
        "return dict.fromkeys(lowest, 2)",
        "return dict.fromkeys(lowest, 1)",
    ),
    Fault("A house may make the knocker pay two for it.", _LIVES, '"two": 2}', '"two": 1}'),
    Fault(
        "Houses make the tied knocker pay one or two, or one who is not highest.",
        _LIVES,
        '"loses-two": 2}',
        '"loses-two": 1}',
    ),
    Fault("Tied slaps share: a point each, or each pays.", _SLAP, "dict.fromkeys(callers, 1)", "{callers[0]: 1}"),
    Fault(
        "Last ones who are tied all pay; all together, nobody.",
        _LAST,
        "{} if set(callers) == set(playing) else dict.fromkeys",
        "dict.fromkeys",
    ),
    Fault(
        "Whoever began without a reason pays instead.",
        _LAST,
        'state.now_ns, "false", event.teams',
        'state.now_ns, "false", ()',
    ),
)
"""Sampled over the sections; the first two are those that the suite tries."""


def named_tests(said: str) -> list[str]:
    """The tests that the row names, as pytest takes them; none for a sentence that no row has."""
    homes = (home for _, rows in SECTIONS for row in rows if row.said == said for home in row.homes.split())
    named = (home.partition(":") for home in homes)
    return [f"{FILES[kind]}::{name}" for kind, _, name in named if kind in FILES]


def breaks(fault: Fault) -> bool:
    """Whether one of the row's tests fails on the fault, and none without it."""
    sound, wrong = (_status(fault, source) for source in (fault.path.read_text(encoding="utf-8"), fault.source))
    if sound:
        raise SystemExit(f"{fault.said} Its tests fail without any fault: {named_tests(fault.said)}")
    return wrong != 0


def _status(fault: Fault, source: str) -> int:
    """0 when the row's tests pass on that source; a table that never comes to an end does not pass."""
    argv = [sys.executable, "-c", CHILD, fault.module, source, *named_tests(fault.said)]
    try:
        return subprocess.run(argv, cwd=ROOT, capture_output=True, timeout=LIMIT_S, check=False).returncode
    except subprocess.TimeoutExpired:
        return 1


def main() -> int:
    """Status 1 where a fault goes unnoticed by its row's tests."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sample", type=int, default=len(FAULTS), help="so many of the faults, the first ones")
    unnoticed = 0
    for fault in FAULTS[: parser.parse_args().sample]:
        noticed = breaks(fault)
        unnoticed += not noticed
        print(f"{'noticed ' if noticed else 'SURVIVED'}  {fault.said}", flush=True)
    return int(unnoticed > 0)


if __name__ == "__main__":
    sys.exit(main())
