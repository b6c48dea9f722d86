"""Messages of the core to people: a key and values, independent of language.

Catalogues (referee/language) hold the texts, on the display and spoken; the core contains no sentence. Numbers, seats,
names, teams and other messages are values. A value that selects singular or plural is called `count`.
"""

from __future__ import annotations

from fractions import Fraction

from referee.core.names import cut
from referee.core.values import Value

TEXT_LETTERS = 6
"""Maximum letters of a name in a line of text: "3 Christ CAN PLAY" must fit 21 characters."""


class Label(Value):
    """A team's or seat's label: its seat numbers and its full name, which a display shortens.

    The label of a team of two has both seat numbers. Its name is the team's own or, without one, the first player's.
    """

    numbers: tuple[int, ...]
    name: str

    @property
    def short(self) -> str:
        """Return the seat number and two letters, e.g. "1An"."""
        return f"{self.numbers[0]}{cut(self.name, 2)}"

    @property
    def called(self) -> str:
        """Return the name for a line of text, shortened if it is long."""
        return cut(self.name, TEXT_LETTERS)


class Msg(Value):
    """A message: `key` names the text and where it is used; `values` are (name, value)."""

    key: str
    values: tuple[tuple[str, Part | tuple[Part, ...]], ...] = ()


Part = int | str | Fraction | Label | Msg
"""The type of a message's values, and of lines that need no translation.

A plain text is a name or a figure, never words.
"""


def msg(key: str, **values: Part | tuple[Part, ...]) -> Msg:
    """Return the message with this key and these values.

    >>> msg("toast.let_go", seat=3)
    Msg(key='toast.let_go', values=(('seat', 3),))
    """
    return Msg(key, tuple(values.items()))


def with_values(message: Msg, **values: Part) -> Msg:
    """Return the message with some values replaced."""
    return Msg(message.key, tuple(dict(message.values, **values).items()))
