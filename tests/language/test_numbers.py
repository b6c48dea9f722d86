"""Decimal figures and dates as written in each language.

Documents and files keep machine formats.
"""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

import pytest

from referee.core.messages import msg
from referee.core.units import MS
from referee.language.display import display_text
from referee.language.numbers import day_text, day_time_text, decimal_text, score_text, span_ms_text
from referee.language.say import message_speech
from referee.language.words import speaking

EVENING = datetime(2026, 11, 8, 20, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "part", "day", "at"),
    [
        ("en", "0.33", "8 November 2026", "8 November 2026 at 20:05"),
        ("de", "0,33", "8. November 2026", "8. November 2026 um 20:05 Uhr"),
        ("it", "0,33", "8 novembre 2026", "8 novembre 2026, ore 20:05"),
    ],
)
def test_figures_and_days_are_written_as_in_the_language(language: str, part: str, day: str, at: str) -> None:
    with speaking(language):
        assert (score_text(Fraction(1, 3)), day_text(EVENING), day_time_text(EVENING)) == (part, day, at)
        assert decimal_text("+8.4 ms") == f"+8{part[1]}4 ms"
        assert (span_ms_text(20 * MS), span_ms_text(8_400_000)) == ("20", f"8{part[1]}4")


def test_a_figure_in_a_message_of_the_core_is_told_from_a_name() -> None:
    """The length of a hold has the language's mark, on the display and spoken.

    A name with a point keeps it.
    """
    with speaking("de"):
        assert display_text(msg("choice.s", s="0.8")) == "0,8 s"
        assert message_speech(msg("choice.s", s="0.8")) == "0,8 Sekunden"
        assert "R.2.D.2" in message_speech(msg("toast.early", seat=2, name="R.2.D.2"))
