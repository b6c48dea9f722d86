"""The motif (a short series of tones) for each of the core's sounds, for a piezo.

Motifs differ in rhythm rather than pitch, because small piezos differ. Pitches are between 500 and 1500 Hz, where a
piezo disc is loud; only "low" is below.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from referee.core.values import Value

Note = tuple[int, int]
"""(frequency in Hz, duration in ms); frequency 0 is a rest."""


class Motif(Value):
    """A series of notes. It replaces a running motif of the same or lower priority.

    If the running motif has a higher priority, this one waits for its end.
    """

    notes: tuple[Note, ...]
    priority: int = 2

    @property
    def duration_ms(self) -> int:
        """Return the total duration in ms."""
        return sum(ms for _, ms in self.notes)


_LOW: Note = (350, 300)
_BURN_BEAT_MS = 800  # the beat of 3-2-1-BURN; the thud is BURN itself

_SLOW: tuple[Note, ...] = ((500, 600), (0, 150), (400, 800))

MOTIFS: Mapping[str, Motif] = MappingProxyType(
    {
        # The call: the only trill, and the highest priority.
        "call": Motif(((800, 80), (1200, 80)) * 3, priority=5),
        "call_then_words": Motif(((800, 80), (1200, 80)) * 2, priority=5),
        # Verdicts wait for the end of the trill, and differ in rhythm.
        "verdict_clear": Motif(((800, 120), (1200, 240)), priority=3),
        "verdict_tie": Motif(((900, 160), (0, 100), (900, 160)), priority=3),
        "verdict_grey": Motif(((900, 160), (0, 100), (900, 160), (0, 60), (500, 320)), priority=3),
        # If the last press loses: two short notes and a long one, falling.
        "verdict_last": Motif(((1200, 80), (1000, 80), (800, 320)), priority=3),
        "false_start": Motif(((350, 100), (0, 60), (350, 100), (0, 60), (350, 300)), priority=3),
        # After all have answered: a short note, low if the claim was wrong, then GO.
        "claim_right": Motif(((800, 80), (0, 40), (1200, 400)), priority=4),
        "claim_wrong": Motif(((350, 160), (0, 80), (1200, 400)), priority=4),
        "beat": Motif(((600, 150),), priority=4),
        "go": Motif(((1200, 500),), priority=4),
        "own_go": Motif(((1200, 120), (0, 80), (1200, 300)), priority=4),  # after a head start
        "refused": Motif((_LOW,), priority=3),
        "stop_start": Motif((_LOW, (0, 120), _LOW), priority=4),
        "time_out": Motif(tuple((hz, 100) for hz in (1250, 1100, 970, 850, 750, 660, 580)), priority=4),
        "burn": Motif(((1000, 40), (0, _BURN_BEAT_MS - 40)) * 3 + ((500, 300),), priority=3),
        "all_counted": Motif(((784, 150), (988, 220))),
        "asked": Motif(((988, 150), (784, 220))),
        "winner": Motif(((523, 180), (659, 180), (784, 180), (659, 180), (1047, 600))),
        "power_back": Motif(_SLOW, priority=1),
        "fault": Motif(_SLOW, priority=1),  # never during play: the core ensures that
    }
)
"""The core's name for a sound -> its motif. Other names make no sound."""
BEFORE_WORDS: Mapping[str, str] = MappingProxyType({"call": "call_then_words"})
"""Sound -> its shorter motif, played if the device speaks: words follow it and must come soon."""
SPOKEN_MOTIFS = frozenset({"verdict_clear", "verdict_tie", "verdict_grey", "verdict_last"})
"""Motifs that are not played if the device speaks: its words say more, and sooner."""
