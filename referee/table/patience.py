"""When a table has had enough of a match that does not come to its end, and how often it says so.

Between two hands people look at the standings: after a long evening they would rather see who leads. Where claims
follow each other without a rest, nobody looks up as long as somebody comes nearer to the target; what a wrong claim
costs may be more than the right ones bring, and then nobody ever does.
"""

from __future__ import annotations

from fractions import Fraction

from referee.core.model.view import PlayingScreen, ReadyScreen, View

LONG_MATCH = 24
"""After so many hands a table wants to see the end: where nearly every hand gets stuck nobody ever reaches a target."""
IN_VAIN = 60
"""So many claims without a rest between them, and nobody has come nearer to the target: more than three a point where
four share it. Of a match without a target this is a good length."""
AGAIN = 12
"""Who wanted the end and was refused asks again after so many hands."""


class Patience:
    """What people remember of a match from one look at the totals to the next."""

    def __init__(self) -> None:
        self.weary = False
        """Whether the match has gone on for so long that the table would end it."""
        self._hand = 0
        self._lead: Fraction | None = None
        self._nearer = 0
        """The hand before which the best total was last better than all before it."""
        self._ask_at = 0

    @property
    def asks(self) -> bool:
        """Whether somebody would now ask for the end."""
        return self.weary and self._hand >= self._ask_at

    def look(self, view: View, *, rests: bool) -> None:
        """See the screen. `rests`: between two hands everybody is asked whether they are ready."""
        screen = view.screen
        if isinstance(screen, ReadyScreen):
            self._begin(screen.hand)
            self.weary = rests and screen.hand > LONG_MATCH
        elif isinstance(screen, PlayingScreen) and not rests:
            self._begin(screen.hand)
            lead = max(line.total for line in screen.lines)
            if screen.target and (self._lead is None or lead > self._lead):
                self._lead, self._nearer = lead, screen.hand
            self.weary = screen.hand - self._nearer > IN_VAIN

    def has_asked(self) -> None:
        """Somebody has asked for the end; the match goes on only if somebody else wants it to."""
        self._ask_at = self._hand + AGAIN

    def _begin(self, hand: int) -> None:
        """That hand is played or is about to be; an earlier one than before is another match's."""
        if hand < self._hand:
            self._lead, self._nearer, self._ask_at = None, 0, 0
        self._hand = hand
