"""Which figures of a long run count as grown."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.soak.growth import SLACK, Figures, Samples, grown, sampled

PAGE, DEVICE = "referee.page.child", "referee"
USUAL = Figures(1, 40_000, 12, 4)
peaks = st.lists(st.integers(0, 20_000), min_size=40, max_size=40)


def run(memory: list[int], **more: int) -> Samples:
    """Return samples of a page with this memory, and of a device that is the same throughout."""
    return [{PAGE: replace(USUAL, memory=kib, **more), DEVICE: USUAL} for kib in memory]


@given(peaks, st.integers(0, SLACK.memory))
def test_peaks_and_the_slack_are_no_growth(peaks: list[int], more: int) -> None:
    memory = [USUAL.memory + peak for peak in peaks]
    memory[15], memory[35] = USUAL.memory, USUAL.memory + more
    assert grown(run(memory)) == []


@given(peaks, st.integers(1, 1000))
def test_memory_that_rises_below_all_peaks_has_grown(peaks: list[int], step: int) -> None:
    slope = [at * (SLACK.memory // 10 + step) for at in range(40)]
    assert len(grown(run([USUAL.memory + low for low in slope]))) == 1
    later = SLACK.memory + step + max(peaks)
    assert len(grown(run([USUAL.memory + peak + (later if at >= 30 else 0) for at, peak in enumerate(peaks)]))) == 1


@pytest.mark.parametrize("figure", ["processes", "descriptors", "threads"])
def test_each_other_figure_can_grow_too(figure: str) -> None:
    early, late = run([40_000] * 30), run([40_000] * 10)
    for sample in late:
        sample[PAGE] = replace(USUAL, **{figure: getattr(USUAL, figure) + getattr(SLACK, figure) + 1})
    (sentence,) = grown(early + late)
    assert figure in sentence
    assert PAGE in sentence


def test_a_child_that_comes_and_goes_is_no_growth_and_one_that_stays_is() -> None:
    samples = run([40_000] * 40)
    for sample in samples[::2]:
        sample["history"] = USUAL
    assert grown(samples) == []
    for sample in samples[30:]:
        sample["history"] = USUAL
    assert grown(samples)


def test_samples_count_the_process_and_its_children() -> None:
    before = sampled(os.getpid())
    own = next(iter(before))
    command = [sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline()
            now = sampled(os.getpid())
        finally:
            child.kill()
    assert now[own].descriptors > before[own].descriptors
    assert now[own].memory > 1000
    assert now["http.server"].processes == 1
