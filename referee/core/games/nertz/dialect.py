"""The words of each preset: the call, the names of piles, what to do when no one can play.

The display, the page and the screen reader use these words; the catalogues have each language's texts. Sources:
docs/rules.md, "Names" (of the places and of the call) and 6 (a stuck table).
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.core.messages import Msg, msg
from referee.core.model.table import Setup
from referee.core.values import Value, replace

PILES = {"burn": "stream", "rotate": "waste", "redeal-stock": "stock"}
"""Option `stuck` -> the cards that all teams turn at the same time, by their name on screen."""
BURNT = ("stream", "reserve")
"""Piles of which the top card is burnt (goes to the bottom). Countdowns to other joint moves end with "now"."""


class Dialect(Value):
    """The words that players of a preset use.

    call: the word that a player calls out, e.g. "Nertz". lake: message key of the caption above the number of
    foundation cards. pile, stock, row: the names of the reserve, the stock and the work piles. rotated: what teams do
    under the rule "rotate". "waste": turn the waste over, then put the top card at the bottom. "hand": put the top card
    of the hand pile at its bottom, and turn nothing over.
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
"""Preset -> its words. A preset that is not listed uses those of pagat.com."""


def dialect_of(setup: Setup) -> Dialect:
    """Return the words of the table's preset. Option `call_word` replaces the word to call out."""
    return spoken_at(setup.preset, str(dict(setup.options).get("call_word", "")))


def spoken_at(preset: str, call_word: str) -> Dialect:
    """Return a preset's words. `call_word` replaces the word to call out, unless it is empty.

    Exclamation marks at the end of `call_word` are dropped, because the texts add one.
    """
    words, own = DIALECTS.get(preset, _PAGAT), call_word.rstrip("! ")
    return replace(words, call=msg("claim.own", word=own)) if own else words


def piles_turned(setup: Setup, stuck: str) -> str:
    """Return which cards all teams burn or turn together when no team can play; "" for none.

    stuck: the value of the option `stuck`, e.g. "burn".
    """
    return dialect_of(setup).rotated if stuck == "rotate" else PILES.get(stuck, "")


def beat_word(pile: str) -> Msg:
    """Return the last word of the countdown to a joint move: "burn" for a burn, else "now"."""
    return msg("beat.burn" if pile in BURNT else "beat.now")
