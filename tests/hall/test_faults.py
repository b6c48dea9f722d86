"""A short campaign of faults (`make hall-proof` is the long one)."""

from __future__ import annotations

import asyncio

import pytest

from tests.hall.brokers import PROGRAM
from tests.hall.proof.campaign import run
from tests.hall.proof.stage import Plan


@pytest.mark.skipif(PROGRAM is None, reason="mosquitto is not installed (make hall-tools)")
def test_no_result_is_lost_doubled_or_out_of_order() -> None:
    campaign = asyncio.run(run(Plan(seed=3, tables=4, speed=100), faults=8))
    assert campaign.stage.judge.results > 10
    assert campaign.faults.done.total() == 8
