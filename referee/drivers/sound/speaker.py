"""The speaker: says words through espeak-ng and ALSA without blocking the caller.

espeak-ng renders a sentence to samples, which are kept by their words; aplay sends them to the sound card. Both are
child processes of the speaker's own thread, which sleeps while there is nothing to say.

The carrier's amplifier pops when its clock starts or ends while it is on. So silence comes before and after the words,
and the amplifier is on only from the end of the first to the start of the second.
"""

from __future__ import annotations

import logging
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from shutil import which
from typing import Protocol

from referee.core.units import S
from referee.drivers.health import Health

RATE_HZ = 22_050
"""Samples per second of espeak-ng's voices: 16 bits, one channel."""
HEADER_BYTES = 44
"""Length of the WAV header before the samples."""
WORDS_A_MINUTE = 165
RENDER_S = 5.0
"""Maximum time to render a sentence, and to play it beyond its length, in seconds."""
MOST_BYTES = 2 * RATE_HZ * 60
"""Maximum bytes of a sentence's samples: a minute.

The longest sentence, a verdict that names twelve players and their times, has about 110 words, which take 40 s.
"""
KEPT = 64
"""Maximum number of rendered sentences that are kept; one is about 100 kB."""
MOST_WAITING = 8
"""Maximum number of sentences that wait to be spoken. The oldest are dropped."""
VOICES = {"en": "en-us+f3", "de": "de+f3", "it": "it+f3"}
"""Language -> espeak-ng's voice: of those tried, a recogniser understands these best."""
QUIET_S = 0.2
"""Silence before and after the words if the amplifier is switched, in s.

aplay starts the sound card's clock within that time (?).
"""
RENDER = ("espeak-ng", "-b", "1", "-s", str(WORDS_A_MINUTE), "-z", "--stdout", "--stdin", "-v")
PLAY = ("aplay", "-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", str(RATE_HZ))


def can_speak() -> bool:
    """Return whether the programs that render and play speech are installed."""
    return all(which(command[0]) for command in (RENDER, PLAY))


@lru_cache(maxsize=KEPT)
def rendered(words: str, language: str) -> bytes:
    """Return the spoken words as 16-bit samples at RATE_HZ. Raises OSError if espeak-ng fails."""
    command = (*RENDER, VOICES.get(language, language))
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(RENDER_S, process.kill)
        timer.start()
        try:
            with suppress(BrokenPipeError), process.stdin as words_in:  # its status says more
                words_in.write(words.encode())
            samples = process.stdout.read(HEADER_BYTES + MOST_BYTES + 1)
            if len(samples) > HEADER_BYTES + MOST_BYTES:
                raise OSError(f"espeak-ng wrote more than {MOST_BYTES >> 10} KiB for a sentence")
            if process.wait():
                raise OSError(f"espeak-ng cannot speak: it ended with status {process.returncode}")
        finally:
            timer.cancel()
            process.kill()
    return samples[HEADER_BYTES:]


def _played(playing: subprocess.Popen[bytes], samples: bytes) -> tuple[bytes, bytes]:
    """Play the samples. Kill a player that takes too long, and raise TimeoutExpired."""
    try:
        return playing.communicate(samples, len(samples) / 2 / RATE_HZ + RENDER_S)
    except subprocess.TimeoutExpired:
        playing.kill()
        playing.communicate()
        raise


class Switch(Protocol):
    """An output such as gpiozero's `DigitalOutputDevice`."""

    def on(self) -> None:
        """Set the output high."""

    def off(self) -> None:
        """Set the output low."""

    def close(self) -> None:
        """Release the output."""


class Speaker:
    """A voice on a sound card. Failures are logged once and retried."""

    def __init__(
        self,
        play: Sequence[str] = PLAY,
        *,
        clock: Callable[[], int] = time.monotonic_ns,
        amplifier: Switch | None = None,
    ) -> None:
        """`play`: a command that plays the samples on its standard input.

        `amplifier`: the pin that switches the amplifier. It is off at first, and `stop` closes it.
        """
        self._play, self._clock, self._amplifier = tuple(play), clock, amplifier
        self._health = Health("speaker", logging.getLogger(__name__))
        self._changed = threading.Condition()
        self._waiting: deque[tuple[str, str]] = deque(maxlen=MOST_WAITING)
        self._from_ns = 0  # motifs sound until then
        self._playing: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="speaker", daemon=True)
        self._thread.start()

    @property
    def lost(self) -> bool:
        """Return whether the sound card or espeak-ng does not work at present."""
        return self._health.lost

    def say(self, words: str, language: str, *, follows: bool = False) -> None:
        """Say these words after the present motif (a short melody).

        They replace earlier words, or come after them if `follows` is set. If `words` is empty, speech ends at once.
        Never blocks, never raises.
        """
        with self._changed:
            if not follows:
                self._waiting.clear()
                self._cut()
            if words:
                self._waiting.append((words, language))
            self._changed.notify()

    def wait_until(self, ns: int) -> None:
        """Be silent until this time, in ns of the clock, because a motif sounds."""
        with self._changed:
            self._from_ns = max(self._from_ns, ns)

    def stop(self) -> None:
        """End the speech and the thread."""
        with self._changed:
            self._stopped = True
            self._cut()
            self._changed.notify()
        self._thread.join()
        if self._amplifier is not None:
            self._amplifier.close()

    def _cut(self) -> None:
        if self._playing is not None:
            with suppress(Exception):  # gpiozero's errors: the words are cut all the same
                if self._amplifier is not None:
                    self._amplifier.off()
            self._playing.kill()
            self._playing = None

    def _run(self) -> None:
        while (following := self._next()) is not None:
            try:
                self._sound(rendered(*following))
            except Exception as exc:  # after any error the thread goes on, and the match continues without a voice
                self._health.note_failure(exc, self._clock())
            else:
                self._health.ok()

    def _next(self) -> tuple[str, str] | None:
        """Wait for the next words, and for the end of the motifs. Return None after `stop`."""
        with self._changed:
            while not self._stopped:
                left_ns = self._from_ns - self._clock()
                if self._waiting and left_ns <= 0:
                    following = self._waiting.popleft()
                    if self._health.due(self._clock()):
                        return following
                else:
                    self._changed.wait(left_ns / S if self._waiting else None)
        return None

    def _sound(self, samples: bytes) -> None:
        with self._changed:
            if self._stopped:
                return
            playing = self._playing = subprocess.Popen(
                self._play, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
        try:
            _, wrong = self._switched(playing, samples) if self._amplifier else _played(playing, samples)
        finally:
            with self._changed:
                self._playing = None
        if playing.returncode > 0:
            raise OSError(wrong.decode(errors="replace").strip() or f"aplay ended with status {playing.returncode}")

    def _switched(self, playing: subprocess.Popen[bytes], samples: bytes) -> tuple[bytes, bytes]:
        """Play silence, the samples, and silence. The amplifier is on for the samples only."""
        quiet = bytes(2 * round(QUIET_S * RATE_HZ))
        off_s = 2 * QUIET_S + len(samples) / 2 / RATE_HZ
        timers = [
            threading.Timer(after_s, self._switch, (playing, high)) for after_s, high in ((QUIET_S, 1), (off_s, 0))
        ]
        for timer in timers:
            timer.start()
        try:
            return _played(playing, quiet + samples + quiet)
        finally:
            for timer in timers:
                timer.cancel()
            self._switch(playing, 0)

    def _switch(self, playing: subprocess.Popen[bytes], high: int) -> None:
        """Switch the amplifier on (`high` is 1) or off (0), if `playing` is still the player.

        `playing`: the process that plays the words. If it was cut short, do nothing. If the pin fails, the words are
        not heard, but nothing else goes wrong.
        """
        with self._changed, suppress(Exception):
            if self._amplifier is not None and self._playing is playing:
                (self._amplifier.on if high else self._amplifier.off)()
