"""Points of dispute and lessons in 31, Ride the Bus and Quebec.

Source: pagat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from referee.core.games.thirtyone.rules import OPTIONS, PRESETS, ThirtyOneRules, with_options
from referee.core.messages import Msg, msg
from referee.core.rulebook import Facts, say, topic

LOSING = ("lives", "places")
"""What a lost hand costs. In the Quebec variant hands are won and earn points."""
USUAL_LIVES = PRESETS["31"].lives
OTHER_LIVES = tuple({*range(1, 10)} - {USUAL_LIVES})

TOPICS = (
    topic(
        "lowest",
        say("lowest_places", "pagat", counts="places"),
        say("lowest_loses", "pagat", counts=LOSING),
        say("lowest_knocker", "pagat", counts=LOSING, knocker_tied="safe"),
        say("lowest_knocker_one", "house", counts=LOSING, knocker_tied="loses-one"),
        say("lowest_knocker_two", "house", counts=LOSING, knocker_tied="loses-two"),
        say("lowest_knocker_alone", "pagat", counts=LOSING),
        say("lowest_one_life", "ours", counts="lives", county=True),
        say("lowest_steps", "ours", counts="places"),
        say("lowest_not_highest", "house", knocker_not_highest="loses-one"),
        say("lowest_safe", "pagat", counts=LOSING, knocker_not_highest="safe"),
        say("lowest_points lowest_points_tied", "pagat", counts="points"),
    ),
    topic(
        "after_knock",
        say("declare_knock", "pagat"),
        say("declare_knock_all", "pagat", counts=LOSING, knocker_after_31="one"),
        say("declare_knock_two", "house", counts=LOSING, knocker_after_31="two"),
        say("declare_point", "pagat", counts="points"),
    ),
    topic(
        "dealt_31",
        say("dealt_several", "pagat", counts=LOSING),
        say("dealt_points", "pagat ours", counts="points"),
        say("declare_when", "pagat"),
    ),
    topic("discarding", say("discard_stock discard_top", "pagat")),
    topic("retaking", say("retake_two", "pagat")),
    topic(
        "knocking",
        say("knock_when knock_last", "pagat"),
        say("knock_minimum", "pagat", "minimum_knock", has_minimum=True),
        say("knock_any", "pagat", has_minimum=False),
        say("knock_early", "pagat", early_knock=True),
        say("knock_late", "ours", early_knock=False),
    ),
    topic(
        "county",
        say("county", "pagat", counts="lives", county=True),
        say("county_none", "house", counts="lives", county=False),
        say("county_lives", "pagat", "lives", counts="lives", lives=USUAL_LIVES),
        say("county_lives", "ours", "lives", counts="lives", lives=OTHER_LIVES),
        say("county_bus", "pagat", counts="places", has_levels=False),
        say("county_levels", "pagat", "levels", counts="places", has_levels=True),
        say("county_points", "pagat", counts="points"),
        say("county_first", "pagat", end="first-31"),
        say("county_to_31", "house", end="31-points"),
        say("county_last", "pagat", counts=LOSING),
    ),
    topic(
        "values",
        say("values values_sum", "pagat"),
        say("three_none", "pagat", three_of_a_kind="none"),
        say("three_30", "pagat ours", three_of_a_kind="30"),
        say("three_best", "pagat ours", three_of_a_kind="30.5"),
        say("flush_none", "pagat", straight_flush=False),
        say("flush", "pagat ours", straight_flush=True),
    ),
    topic("turns", say("turns_deal turns_round turns_draw", "pagat")),
    topic("empty_stock", say("empty_stock", "ours")),
    topic("other_31", say("other_31", "pagat")),
    topic(
        "aim",
        say("aim_31 aim_knock", "pagat"),
        say("county_last", "pagat", counts=LOSING),
        say("aim_points", "pagat", counts="points"),
    ),
    topic("stakes", say("stakes_coins", "pagat", counts="lives"), say("stakes_device", "ours", counts="lives")),
)
"""Points of dispute in 31, the most frequent first."""


def facts(preset: str, options: Mapping[str, object]) -> Facts:
    """Return name -> value for these rules. The rulebook needs them to choose its answers."""
    rules = with_options(PRESETS[preset], options)
    return {
        **{name: getattr(rules, name) for name in OPTIONS},  # each option is named after its field
        "counts": rules.counts,
        "has_minimum": rules.minimum_knock > 0,
        "has_levels": rules.levels > 0,
    }


LOSES = {"lives": "teach.loses_life", "places": "teach.loses_place", "points": "teach.wins_point"}
"""What is counted (lives, places, points) -> the line on what a hand costs or earns."""


def lesson(rules: ThirtyOneRules, part: str) -> tuple[Msg, ...]:
    """Return the lines that explain a part of a hand ("deal", "play", "count") to newcomers."""
    return tuple(_PARTS[part](rules))


def _deal(rules: ThirtyOneRules) -> Iterable[Msg]:
    return map(msg, ("teach.deal_three", "teach.rest_open", "teach.aim_31", "teach.card_values", "teach.tap_ready"))


def _play(rules: ThirtyOneRules) -> Iterable[Msg]:
    yield from map(msg, ("teach.draw", "teach.tap_done", "teach.knock_hold", "teach.knock_means"))
    if rules.minimum_knock:
        yield msg("teach.knock_from", value=rules.minimum_knock)
    if not rules.early_knock:
        yield msg("teach.knock_late")
    yield msg("teach.has_31")


def _count(rules: ThirtyOneRules) -> Iterable[Msg]:
    yield from map(msg, ("teach.best_suit", "teach.card_values", "teach.tens_ones"))
    if rules.three_of_a_kind != "none":
        yield msg("teach.three_alike", value=rules.three_of_a_kind.replace(".5", "½"))
    if rules.straight_flush:
        yield msg("teach.straight_flush")
    yield msg(LOSES[rules.counts])


_PARTS: dict[str, Callable[[ThirtyOneRules], Iterable[Msg]]] = {"deal": _deal, "play": _play, "count": _count}
