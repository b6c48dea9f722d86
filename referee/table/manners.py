"""How a company behaves: how often its people mash, lean, forget, argue, pause, get stuck and call too early.

Shares are percent of the occasions on which it could happen. They are our assumptions, to be replaced by what is seen
at real tables; `calm` has none of it and is what tests of other things sit down with.
"""

from __future__ import annotations

from referee.core.values import Value


class Manners(Value):
    """Percent each.

    mash, lean: at READY and after a vote or a search, instead of one tap. forget: to tap, until the screen says whom it
    waits for. false_call: a hand in which somebody calls with cards left. argue: a clear verdict that a later caller
    contests. deny: a false caller who does not admit it. timeout, stuck: a hand in which it happens. can_play: somebody
    who does find a play in the search. pairs: neighbours play together.
    """

    mash: int = 0
    lean: int = 0
    forget: int = 0
    false_call: int = 0
    argue: int = 0
    deny: int = 0
    timeout: int = 0
    stuck: int = 0
    can_play: int = 0
    pairs: bool = False


CALM = Manners()
COMPANIES = {
    "calm": CALM,
    "friends": Manners(mash=6, lean=4, forget=3, false_call=4, argue=15, deny=10, timeout=4, stuck=5, can_play=10),
    "family": Manners(
        mash=15, lean=15, forget=10, false_call=8, argue=10, deny=5, timeout=10, stuck=8, can_play=20, pairs=True
    ),
    "wild": Manners(mash=50, lean=30, forget=20, false_call=35, argue=60, deny=40, timeout=30, stuck=40, can_play=25),
}
"""Name -> how they behave, for `referee demo --company` and `run --bots`."""
USUAL = "friends"
