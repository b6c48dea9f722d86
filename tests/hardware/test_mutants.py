"""Random faults in the hardware's sources are caught by the checks; a few here, hundreds by `make hardware-mutants`."""

from __future__ import annotations

import pytest

from hardware import mutants
from tests.hardware import bench


def test_faults_are_what_they_say_and_the_same_each_time() -> None:
    """Each changes one source in one place, no two are alike, a seed gives the same ones, and every kind comes."""
    made = list(mutants.faults(60, seed=7))
    assert made == list(mutants.faults(60, seed=7))
    assert len({(fault.path, fault.start, fault.text) for fault in made}) == 60
    assert {fault.kind for fault in made} == set(mutants.KINDS)
    for fault in made:
        source = (mutants.ROOT / fault.path).read_text(encoding="utf-8")
        assert source[fault.start : fault.end] != fault.text


def test_a_fault_that_changes_nothing_of_weight_escapes() -> None:
    """The judge can let one through: a comment's word is no fault, and nothing else in the copy complains."""
    path = "hardware/pinmap.toml"
    start = (mutants.ROOT / path).read_text(encoding="utf-8").index("# The pin map")
    assert mutants.judge(mutants.Fault("none", path, start, start + 13, "# A pin map", "a comment")) == ("escaped", "")


@pytest.mark.skipif(not bench.has_kicad(), reason="two seconds a fault: where the hardware's tools are")
def test_some_faults_are_caught() -> None:
    """Of kinds that the rules cover whole: values, counts, pins, footprints."""
    kinds = ("value", "count", "gpio", "footprint")
    for fault in mutants.faults(4, seed=11, kinds=kinds):
        how, said = mutants.judge(fault)
        assert how in ("caught", "refused"), (fault.what, how, said)
