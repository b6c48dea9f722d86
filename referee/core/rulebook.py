"""The rulebook: a table's answers to disputes, sentence by sentence, each with its source.

A game defines its topics as data. Whether a statement applies depends on facts: the options of the table, its preset,
and further values that the game derives from them. The texts are in the catalogues: a topic's title under "topic", its
search words under "find", a statement under "rule".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from referee.core.messages import Msg, Part, msg
from referee.core.values import Value

Facts = Mapping[str, Part]
"""The facts of a table: name of an option or other fact -> its value."""


class Statement(Value):
    """One sentence of an answer: its text key, sources, conditions, and facts in its text.

    sources: "ours" is a decision of this product, "table" a matter that players judge because no device can see it.
    when: facts, each with its allowed values; all must match. values: names of the facts that the text mentions.
    """

    key: str
    sources: tuple[str, ...]
    values: tuple[str, ...] = ()
    when: tuple[tuple[str, tuple[Part, ...]], ...] = ()

    def holds(self, facts: Facts) -> bool:
        """Return whether the statement applies to these facts."""
        return all(facts[name] in allowed for name, allowed in self.when)


class Topic(Value):
    """A point of dispute: its name, and the statements that can apply to it."""

    name: str
    statements: tuple[Statement, ...]


class RulePage(Value):
    """A statement that applies to a table, with its sources."""

    text: Msg
    sources: tuple[Msg, ...]


class RuleAnswer(Value):
    """A table's answer on a topic; at least one page."""

    topic: str
    pages: tuple[RulePage, ...]

    @property
    def title(self) -> Msg:
        """Return the topic's title."""
        return msg(f"topic.{self.topic}")


def topic(name: str, *said: tuple[Statement, ...]) -> Topic:
    """Return a topic from its name and the results of `say`, in reading order."""
    return Topic(name, tuple(chain.from_iterable(said)))


def say(keys: str, sources: str, values: str = "", **when: Part | tuple[Part, ...]) -> tuple[Statement, ...]:
    """Return statements with the same sources and conditions.

    Keys, sources and values (names of facts) are words separated by spaces. `when`: for each fact that matters, the
    allowed value, or a tuple of allowed values.
    """
    conditions = tuple((name, value if isinstance(value, tuple) else (value,)) for name, value in when.items())
    shared = (tuple(sources.split()), tuple(values.split()), conditions)
    return tuple(Statement(key, *shared) for key in keys.split())


def answers(topics: Iterable[Topic], facts: Facts) -> tuple[RuleAnswer, ...]:
    """Return the answer on each topic for these facts, without topics that have none."""
    found = ((topic.name, tuple(_pages(topic, facts))) for topic in topics)
    return tuple(RuleAnswer(name, pages) for name, pages in found if pages)


def _pages(topic: Topic, facts: Facts) -> Iterator[RulePage]:
    for statement in topic.statements:
        if statement.holds(facts):
            values = {name: value for name, value in facts.items() if name in statement.values}
            text = msg(f"rule.{statement.key}", **values)
            yield RulePage(text, tuple(msg(f"source.{source}") for source in statement.sources))
