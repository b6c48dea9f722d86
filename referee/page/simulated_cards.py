"""The cards of the simulated table on its page: which changes are sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from referee.core.values import Json

Felt = Mapping[str, Json]
"""The cards as simulator/table/cards_document.py writes them; {} if there are none."""


def felt_for(felt: Felt, sees: Callable[[int], bool]) -> Felt:
    """Return the cards without the hidden cards of seats for which `sees(seat)` is false.

    >>> felt_for({"deck": 3, "own": {"1": ["AH"], "2": ["KS"]}}, lambda seat: seat == 2)
    {'deck': 3, 'own': {'2': ['KS']}}
    """
    own = felt.get("own")
    return felt if not isinstance(own, dict) else {**felt, "own": {k: v for k, v in own.items() if sees(int(k))}}


def cards_after(before: Felt, now: Felt) -> dict[str, Json]:
    """Return the changes to send to a page that shows `before`; {} if nothing has changed.

    The changes are the values that differ; of "sides", only the entries that differ, by index. {"all": cards} replaces
    all cards.

    >>> cards_after({"sides": ["a", "b"], "lake": []}, {"sides": ["a", "c"], "lake": []})
    {'sides': {'1': 'c'}}
    """
    old, new = before.get("sides"), now.get("sides")
    if not isinstance(old, list) or not isinstance(new, list) or len(old) != len(new) or before.keys() != now.keys():
        return {"all": dict(now)} if before != now else {}
    sides: dict[str, Json] = {str(at): side for at, side in enumerate(new) if side != old[at]}
    news = {key: value for key, value in now.items() if key != "sides" and before.get(key) != value}
    return {**news, **({"sides": sides} if sides else {})}
