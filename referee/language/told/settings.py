"""Settings: the lines of their lists, and their values."""

from __future__ import annotations

from referee.core.names import LANGUAGES
from referee.language.places import Told

LOUD = Told("choice.loud")
HIGH = Told("choice.high")
TOLD = (
    Told("choice.silent"),
    Told("choice.quiet"),
    Told("choice.low"),
    Told("choice.mid"),
    LOUD,
    HIGH,
    Told("item.game"),
    Told("item.house_rules"),
    Told("item.sound_language"),
    Told("item.more"),
    Told("item.volume", choice=LOUD),
    Told("item.language", choice=max(LANGUAGES.values(), key=len)),
    Told("item.hold", choice="0.8 s"),
    Told("item.bright", choice=HIGH),
    Told("toast.next_match"),
    Told("ask.end_match"),
)
