"""Every topic of the rulebook has an answer under every preset and option."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache

from referee.core.games.lastone import TOPICS as LAST_ONE
from referee.core.games.nertz.rulebook import TOPICS as NERTZ
from referee.core.games.slap import TOPICS as SLAP
from referee.core.games.thirtyone.rulebook import TOPICS as THIRTY_ONE
from referee.core.messages import Msg
from referee.core.model.options import RuleError
from referee.core.model.registry import game_named, presets, rulebook, topics_of
from referee.core.rulebook import RuleAnswer, answers, say, topic

BOOKS = tuple(
    (topics, tuple(preset for preset, game in presets().items() if topics_of(game) == topics))
    for topics in (NERTZ, THIRTY_ONE, SLAP, LAST_ONE)
)
"""Each game's topics, and its presets."""
ONLY_IN = {"slap_court": ("ratscrew",), "stakes": ("31",)}
"""Topics that only some of their game's presets answer."""
SOME_SAY = {
    "nna nna150": "stuck_search stuck_burn stuck_burn_pile stuck_play stuck_burn_again stuck_consent place_table "
    "withholding_aces withholding_now withholding_others withholding_table columns_ace full_king must_stuck "
    "equal_calls equal_tied hands_both touching_misplaced before_river deal_river turn_blocked",
    "pagat pagat25 reeves racing-demon dutch-blitz ligretto solitaire-frenzy": "withholding_free equal_share "
    "touching_never deal_pile",
    "pagat pagat25 reeves dutch-blitz ligretto solitaire-frenzy": "hands_one",
    "pagat pagat25 dutch-blitz ligretto solitaire-frenzy": "full_aside",
    "pagat pagat25 dutch-blitz solitaire-frenzy": "stuck_again",
    "pagat pagat25 reeves solitaire-frenzy": "place_both",
    "pagat pagat25 solitaire-frenzy": "stuck_wait stuck_rotate equal_settled target_pays",
    "nna150 pagat25": "tie_shared tie_halves score_bonus",
    "nna pagat reeves racing-demon dutch-blitz ligretto solitaire-frenzy": "tie_no_bonus score_no_bonus",
    "nna nna150 reeves racing-demon dutch-blitz ligretto": "target_unpaid",
    "reeves": "stuck_redeal stuck_alone stuck_redealt full_removed",
    "racing-demon": "stuck_abandon flight_returns let_go_arrival middle_players full_player hands_finger looking_demon "
    "start_one score_abandoned leaving_abandon",
    "nna nna150 pagat pagat25 reeves dutch-blitz ligretto solitaire-frenzy": "flight_lands looking_top leaving "
    "start_all",
    "racing-demon dutch-blitz ligretto": "place_arrival",
    "nna nna150 pagat pagat25 reeves racing-demon dutch-blitz solitaire-frenzy": "part_moves part_often transfer "
    "transfer_place transfer_full available columns_own empty_place",
    "nna nna150 pagat pagat25 reeves solitaire-frenzy": "middle_suit",
    "nna nna150 pagat pagat25 reeves racing-demon solitaire-frenzy": "columns columns_piles score_no_kings",
    "dutch-blitz ligretto": "middle_boxed backs_box",
    "dutch-blitz": "stuck_rotate_top columns_boxed columns_two",
    "ligretto": "stuck_score part_none transfer_row available_row columns_row columns_three empty_row",
    "31 ride-the-bus": "lowest_loses lowest_safe lowest_knocker lowest_knocker_alone declare_knock_all "
    "dealt_several county_last",
    "31": "lowest_one_life county county_lives stakes_coins stakes_device",
    "ride-the-bus": "lowest_places lowest_steps county_bus",
    "31-quebec": "lowest_points lowest_points_tied declare_point dealt_points county_points county_first aim_points",
    "snap": "slap_alike slap_out",
    "slapjack": "slap_jack",
    "ratscrew": "slap_doubles slap_agreed slap_royals slap_over",
    "halli-galli": "slap_fruit slap_gives slap_no_more slap_still_rings",
    "snap slapjack ratscrew": "slap_costs slap_no_gift",
    "slapjack ratscrew": "slap_back_in",
    "spoons pig": "last_four last_feint last_word",
    "spoons": "last_draw",
    "pig": "last_together",
    "irish-snap": "last_rank last_pair last_count last_again last_word_ours",
}
"""Presets -> the sentences that only they have in their game, without any option set.

Sources differ, or other default options lead to them.
"""
FIGURES: list[tuple[str, Mapping[str, object], str, Mapping[str, object]]] = [
    ("nna", {}, "stuck_burn", {"stock": "stock.stream"}),
    ("racing-demon", {}, "pair_names", {"pile": "pile.demon", "stock": "stock.stock"}),
    ("nna", {"stacking": True, "river": 5}, "stacking_most", {"most": 7}),
    ("nna", {"false_call": "points:10"}, "false_points", {"points": 10}),
    ("nna", {"tie_ms": 12.5}, "tie_measured", {"tie_ms": "12.5"}),
    ("pagat25", {}, "score_bonus", {"bonus": 25}),
    ("racing-demon", {}, "score_hand", {"penalty": 1, "pile": "pile.demon"}),
    ("nna", {"king_bonus": 5}, "score_kings", {"king_bonus": 5}),
    ("nna150", {}, "target", {"target": 150}),
    ("ligretto", {}, "deal_pile", {"reserve": 10, "pile": "pile.ligretto"}),
    ("nna", {"river": 5}, "columns_piles", {"river": 5}),
    ("nna", {"layout": "klondike", "reserve": 12}, "deal_klondike", {"reserve": 12}),
    ("31", {"minimum_knock": 21}, "knock_minimum", {"minimum_knock": 21}),
    ("31", {}, "county_lives", {"lives": 3}),
    ("ride-the-bus", {"levels": 2}, "county_levels", {"levels": 2}),
    ("snap", {"tie_ms": 12.5}, "slap_measured", {"tie_ms": "12.5"}),
    ("snap", {"penalty": 3}, "slap_costs", {"penalty": 3}),
    ("halli-galli", {}, "slap_gives", {"gift": 1}),
    ("snap", {}, "slap_wins", {"target": 20}),
    ("spoons", {}, "last_measured", {"tie_ms": 20}),
    ("spoons", {}, "last_limit", {"limit_s": 5}),
    ("pig", {}, "last_lives", {"lives": 3}),
]
"""Preset, options, a sentence, and its words and figures at that table."""

CREDITED: list[tuple[str, Mapping[str, object], str, str]] = [
    ("nna", {}, "transfer transfer_full start_first looking_top held_late let_go", "rules"),
    ("nna", {}, "misplaced_back fumble_order fumble_purpose taken_back before_look looking_down place_table", "nna"),
    ("nna", {}, "misplaced_penalty false_silent", "house"),
    ("nna", {"river_transfer": False}, "transfer_no", "house"),
    ("nna150", {}, "tie_halves", "nna ours"),
    ("nna", {}, "transfer_place withholding_now", "ours"),
    ("pagat", {}, "place_both", "pagat reeves"),
    ("pagat", {}, "stuck_rotate full_aside target_pays", "pagat"),
    ("reeves", {"turn": 1}, "turn_one", "pagat"),
    ("nna", {"handicap": "winner"}, "handicap_winner handicap_least", "ours"),
    ("31", {}, "knock_early county_lives", "pagat"),
    ("31", {"early_knock": False}, "knock_late", "ours"),
    ("31", {"lives": 4}, "county_lives", "ours"),
    ("31-quebec", {"end": "31-points"}, "county_to_31", "house"),
]
"""Preset, options, sentences, and whose rule they are."""


@cache
def sentences(preset: str) -> frozenset[str]:
    """Return every statement of a preset's rulebook."""
    return frozenset(page.text.key.removeprefix("rule.") for told in rulebook(preset, {}) for page in told.pages)


def test_presets_answer_otherwise_where_their_sources_differ() -> None:
    known = {preset for together in SOME_SAY for preset in together.split()}
    found = defaultdict[str, set[str]](set)
    for names in (tuple(name for name in names if name in known) for _, names in BOOKS):
        having = {key: [name for name in names if key in sentences(name)] for name in names for key in sentences(name)}
        for key, some in having.items():
            if len(some) < len(names):
                found[" ".join(some)].add(key)
    assert found == {together: {*keys.split()} for together, keys in SOME_SAY.items()}


def test_a_sentence_says_the_words_and_figures_of_its_table() -> None:
    for preset, options, key, values in FIGURES:
        pages = (page for told in rulebook(preset, options) for page in told.pages)
        text = next(page.text for page in pages if page.text.key == f"rule.{key}")
        assert {name: value.key if isinstance(value, Msg) else value for name, value in text.values} == values, key


def test_each_sentence_names_whose_rule_it_is() -> None:
    for preset, options, keys, sources in CREDITED:
        pages = {page.text.key: page.sources for told in rulebook(preset, options) for page in told.pages}
        for key in keys.split():
            credited = [source.key.removeprefix("source.") for source in pages[f"rule.{key}"]]
            assert credited == sources.split(), (preset, key)


def books(preset: str) -> Iterator[tuple[RuleAnswer, ...]]:
    """Yield the preset's own rulebook, and that of each value of each option alone."""
    yield rulebook(preset, {})
    for setting in game_named(preset).settings:
        for value in (*(value for value, _ in setting.choices), 0):  # a document may have no target
            with suppress(RuleError):
                yield rulebook(preset, {setting.name: value})


def test_every_topic_has_an_answer_and_every_statement_stands_in_one() -> None:
    """The rulebook stays short, because players wait while it is read."""
    for topics, names in BOOKS:
        seen = set[str]()
        for preset, book in ((name, book) for name in names for book in books(name)):
            assert [told.topic for told in book] == [t.name for t in topics if preset in ONLY_IN.get(t.name, names)]
            assert all(page.sources for told in book for page in told.pages)
            assert all(len(told.pages) <= 7 for told in book)
            seen |= {page.text.key for told in book for page in told.pages}
        assert {f"rule.{s.key}" for topic in topics for s in topic.statements} == seen


def test_a_topic_of_which_the_rules_say_nothing_is_left_out() -> None:
    topics = (
        topic("spoons", say("take", "house", "many", at="table"), say("grab", "house ours", at=("floor", "bed"))),
        topic("forks", say("none", "rules", at="kitchen")),
    )
    assert answers(topics, {"at": "kitchen", "many": 3})[0].topic == "forks"
    (spoons,) = answers(topics, {"at": "table", "many": 3})
    assert spoons.title.key == "topic.spoons"
    assert spoons.pages[0].text.values == (("many", 3),)
    (spoons,) = answers(topics, {"at": "bed", "many": 3})
    assert [page.text.key for page in spoons.pages] == ["rule.grab"]
    assert [source.key for source in spoons.pages[0].sources] == ["source.house", "source.ours"]
