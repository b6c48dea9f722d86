"""Each preset, option value and company: all pairs occur, and their tables end."""

from __future__ import annotations

import pytest

from referee.core.model.registry import presets
from referee.simulator.table.skill import COMPANIES
from tests.campaign import pairs
from tests.campaign.plan import Plan
from tests.campaign.run import played

TABLES = list(pairs.pairwise())


def test_all_pairs_meet() -> None:
    """Values meet each preset that accepts them and each company; presets meet each company."""
    met = {(who, chosen) for plan in TABLES for who in (plan.preset, plan.company) for chosen in plan.options}
    takes = {(preset, chosen) for preset in presets() for chosen in pairs.allowed(preset)}
    assert takes - met == set()
    assert {(company, chosen) for company in COMPANIES for _, chosen in takes} - met == set()
    assert {(plan.preset, plan.company) for plan in TABLES} == {
        (one, other) for one in presets() for other in COMPANIES
    }


@pytest.mark.parametrize("plan", TABLES, ids=lambda plan: plan.seed.rpartition(" ")[0])
def test_a_hand_of_each_comes_to_its_end(plan: Plan) -> None:
    assert played(plan).hands == 1
