"""How the people at a simulated table behave: how often they err, forget, argue or pause.

Shares are percent of the occasions on which it could happen. They are our assumptions, to be replaced by
observations at real tables. `calm` does none of it, for tests of other things.
"""

from __future__ import annotations

from referee.core.values import Value


class Manners(Value):
    """How often simulated people do something, in percent of the occasions for it.

    mash, lean: at READY and after a vote or a search, press wildly or lean on the button instead of one tap. forget: do
    not tap until the screen shows who is missing. false_call: call in a hand with cards left. argue: contest a clear
    verdict, as a later caller. deny: vote against one's own false call. timeout: ask for a timeout in a hand. pairs:
    whether neighbours play as partners. skills: names of skills (player.py); each person has one of them.
    """

    mash: int = 0
    lean: int = 0
    forget: int = 0
    false_call: int = 0
    argue: int = 0
    deny: int = 0
    timeout: int = 0
    pairs: bool = False
    skills: tuple[str, ...] = ("easy", "normal", "strong", "expert")


CALM = Manners()
COMPANIES = {
    "calm": CALM,
    "friends": Manners(mash=6, lean=4, forget=3, false_call=4, argue=15, deny=10, timeout=4),
    "family": Manners(
        mash=15,
        lean=15,
        forget=10,
        false_call=8,
        argue=10,
        deny=5,
        timeout=10,
        pairs=True,
        skills=("easy", "easy", "normal", "strong"),
    ),
    "wild": Manners(mash=50, lean=30, forget=20, false_call=35, argue=60, deny=40, timeout=30),
}
"""Name -> behaviour, for `referee demo --company` and `run --bots`."""
USUAL = "friends"
