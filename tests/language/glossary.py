"""One word for one thing in every language, and no word for two: which word each language has, and which others it must
not take. `test_glossary.py` holds the catalogues against it; a translator reads it first.

A word is its stem, as a regular expression from where a word begins. `never` are words that would mean the same, or
have meant something else beside it. `said`: wherever an English sentence has the term,
the translated one must have it, too.
"""

from __future__ import annotations

from typing import NamedTuple


class Word(NamedTuple):
    """A language's word for a term: its stem, and the stems that are not to be taken for it."""

    stem: str
    never: tuple[str, ...] = ()


class Term(NamedTuple):
    """A thing, and its word in each language. said: every sentence must have it that has it in English."""

    name: str
    en: Word
    de: Word
    it: Word
    said: bool = False


GLOSSARY = (
    Term(
        "button, the big one before each player",
        Word(r"buttons?\b"),
        Word(r"taste", ("taster", "knopf", "knöpf")),
        Word(r"pulsant", (r"tast[oi]\b", "bottone", "bottoni")),
        said=True,
    ),
    Term(
        "knob, that is turned and pushed",
        Word(r"knob\b"),
        Word(r"drehknopf", ("knauf", "drehregler", "knopf")),
        Word(r"manopol"),
        said=True,
    ),
    Term(
        "match, the race to the target", Word(r"match"), Word(r"partie", ("match",)), Word(r"partit", ("match",)), True
    ),
    Term(
        "hand, one deal",
        Word(r"hands?\b"),
        Word(r"runde", (r"hand …", r"(?<=letzte )hand", r"(?<=jeder )hand")),
        Word(r"man[oi]\b"),
    ),
    Term("team", Word(r"teams?\b"), Word(r"team", ("mannschaft",)), Word(r"squadr", ("team",)), True),
    Term("phone", Word(r"phones?\b"), Word(r"handy", ("telefon", "smartphone")), Word(r"telefon", ("cellular",)), True),
    Term(
        "pile that is to be emptied",
        Word(r"pile"),
        Word(r"stapel", ("reserve",)),
        Word(r"pil[ae]", ("mazzett",)),
    ),
    Term("stock", Word(r"stock|stream"), Word(r"talon"), Word(r"riserv", ("tallone",)), True),
    Term("to tidy", Word(r"tid[yi]"), Word(r"ordn", ("aufräum",)), Word(r"riordin"), True),
    Term(
        "to leave the table", Word(r"leaves?\b"), Word(r"aussteig|steigt", ("aufsteh", "steht auf$")), Word(r"usc|esc")
    ),
    Term("vote", Word(r"vote"), Word(r"stimm", ("votum", "voten")), Word(r"vot")),
    Term("to undo", Word(r"undo"), Word(r"aufheben|rückgängig", ("storno", "stornier")), Word(r"annull")),
    Term("to redo", Word(r"redo"), Word(r"wieder"), Word(r"rimett|ripristin", ("ripeti",))),
    Term("a link that is away", Word(r"no link"), Word(r"getrennt", (r"link\b",)), Word(r"staccat", (r"link\b",))),
    Term("over, of a match", Word(r"over"), Word(r"ende", (r"aus(?=, nach)",)), Word(r"fin[ei]")),
    Term("to tap", Word(r"tap"), Word(r"tipp", (r"tip\b", "antipp")), Word(r"tocc", ("tappa", "picchiett"))),
    Term("to knock", Word(r"knock"), Word(r"klopf"), Word(r"buss")),
    Term("tie", Word(r"tied?\b"), Word(r"gleich", ("unentschieden", "remis")), Word(r"par[ie]")),
    Term("bonus", Word(r"bonus"), Word(r"bonus", ("prämie",)), Word(r"bonus", (r"premi[o]\b",))),
    Term("device", Word(r"device"), Word(r"gerät"), Word(r"apparecchi", ("dispositiv",))),
    Term("stuck", Word(r"stuck"), Word(r"patt|fest"), Word(r"stall|blocc")),
    Term("time out", Word(r"time out|timeout"), Word(r"auszeit", ("timeout", "pause")), Word(r"paus", ("timeout",))),
    Term("display", Word(r"display"), Word(r"anzeige", ("display", "bildschirm")), Word(r"schermo", ("display",))),
)
"""Whatever people press, turn, read, count or argue about."""

EXCEPT = {
    ("de", "walk", "display_cut"),  # the section of the configuration
    ("it", "walk", "display_cut"),
    ("de", "page", "cards.keys"),  # those of a keyboard
    ("it", "page", "cards.keys"),
    ("de", "page", "cards.turn_keys"),
    ("it", "page", "cards.turn_keys"),
    ("de", "page", "join.awake"),  # a phone's own screen
    ("it", "speech", "teach.rest_open"),  # at 31 everybody calls the stock the pack
    ("it", "speech", "teach.draw"),
    ("it", "page", "cards.rule.undrawn"),
    ("it", "speech", "item.leaves"),  # whoever sits there leaves, and not the button
}
"""(language, place, key) of texts in which the term stands for something else in English, or goes without saying."""
