"""A contested call: what is said in its list and asked of all."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("item.stands"),
    Told("item.false_call"),
    Told("item.false_start"),
    Told("item.tie"),
    Told("item.another_first"),
    Told("item.another_last"),
    Told("item.photo"),
    Told("title.late", limit=17, who="8 WWWWWW"),
    Told("title.close_tie", limit=17),
    Told("title.whose_false", limit=17),
    Told("title.close", limit=17, who="8Wi ~ 7Wi"),
    Told("ask.false_call"),
    Told("ask.false_start"),
    Told("ask.tie"),
    Told("ask.first"),
    Told("ask.last"),
)
