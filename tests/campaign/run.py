"""Play and check one evening of a campaign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from referee.core.match.engine import Engine
from tests.campaign.judge import WrongError
from tests.campaign.plan import WIRED, Plan
from tests.campaign.world import World
from tests.core.grammar import faults

LOOKED_AT = 8
"""Interval of evenings that are read again completely: their grammar, and whether their rows restore the same table."""


@dataclass
class Told:
    """The result of an evening."""

    hands: int = 0
    seen: Counter[str] = field(default_factory=Counter)


def played(plan: Plan, tell: Callable[[str], object] | None = None) -> Told:
    """Raise WrongError, or any exception of the product."""
    world = World(plan)
    if tell is not None:
        world.tell = tell
    world.run()
    if int(plan.seed.rpartition("/")[2]) % LOOKED_AT == 0:
        _read_again(world)
    hands = min(world.hands, plan.hands)  # a game of claims has a hundred hands before its match ends
    return Told(hands, _seen(world))


def _read_again(world: World) -> None:
    """Check that the rows of the last life follow the grammar and fold to the same table."""
    if Engine.restored(world.rows).state != world.engine.state:
        raise WrongError("the rows lead to another table")
    if not any(getattr(event, "state", None) for _, event in world.rows) and not world.plan.remote:
        found = faults(world.rows)
        if found:
            raise WrongError("; ".join(found[:3]))


def _seen(world: World) -> Counter[str]:
    plan = world.plan
    seen = Counter({f"cut: {cut.kind}": 1 for cut in plan.cuts})
    seen.update({f"helped: {what}": times for what, times in world.helper.helped.items()})
    seen.update(verdicts=world.verdicts.checked, filed=int(plan.filed), evenings=1)
    seen.update(child=int(plan.child_s > 0), remote=int(bool(plan.remote)))
    seen.update({"more than eight": int(len(plan.seats) > len(WIRED))})
    return seen
