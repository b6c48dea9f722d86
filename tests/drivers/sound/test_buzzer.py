"""Cues become notes at the right time, on a separate thread that others never wait for."""

from __future__ import annotations

import errno
import queue
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.units import MS, S
from referee.drivers.pwm import KernelPwm, PwmChannel
from referee.drivers.sound.buzzer import Buzzer, MotifPlayer
from referee.drivers.sound.motifs import MOTIFS, Motif
from tests.drivers.fakes import FakePwm

LOW = Motif(((500, 100), (0, 50), (600, 100)), priority=1)
HIGH = Motif(((900, 30),), priority=2)


def heard(player: MotifPlayer, until_ms: int, from_ms: int = 0) -> list[tuple[int, int]]:
    """Return what a player sounds as (ms, Hz) at every change, following only its wake-up times."""
    notes: list[tuple[int, int]] = []
    now_ns: int | None = from_ms * MS
    while now_ns is not None and now_ns <= until_ms * MS:
        hz, now_after_ns = player.at(now_ns)
        if not notes or notes[-1][1] != hz:
            notes.append((now_ns // MS, hz))
        assert now_after_ns is None or now_after_ns > now_ns
        now_ns = now_after_ns
    return notes


@pytest.mark.parametrize(
    ("cues", "sounds"),
    [
        ([(0, LOW)], [(0, 500), (100, 0), (150, 600), (250, 0)]),
        ([(0, LOW), (40, HIGH)], [(0, 500), (40, 900), (70, 0)]),  # a higher one replaces it for good
        ([(0, LOW), (40, LOW)], [(0, 500), (140, 0), (190, 600), (290, 0)]),  # so does a newer one of equal precedence
        ([(0, HIGH), (10, LOW)], [(0, 900), (30, 500), (130, 0), (180, 600), (280, 0)]),  # a lower one waits
    ],
)
def test_motifs_follow_and_replace_each_other(cues: list[tuple[int, Motif]], sounds: list[tuple[int, int]]) -> None:
    player = MotifPlayer()
    for ms, motif in cues:
        player.schedule(motif, ms * MS)
    assert heard(player, 10_000) == sounds
    assert player.at(10_000 * MS) == (0, None)


def test_what_is_pending_can_be_cancelled() -> None:
    """A start that is stopped cancels its pending GO; later cues are unaffected."""
    player = MotifPlayer()
    player.schedule(HIGH, 100 * MS)
    player.schedule(HIGH, 200 * MS)
    assert player.at(0) == (0, 100 * MS)
    player.hush()
    player.schedule(HIGH, 300 * MS)
    assert heard(player, 10_000) == [(0, 0), (300, 900), (330, 0)]


@given(st.lists(st.tuples(st.integers(0, 2_000), st.sampled_from(sorted(MOTIFS))), max_size=6), st.integers(20, 400))
@settings(max_examples=40)
def test_looking_more_often_changes_nothing(cues: list[tuple[int, str]], step_ms: int) -> None:
    followed, sampled = MotifPlayer(), MotifPlayer()
    for player in (followed, sampled):
        for ms, name in cues:
            player.schedule(MOTIFS[name], ms * MS)
    notes = heard(followed, 20_000)
    assert notes[-1][1] == 0
    for ms in range(0, 20_000, step_ms):
        expected = next(hz for since, hz in reversed(notes) if since <= ms)
        assert sampled.at(ms * MS)[0] == expected


class Clock:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.now_ns = self.asked = 0

    def __call__(self) -> int:
        self.asked += 1
        return self.now_ns

    def reach(self, ms: int, buzzer: Buzzer) -> None:
        """Set the time, and have the thread look at it."""
        self.now_ns = ms * MS
        buzzer.play("no such cue")


class Tape(FakePwm):
    """A fake channel that reports each write."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()

    def set(self, period_ns: int, high_ns: int) -> None:
        self.heard.put((period_ns, high_ns))
        super().set(period_ns, high_ns)

    def next(self) -> tuple[int, int]:
        return self.heard.get(timeout=10)


def test_the_thread_plays_and_falls_silent() -> None:
    pwm, clock = Tape(), Clock()
    buzzer = Buzzer(pwm, motifs={"x": Motif(((1000, 150), (500, 150)))}, clock=clock)
    assert pwm.next() == (0, 0)  # quiet from the start, whatever the pin did before
    buzzer.play("x")
    assert pwm.next() == (1_000_000, 500_000)
    clock.reach(150, buzzer)
    assert pwm.next() == (2_000_000, 1_000_000)
    clock.reach(300, buzzer)
    assert pwm.next() == (0, 0)
    buzzer.stop()
    assert pwm.heard.empty()
    assert clock.asked < 40, "the thread does not sleep"


def test_stop_cuts_a_note_off() -> None:
    pwm = Tape()
    buzzer = Buzzer(pwm, motifs={"x": Motif(((1000, 3_600_000),))})
    pwm.next()
    buzzer.play("x")
    assert pwm.next() == (1_000_000, 500_000)
    buzzer.stop()
    assert pwm.next() == (0, 0)


def test_a_late_cue_is_heard_whole() -> None:
    pwm, clock = Tape(), Clock()
    buzzer = Buzzer(pwm, motifs={"x": Motif(((1000, 150),))}, clock=clock)
    pwm.next()
    clock.now_ns = S
    buzzer.play("x", at_ns=0)
    assert pwm.next() == (1_000_000, 500_000)
    buzzer.stop()


def test_a_cue_may_cancel_what_is_pending() -> None:
    """A cancelling cue of any name drops the pending ones before its own motif, if any, sounds."""
    pwm, clock = Tape(), Clock()
    buzzer = Buzzer(pwm, motifs={"go": Motif(((1000, 150),)), "stop": Motif(((500, 150),))}, clock=clock)
    pwm.next()
    buzzer.play("go", at_ns=20 * MS)
    buzzer.play("hush", cancels=True)
    buzzer.play("stop", at_ns=20 * MS)
    clock.reach(20, buzzer)
    assert pwm.next() == (2_000_000, 1_000_000)
    clock.reach(170, buzzer)
    assert pwm.next() == (0, 0)
    buzzer.stop()
    assert pwm.heard.empty()


def test_the_volume_is_turned_while_it_sounds() -> None:
    pwm = Tape()
    buzzer = Buzzer(pwm, motifs={"long": Motif(((1000, 60_000),)), "x": Motif(((500, 60_000),), priority=3)})
    pwm.next()
    buzzer.play("long")
    assert pwm.next() == (1_000_000, 500_000)
    buzzer.set_volume(50)
    buzzer.play("x")
    assert pwm.next() == (2_000_000, 500_000)
    buzzer.set_volume(0)
    assert pwm.next() == (0, 0)
    buzzer.set_volume(100)
    buzzer.play("long")
    assert pwm.next() == (1_000_000, 500_000)
    buzzer.stop()


def test_a_dead_piezo_is_in_nobodys_way(caplog: pytest.LogCaptureFixture) -> None:
    pwm = Tape()
    pwm.error = OSError("no such device")
    buzzer = Buzzer(pwm, motifs={"x": Motif(((1000, 150), (500, 150)))})
    pwm.next()
    for _ in range(3):
        buzzer.play("x")
    buzzer.stop()
    assert caplog.messages == ["buzzer lost: no such device"]


def channel(chip: Path) -> Path:
    """Make a directory that looks like an exported channel."""
    node = chip / "pwm1"
    node.mkdir()
    for name in ("period", "duty_cycle", "enable"):
        (node / name).write_bytes(b"0")
    return node


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Record the writes; the files refuse what the kernel refuses."""
    written: list[tuple[str, int]] = []
    original = Path.write_text

    def write(self: Path, text: str, **options: str) -> int:
        if self.name in ("period", "duty_cycle", "enable"):
            values = {name: int((self.parent / name).read_text()) for name in ("period", "duty_cycle", "enable")}
            values[self.name] = int(text)
            if not values["period"] or values["duty_cycle"] > values["period"]:
                raise OSError(errno.EINVAL, "Invalid argument", str(self))
            written.append((self.name, int(text)))
        return original(self, text, **options)

    monkeypatch.setattr(Path, "write_text", write)
    return written


def test_the_kernel_channel_is_written_in_a_legal_order(tmp_path: Path, writes: list[tuple[str, int]]) -> None:
    """The duty never exceeds the period, and unchanged values are not written again."""
    channel(tmp_path)
    pwm = KernelPwm(lambda: PwmChannel(tmp_path, 1, ""))
    pwm.set(2_000, 1_000)
    pwm.set(800, 400)
    pwm.set(800, 400)
    pwm.set(1_200, 600)
    pwm.off()
    pwm.off()
    assert writes == [
        *[("period", 2_000), ("duty_cycle", 1_000), ("enable", 1)],
        *[("duty_cycle", 400), ("period", 800)],
        *[("period", 1_200), ("duty_cycle", 600)],
        *[("duty_cycle", 0), ("enable", 0)],
    ]


def test_a_fresh_channel_rests_as_it_is(tmp_path: Path, writes: list[tuple[str, int]]) -> None:
    """A channel without a period accepts nothing else."""
    channel(tmp_path)
    KernelPwm(lambda: PwmChannel(tmp_path, 1, "")).off()
    assert writes == []


def test_a_channel_that_a_dead_referee_left_sounding_falls_silent(
    tmp_path: Path, writes: list[tuple[str, int]]
) -> None:
    """After a kill in the middle of a tone the kernel continues it; the next start ends it."""
    node = channel(tmp_path)
    for name, value in (("period", "2000"), ("duty_cycle", "1000"), ("enable", "1")):
        (node / name).write_bytes(value.encode())
    KernelPwm(lambda: PwmChannel(tmp_path, 1, "")).off()
    assert writes == [("duty_cycle", 0), ("enable", 0)]


def test_a_channel_is_exported_first(tmp_path: Path) -> None:
    pwm = KernelPwm(lambda: PwmChannel(tmp_path, 1, ""), sleep=lambda _: None)
    with pytest.raises(OSError, match="pwm1"):
        pwm.off()
    assert (tmp_path / "export").read_text() == "1"
    node = channel(tmp_path)
    pwm.set(2_000, 1_000)
    assert (node / "enable").read_text() == "1"


def test_an_exported_channel_is_waited_for_until_it_is_ours(tmp_path: Path) -> None:
    """The kernel makes it at once, udev gives it to our group a moment later: this is no loss."""
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            channel(tmp_path)

    KernelPwm(lambda: PwmChannel(tmp_path, 1, ""), sleep=sleep).set(2_000, 1_000)
    assert len(slept) == 3
    assert (tmp_path / "pwm1" / "enable").read_text() == "1"
