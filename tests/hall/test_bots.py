"""An event played by bots with the real engine, from entry to prize-giving."""

from __future__ import annotations

from referee.core.values import replace
from referee.hall.decide import standings
from referee.hall.model import Game
from tests.hall.bots import opening, play, replayed
from tests.hall.events import groups_of


def test_event_of_bots_is_played_and_replayed() -> None:
    event, evenings = play(opening(9, Game("nna", {"target": 50}), seed=3), seed=3)
    assert [len(tables) for tables in event.rounds] == [3, 2, 1]
    assert len(evenings) == len(event.outcomes) == 6
    for outcome in event.outcomes:
        best = sorted(outcome.points, key=lambda number: outcome.points[number], reverse=True)[:2]
        assert outcome.points[best[0]] >= 50
        if outcome.round < 3:
            going = {number for group in groups_of(event, outcome.round + 1) for number in group}
            assert {*best} <= going
    final = event.outcomes[-1]
    assert final.places[standings(event)[0].entry] == 1
    again = replayed(event, evenings)
    assert standings(again) == standings(event)
    assert {*map(repr, again.outcomes)} == {*map(repr, event.outcomes)}
    assert replace(again, outcomes=(), decisions=()) == replace(event, outcomes=(), decisions=())
