"""A short campaign of faults (`make hall-faults` is the long one)."""

from __future__ import annotations

import asyncio

import pytest

from tests.hall.brokers import PROGRAM
from tests.hall.faults import run


@pytest.mark.skipif(PROGRAM is None, reason="mosquitto is not installed (make hall-tools)")
def test_no_result_is_lost_doubled_or_out_of_order() -> None:
    campaign = asyncio.run(run(seed=3, faults=8, tables=4, speed=100))
    assert campaign.results > 10
    assert campaign.done.total() == 8
