"""What the family's document module says of its presets and options."""

from __future__ import annotations

import pytest

from referee.core.games.nertz import document
from referee.core.games.nertz.rules import PRESETS, SOURCES
from referee.core.reading import DocumentError, Part


@pytest.mark.parametrize("preset", PRESETS)
def test_every_option_of_a_preset_has_a_value_and_a_source(preset: str) -> None:
    """`referee presets NAME` leaves nothing out and invents no source."""
    values = document.preset_values(preset)
    assert set(values) == {option.name for option in document.options()}
    assert all(source == SOURCES[preset][name] for name, (_, source) in values.items())


def test_a_tie_break_hand_s_counts_are_those_of_the_tied_or_of_all() -> None:
    """By the option; whoever has sat out of a hand for all needs no count."""
    tied = {"end": "call", "callers": ["Red"], "counts": {"Red": [20, 0], "Blue": [20, 0], "Gold": [9, 2]}}
    for teams, names in (("tied", ("Red", "Blue")), ("all", ("Red", "Blue", "Gold")), ("all", ("Red", "Gold"))):
        last = {"end": "call", "callers": ["Red"], "counts": {name: [20, 0] for name in names}}
        options = {"target": 20, "tiebreak": "hand", "tiebreak_teams": teams}
        match = {"preset": "nna", "options": options, "teams": ["Red", "Blue", "Gold"], "hands": [tied, last]}
        assert document.score_match(Part(match))["totals"]["Red"] == 40
    match["options"] = options | {"tiebreak_teams": "tied"}
    with pytest.raises(DocumentError, match="allowed are the tie-break hand's teams"):
        document.score_match(Part(match))


def test_kings_that_the_table_cannot_have_are_refused() -> None:
    """Twelve cards lie under each king, whosever they are."""
    counts = {"Red": [26, 0, 2], "Blue": [10, 3, 2]}
    hand = {"end": "call", "callers": ["Red"], "counts": counts}
    match = {"preset": "nna", "options": {"king_bonus": 5}, "teams": ["Red", "Blue"], "hands": [hand]}
    with pytest.raises(DocumentError, match="52 foundation cards in all, not 36"):
        document.score_match(Part(match))
    hand["counts"] = counts | {"Blue": [26, 3, 2]}
    assert document.score_match(Part(match))["totals"] == {"Red": 36, "Blue": 30}
