"""What the core has to say to people: a message's key and its values, in no language.

Which texts there are for it, on the display and spoken, is the catalogues' affair (referee/language); the core writes
no sentence. Numbers, seats, names, teams and other messages are values; what depends on a count has it as `count`.
"""

from __future__ import annotations

from fractions import Fraction

from referee.core.names import cut
from referee.core.values import Value

TEXT_LETTERS = 6
"""Letters of a name in a line of text: "3 Christ CAN PLAY" has 21 characters at most."""


class Label(Value):
    """A team or a lone seat as people read it: its seat numbers and its whole name; a display shortens it.

    A pair has two numbers and the first one's name unless the table gave it another.
    """

    numbers: tuple[int, ...]
    name: str

    @property
    def short(self) -> str:
        """Seat number + two letters, e.g. "1An"."""
        return f"{self.numbers[0]}{cut(self.name, 2)}"

    @property
    def called(self) -> str:
        """The name in a line of text: a long one has its first letters."""
        return cut(self.name, TEXT_LETTERS)


class Msg(Value):
    """A message: `key` names it, and the place where it is said; `values` are (name, value)."""

    key: str
    values: tuple[tuple[str, Part | tuple[Part, ...]], ...] = ()


Part = int | str | Fraction | Label | Msg
"""What a message may hold, and what a line may be without one: a text is a name or a figure as it is, never words."""


def msg(key: str, **values: Part | tuple[Part, ...]) -> Msg:
    """The message of that key with its values.

    >>> msg("toast.let_go", seat=3)
    Msg(key='toast.let_go', values=(('seat', 3),))
    """
    return Msg(key, tuple(values.items()))


def with_values(message: Msg, **values: Part) -> Msg:
    """The message with other values for some of its names."""
    return Msg(message.key, tuple(dict(message.values, **values).items()))
