"""The cards of the simulated table on its page: what is told of them, and what is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from string import Template

from referee.core.values import Json
from referee.web import labels

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
        "none": labels.CARDS_NONE(),
        "back": labels.CARDS_BACK(),
        "joker": labels.CARDS_JOKER(),
        "card": labels.CARDS_CARD(rank="{rank}", suit="{suit}"),
        "ranks": dict(zip("AJQK", labels.CARDS_RANKS().split(", "), strict=True)),
        "suits": dict(zip("SHCDrybg", labels.CARDS_SUITS().split(", "), strict=True)),
        "reserve": labels.CARDS_RESERVE(count="{count}", card="{card}"),
        "pile": labels.CARDS_PILE(number="{number}", cards="{cards}"),
        "stock": labels.CARDS_STOCK(),
        "no_stock": labels.CARDS_NO_STOCK(),
        "waste": labels.CARDS_WASTE(card="{card}"),
        "foundation": labels.CARDS_FOUNDATION(number="{number}", card="{card}", whose="{whose}"),
        "astray": labels.CARDS_ASTRAY(),
        "take": labels.CARDS_TAKE(),
        "leave": labels.CARDS_LEAVE(),
        "middle": labels.CARDS_MIDDLE(),
        "counts": labels.CARDS_COUNTS(left="{left}", lake="{lake}"),
        "counted": labels.CARDS_COUNTED(left="{left}", lake="{lake}"),
        "picked": labels.CARDS_PICKED(card="{card}"),
        "discards": labels.CARDS_DISCARDS(card="{card}"),
        "hand": labels.CARDS_HAND(cards="{cards}"),
        "throw": labels.CARDS_THROW(card="{card}"),
        "claims": {
            reason: [word(said="{said}") if reason == "rank" else word() for word in words]
            for reason, words in labels.CLAIM_REASONS.items()
        },
        "rules": {rule: label() for rule, label in labels.CARD_RULES.items()},
    }


FILES = '<link rel="stylesheet" href="/cards.css">' + "".join(
    f'<script src="/{name}.js" defer></script>' for name in ("cards", "turns")
)
"""Only the simulated table has cards to show."""


def markup(static: Callable[[str], str]) -> str:
    """The cards' part of the page; `static` reads a packaged file."""
    return Template(static("cards.html")).substitute(
        cards_label=labels.CARDS(),
        lake_label=labels.CARDS_LAKE(),
        lake_none=labels.CARDS_LAKE_NONE(),
        speed=labels.CARDS_SPEED(),
        card_keys=labels.CARDS_KEYS(),
        turn_keys=labels.CARDS_TURN_KEYS(),
        skip=labels.CARDS_SKIP(),
    )
