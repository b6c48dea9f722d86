"""Last one: what is said in it alone."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("item.limit", choice="10 s"),
    Told("teach.deal_four"),
    Told("teach.say_rank"),
    Told("teach.rank_press"),
    Told("teach.pass_left"),
    Told("teach.four_press"),
    Told("teach.you_too"),
    Told("teach.last_pays"),
    Told("teach.letters_out", letters=20),
)
