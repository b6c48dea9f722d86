"""What the core has to say to people: a message's key and its values, in no language.

Which texts there are for it, on the display and spoken, is the catalogues' affair (referee/language); the core writes
no sentence. Numbers, seats, names, teams and other messages are values; what depends on a count has it as `count`.
"""

from __future__ import annotations

from fractions import Fraction

from referee.core.values import Value

Part = int | str | Fraction | Value
"""What a message may hold: a number, a name, a team's label, another message."""


class Msg(Value):
    """A message: `key` names it, `values` are (name, value) in the order in which they were given."""

    key: str
    values: tuple[tuple[str, Part | tuple[Part, ...]], ...] = ()


def msg(key: str, **values: Part | tuple[Part, ...]) -> Msg:
    """The message of that key with its values.

    >>> msg("toast.let_go", seat=3)
    Msg(key='toast.let_go', values=(('seat', 3),))
    """
    return Msg(key, tuple(values.items()))
