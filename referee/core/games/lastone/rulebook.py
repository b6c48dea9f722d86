"""Points of dispute in Last one (Spoons, Pig, Irish Snap), the most frequent first.

Source: pagat's pages on these games. Three rules are decisions of this project: a press replaces taking a spoon or
laying a hand on the pile, a lost hand of Irish Snap gives a letter too, and how a false start is judged.
"""

from __future__ import annotations

from referee.core.rulebook.book import say, topic

TOPICS = (
    topic(
        "last_who",
        say("last_measured", "ours", "tie_ms"),
        say("last_limit", "ours", "limit_s"),
        say("last_tied last_table", "ours"),
    ),
    topic(
        "last_begins",
        say("last_four", "pagat", preset=("spoons", "pig")),
        say("last_rank", "pagat", preset="irish-snap"),
        say("last_pair", "house", preset="irish-snap"),
        say("last_everybody", "rules"),
    ),
    topic("last_false", say("last_pays_first last_asked", "ours"), say("last_cards", "table")),
    topic("last_bluff", say("last_feint", "house", preset=("spoons", "pig")), say("last_press", "ours")),
    topic(
        "last_passing",
        say("last_draw", "pagat", preset="spoons"),
        say("last_together", "pagat", preset="pig"),
        say("last_count last_again", "pagat", preset="irish-snap"),
    ),
    topic(
        "last_letters",
        say("last_word", "pagat", preset=("spoons", "pig")),
        say("last_word_ours", "ours", preset="irish-snap"),
        say("last_lives", "rules", "lives"),
        say("last_left", "rules"),
    ),
    topic("last_out", say("last_rests", "ours")),
    topic("last_again_dealt", say("last_void last_rest", "ours")),
    topic("aim", say("aim_not_last", "rules"), say("last_left", "rules")),
)
"""Points of dispute in Last one, the most frequent first."""
