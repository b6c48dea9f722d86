"""Every preset, every value of its options, every company: that all pairs meet, and what becomes of their tables."""

from __future__ import annotations

import pytest

from referee.core.model.registry import presets
from referee.table.manners import COMPANIES
from tests.campaign import pairs
from tests.campaign.plan import Plan
from tests.campaign.run import played

TABLES = list(pairs.pairwise())


def test_all_pairs_meet() -> None:
    """Each value that a preset takes at a table of that preset, and in each company; each preset in each company."""
    met = {(who, chosen) for plan in TABLES for who in (plan.preset, plan.company) for chosen in plan.options}
    takes = {(preset, chosen) for preset in presets() for chosen in pairs.allowed(preset)}
    assert takes - met == set()
    assert {(company, chosen) for company in COMPANIES for _, chosen in takes} - met == set()
    assert {(plan.preset, plan.company) for plan in TABLES} == {
        (one, other) for one in presets() for other in COMPANIES
    }


@pytest.mark.parametrize("plan", TABLES, ids=lambda plan: plan.seed.rpartition(" ")[0])
def test_a_hand_of_each_comes_to_its_end(plan: Plan) -> None:
    """No exception, no wrong verdict, no phase that lasts three times as long as it may."""
    assert played(plan).hands == 1
