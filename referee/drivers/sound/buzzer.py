"""The piezo: plays the core's sounds as square waves without blocking the caller.

`MotifPlayer` computes which note sounds at a given time and until when, with priorities and waiting; it has no thread
and no clock. `Buzzer` runs a player on its own thread, which sleeps without a timeout while nothing plays. A caller
only adds a sound and wakes the thread, under a lock that is never held during a write.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping

from referee.core.units import MS, S
from referee.drivers.health import Health
from referee.drivers.pwm import Pwm
from referee.drivers.sound.motifs import MOTIFS, Motif


class MotifPlayer:
    """Computes which note of a motif (a short melody) sounds when. Times are ns of one clock."""

    def __init__(self) -> None:
        self._motif: Motif | None = None
        self._since_ns = 0
        self._next: Motif | None = None
        self._pending: list[tuple[int, Motif]] = []

    def schedule(self, motif: Motif, at_ns: int) -> None:
        """Plan a motif for this time, which may be past."""
        self._pending.append((at_ns, motif))
        self._pending.sort(key=lambda entry: entry[0])

    def hush(self) -> None:
        """Cancel planned motifs. The motif that sounds now continues."""
        self._pending.clear()

    def at(self, now_ns: int) -> tuple[int, int | None]:
        """Return the frequency in Hz (0: silence), and when it next changes.

        None: it changes only when another motif is planned.
        """
        while self._pending and self._pending[0][0] <= now_ns:
            due_ns, motif = self._pending.pop(0)
            self._finish(due_ns)
            self._start(motif, max(due_ns, self._since_ns))
        self._finish(now_ns)
        hz, until_ns = self._note(now_ns)
        wake = [ns for ns in (until_ns, self._pending[0][0] if self._pending else None) if ns is not None]
        return hz, min(wake, default=None)

    def _start(self, motif: Motif, at_ns: int) -> None:
        if self._motif is None or motif.priority >= self._motif.priority:
            self._motif, self._since_ns = motif, at_ns
        elif self._next is None or motif.priority >= self._next.priority:
            self._next = motif

    def _finish(self, now_ns: int) -> None:
        while self._motif is not None and now_ns >= self._since_ns + self._motif.duration_ms * MS:
            self._since_ns += self._motif.duration_ms * MS
            self._motif, self._next = self._next, None

    def _note(self, now_ns: int) -> tuple[int, int | None]:
        end_ns = self._since_ns
        for hz, ms in self._motif.notes if self._motif is not None else ():
            end_ns += ms * MS
            if now_ns < end_ns:
                return hz, end_ns
        return 0, None


class Buzzer:
    """A piezo on a PWM channel. Failures are logged once and retried."""

    def __init__(
        self,
        pwm: Pwm,
        *,
        motifs: Mapping[str, Motif] = MOTIFS,
        volume_percent: int = 100,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """Start the thread. `volume_percent`: 100 is a symmetric square wave, 0 is silence."""
        self._pwm = pwm
        self._motifs = motifs
        self._volume = volume_percent
        self._clock = clock
        self._player = MotifPlayer()
        self._health = Health("buzzer", logging.getLogger(__name__))
        self._sounding: int | None = None  # last written frequency in Hz; None: unknown
        self._changed = threading.Condition()
        self._news = self._stopped = False
        self._thread = threading.Thread(target=self._run, name="buzzer", daemon=True)
        self._thread.start()

    def play(self, cue: str, at_ns: int | None = None, *, cancels: bool = False) -> None:
        """Play the sound of a cue at this time (None: now). Never blocks, never raises.

        A cue that has no motif plays nothing.
        """
        motif = self._motifs.get(cue)
        with self._changed:
            if cancels:
                self._player.hush()
            if motif is not None:
                now_ns = self._clock()  # a sound that is late is still played completely
                self._player.schedule(motif, now_ns if at_ns is None else max(at_ns, now_ns))
            self._news = True
            self._changed.notify()

    @property
    def lost(self) -> bool:
        """Return whether the PWM cannot be used at present."""
        return self._health.lost

    def set_volume(self, percent: int) -> None:
        """Set the volume, from the next note on. 0 also silences the note that sounds now."""
        with self._changed:
            silenced = percent == 0 and self._volume != 0
            self._volume = percent
            if silenced:
                self._player = MotifPlayer()
                self._sounding = None
                self._news = True
                self._changed.notify()

    def stop(self) -> None:
        """Stop the sound and end the thread."""
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped:
            with self._changed:
                self._news = False
                now_ns = self._clock()
                hz, until_ns = self._player.at(now_ns)
            self._sound(hz, now_ns)
            with self._changed:
                self._changed.wait_for(lambda: self._news or self._stopped, self._timeout(until_ns))
        self._sound(0, self._clock())

    def _timeout(self, until_ns: int | None) -> float | None:
        wake = [ns for ns in (until_ns, self._health.next_ns) if ns is not None]
        return max(min(wake) - self._clock(), 0) / S if wake else None

    def _sound(self, hz: int, now_ns: int) -> None:
        if hz == self._sounding or not self._health.due(now_ns):
            return
        self._sounding = None
        try:
            self._write(hz)
        except Exception as exc:  # after any error the thread goes on, and the match continues in silence
            self._health.note_failure(exc, now_ns)
        else:
            self._sounding = hz
            self._health.ok()

    def _write(self, hz: int) -> None:
        if hz == 0 or self._volume == 0:
            self._pwm.off()
        else:
            period_ns = S // hz
            self._pwm.set(period_ns, period_ns * self._volume // 200)
