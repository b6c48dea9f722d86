"""The speaker, with espeak-ng and a command in place of the sound card."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from threading import Event

import pytest
from gpiozero import DigitalOutputDevice

from gpiozero_gpiod.mock import GpiodMockFactory
from referee.core.units import S
from referee.device.assembly import SIMULATED_BOARD
from referee.drivers.pins import pinmap
from referee.drivers.sound import speaker as module
from referee.drivers.sound.speaker import QUIET_S, RATE_HZ, Speaker, rendered

pytestmark = pytest.mark.skipif(which("espeak-ng") is None, reason="espeak-ng is not installed")

AMP_ON = pinmap.profile("full8").gpio("AMP_ON")
SENTENCES = {
    "Nertz! Anna. Ben 0.18 seconds later.": "nertz anna ben zero point one eight seconds later",
    "Too close to tell: Anna and Ben.": "too close to tell anna and ben",
    "Tie: Anna and Ben.": "tie anna and ben",
    "Nobody can play? Pile empty: call now!": "nobody can play pile empty call now",
    "Search twice for a play.": "search twice for a play",
    "Anna leads by 4 points.": "anna leads by four points",
    "Anna wins!": "anna wins",
    "Waiting for Max.": "waiting for max",
    "Ben, your turn.": "ben your turn",
    "The power was off. Tap to go on.": "the power was off tap to go on",
}


class Card:
    """A sound card that writes each sentence's samples to the end of a file, and a clock."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "card.raw"
        self.now_ns = 0

    @property
    def command(self) -> tuple[str, ...]:
        return ("sh", "-c", f"cat >> {self.file}")

    def samples(self) -> bytes:
        return self.file.read_bytes() if self.file.exists() else b""


@pytest.fixture
def card(tmp_path: Path) -> Card:
    return Card(tmp_path)


@pytest.fixture
def speaker(card: Card) -> Iterator[Speaker]:
    made = Speaker(card.command, clock=lambda: card.now_ns)
    yield made
    made.stop()


def until(done: object) -> None:
    """Wait until the condition holds."""
    assert callable(done)
    for _ in range(500):
        if done():
            return
        Event().wait(0.01)
    raise AssertionError("the speaker has not got there")


def test_words_reach_the_card_once(card: Card, speaker: Speaker) -> None:
    words = rendered("Anna wins!", "en")
    speaker.say("Anna wins!", "en")
    until(lambda: card.samples() == words)


def test_words_that_follow_come_after_the_others(card: Card, speaker: Speaker) -> None:
    speaker.say("Nertz! Anna.", "en")
    speaker.say("Ben later.", "en", follows=True)
    until(lambda: card.samples() == rendered("Nertz! Anna.", "en") + rendered("Ben later.", "en"))


def test_words_wait_for_a_motif_and_newer_ones_replace_them(card: Card, speaker: Speaker) -> None:
    speaker.wait_until(1 * S)
    speaker.say("Anna wins!", "en")
    speaker.say("Ben wins!", "en")
    assert card.samples() == b""
    card.now_ns = 2 * S
    speaker.say("", "en", follows=True)  # it looks at the clock again
    until(lambda: card.samples() == rendered("Ben wins!", "en"))


def test_hush_ends_the_speech_at_once(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    speaker = Speaker(("sh", "-c", f"touch {begun}; exec sleep 60"))
    speaker.say("A long story.", "en")
    until(begun.exists)
    speaker.say("", "en")
    speaker.stop()
    assert not speaker.lost


def pin_states(factory: GpiodMockFactory) -> list[int]:
    """Return the levels of the amplifier's pin, each once."""
    levels = [int(state.state) for state in factory.pin(AMP_ON).states]
    return [level for n, level in enumerate(levels) if n == 0 or levels[n - 1] != level]


@pytest.fixture
def pins() -> Iterator[GpiodMockFactory]:
    made = GpiodMockFactory(revision=SIMULATED_BOARD)
    yield made
    made.close()


def test_the_amplifier_is_off_when_the_clock_starts_and_ends(pins: GpiodMockFactory, tmp_path: Path) -> None:
    """The card takes all samples at once, and holds its clock until the amplifier was on and off."""
    begun, clock = tmp_path / "begun", tmp_path / "clock"
    os.mkfifo(clock)
    amplifier = DigitalOutputDevice(AMP_ON, pin_factory=pins)
    speaker = Speaker(("sh", "-c", f"cat > {begun}; cat {clock}"), amplifier=amplifier)
    assert pin_states(pins) == [0]
    speaker.say("Anna!", "en")
    until(lambda: pin_states(pins) == [0, 1, 0])
    samples = memoryview(begun.read_bytes())
    quiet = bytes(2 * round(QUIET_S * RATE_HZ))
    assert bytes(samples) == quiet + rendered("Anna!", "en") + quiet
    clock.write_bytes(b"")  # the card ends
    speaker.stop()
    assert pin_states(pins) == [0, 1, 0]


def test_cut_words_switch_the_amplifier_off_before_the_clock_ends(pins: GpiodMockFactory, tmp_path: Path) -> None:
    amplifier = DigitalOutputDevice(AMP_ON, pin_factory=pins)
    speaker = Speaker(("sh", "-c", "exec sleep 60"), amplifier=amplifier)
    speaker.say("A long story without an end in sight, and nobody is listening.", "en")
    until(lambda: pin_states(pins) == [0, 1])
    speaker.say("", "en")
    assert pin_states(pins) == [0, 1, 0]
    speaker.stop()


def test_a_failing_card_is_lost_and_comes_back(card: Card, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.touch()
    speaker = Speaker(("sh", "-c", f"test ! -e {broken} && cat >> {card.file}"), clock=lambda: card.now_ns)
    speaker.say("Anna wins!", "en")
    until(lambda: speaker.lost)
    broken.unlink()
    card.now_ns = 60 * S
    speaker.say("Ben wins!", "en")
    until(lambda: not speaker.lost)
    assert card.samples() == rendered("Ben wins!", "en")
    speaker.stop()


@pytest.mark.parametrize("language", module.VOICES)
def test_sentences_are_loud_and_take_seconds(language: str) -> None:
    samples = memoryview(rendered("Anna 0.18!", language)).cast("h")
    assert 0.5 < len(samples) / RATE_HZ < 4
    assert 8_000 < max(samples) < 32_767


def test_a_recogniser_understands_the_sentences(tmp_path: Path) -> None:
    """PocketSphinx, with a grammar of these sentences. `make voice-check` installs it."""
    pocketsphinx = pytest.importorskip("pocketsphinx")
    decoder = pocketsphinx.Decoder(samprate=RATE_16, loglevel="FATAL", lm=None)
    decoder.add_word("nertz", "N ER T S", True)
    decoder.add_jsgf_string("table", f"#JSGF V1.0; grammar t; public <s> = {' | '.join(SENTENCES.values())};")
    decoder.activate_search("table")
    understood = [heard(decoder, words) == plain for words, plain in SENTENCES.items()]
    assert sum(understood) >= len(SENTENCES) - 1


RATE_16 = 16_000


def heard(decoder: object, words: str) -> str:
    """What the recogniser hears, at its own rate, with silence around the words."""
    samples = memoryview(rendered(words, "en")).cast("h")
    count = len(samples) * RATE_16 // RATE_HZ
    slower = [samples[at * RATE_HZ // RATE_16] for at in range(count)]
    silence = bytes(RATE_16 * 2 // 3)
    data = silence + b"".join(one.to_bytes(2, "little", signed=True) for one in slower) + silence
    decoder.start_utt()  # type: ignore[attr-defined]
    decoder.process_raw(data, full_utt=True)  # type: ignore[attr-defined]
    decoder.end_utt()  # type: ignore[attr-defined]
    hypothesis = decoder.hyp()  # type: ignore[attr-defined]
    return hypothesis.hypstr if hypothesis else ""


def test_player_that_does_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    rendered("Anna.", "en")
    monkeypatch.setattr(module, "RENDER_S", 0.0)
    speaker = Speaker(("sleep", "1000"))
    speaker.say("Anna.", "en")
    while not speaker.lost:
        Event().wait(0.01)
    assert speaker._playing is None
    speaker.stop()
