"""`referee doctor --fixture`: the device's ordering error, measured with a simulated Pico on a pty and mock pins."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from io import StringIO
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpiozero_gpiod.mock import GpiodMockFactory
from referee.bench import fixture as command
from referee.bench.fixture import FixtureError, fixture
from referee.cli import main
from referee.config import load
from referee.core.presses.signals import Edge
from referee.drivers.pins import pinmap
from tests.firmware.pretended import Contacts, on_a_pty, volley

FULL8 = pinmap.profile("full8")
STATIONS = tuple(FULL8.stations())


class Bench:
    """A device's mock pins with a simulated fixture; `late` is the delay of the kernel's stamps."""

    def __init__(self, late: Callable[[str], int] = lambda station: 0) -> None:
        self.factory = GpiodMockFactory(revision="a02082", held=True)
        self.contacts = Contacts(self.factory, FULL8, late)

    def measure(self, err_ns: int = 300_000, rounds: int = 1) -> tuple[list[tuple[bool, str]], dict[str, Any] | None]:
        """Return the doctor's result."""
        with on_a_pty(partial(volley.answer, play=self.contacts.play)) as port:
            pressing = fixture(port)
            try:
                return command.against(pressing, self.factory, FULL8, err_ns, rounds)
            finally:
                pressing.close()


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.factory.close()


def test_a_slow_station_is_found_to_the_nanosecond() -> None:
    """Stamps of station 5 are 40 µs late: its median shows it, and close neighbours are ordered wrongly."""
    slow = Bench(lambda station: 40_000 if station == "5" else 0)
    told, figures = slow.measure(rounds=4)
    assert figures is not None
    assert all(fine for fine, _ in told)
    assert figures["worst_late_ns"] == 40_000
    assert figures["station_late_ns"] == {name: 40_000 if name == "5" else 0 for name in STATIONS}
    wrong = {row["gap_us"]: row["wrong"] for row in figures["order"]}
    assert wrong[2] > 0
    assert wrong[10] > 0
    assert (wrong[50], wrong[200], wrong[1000]) == (0, 0, 0)


def test_stamps_later_than_stated_are_a_fault_with_a_remedy() -> None:
    """Some stamps are 0.4 ms late while the configuration states 0.3 ms: the sentence says what to set."""
    calls = count()
    told, _ = Bench(lambda station: 400_000 if next(calls) % 97 == 96 else 0).measure(rounds=4)
    assert (False, "set gpio_err_us in [arbiter] to 800.") in [(fine, said.rpartition(": ")[2]) for fine, said in told]


def test_exchanged_and_dead_cables_are_told_first(bench: Bench) -> None:
    """2 and 3 are exchanged, 7 is unplugged: three sentences, and the others are still measured."""
    bench.contacts.cables |= {"2": "3", "3": "2"}
    del bench.contacts.cables["7"]
    told, figures = bench.measure()
    assert [said for fine, said in told if not fine] == [
        "2: its contact closed and 3 answered; cables are exchanged.",
        "3: its contact closed and 2 answered; cables are exchanged.",
        "7: its contact closed and nothing came; check its cable and the fixture's.",
    ]
    assert figures is not None
    assert sorted(figures["station_late_ns"]) == ["1", "4", "5", "6", "8"]


def test_one_station_has_no_order(bench: Bench) -> None:
    bench.contacts.cables = {"1": "1"}
    told, figures = bench.measure()
    assert figures is None
    assert told[-1] == (False, "Order needs two stations that answer; nothing was measured.")


@given(st.randoms(use_true_random=False), st.sampled_from(command.GAPS_US), st.sampled_from(command.STYLES))
def test_every_volley_can_be_played_and_is_all_presses(rng: Random, gap_us: int, style: str) -> None:
    """The firmware accepts each drawn volley, and each station gives one press at its first touch."""
    shot = command.volley(rng, STATIONS, gap_us, style)
    words = " ".join(
        f"{m.at_us}:{m.contact}{'+' if m.closed else '-'}" for m in sorted(shot.moves, key=lambda m: m.at_us)
    )
    assert volley.answer(f"play {words}", lambda words, length_us: None) == f"played {len(shot.moves)}"
    rows = [Edge(m.contact, m.closed, m.at_us * 1000) for m in sorted(shot.moves, key=lambda m: m.at_us)]
    trial = command.judge_volley(shot, rows)
    assert set(trial.lateness().values()) == {0}
    assert len(trial.lateness()) == 8
    assert trial.neighbours() == (0, 7)


def test_a_missed_press_is_counted_and_named() -> None:
    """A station without a press in a volley is a separate fault, not an ordering error."""
    shot = command.volley(Random(1), ("1", "2", "3"), 50, "clean")
    rows = [Edge(m.contact, m.closed, m.at_us * 1000) for m in shot.moves if m.contact != "2"]
    found = command.figures([command.judge_volley(shot, rows)], 300_000)
    assert found["lost"] == {"2": 1}
    assert (False, "2: 1 of 1 presses were missed or doubled; check its cable.") in command.sentences(found)


ANSWERS = {
    ">>> hello": "answers '>>> hello', which no fixture does: copy firmware/fixture to the Pico",
    "fixture 2 contacts 8 step_ns 200": "speaks protocol 2, needed is 1: copy firmware/fixture again",
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_stranger_on_the_port_is_told_from_a_fixture(answer: str) -> None:
    with on_a_pty(lambda line: answer) as port, pytest.raises(FixtureError) as told:
        fixture(port)
    assert str(told.value).endswith(ANSWERS[answer])


def test_the_command_measures_and_prints(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("referee.device.assembly.pin_factory", lambda simulate, config: bench.factory)
    monkeypatch.setattr("referee.bench.fixture.ROUNDS", 1)
    monkeypatch.setattr("sys.stdin", StringIO("y\n"))
    config = tmp_path / "referee.toml"
    config.write_text('[display]\nchip = "none"\n[sound]\nquiet = true\n')
    with on_a_pty(partial(volley.answer, play=bench.contacts.play)) as port:
        status = main(["doctor", "--fixture", port, "--json", "--state", str(tmp_path), "--config", str(config)])
    document = json.loads(capsys.readouterr().out)
    assert status == 0
    assert document["fixture"]["worst_late_ns"] == 0
    assert [f["ok"] for f in document["findings"] if f["part"] == "fixture"] == [True, True, True]
    assert load(config).arbiter.gpio_err_us == 50  # the lowest offered value


def test_no_pico_and_two_picos_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for ports, said in (([], "none is: plug it in"), (["/dev/a", "/dev/b"], "2 are (/dev/a, /dev/b): name one")):
        monkeypatch.setattr("referee.bench.fixture.found_lines", lambda ports=ports: tuple(ports))
        with pytest.raises(FixtureError) as told:
            fixture()
        assert said in str(told.value)


# -- keeping the bound ---------------------------------------------------------------------------------------------

TEXTS = {
    "empty": ("", "\n[arbiter]\ngpio_err_us = 150\n"),
    "another section": ('[pins]\nprofile = "full8"', '[pins]\nprofile = "full8"\n\n[arbiter]\ngpio_err_us = 150\n'),
    "the section without it": (
        "[arbiter]  # ours\nmax_err_ms = 2.5\n\n[pins]\n",
        "[arbiter]  # ours\ngpio_err_us = 150\nmax_err_ms = 2.5\n\n[pins]\n",
    ),
    "the line": (
        "# a\n[arbiter]\nlockout_ms = 100\ngpio_err_us=300 # found\n[pins]\n",
        "# a\n[arbiter]\nlockout_ms = 100\ngpio_err_us = 150 # found\n[pins]\n",
    ),
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_measured_bound_goes_into_the_configuration_and_nothing_else_changes(text: str) -> None:
    before, after = TEXTS[text]
    assert command.with_bound(before, 150) == after
    assert command.with_bound(after, 150) == after


@pytest.mark.parametrize("text", ["arbiter.gpio_err_us = 300\n", "arbiter = { gpio_err_us = 300 }\n", "no TOML"])
def test_a_configuration_written_in_another_way_is_left_alone(text: str) -> None:
    with pytest.raises(ValueError, match=r"known here|Expected|Invalid|Cannot"):
        command.with_bound(text, 150)


def figures(worst_us: int, lost: int = 0) -> dict[str, Any]:
    """Return a measurement with 300 µs stated."""
    return {"stated_err_ns": 300_000, "worst_late_ns": worst_us * 1000, "lost": {"2": lost} if lost else {}}


def test_the_bound_is_written_after_a_yes_alone(tmp_path: Path) -> None:
    """Twice the worst, rounded up to 50 µs; only after a yes.

    The file's mode stays, without temporary files.
    """
    path = tmp_path / "referee.toml"
    path.write_text("[arbiter]\ngpio_err_us = 300\n", encoding="utf-8")
    path.chmod(0o640)
    asked: list[str] = []

    def answering(answer: str | None) -> Callable[[str], str | None]:
        return lambda question: asked.append(question) or answer  # type: ignore[func-returns-value]

    for refusal in (None, "n", ""):
        said = command.offer(path, figures(61), answering(refusal))
        assert said == (None, f"{path} was left as it is: gpio_err_us stays 300.")
    assert path.read_text(encoding="utf-8") == "[arbiter]\ngpio_err_us = 300\n"
    said = command.offer(path, figures(61), answering("y"))
    assert said == (True, f"gpio_err_us = 150 stands in {path}; it holds from the referee's next start.")
    assert path.read_text(encoding="utf-8") == "[arbiter]\ngpio_err_us = 150\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]
    assert set(asked) == {f"Write gpio_err_us = 150 into {path} (it states 300 now)? y/n"}


def test_nothing_is_offered_that_says_nothing(tmp_path: Path) -> None:
    def yes(_: str) -> str:
        return "yes"

    path = tmp_path / "referee.toml"
    assert command.offer(path, figures(150), yes) is None
    assert command.offer(path, figures(61, lost=3), yes) is None
    told = command.offer(path, figures(61), yes)
    assert told is not None
    assert told[0] is False
    assert told[1].endswith("write gpio_err_us = 150 under [arbiter] by hand.")
