"""The places of what the core says: how much room each has on the display, and a message at its place.

A key's first part is its kind, and the kind is its place: "toast.too_late" is said at the place "toast" on the display,
and at the place "speech" to whoever does not see it.
"""

from __future__ import annotations

from typing import Self

from referee.language.words import SPEECH, Word

LIMITS = {
    "undo": 11,  # what can be undone; a value of other texts
    "choice": 8,  # what a setting can be set to, where it is a word; a value of other texts
    "item": 19,  # a line of the knob's list, in small letters beside the triangle; opened, it is the list's title
    "title": 18,  # what a list asks or says above its lines; the pause's own stands big
    "toast": 21,  # the short answer at the bottom, and what the device says there of its own state: in capitals
    "hint": 16,  # a hint in the lobby
    "claim": 10,  # what is called out at a claim
    "do": 15,  # what people do while a verdict is shown
    "ask": 15,  # a question to all; spoken, whom it is about is named
    "beat": 8,  # a beat, as large as the display
    "refusal": 21,  # why a count cannot be
    "about": 21,  # what a line of the knob's list is, beneath the list
    "agree": 21,  # a rule that matters, in the question whether it is agreed
    "note": 21,  # what somebody must know before dealing
    "teach": 21,  # what newcomers are told to do now, below the picture
    "row": 11,  # what the work piles are called; a value of other texts
    "field": 5,  # a field of the count: the first word stands above its column
    "seat": 8,  # what one seat has asked itself, big
    "reason": 12,  # what points are given for
    "why": 16,  # what a time out was for
    "told": 16,  # where a team stands, in words on the page
    "phase": 16,  # a phase by its name, in capitals
}
"""The most characters of each place, where a key says no other."""
NAMED = {"ask": ("who",), "do": ("who",), "seat": ("who",)}
"""Values that only the spoken text has: a question, and what is to be done, shows beside it whom it is about."""


class Told(Word):
    """A message of the core at its place on the display; `spoken`: the same as speech."""

    def __init__(
        self, key: str, limit: int | None = None, *, shorter: str = "", counted: str = "", **widest: object
    ) -> None:
        """widest: each value's longest. shorter: the key of what is said instead where the values are too long for the
        place. counted: the value whose figure, with a sign, a half or a part, chooses the spoken text's plural form.
        """
        place = key.partition(".")[0]
        super().__init__(key, limit or LIMITS[place], place, **widest)
        self.shorter, self.counted = shorter, counted
        more = dict.fromkeys(NAMED.get(place, ()), "") | ({"count": 2} if counted else {})
        self.spoken = Word(key, None, SPEECH, **widest, **more)

    def or_round(self) -> Self:
        self.spoken.or_round()
        return super().or_round()
