"""Teach us at a table of 31: what newcomers do in each part of a hand. Source: pagat's page."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from referee.core.games.thirtyone.rules import ThirtyOneRules
from referee.core.messages import Msg, msg

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
