"""A preset's words: the caller's word, the piles, how play continues at a stuck table.

The display, the page and the screen reader use these words; the catalogues have each language's texts. Sources:
docs/rules.md, "Names" (of the places and of the call) and 6 (a stuck table).
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.core.messages import Msg, msg
from referee.core.model.table import Setup
from referee.core.values import Value, replace

PILES = {"burn": "stream", "rotate": "waste", "redeal-stock": "stock"}
"""Option `stuck` -> the cards turned together, by their name on screen."""
BURNT = ("stream", "reserve")
"""Piles from which a card is burnt. For another pile the last beat says "now"."""


class Dialect(Value):
    """A preset's words.

    call: the caller's word. lake: the key of the message above the cards played. pile: the reserve. row: the work
    piles. rotated: the cards a rotating table moves; with "hand" the top card goes to the bottom and no card is
    flipped.
    """

    call: Msg
    lake: str
    pile: Msg
    stock: Msg = msg("stock.stock")
    row: Msg = msg("row.piles")
    rotated: str = PILES["rotate"]


_NNA = Dialect(msg("claim.nertz"), "field.lake", msg("pile.nertz"), msg("stock.stream"), msg("row.river"))
_PAGAT = Dialect(msg("claim.nerts"), "field.area", msg("pile.nerts"))

DIALECTS: Mapping[str, Dialect] = {
    "nna": _NNA,
    "nna150": _NNA,
    "pagat": _PAGAT,
    "pagat25": _PAGAT,
    "reeves": _PAGAT,
    "racing-demon": Dialect(msg("claim.out"), "field.area", msg("pile.demon")),
    "dutch-blitz": Dialect(msg("claim.blitz"), "field.dutch", msg("pile.blitz"), row=msg("row.post"), rotated="hand"),
    "ligretto": Dialect(
        msg("claim.ligretto"), "field.middle", msg("pile.ligretto"), row=msg("row.row"), rotated="hand"
    ),
    "solitaire-frenzy": _PAGAT,
}
"""Preset -> its words. A preset without an entry uses pagat.com's."""


def dialect_of(setup: Setup) -> Dialect:
    """Return the words of the table's preset, with its own call if it has one."""
    return spoken_at(setup.preset, str(dict(setup.options).get("call_word", "")))


def spoken_at(preset: str, call_word: str) -> Dialect:
    """Return a preset's words with the call `call_word`; empty: the preset's own.

    The device adds the "!" itself.
    """
    words, own = DIALECTS.get(preset, _PAGAT), call_word.rstrip("! ")
    return replace(words, call=msg("claim.own", word=own)) if own else words


def piles_turned(setup: Setup, stuck: str) -> str:
    """Return the cards turned together when no team can move; "" if none."""
    return dialect_of(setup).rotated if stuck == "rotate" else PILES.get(stuck, "")


def beat_word(pile: str) -> Msg:
    """Return the last beat's word: to burn a card, or to move the pile now."""
    return msg("beat.burn" if pile in BURNT else "beat.now")
