"""The rulebook: every topic has an answer under every preset and option, and an option that decides it changes it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from referee.core.games.lastone.rulebook import TOPICS as LAST_ONE
from referee.core.games.nertz.rulebook import TOPICS as NERTZ
from referee.core.games.slap.rulebook import TOPICS as SLAP
from referee.core.games.thirtyone.rulebook import TOPICS as THIRTY_ONE
from referee.core.model.options import RuleError
from referee.core.model.registry import presets, rulebook, topics_of
from referee.core.rulebook.book import RuleAnswer, answers, say, topic

BOOKS = tuple(
    (topics, tuple(preset for preset, game in presets().items() if topics_of(game) == topics))
    for topics in (NERTZ, THIRTY_ONE, SLAP, LAST_ONE)
)
"""Each game's topics, and its presets."""
ONLY_IN = {"slap_court": ("ratscrew",)}
"""Topics of which only some of their game's presets say something."""
CHANGES: list[tuple[str, Mapping[str, object], str]] = [
    ("nna", {"in_flight": "returns"}, "in_flight"),
    ("nna", {"same_place": "both"}, "same_place"),
    ("nna", {"same_place": "first"}, "same_place"),
    ("nna", {"withholding": False}, "withholding"),
    ("nna", {"stacking": True}, "stacking"),
    ("nna", {"stacking": True}, "one_card"),
    ("nna", {"stacking": True, "river": 5}, "stacking"),
    ("nna", {"river_transfer": False}, "transfer"),
    ("nna", {"jokers": 2}, "jokers"),
    ("nna", {"false_call": "points:5"}, "false_call"),
    ("nna", {"false_call": "points:10"}, "false_call"),
    ("nna", {"false_call": "zero"}, "false_call"),
    ("nna", {"tiebreak": "hand"}, "tie_target"),
    ("nna", {"tiebreak": "share"}, "tie_target"),
    ("nna", {"tiebreak_teams": "all"}, "tie_target"),
    ("nna", {"shuffle_for": "left"}, "shuffling"),
    ("nna", {"start_by": "one"}, "false_start"),
    ("nna", {"pack_check": True}, "counting"),
    ("nna", {"stuck": "rotate"}, "stuck"),
    ("nna", {"stuck": "redeal-stock"}, "stuck"),
    ("nna", {"stuck": "abandon"}, "stuck"),
    ("nna", {"stuck": "abandon"}, "leaving"),
    ("nna", {"stuck": "score"}, "stuck"),
    ("nna", {"handicap": "winner"}, "handicap"),
    ("nna", {"handicap": "negative"}, "handicap"),
    ("nna", {"handicap": "negative-three"}, "handicap"),
    ("nna", {"handicap": "distance"}, "handicap"),
    ("nna", {"foundations": "by-players"}, "middle"),
    ("nna", {"turn": 1}, "turning"),
    ("nna", {"turn": 1}, "short_stock"),
    ("nna", {"turn_order": "reversed"}, "turning"),
    ("nna", {"layout": "klondike"}, "shuffling"),
    ("nna", {"reserve": 12}, "shuffling"),
    ("nna", {"tie_ms": 12.5}, "tie_calls"),
    ("nna", {"bonus": 10}, "tie_calls"),
    ("nna", {"bonus": 10}, "score"),
    ("nna", {"penalty": 1}, "score"),
    ("nna", {"king_bonus": 5}, "score"),
    ("nna", {"target": 150}, "target"),
    ("nna", {"settlement": "difference"}, "target"),
    ("pagat", {"settlement": "each-hand"}, "target"),
    ("pagat", {"settlement": "none"}, "tie_target"),
    ("nna", {"pile_control": "alternate"}, "pair"),
    ("nna", {"rotate_seats": True}, "seats"),
    ("nna", {"start": "note"}, "false_start"),
    ("31", {"lives": 4}, "county"),
    ("31", {"three_of_a_kind": "30"}, "values"),
    ("31", {"three_of_a_kind": "30.5"}, "values"),
    ("31", {"straight_flush": True}, "values"),
    ("31", {"minimum_knock": 21}, "knocking"),
    ("31", {"early_knock": False}, "knocking"),
    ("31", {"knocker_tied": "loses-one"}, "lowest"),
    ("31", {"knocker_tied": "loses-two"}, "lowest"),
    ("31", {"knocker_not_highest": "loses-one"}, "lowest"),
    ("31", {"knocker_after_31": "two"}, "after_knock"),
    ("31", {"county": False}, "county"),
    ("ride-the-bus", {"levels": 1}, "county"),
    ("31-quebec", {"end": "31-points"}, "county"),
    ("snap", {"tie_ms": 12.5}, "slap_first"),
    ("snap", {"penalty": 2}, "slap_wrong"),
    ("snap", {"penalty": 0}, "slap_wrong"),
    ("snap", {"gift": 1}, "slap_wrong"),
    ("snap", {"target": 50}, "slap_target"),
    ("snap", {"target": 0}, "slap_target"),
    ("spoons", {"tie_ms": 30}, "last_who"),
    ("spoons", {"limit_s": 3}, "last_who"),
    ("spoons", {"lives": 6}, "last_letters"),
]
"""Preset, options, and the topic whose answer they change."""


def answer(preset: str, topic: str, options: Mapping[str, object] | None = None) -> RuleAnswer:
    """What the rulebook answers."""
    return next(answer for answer in rulebook(preset, options or {}) if answer.topic == topic)


def said(preset: str, topic: str, options: Mapping[str, object] | None = None) -> set[str]:
    """The statements of an answer."""
    return {page.text.key.removeprefix("rule.") for page in answer(preset, topic, options).pages}


@pytest.mark.parametrize(("preset", "options", "topic"), CHANGES)
def test_an_option_that_decides_a_dispute_changes_its_answer(
    preset: str, options: Mapping[str, object], topic: str
) -> None:
    """And the answer is another one than under the preset alone."""
    assert answer(preset, topic, options) != answer(preset, topic)


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
    changed = [dict(options) for name, options, _ in CHANGES if name in ("nna", "31", "snap", "spoons")]
    return [*changed, {"jokers": 2}, {"river": 6}, {"false_call": "zero"}] if presets()[preset].RULEBOOK else []


def test_no_statement_is_for_nobody() -> None:
    """Each of them stands in the answer of some preset, alone or with one of the options above."""
    for topics, names in BOOKS:
        seen = set[str]()
        for preset in names:
            for options in ({}, *_single_options(preset), *(o for p, o, _ in CHANGES if p == preset)):
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
        *("withholding_now", "transfer_place", "jokers_ace", "turn_below", "start_stop", "timeout_ends", "stuck_alone"),
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
