"""The cards of the simulated table on its page: what is told of them, and what is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from referee.core.cards.moves import RULES
from referee.core.values import Json
from referee.web.texts import label

CLAIMS = ("alike", "jack", "fruit", "four", "rank")
"""What people press for (table/claims.py)."""
TABLE_RULES = ("rests", "drawn", "undrawn", "taken back", "not your turn", "exchanged")
"""Why a move is refused that the rules of the cards allow: no cards are moved now, and those of a game of turns."""
Felt = Mapping[str, Json]
"""The cards as table/felt.py writes them; {} where none lie."""


def felt_for(felt: Felt, sees: Callable[[int], bool]) -> Felt:
    """The cards as one page sees them: of the hands that are hidden from others those of its own seats.

    >>> felt_for({"deck": 3, "own": {"1": ["AH"], "2": ["KS"]}}, lambda seat: seat == 2)
    {'deck': 3, 'own': {'2': ['KS']}}
    """
    own = felt.get("own")
    return felt if not isinstance(own, dict) else {**felt, "own": {k: v for k, v in own.items() if sees(int(k))}}


def cards_after(before: Felt, now: Felt) -> dict[str, Json]:
    """What is told of the cards to a page that shows `before`: all of them, or each side that has changed by its
    place, and the middle if that has; empty when nothing has.

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
    """What the script of the cards says; {rank} and its like are put where it fills in a value."""
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
    """Whether what lies in the middle is a reason to press: no, yes."""
    return [label(f"claim.{reason}.wrong", said="{said}"), label(f"claim.{reason}.right", said="{said}")]
