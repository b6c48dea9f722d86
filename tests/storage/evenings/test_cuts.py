"""A short series of power cuts in a recorded evening; `make power-cuts` makes 2,000."""

from __future__ import annotations

import logging

import pytest

from tests.storage.evenings.cuts import disk


@pytest.mark.skipif(disk.compiler() is None, reason="the recorder of writes is C, and no compiler is here")
def test_no_power_cut_costs_a_row_or_record_that_was_durable(capsys: pytest.CaptureFixture[str]) -> None:
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        assert disk.campaign(cuts=20, rows=70, seed=4) == 0, capsys.readouterr().out
    finally:
        logging.disable(disabled)


def test_what_was_not_synced_may_be_missing_or_torn_and_the_rest_is_there() -> None:
    """The model: a synced write is always kept, a later one sometimes, whole or by sectors.

    So are names.
    """
    import random
    from pathlib import Path
    from tempfile import TemporaryDirectory

    made = disk.Disk()
    for op in (
        disk.Op("C", 5, 0, b"a"),
        disk.Op("W", 5, 0, b"x" * 2048),
        disk.Op("S", 5, 0, b""),
        disk.Op("D", 1, 0),
        disk.Op("W", 5, 1024, b"y" * 2048),
        disk.Op("R", 0, 0, b"a", b"b"),
    ):
        made.do(op)
    seen = set()
    for seed in range(60):
        with TemporaryDirectory() as name:
            made.cut(Path(name), random.Random(seed))
            ((path, content),) = ((path.name, path.read_bytes()) for path in Path(name).iterdir())
        assert content[:1024] == b"x" * 1024
        assert set(content[1024:]) <= set(b"xy\0")
        seen.add((path, content.count(b"y")))
    assert {name for name, _ in seen} == {"a", "b"}
    assert {count for _, count in seen} == {0, 512, 1024, 1536, 2048}
