"""No lying source wins by rows that arrive too late; without the rule of age the same search finds that it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random
from types import ModuleType

import pytest

from referee.core.presses.arbiter import AGE_NS
from tests.adversary import phones, pods


@pytest.mark.parametrize(("kind", "step", "count"), [(phones, 29, 90), (pods, 23, 300)])
def test_the_search_finds_holes_only_without_the_rule(kind: ModuleType, step: int, count: int) -> None:
    grid: Callable[[], Iterator[object]] = kind.grid
    strategies: Iterable[object] = [*list(grid())[::step], *(kind.drawn(Random(seed)) for seed in range(count))]
    assert kind.holes(strategies, age_ns=None)
    assert kind.holes(strategies, age_ns=AGE_NS) == []
