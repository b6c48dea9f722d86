"""What the family's document module says of its presets and options."""

from __future__ import annotations

import pytest

from referee.core.games.nertz import document
from referee.core.games.nertz.rules import PRESETS, SOURCES


@pytest.mark.parametrize("preset", PRESETS)
def test_every_option_of_a_preset_has_a_value_and_a_source(preset: str) -> None:
    """`referee presets NAME` leaves nothing out and invents no source."""
    values = document.preset_values(preset)
    assert set(values) == {option.name for option in document.options()}
    assert all(source == SOURCES[preset][name] for name, (_, source) in values.items())
