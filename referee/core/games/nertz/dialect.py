"""What a preset's table calls things: the word that the caller says, the piles, how a stuck table goes on.

Screens, the page and the screen reader say these words; the texts of each language stand in the catalogues. Sources:
docs/rules.md, "Names" (of the places and of the call) and 6 (a stuck table).
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.core.messages import Msg, msg
from referee.core.model.table import Setup
from referee.core.values import Value, replace

PILES = {"burn": "stream", "rotate": "waste", "redeal-stock": "stock"}
"""What the option `stuck` turns over together, by the name that screens say it by."""
BURNT = ("stream", "reserve")
"""Piles of which a card is burnt; with another there is nothing to burn, and the beat says "now"."""


class Dialect(Value):
    """A preset's words. call: what the caller says; lake: the message above the cards played; pile: the reserve.

    row: the work piles. rotated: what a table that rotates its stock moves: with "hand" the top card goes to the
    bottom, nothing is flipped.
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
"""Preset -> what its tables call the claim, the pile, the stock and the row; as at pagat.com where it is not here."""
WORDS = tuple(dict.fromkeys(word.key for own in DIALECTS.values() for word in (own.call, own.pile, own.stock, own.row)))
"""The keys of all of them."""


def dialect_of(setup: Setup) -> Dialect:
    """The words of the table's preset, the call its own where it has one."""
    return spoken_at(setup.preset, str(dict(setup.options).get("call_word", "")))


def spoken_at(preset: str, call_word: str) -> Dialect:
    """The words of a preset at a table that calls out `call_word`; empty: the preset's own. A "!" is the device's."""
    words, own = DIALECTS.get(preset, _PAGAT), call_word.rstrip("! ")
    return replace(words, call=msg("claim.own", word=own)) if own else words


def piles_turned(setup: Setup, stuck: str) -> str:
    """What is turned over together when nobody can move; "" where nothing is."""
    return dialect_of(setup).rotated if stuck == "rotate" else PILES.get(stuck, "")


def beat_word(pile: str) -> Msg:
    """What the last beat says: a card is burnt, or the pile is moved now."""
    return msg("beat.burn" if pile in BURNT else "beat.now")
