"""Reading documents: each wrong value is refused in one sentence with its place."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.reading import (
    DocumentError,
    Part,
    allowed_text,
    count_text,
    is_number,
    number,
    parse,
    quoted_value,
    short_sentence,
    value_text,
)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1, column 1: no JSON document (Expecting value)"),
        ('{"a": 1,\n', "line 2, column 1: no JSON document (Expecting property name enclosed in double quotes)"),
        (r'{"a": ["\ud800"]}', r'a[0]: "\ud800" is given, allowed is a text of valid Unicode characters'),
        (r'{"a": {"\uDFFF": 1}}', r'a: "\udfff" is given, allowed is a text of valid Unicode characters'),
        ("[" * 100_000, "the document is nested deeper than any match document"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(text: str, sentence: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse(text)
    assert str(caught.value) == sentence


def test_a_key_given_twice_is_refused_where_it_stands() -> None:
    """JSON itself takes the later one."""
    part = Part(parse('{"counts": {"Red": 1, "Blue": 2, "Red": 3, "Blue": 4}}')).table()["counts"]
    with pytest.raises(DocumentError) as caught:
        part.table()
    assert str(caught.value) == "counts.Red: the key is given twice, allowed is once"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Jörg", '"Jörg"'),
        ("a\nb", '"a\\nb"'),
        ("\ud800", '"\\ud800"'),
        ("é\u2028", '"\\u00e9\\u2028"'),
        ([1, None, True], "[1, null, true]"),
        (Fraction(1, 2), '"1/2"'),
        ("x" * 58, '"' + "x" * 58 + '"'),
        ("x" * 59, '"' + "x" * 56 + "..."),
        (parse("[NaN]"), '["NaN"]'),
        ([10**5000], "something too large to show"),
    ],
)
def test_a_value_is_quoted_on_one_line(value: object, text: str) -> None:
    assert quoted_value(value) == text


def test_numbers_are_written_whole_where_they_can_be() -> None:
    assert repr([number(Fraction(3)), number(Fraction(5, 2)), number(Fraction(-4, 2))]) == "[3, 2.5, -2]"


def test_a_number_is_finite_and_no_truth_value() -> None:
    """True is an int only in Python."""
    assert [is_number(v) for v in (1, 2.5, True, float("nan"), float("inf"), "1", None)] == [True, True] + 5 * [False]


def test_places_read_as_paths() -> None:
    hand = Part({"hands": [{"Müller 2": 3, "": 4, "Red": 5}]}).table()["hands"].items()[0]
    assert [part.where for part in hand.table().values()] == ['hands[0]["Müller 2"]', 'hands[0][""]', "hands[0].Red"]


Reader = Callable[[Part], Any]
READERS: dict[str, tuple[Reader, list[object], list[object], str]] = {
    "table": (lambda p: p.table(), [{}], [[], None, 1, "x"], "an object"),
    "items": (lambda p: p.items(), [[]], [{}, None, 1, "x"], "an array"),
    "one_of": (lambda p: p.one_of(("a", "b")), ["a", "b"], ["c", 1, None, ["a"], {}], "one of a, b"),
    "named": (lambda p: p.known_name(("a", "b"), "one of us"), ["a"], ["c", 1, ["a"]], 'one of us: "a", "b"'),
    "integer": (
        lambda p: p.integer(),
        [0, -5, 10**9],
        [1.0, True, "1", None, 10**15, -(10**15), parse("NaN")],
        "a whole number",
    ),
    "whole": (lambda p: p.whole(3, 5), [3, 4, 5], [2, 6, 4.0, True, "4"], "a whole number from 3 to 5"),
    "text": (lambda p: p.text(), ["x" * 200], ["x" * 201, "a\nb", 5], "a text of at most 200 printable characters"),
    "truth": (lambda p: p.truth(), [True, False], [1, None], "true or false"),
    "half": (
        lambda p: p.half(-1, 2),
        [-1, -0.5, 0, 1.5, 2],
        [-1.5, 2.5, 0.25, True, "1", float("nan"), float("inf")],
        "a whole number or a half from -1 to 2",
    ),
}


@pytest.mark.parametrize("name", READERS)
def test_a_reader_takes_what_it_says_and_refuses_the_rest(name: str) -> None:
    read, good, bad, allowed = READERS[name]
    for value in good:
        read(Part(value, "here"))
    for value in bad:
        with pytest.raises(DocumentError) as caught:
            read(Part(value, "here"))
        assert str(caught.value) == f"here: {quoted_value(value)} is given, allowed is {allowed}"


def test_keys_are_the_needed_and_the_optional_ones() -> None:
    part = Part({"a": 1, "b": 2}, "here")
    assert list(part.keyed_parts(("a",), ("b", "c"))) == ["a", "b"]
    with pytest.raises(DocumentError, match=r"^here\.b: the key is unknown, allowed are a, c$"):
        part.keyed_parts(("a",), ("c",))
    with pytest.raises(DocumentError, match=r"^here: the key d is missing, needed are a, d$"):
        part.keyed_parts(("a", "d"), ("b",))
    with pytest.raises(DocumentError, match=r"^the document: the key d is missing, needed are d$"):
        Part({}).keyed_parts(("d",))


def test_names_are_read_as_they_are_known_here() -> None:
    part = Part(["anna", "BEN"], "here")
    assert part.some_of(("Anna", "Ben", "Max"), "team", "teams") == ("Anna", "Ben")
    assert part.names("team") == ("anna", "BEN")
    by_name = Part({"anna": 1, "BEN": 2}, "here").by_name(("Anna", "Ben"), "teams")
    assert [(name, value.value) for name, value in by_name.items()] == [("Anna", 1), ("Ben", 2)]
    refused: tuple[tuple[object, Callable[[Part], object], str], ...] = (
        (["Zoe"], lambda part: part.some_of(("Anna",), "team", "one of the teams"), r"here\[0\]: .Zoe. is given, "),
        (
            ["Anna", "anna"],
            lambda part: part.names("team"),
            r"here\[1\]: .anna. is given, .* a name that no other team has",
        ),
        (
            ["Anna", 5],
            lambda part: part.names("team"),
            r"here\[1\]: 5 is given, allowed is a name of printable characters",
        ),
        (
            ["Anna", ""],
            lambda part: part.names("team"),
            r"here\[1\]: .. is given, allowed is a name of printable characters",
        ),
        (
            {"Zoe": 1},
            lambda part: part.by_name(("Anna",), "teams"),
            "here.Zoe: .Zoe. is given, allowed are the teams: ",
        ),
        ({"Anna": 1, "anna": 2}, lambda part: part.by_name(("Anna",), "teams"), "here.anna: "),
    )
    for value, read, sentence in refused:
        with pytest.raises(DocumentError, match=f"^{sentence}"):
            read(Part(value, "here"))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(VALUES, st.sampled_from(sorted(READERS)))
def test_any_value_is_read_or_refused(value: object, name: str) -> None:
    with suppress(DocumentError):
        READERS[name][0](Part(value))
    assert quoted_value(value).isprintable()
    assert len(quoted_value(value)) <= 60


def test_sentences_count_right() -> None:
    assert (allowed_text(["1"]), allowed_text(["1", "2"])) == ("allowed is 1", "allowed are 1, 2")
    assert [count_text(n, "hand") for n in (0, 1, 2)] == ["0 hands", "1 hand", "2 hands"]
    assert count_text(2, "match", "matches") == "2 matches"


def test_json_becomes_plain_values() -> None:
    ace = "\N{PLAYING CARD ACE OF SPADES}"
    assert parse(r'[{"\ud83c\udca1": "\ud83c\udca1"}, "\\ud800"]') == [{ace: ace}, r"\ud800"]
    assert parse('{"a": [1, 2.5, true, null, "x"], "b": {}}') == {"a": [1, 2.5, True, None, "x"], "b": {}}


def test_long_sentence_loses_its_middle_and_control_characters() -> None:
    assert short_sentence("match-\n\x1b.json") == "match-\\n\\x1b.json"
    assert len(short_sentence("x" * 10_000_000)) < 1000
    assert short_sentence("short") == "short"


@pytest.mark.parametrize(("value", "text"), [(True, "true"), (1, "1"), (2.5, "2.5"), ("table", "table")])
def test_value_is_written_as_in_a_document(value: object, text: str) -> None:
    assert value_text(value) == text
