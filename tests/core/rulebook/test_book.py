"""The rulebook: every topic has an answer under every preset and option, and an option that decides it changes it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache

import pytest

from referee.core.games.lastone.rulebook import TOPICS as LAST_ONE
from referee.core.games.nertz.rulebook import TOPICS as NERTZ
from referee.core.games.slap.rulebook import TOPICS as SLAP
from referee.core.games.thirtyone.rulebook import TOPICS as THIRTY_ONE
from referee.core.messages import Msg
from referee.core.model.options import RuleError
from referee.core.model.registry import presets, rulebook, topics_of
from referee.core.rulebook.book import RuleAnswer, answers, say, topic
from referee.language.catalogue import ENGLISH, catalogue

BOOKS = tuple(
    (topics, tuple(preset for preset, game in presets().items() if topics_of(game) == topics))
    for topics in (NERTZ, THIRTY_ONE, SLAP, LAST_ONE)
)
"""Each game's topics, and its presets."""
ONLY_IN = {"slap_court": ("ratscrew",), "stakes": ("31",)}
"""Topics of which only some of their game's presets say something."""
BURNING = "stuck_search stuck_burn stuck_burn_pile stuck_play stuck_burn_again"
"""What a table is told that burns cards when it is stuck."""
CHANGES: list[tuple[str, Mapping[str, object], str, str]] = [
    ("nna", {"in_flight": "returns"}, "in_flight", "flight_lands -> flight_returns"),
    ("nna", {"same_place": "both"}, "same_place", "place_table -> place_both"),
    ("nna", {"same_place": "first"}, "same_place", "place_table -> place_arrival"),
    (
        "nna",
        {"withholding": False},
        "withholding",
        "withholding_aces withholding_now withholding_others withholding_table -> withholding_free",
    ),
    ("nna", {"stacking": True}, "stacking", "stacking_no -> stacking stacking_most"),
    ("nna", {"stacking": True}, "one_card", "one_card -> one_card_stacking"),
    ("nna", {"stacking": True, "river": 5}, "stacking", "stacking_no -> stacking stacking_most"),
    ("nna", {"river_transfer": False}, "transfer", "transfer transfer_place transfer_full -> transfer_no"),
    ("nna", {"jokers": 2}, "jokers", "jokers_none -> jokers_say jokers_lift jokers_ace jokers_column jokers_count"),
    (
        "reeves",
        {"jokers": 2},
        "jokers",
        "jokers_none -> jokers_say jokers_lift jokers_ace jokers_column_suit jokers_count",
    ),
    ("nna", {"false_call": "points:5"}, "false_call", "false_play_on -> false_points"),
    ("nna", {"false_call": "points:10"}, "false_call", "false_play_on -> false_points"),
    ("nna", {"false_call": "zero"}, "false_call", "false_play_on -> false_zero false_all_out"),
    ("nna", {"tiebreak": "hand"}, "tie_target", "equal_calls -> equal_hand"),
    ("nna", {"tiebreak": "share"}, "tie_target", "equal_calls equal_tied -> equal_share"),
    ("nna", {"tiebreak_teams": "all"}, "tie_target", "equal_tied -> equal_all"),
    (
        "nna",
        {"tiebreak_teams": "all", "tiebreak": "hand"},
        "tie_target",
        "equal_calls equal_tied -> equal_hand equal_all",
    ),
    ("nna", {"shuffle_for": "left"}, "shuffling", "shuffle_neighbour -> shuffle_left"),
    ("nna", {"start_by": "one"}, "false_start", "-> start_one"),
    ("nna", {"pack_check": True}, "counting", "-> count_pack"),
    ("nna", {"stuck": "rotate"}, "stuck", f"{BURNING} -> stuck_wait stuck_rotate stuck_again"),
    ("nna", {"stuck": "redeal-stock"}, "stuck", f"{BURNING} -> stuck_redeal stuck_alone stuck_redealt"),
    ("nna", {"stuck": "abandon"}, "stuck", f"{BURNING} -> stuck_abandon"),
    ("nna", {"stuck": "abandon"}, "leaving", "leaving -> leaving_abandon"),
    ("nna", {"stuck": "score"}, "stuck", f"{BURNING} -> stuck_score"),
    ("nna", {"handicap": "winner"}, "handicap", "handicap_none -> handicap_winner handicap_least"),
    ("nna", {"handicap": "negative"}, "handicap", "handicap_none -> handicap_negative handicap_least"),
    ("nna", {"handicap": "negative-three"}, "handicap", "handicap_none -> handicap_three handicap_least"),
    ("nna", {"handicap": "distance"}, "handicap", "handicap_none -> handicap_distance handicap_least"),
    ("nna", {"foundations": "by-players"}, "middle", "middle_suit -> middle_players"),
    ("dutch-blitz", {"foundations": "by-players"}, "middle", "middle_boxed -> middle_players"),
    ("nna", {"turn": 1}, "turning", "turn_three turn_blocked -> turn_one"),
    ("nna", {"river": 5}, "columns", ""),
    ("ligretto", {"river": 5}, "columns", "columns_three -> columns_piles"),
    ("dutch-blitz", {"layout": "klondike"}, "columns", "columns_two -> columns_klondike"),
    ("ligretto", {"stuck": "rotate"}, "stuck", "stuck_score -> stuck_rotate_top stuck_again"),
    ("pagat", {"settlement": "each-hand"}, "aim", "aim_match -> aim_each_hand"),
    ("nna", {"turn": 1}, "short_stock", "short_turn -> short_one"),
    ("nna", {"turn_order": "reversed"}, "turning", "turn_three -> turn_reversed"),
    ("nna", {"layout": "klondike"}, "shuffling", "deal_river -> deal_klondike"),
    ("pagat", {"layout": "klondike"}, "shuffling", "deal_pile -> deal_klondike"),
    ("nna", {"reserve": 12}, "shuffling", ""),
    ("nna", {"tie_ms": 12.5}, "tie_calls", ""),
    ("nna", {"bonus": 10}, "tie_calls", "tie_no_bonus -> tie_shared tie_halves"),
    ("nna", {"bonus": 10}, "score", "score_no_bonus -> score_bonus"),
    ("nna", {"penalty": 1}, "score", ""),
    ("nna", {"king_bonus": 5}, "score", "-> score_kings"),
    ("nna", {"target": 150}, "target", ""),
    ("nna", {"settlement": "difference"}, "target", "-> target_pays"),
    ("pagat", {"settlement": "each-hand"}, "target", "target target_pays -> target_hand"),
    ("pagat", {"settlement": "none"}, "tie_target", "equal_settled ->"),
    ("nna", {"pile_control": "alternate"}, "pair", "pair_free -> pair_alternate"),
    ("nna", {"rotate_seats": True}, "seats", "-> seats_rotate"),
    ("nna", {"start": "note"}, "false_start", "start_stop -> start_note"),
    ("31", {"lives": 4}, "county", ""),
    ("31", {"three_of_a_kind": "30"}, "values", "three_none -> three_30"),
    ("31", {"three_of_a_kind": "30.5"}, "values", "three_none -> three_best"),
    ("31", {"straight_flush": True}, "values", "flush_none -> flush"),
    ("31", {"minimum_knock": 21}, "knocking", "-> knock_minimum"),
    ("31", {"early_knock": False}, "knocking", "knock_early -> knock_late"),
    ("31", {"knocker_tied": "loses-one"}, "lowest", "lowest_knocker -> lowest_knocker_one"),
    ("31", {"knocker_tied": "loses-two"}, "lowest", "lowest_knocker -> lowest_knocker_two"),
    ("31", {"knocker_not_highest": "loses-one"}, "lowest", "-> lowest_not_highest"),
    ("31", {"knocker_after_31": "two"}, "after_knock", "declare_knock_all -> declare_knock_two"),
    ("31", {"county": False}, "county", "county -> county_none"),
    ("31", {"county": False}, "lowest", "lowest_one_life ->"),
    ("ride-the-bus", {"levels": 1}, "county", "-> county_levels"),
    ("31-quebec", {"end": "31-points"}, "county", "county_first -> county_to_31"),
    ("snap", {"tie_ms": 12.5}, "slap_first", ""),
    ("snap", {"penalty": 2}, "slap_wrong", ""),
    ("snap", {"penalty": 0}, "slap_wrong", "slap_costs -> slap_free"),
    ("snap", {"gift": 1}, "slap_wrong", "-> slap_gives"),
    ("halli-galli", {"gift": 0}, "slap_wrong", "slap_gives -> slap_free"),
    ("snap", {"target": 50}, "slap_target", ""),
    ("snap", {"target": 0}, "slap_target", "slap_wins -> slap_endless"),
    ("spoons", {"tie_ms": 30}, "last_who", ""),
    ("spoons", {"limit_s": 3}, "last_who", ""),
    ("spoons", {"lives": 6}, "last_letters", ""),
]
"""Preset, options, the topic whose answer they change; the sentences that are gone then -> those that come, or "" where
one says another figure."""
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
    "reeves": "stuck_redeal stuck_alone stuck_redealt full_removed",
    "racing-demon": "stuck_abandon flight_returns let_go_arrival middle_players full_player hands_finger looking_demon "
    "start_one score_abandoned leaving_abandon",
    "nna nna150 pagat pagat25 reeves dutch-blitz ligretto solitaire-frenzy": "flight_lands looking_top leaving",
    "racing-demon dutch-blitz ligretto": "place_arrival",
    "nna nna150 pagat pagat25 reeves racing-demon dutch-blitz solitaire-frenzy": "part_moves part_often transfer "
    "transfer_place transfer_full available columns_own empty_place",
    "nna nna150 pagat pagat25 reeves solitaire-frenzy": "middle_suit",
    "nna nna150 pagat pagat25 reeves racing-demon solitaire-frenzy": "columns columns_piles",
    "dutch-blitz ligretto": "middle_boxed backs_box",
    "dutch-blitz": "stuck_rotate_top columns_boxed columns_two",
    "ligretto": "stuck_score part_none transfer_row available_row columns_row columns_three empty_row",
    "31 ride-the-bus": "lowest_loses lowest_knocker lowest_knocker_alone declare_knock_all dealt_several county_last",
    "31": "lowest_one_life county county_lives stakes_coins stakes_device",
    "ride-the-bus": "lowest_places lowest_steps county_bus",
    "31-quebec": "lowest_points lowest_points_tied declare_point dealt_points county_points county_first aim_points",
    "snap": "slap_alike slap_out",
    "slapjack": "slap_jack",
    "ratscrew": "slap_doubles slap_agreed slap_royals slap_over",
    "halli-galli": "slap_fruit slap_gives slap_still_rings",
    "snap slapjack ratscrew": "slap_costs",
    "slapjack ratscrew": "slap_back_in",
    "spoons pig": "last_four last_feint last_word",
    "spoons": "last_draw",
    "pig": "last_together",
    "irish-snap": "last_rank last_pair last_count last_again last_word_ours",
}
"""Presets -> the sentences that they have without any option, and no other one of their game: where the sources differ,
and what follows from options that they have otherwise."""
FIGURES: list[tuple[str, Mapping[str, object], str, Mapping[str, object]]] = [
    ("nna", {}, "stuck_burn", {"stock": "stock.stream"}),
    ("racing-demon", {}, "pair_names", {"pile": "pile.demon", "stock": "stock.stock"}),
    ("racing-demon", {}, "must_not", {"pile": "pile.demon", "call": "claim.out"}),
    ("nna", {"stacking": True}, "stacking_most", {"most": 6}),
    ("nna", {"stacking": True, "river": 5}, "stacking_most", {"most": 7}),
    ("nna", {"false_call": "points:10"}, "false_points", {"points": 10}),
    ("nna", {}, "tie_measured", {"tie_ms": 20}),
    ("nna", {"tie_ms": 12.5}, "tie_measured", {"tie_ms": "12.5"}),
    ("pagat25", {}, "tie_shared", {"bonus": 25}),
    ("pagat25", {}, "score_bonus", {"bonus": 25}),
    ("racing-demon", {}, "score_hand", {"penalty": 1, "pile": "pile.demon"}),
    ("nna", {"king_bonus": 5}, "score_kings", {"king_bonus": 5}),
    ("nna150", {}, "target", {"target": 150}),
    ("nna", {}, "deal_river", {"reserve": 13}),
    ("ligretto", {}, "deal_pile", {"reserve": 10, "pile": "pile.ligretto"}),
    ("nna", {"river": 5}, "columns_piles", {"river": 5}),
    ("ligretto", {}, "columns_three", {"river": 3}),
    ("nna150", {}, "aim_match", {"target": 150}),
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
"""Preset, options, a sentence, and the words and figures of that table which it says."""


def answer(preset: str, topic: str, options: Mapping[str, object] | None = None) -> RuleAnswer:
    """What the rulebook answers."""
    return next(answer for answer in rulebook(preset, options or {}) if answer.topic == topic)


@cache
def sentences(preset: str) -> frozenset[str]:
    """Every statement of a preset's rulebook."""
    return frozenset(page.text.key.removeprefix("rule.") for told in rulebook(preset, {}) for page in told.pages)


def said(preset: str, topic: str, options: Mapping[str, object] | None = None) -> set[str]:
    """The statements of an answer."""
    return {page.text.key.removeprefix("rule.") for page in answer(preset, topic, options).pages}


def changed(preset: str, topic: str, options: Mapping[str, object]) -> str:
    """The sentences of the preset's answer that are gone by these options -> those that come by them."""
    before, after = (
        dict.fromkeys(page.text.key.removeprefix("rule.") for page in answer(preset, topic, given).pages)
        for given in ({}, options)
    )
    gone, come = (" ".join(key for key in one if key not in other) for one, other in ((before, after), (after, before)))
    return f"{gone} -> {come}".strip() if gone or come else ""


def test_an_option_that_decides_a_dispute_changes_its_answer() -> None:
    """What a table reads then is gone, new or said with another figure, and nothing else."""
    found = [(preset, options, asked, changed(preset, asked, options)) for preset, options, asked, _ in CHANGES]
    assert found == CHANGES
    assert all(answer(preset, asked, options) != answer(preset, asked) for preset, options, asked, _ in CHANGES)


def test_presets_answer_otherwise_where_their_sources_differ() -> None:
    """Each sentence that only some presets of a game have, has exactly these; a preset that is new may have any."""
    known = {preset for together in SOME_SAY for preset in together.split()}
    found = defaultdict[str, set[str]](set)
    for names in (tuple(name for name in names if name in known) for _, names in BOOKS):
        having = {key: [name for name in names if key in sentences(name)] for name in names for key in sentences(name)}
        for key, some in having.items():
            if len(some) < len(names):
                found[" ".join(some)].add(key)
    assert found == {together: {*keys.split()} for together, keys in SOME_SAY.items()}


def test_a_sentence_says_the_words_and_figures_of_its_table() -> None:
    """And no others: what the preset calls its piles, and what the table has set."""
    for preset, options, key, values in FIGURES:
        pages = (page for told in rulebook(preset, options) for page in told.pages)
        text = next(page.text for page in pages if page.text.key == f"rule.{key}")
        assert {name: value.key if isinstance(value, Msg) else value for name, value in text.values} == values, key


def test_every_topic_sentence_and_source_has_its_text() -> None:
    """In the catalogue, with a place for each value that the sentence is said with."""
    english = catalogue(ENGLISH)
    for topics, _ in BOOKS:
        for disputed in topics:
            assert english.forms(("topic", f"topic.{disputed.name}"))[0]
            assert english.forms(("find", f"find.{disputed.name}"))[0]
            for statement in disputed.statements:
                text = english.forms(("rule", f"rule.{statement.key}"))[-1]
                assert {*re.findall(r"{(\w+)}", text)} == {*statement.values}, statement.key
                assert all(english.forms(("source", f"source.{source}"))[0] for source in statement.sources)


def test_every_topic_has_an_answer_under_every_preset_and_option() -> None:
    """Each value of each option by itself, where the preset allows it; a source stands beside every sentence."""
    for topics, names in BOOKS:
        for preset in names:
            for options in ({}, *_single_options(preset)):
                try:
                    book = rulebook(preset, options)
                except RuleError:
                    continue
                assert [told.topic for told in book] == [t.name for t in topics if preset in ONLY_IN.get(t.name, names)]
                assert all(page.sources for told in book for page in told.pages)
                assert all(len(told.pages) <= 7 for told in book), "more than anybody reads in the middle of a hand"


def _single_options(preset: str) -> list[dict[str, object]]:
    changed = [dict(options) for name, options, *_ in CHANGES if name in ("nna", "31", "snap", "spoons")]
    return [*changed, {"jokers": 2}, {"river": 6}, {"false_call": "zero"}] if presets()[preset].RULEBOOK else []


def test_no_statement_is_for_nobody() -> None:
    """Each of them stands in the answer of some preset, alone or with one of the options above."""
    for topics, names in BOOKS:
        seen = set[str]()
        for preset in names:
            for options in ({}, *_single_options(preset), *(o for p, o, *_ in CHANGES if p == preset)):
                try:
                    book = rulebook(preset, options)
                except RuleError:
                    continue
                seen |= {page.text.key for told in book for page in told.pages}
        assert {f"rule.{s.key}" for topic in topics for s in topic.statements} == seen


def test_sources_disagree_where_they_do() -> None:
    """A card in the air, two cards that nobody can tell apart, a full pile, a stuck table, others' cards."""
    assert "flight_returns" in said("racing-demon", "in_flight")
    assert "flight_lands" in said("nna", "in_flight")
    assert "place_table" in said("nna", "same_place")
    assert "place_both" in said("reeves", "same_place")
    assert "place_arrival" in said("racing-demon", "same_place")
    assert "full_king" in said("nna", "full_pile")
    assert "full_removed" in said("reeves", "full_pile")
    assert "full_player" in said("racing-demon", "full_pile")
    assert "stuck_rotate_top" in said("dutch-blitz", "stuck")
    assert "touching_misplaced" in said("nna150", "touching")
    assert "touching_never" in said("ligretto", "touching")
    assert said("ligretto", "part") == {"part_none"}
    assert "dealt_points" in said("31-quebec", "dealt_31")


@pytest.mark.parametrize(
    ("preset", "statement"),
    [
        ("snap", "slap_out"),
        ("slapjack", "slap_back_in"),
        ("ratscrew", "slap_back_in"),
        ("halli-galli", "slap_still_rings"),
    ],
)
def test_whoever_has_no_cards_left_is_out_or_slaps_back_in(preset: str, statement: str) -> None:
    """Each game of slaps has its own answer, and none has another one's."""
    assert said(preset, "slap_empty") == {"slap_points", statement}


def test_what_no_source_says_is_called_our_own() -> None:
    """The decisions that are ours, and what only people can judge."""
    ours = {
        said
        for _, names in BOOKS[:2]
        for preset in names
        for said in ours_of(preset, {"jokers": 2} if preset == "nna" else {})
    }
    assert ours >= {
        *(
            "withholding_now",
            "transfer_place",
            "jokers_ace",
            "turn_below",
            "start_stop",
            "start_first",
            "place_table",
            "timeout_ends",
            "stuck_alone",
        ),
        *("equal_settled", "equal_tied", "empty_stock", "lowest_one_life", "lowest_steps", "stuck_burn_again"),
    }
    judged = {
        page.text.key for told in rulebook("nna", {}) for page in told.pages if page.sources[0].key == "source.table"
    }
    assert judged == {"rule.flight_table", "rule.withholding_table", "rule.shielding_table"}
    assert {"slap_points", "slap_tied"} <= ours_of("snap")
    assert {"last_limit", "last_pays_first"} <= ours_of("spoons")


def ours_of(preset: str, options: Mapping[str, object] | None = None) -> set[str]:
    """The sentences of a preset's rulebook that are decisions of ours."""
    pages = (page for told in rulebook(preset, options or {}) for page in told.pages)
    return {page.text.key.removeprefix("rule.") for page in pages if "source.ours" in {s.key for s in page.sources}}


def test_a_table_s_words_are_its_own() -> None:
    """The pile and the call are named as the preset's players name them."""
    for preset, pile, call in (
        ("nna", "nertz", "claim.nertz"),
        ("pagat", "nerts", "claim.nerts"),
        ("racing-demon", "demon", "claim.out"),
        ("ligretto", "ligretto", "claim.ligretto"),
    ):
        text = answer(preset, "must_call").pages[0].text
        assert {value.key for _, value in text.values} == {f"pile.{pile}", call}  # type: ignore[union-attr]


def test_every_game_has_a_rulebook() -> None:
    """No preset that can be played answers nothing."""
    assert {name for _, names in BOOKS for name in names} == set(presets())
    assert all(rulebook(preset, {}) for preset in presets())


def test_an_option_that_cannot_be_is_refused() -> None:
    with pytest.raises(RuleError, match="stacking"):
        rulebook("nna", {"stacking": "often"})


def test_a_topic_of_which_the_rules_say_nothing_is_left_out() -> None:
    """A statement holds where every fact that it names has one of its values."""
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
