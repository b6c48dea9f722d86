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
_FITTING = "referee.core.cards.fitting"
_APPLY = "referee.core.cards.apply"
_CARDS = "referee.core.games.nertz.cards"
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
    Fault(
        "Foundations follow by suit, or by the number of players.",
        _FITTING,
        'rules.follow == "any" or bool((card ^ below) & COLOUR)',
        'rules.follow == "any" or not (card ^ below) & COLOUR',
    ),
    Fault(
        "Work piles go down one by one in alternating colours.",
        _FITTING,
        "(last & LOOK) - 1 ^ COLOUR if last",
        "(last & LOOK) - 1 if last",
    ),
    Fault(
        "Boxed work piles alternate between two pairs of colours.",
        _FITTING,
        "return (look - steps) ^ (COLOUR if steps % 2 else 0)",
        "return look - steps",
    ),
    Fault("Nothing is built in Ligretto's row.", _FITTING, "if not rules.building:", "if False:"),
    Fault(
        "No ace is built in the River.",
        "referee.core.cards.rules",
        "return 2 if self.withholding else 1",
        "return 1",
    ),
    Fault(
        "There are four work piles, three in the boxed games, more at small tables there.",
        _CARDS,
        "piles=ruleset.work_piles(teams)",
        "piles=ruleset.work_piles(4)",
    ),
    Fault(
        "NNA deals the River first, the others the reserve.",
        "referee.core.cards.deal",
        "(river, reserve) if rules.river_first else (reserve, river)",
        "(reserve, river)",
    ),
    Fault(
        "Klondike's five columns are another layout.",
        "referee.core.cards.deal",
        "tuple(range(rules.piles)) if rules.klondike else ()",
        "()",
    ),
    Fault(
        "The stock is turned three at a time in its order.",
        _APPLY,
        "group = old.stock[: rules.turn]",
        "group = old.stock[:1]",
    ),
    Fault(
        "One at a time, or in reversed order, by options.",
        _APPLY,
        "group[::-1] if rules.turn_reversed else group",
        "group",
    ),
    Fault(
        "A short stock is turned as it is, the waste turned over in order, nothing added.",
        _APPLY,
        "_silent(old.waste), (), old.down, old.cycles + 1)",
        "_silent(old.waste)[::-1], (), old.down, old.cycles + 1)",
    ),
    Fault(
        "A card in flight lands, or returns.",
        "referee.core.cards.flights",
        "if motion.position.rules.in_flight_lands:",
        "if True:",
    ),
    Fault(
        "A hand starts when all say that they are ready.",
        "referee.core.phases.ready",
        "if nobody or waiting(state, phase) or blocking(state, phase):",
        "if nobody or len(waiting(state, phase)) > 1 or blocking(state, phase):",
    ),
    Fault(
        "Keeling: play begins when one player presses Start.",
        "referee.core.phases.ready",
        "if everybody else frozenset({station})",
        "if False else frozenset({station})",
    ),
    Fault(
        "A press in the beats stops the start, or is noted; it costs nothing.",
        "referee.core.phases.start",
        "armed = go if game.start_noted(state.table) else go + STOP_NS",
        "armed = go",
    ),
    Fault(
        "All must be stuck; all search twice.",
        "referee.core.cards.idle",
        "SEARCHES = 2",
        "SEARCHES = 1",
    ),
    Fault(
        "Rotating: whoever is blocked waits for all; waste onto the stock, the top card to the bottom.",
        "referee.core.cards.idle",
        "ROTATE: _burn_card",
        "ROTATE: _redealt",
    ),
    Fault(
        "One who is stuck alone moves the stock's top card.",
        _LEGAL,
        'rules.stuck == "redeal-stock" and bool(tableau.stock)',
        "bool(tableau.stock)",
    ),
    Fault(
        "Keeling: all abandon the hand, without a score.",
        "referee.core.games.nertz.stuck",
        '"abandoned" if abandoned else "stuck"',
        '"stuck"',
    ),
    Fault(
        "NNA: a stuck hand may be ended by consent.",
        "referee.core.games.nertz.stuck",
        'if event.end != "abandoned":',
        'if event.end == "abandoned":',
    ),
    Fault(
        "Of two cards for one place the first stays.",
        "referee.core.cards.flights",
        "if flight.fitted:",
        "if False:",
    ),
    Fault(
        "Nobody can tell: both stay, the table decides, or arrival alone counts.",
        "referee.core.cards.flights",
        "if rivals else _stay(motion, (flight,))",
        "if False else _stay(motion, (flight,))",
    ),
    Fault(
        "Tied callers share the bonus; halves are kept; three may vote.",
        "referee.core.games.nertz.division",
        "len(callers) > 2 and bool(bonus) and",
        "len(callers) > 3 and bool(bonus) and",
    ),
    Fault(
        "A 31 is declared at once and ends the hand; all others lose one.",
        _LIVES,
        "player: 1 for player in hand.players if player not in hand.thirtyone",
        "player: 1 for player in hand.players[:1] if player not in hand.thirtyone",
    ),
    Fault(
        "Without a life one plays on the county; the next loss is out.",
        _LIVES,
        "if tally.left[player] == 0 or not (rules.county or left[player])",
        "if not left[player]",
    ),
    Fault(
        "The bus: losers move on, a double loss stops on the steps, levels may be added.",
        _LIVES,
        "max(lives - lost.get(player, 0), 0) for player, lives in tally.left.items()",
        "lives - lost.get(player, 0) for player, lives in tally.left.items()",
    ),
    Fault(
        "Quebec counts points until a 31, or to 31 points.",
        _LIVES,
        'bool(hand.thirtyone) if rules.end == "first-31" else _enough(points)',
        "_enough(points)",
    ),
    Fault(
        "All say once whether it was right; a majority of no makes it wrong.",
        "referee.core.phases.answers",
        ">= len(judged.answers)",
        "> len(judged.answers)",
    ),
    Fault(
        "Whoever slapped may admit it at once.",
        "referee.core.phases.answers",
        "return len(callers) == 1 and (callers[0], False) in judged.answers",
        "return False",
    ),
    Fault(
        "Who does not press within the limit is last.",
        "referee.core.presses.arbiter",
        "beyond = absent | {p.team for p in presses if p.t_ns > ends_ns[1]}",
        "beyond = {p.team for p in presses if p.t_ns > ends_ns[1]}",
    ),
    Fault(
        "A hand that is lost is a letter; with the whole word one is out, and the last one in wins.",
        _LAST,
        "if letters > 0)\n        return left if",
        "if letters >= 0)\n        return left if",
    ),
    Fault(
        "The tied teams alone play it, or by an option all.",
        _SCORING,
        'tuple(tally.totals) if ruleset.tiebreak_teams == "all" else leaders',
        "tuple(tally.totals)",
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
