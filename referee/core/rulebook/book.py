"""The rulebook: what a table's rules answer to a dispute, sentence by sentence, each with its source.

A game writes its topics as data. A statement holds where the facts that it names are so: facts are the options of the
table, its preset, and whatever else the game derives from them. What people read is said by the catalogues: a topic's
title at the place "topic", the words that people look for it by at the place "find", a statement at the place "rule".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from referee.core.messages import Msg, Part, msg
from referee.core.values import Value

Facts = Mapping[str, Part]
"""What is so at a table: option or another fact -> its value."""


class Statement(Value):
    """One sentence of an answer: its key, who says so, where it holds, and which facts it is said with.

    sources: "ours" and "table" are none: a decision of the product's own; what no device can see and people judge.
    when: facts that must all have one of the values beside them.
    """

    key: str
    sources: tuple[str, ...]
    values: tuple[str, ...] = ()
    when: tuple[tuple[str, tuple[Part, ...]], ...] = ()

    def holds(self, facts: Facts) -> bool:
        """Whether these facts make it so."""
        return all(facts[name] in allowed for name, allowed in self.when)


class Topic(Value):
    """What people may disagree on: its name, and every statement that some table's rules make of it."""

    name: str
    statements: tuple[Statement, ...]


class RulePage(Value):
    """A statement as it holds at a table, with those who say so."""

    text: Msg
    sources: tuple[Msg, ...]


class RuleAnswer(Value):
    """What a table's rules say of a topic; at least one page."""

    topic: str
    pages: tuple[RulePage, ...]

    @property
    def title(self) -> Msg:
        """The topic as people read it."""
        return msg(f"topic.{self.topic}")


def topic(name: str, *said: tuple[Statement, ...]) -> Topic:
    """A topic as a game writes it: its name, and what `say` gives, in the order in which people read it."""
    return Topic(name, tuple(chain.from_iterable(said)))


def say(keys: str, sources: str, values: str = "", **when: Part | tuple[Part, ...]) -> tuple[Statement, ...]:
    """Statements of the same sources that hold at the same tables, as a game writes them.

    Keys, sources and values (names of facts) are words with spaces between; `when`: a fact's value, or a tuple of them.
    """
    conditions = tuple((name, value if isinstance(value, tuple) else (value,)) for name, value in when.items())
    shared = (tuple(sources.split()), tuple(values.split()), conditions)
    return tuple(Statement(key, *shared) for key in keys.split())


def answers(topics: Iterable[Topic], facts: Facts) -> tuple[RuleAnswer, ...]:
    """What the rules of a table with these facts say, a topic each; one of which they say nothing is left out."""
    found = ((topic.name, tuple(_pages(topic, facts))) for topic in topics)
    return tuple(RuleAnswer(name, pages) for name, pages in found if pages)


def _pages(topic: Topic, facts: Facts) -> Iterator[RulePage]:
    for statement in topic.statements:
        if statement.holds(facts):
            values = {name: value for name, value in facts.items() if name in statement.values}
            text = msg(f"rule.{statement.key}", **values)
            yield RulePage(text, tuple(msg(f"source.{source}") for source in statement.sources))
