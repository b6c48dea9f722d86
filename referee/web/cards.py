"""The simulated table's cards on its page: the updates sent, and the labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from referee.core.cards.moves import RULES
from referee.core.values import Json
from referee.web.texts import label

CLAIMS = ("alike", "jack", "fruit", "four", "rank")
"""Reasons to press (table/claims.py)."""
TABLE_RULES = ("rests", "drawn", "undrawn", "taken back", "not your turn", "exchanged")
"""Reasons besides the card rules to refuse a move: no cards are moved now, and those of a game of turns."""
Felt = Mapping[str, Json]
"""The cards as table/felt.py writes them; {} if there are none."""


def felt_for(felt: Felt, sees: Callable[[int], bool]) -> Felt:
    """Return the cards as one page sees them: of the hidden hands, only those of its own seats.

    >>> felt_for({"deck": 3, "own": {"1": ["AH"], "2": ["KS"]}}, lambda seat: seat == 2)
    {'deck': 3, 'own': {'2': ['KS']}}
    """
    own = felt.get("own")
    return felt if not isinstance(own, dict) else {**felt, "own": {k: v for k, v in own.items() if sees(int(k))}}


def cards_after(before: Felt, now: Felt) -> dict[str, Json]:
    """Return the update for a page that shows `before`.

    It has all cards, or the changed sides by index and other changes.

    Empty if nothing has changed.

    >>> cards_after({"sides": ["a", "b"], "lake": []}, {"sides": ["a", "c"], "lake": []})
    {'sides': {'1': 'c'}}
    """
    old, new = before.get("sides"), now.get("sides")
    if not isinstance(old, list) or not isinstance(new, list) or len(old) != len(new) or before.keys() != now.keys():
        return {"all": dict(now)} if before != now else {}
    sides: dict[str, Json] = {str(at): side for at, side in enumerate(new) if side != old[at]}
    news = {key: value for key, value in now.items() if key != "sides" and before.get(key) != value}
    return {**news, **({"sides": sides} if sides else {})}


def script_labels() -> dict[str, object]:
    """The labels of the cards' script; {rank} and the like mark where it fills in a value."""
    return {
        "none": label("cards.none"),
        "back": label("cards.back"),
        "joker": label("cards.joker"),
        "card": label("cards.card", rank="{rank}", suit="{suit}"),
        "ranks": dict(zip("AJQK", label("cards.ranks").split(", "), strict=True)),
        "suits": dict(zip("SHCDrybg", label("cards.suits").split(", "), strict=True)),
        "reserve": label("cards.reserve", count="{count}", card="{card}"),
        "pile": label("cards.pile", number="{number}", cards="{cards}"),
        "stock": label("cards.stock"),
        "no_stock": label("cards.no_stock"),
        "waste": label("cards.waste", card="{card}"),
        "foundation": label("cards.foundation", number="{number}", card="{card}", whose="{whose}"),
        "astray": label("cards.astray"),
        "take": label("cards.take"),
        "leave": label("cards.leave"),
        "middle": label("cards.middle"),
        "counts": label("cards.counts", left="{left}", lake="{lake}"),
        "counted": label("cards.counted", left="{left}", lake="{lake}"),
        "picked": label("cards.picked", card="{card}"),
        "discards": label("cards.discards", card="{card}"),
        "hand": label("cards.hand", cards="{cards}"),
        "throw": label("cards.throw", card="{card}"),
        "claims": {reason: _claim(reason) for reason in CLAIMS},
        "rules": {rule: label(f"cards.rule.{rule.replace(' ', '_')}") for rule in (*RULES, *TABLE_RULES)},
    }


def _claim(reason: str) -> list[str]:
    """The labels for a wrong and a right reason to press."""
    return [label(f"claim.{reason}.wrong", said="{said}"), label(f"claim.{reason}.right", said="{said}")]
