"""When the people at a simulated table have had enough of a match and ask to end it.

Between two hands people look at the standings; after a long evening they prefer to end the match. If claims follow
each other without a pause, people go on while the leader comes nearer to the target. A wrong claim may cost more than
right ones bring, and then the lead never rises.
"""

from __future__ import annotations

from fractions import Fraction

from referee.core.model.view import PlayingScreen, ReadyScreen, View

LONG_MATCH = 24
"""Number of hands after which a table wants to end: stuck hands may never reach a target."""
IN_VAIN = 60
"""Number of claims after which a table gives up if no one has come nearer to the target.

That is more than three for each point if four share it. A match without a target has a good length then.
"""
AGAIN = 12
"""Number of hands after which a table asks again to end, if the vote was no."""


class Patience:
    """Decides when people have had enough of a match, from the totals that they see."""

    def __init__(self) -> None:
        self.weary = False
        """Whether the match has gone on for so long that the table wants to end it."""
        self._hand = 0
        self._lead: Fraction | None = None
        self._nearer = 0
        """The hand before which the best total last rose above all earlier ones."""
        self._ask_at = 0

    @property
    def asks(self) -> bool:
        """Return whether a player now wants to ask for a vote to end the match."""
        return self.weary and self._hand >= self._ask_at

    def look(self, view: View, *, rests: bool) -> None:
        """Record the totals on the screen. `rests`: whether all must tap between two hands."""
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
        """Record that a player has asked to end the match.

        If the vote is no, the next request comes `AGAIN` hands later.
        """
        self._ask_at = self._hand + AGAIN

    def _begin(self, hand: int) -> None:
        """Record the hand's number. A lower one than before means a new match: forget the lead of the old one."""
        if hand < self._hand:
            self._lead, self._nearer, self._ask_at = None, 0, 0
        self._hand = hand
