"""Points of dispute in Slap (Snap, Slapjack, Egyptian Ratscrew, Halli Galli).

The most frequent first. Sources: pagat's pages on Snap, Slapjack and Egyptian Ratscrew; for Halli Galli the boxed rules
("makers"). Two rules are decisions of this project: points stand for cards, and how a slap is judged with buttons.
"""

from __future__ import annotations

from referee.core.rulebook.book import say, topic

TOPICS = (
    topic(
        "slap_first",
        say("slap_measured", "ours", "tie_ms"),
        say("slap_lowest", "rules"),
        say("slap_tied slap_table", "ours"),
    ),
    topic(
        "slap_when",
        say("slap_alike", "pagat", preset="snap"),
        say("slap_jack", "pagat", preset="slapjack"),
        say("slap_doubles", "pagat", preset="ratscrew"),
        say("slap_fruit", "makers", preset="halli-galli"),
        say("slap_agreed", "house", preset="ratscrew"),
    ),
    topic(
        "slap_wrong",
        say("slap_costs", "pagat", "penalty", has_penalty=True),
        say("slap_gives", "makers", "gift", has_gift=True),
        say("slap_no_gift", "rules", has_penalty=True, has_gift=False),
        say("slap_no_more", "makers", has_penalty=False, has_gift=True),
        say("slap_free", "house", has_penalty=False, has_gift=False),
        say("slap_answers slap_admits slap_silence", "ours"),
        say("slap_cards", "table"),
    ),
    topic("slap_again", say("slap_closed slap_held", "ours")),
    topic("slap_feint", say("slap_twitch", "ours")),
    topic("slap_turning", say("slap_turn slap_turn_early", "rules")),
    topic("slap_court", say("slap_royals slap_over", "pagat", preset="ratscrew")),
    topic(
        "slap_empty",
        say("slap_points", "ours"),
        say("slap_out", "pagat", preset="snap"),
        say("slap_back_in", "pagat", preset=("slapjack", "ratscrew")),
        say("slap_still_rings", "makers", preset="halli-galli"),
    ),
    topic(
        "slap_target",
        say("slap_wins", "ours", "target", has_target=True),
        say("slap_shares", "ours"),
        say("slap_endless", "ours", has_target=False),
    ),
    topic("slap_pause", say("slap_rest", "ours")),
    topic("aim", say("aim_slap", "rules"), say("aim_slap_points", "ours")),
)
"""Points of dispute in Slap, the most frequent first."""
