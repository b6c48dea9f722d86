"""Messages with values, and short labels."""

from __future__ import annotations

from referee.core.messages import TEXT_LETTERS, Label, msg, with_values


def test_a_line_that_is_open_has_another_value() -> None:
    assert with_values(msg("item.named", seat=3, choice="Max"), choice="Mia") == msg("item.named", seat=3, choice="Mia")


def test_a_label_is_short_where_there_is_little_room() -> None:
    pair = Label((3, 7), "Christine")
    assert (pair.short, pair.called, TEXT_LETTERS) == ("3Ch", "Christ", 6)
    assert Label((1,), "Jo").called == "Jo"
