"""Events as JSON: what goes out comes back, and whatever else comes in is one sentence."""

from __future__ import annotations

import json
from enum import Enum
from fractions import Fraction
from typing import Any, Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.model.events import (
    Began,
    Decision,
    Event,
    Linked,
    Opened,
    Paired,
    Redone,
    Rematched,
    Resumed,
    Ruled,
    Sealed,
    Tick,
    Turned,
    Undone,
)
from referee.core.presses.arbiter import CalledPress, Verdict
from referee.core.presses.signals import Edge
from referee.core.stored import codec
from referee.core.stored.codec import CodecError, decode, dump, encode, from_document, load, to_document
from referee.core.values import Value, field, stored_name
from referee.language.catalogue import catalogue

NS = st.integers(-(2**62), 2**62)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
st.register_type_strategy(Edge, st.builds(Edge, st.text(), st.booleans(), NS, st.integers(0, 2**40), st.integers(0)))
st.register_type_strategy(Opened, st.builds(Opened, NS, st.text(), st.dictionaries(st.text(), PLAIN)))
RULES = st.lists(st.tuples(st.text(), st.integers() | st.booleans() | st.floats(-9, 9) | st.text())).map(tuple)
st.register_type_strategy(Began, st.builds(Began, NS, RULES))
st.register_type_strategy(Rematched, st.builds(Rematched, NS, RULES))
EVENTS = st.one_of([st.from_type(kind) for kind in codec.event_types().values()])


class Suit(Enum):
    HEARTS = "H"
    SPADES = "S"


class Half(Value):
    points: Fraction
    suit: Suit = Suit.HEARTS
    end: Literal["call", "stuck"] = "call"
    shares: dict[str, Fraction] = field(default_factory=dict)
    parts: dict[str, tuple[int, ...]] = field(default_factory=dict)
    note: str | int | Half2 | tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.points < 0:
            raise ValueError("points must not be negative")


class Half2(Value):
    seats: tuple[int, bool]


# -- the round trip ----------------------------------------------------------------------------------------------------


@given(EVENTS)
def test_every_event_comes_back(event: Event) -> None:
    """Any event of any type is the same value after encode and decode; broken by any rule that loses something."""
    text = encode(event)
    assert decode(text) == event
    assert decode(text.encode()) == event
    assert "\n" not in text
    assert text.isascii()


@given(EVENTS)
def test_the_document_has_exactly_the_fields(event: Event) -> None:
    """A document is "v", "type" and the dataclass's fields, in order, so that a new field needs no edit here."""
    names = event.__struct_fields__
    assert list(to_document(event)) == ["v", "type", *names]


@pytest.mark.parametrize("kind", codec.event_types().values(), ids=lambda kind: kind.__name__)
def test_no_field_takes_the_document_s_own_names(kind: type[Value]) -> None:
    """No event has a field named "v" or "type", which would be overwritten."""
    assert not {"v", "type"} & set(kind.__struct_fields__)


def test_the_text_is_as_written_down() -> None:
    """The stored form does not drift: old journals must stay readable."""
    called = CalledPress("1", "5", 7, 2)
    verdict = Verdict("tie", True, ("1", "2"), "1", 20, 99, (called,), ((called, True),), ())
    assert (
        encode(Paired(3, ("1", "2"), True)) == '{"v":2,"type":"paired","at_ns":3,"stations":["1","2"],"together":true}'
    )
    assert encode(Sealed(3, (("1", (28, 0)),))) == '{"v":2,"type":"sealed","at_ns":3,"counts":[["1",[28,0]]]}'
    assert encode(Resumed(3, "b", None)) == (
        '{"v":2,"type":"resumed","at_ns":3,"boot":"b","away_s":null,"closed":[],"asks":false,"release":""}'
    )
    assert json.loads(encode(Ruled(9, verdict)))["verdict"]["late"] == [
        [{"team": "1", "station": "5", "t_ns": 7, "err_ns": 2, "clock": None, "rel_err_ns": None}, True]
    ]


def test_a_verdict_written_before_presses_named_a_clock_is_read() -> None:
    """As of a press that named none, which is what was known of it."""
    verdict = Verdict("clear", False, ("1",), "1", 20, 99, (CalledPress("1", "5", 7, 2),), (), ())
    document = to_document(Ruled(9, verdict))
    (press,) = document["verdict"]["presses"]  # type: ignore[index]
    del press["clock"], press["rel_err_ns"]
    assert from_document(document) == Ruled(9, verdict)


def test_a_field_with_a_default_may_be_left_out() -> None:
    """A document from before a field with a default joined its event is read with that default."""
    assert from_document({"v": 1, "type": "Edge", "station": "1", "closed": True, "t_ns": 5}) == Edge(
        "1", True, 5, 0, 5
    )


def test_documents_are_copied() -> None:
    """Changing the dict that was read, or the one that was written, changes no event and is not changed itself."""
    document = {"v": 2, "type": "opened", "at_ns": 1, "boot": "b", "setup": {"names": ["A"]}}
    event = from_document(document)
    assert isinstance(event, Opened)
    assert document["v"] == 2
    document["setup"]["names"].append("B")  # type: ignore[index]
    assert event.setup == {"names": ["A"]}


def test_settings_dataclasses_go_through_the_same_rules() -> None:
    """Fractions, enums, literals, dicts and unions keep their values through dump and load."""
    for note in ("text", 5, Half2((1, True)), (1, 2), None):
        half = Half(Fraction(7, 2), Suit.SPADES, "stuck", {"1": Fraction(3)}, {"1": (2,)}, note)
        written = dump(Half, half)
        assert json.loads(json.dumps(written)) == written
        assert load(Half, written) == half
    assert dump(Half, Half(Fraction(7, 2))) == {
        "points": "7/2",
        "suit": "H",
        "end": "call",
        "shares": {},
        "parts": {},
        "note": None,
    }


# -- everything else is one sentence -----------------------------------------------------------------------------------

TICK = {"v": 2, "type": "tick", "at_ns": 1}
WRONG_DOCUMENTS: list[tuple[object, str]] = [
    ([], "an event must be a JSON object, got []"),
    ({**TICK, "v": 3}, "the event has format 3, written by a newer referee; this one reads up to 2"),
    ({**TICK, "v": 0}, 'the event\'s format "v" must be a number from 1 to 2, got 0'),
    ({**TICK, "v": True}, 'the event\'s format "v" must be a number from 1 to 2, got True'),
    ({"type": "tick", "at_ns": 1}, 'the event\'s format "v" must be a number from 1 to 2, got None'),
    ({**TICK, "type": "dealt"}, "the event type 'dealt' is unknown; known are opened, "),
    ({**TICK, "type": "Tick"}, "the event type 'Tick' is unknown; known are opened, "),
    ({**TICK, "v": 1}, "the event type 'tick' is unknown; known are Opened, "),
    ({**TICK, "type": "setup"}, "the event type 'setup' is unknown; known are opened, "),
    ({**TICK, "type": ["tick"]}, "the event type ['tick'] is unknown; known are "),
    ({"v": 2, "type": "tick"}, "tick: lacks the field 'at_ns'"),
    ({**TICK, "by": 2}, "tick: unknown field 'by'"),
    ({**TICK, "at_ns": "1"}, "tick.at_ns: must be a whole number, got '1'"),
    ({**TICK, "at_ns": True}, "tick.at_ns: must be a whole number, got True"),
    ({**TICK, "at_ns": 1.0}, "tick.at_ns: must be a whole number, got 1.0"),
    ({**TICK, "at_ns": "x" * 99}, "tick.at_ns: must be a whole number, got '" + "x" * 56 + "..."),
    ({**TICK, "type": "linked", "link": 3, "up": True}, "linked.link: must be a text, got 3"),
    ({**TICK, "type": "linked", "link": "d", "up": 1}, "linked.up: must be true or false, got 1"),
    (
        {**TICK, "type": "resumed", "boot": "b", "away_s": "x"},
        "resumed.away_s: must be a whole number or nothing, got 'x'",
    ),
    (
        {**TICK, "type": "paired", "stations": ["1"], "together": True},
        "paired.stations: must be a list of 2, got ['1']",
    ),
    ({**TICK, "type": "paired", "stations": "12", "together": True}, "paired.stations: must be a list, got '12'"),
    ({**TICK, "type": "sealed", "counts": {}}, "sealed.counts: must be a list, got {}"),
    (
        {**TICK, "type": "sealed", "counts": [["1", [2, "b"]]]},
        "sealed.counts[0][1][1]: must be a whole number, got 'b'",
    ),
    ({**TICK, "type": "ruled", "verdict": 5}, "ruled.verdict: must be a dict, got 5"),
    ({**TICK, "type": "ruled", "verdict": {"kind": "tie"}}, "ruled.verdict: lacks the field 'grey'"),
    ({**TICK, "type": "opened", "boot": "b", "setup": []}, "opened.setup: must be a dict, got []"),
    (
        {**TICK, "type": "opened", "boot": "b", "setup": {"a": float("nan")}},
        "event: must be JSON values, but Out of range float values",
    ),
    ({**TICK, "type": "opened", "boot": "b", "setup": {"a": b""}}, "event: must be JSON values, but b'' is none"),
]


@pytest.mark.parametrize(("document", "sentence"), WRONG_DOCUMENTS)
def test_a_wrong_document_is_one_sentence(document: object, sentence: str) -> None:
    """Each kind of wrong document names the place, what was given and what is allowed; none is read leniently."""
    with pytest.raises(CodecError) as caught:
        from_document(document)
    assert str(caught.value).startswith(sentence)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"v": 1', b"\xff\xfe\xff", "9" * 5_000])
def test_a_text_that_is_no_json_is_one_sentence(text: str | bytes) -> None:
    """Cut-off, hostile and binary texts raise CodecError and nothing else."""
    with pytest.raises(CodecError, match=r"^not a JSON document: "):
        decode(text)


@given(
    st.dictionaries(
        st.sampled_from(["v", "type", "at_ns", "station", "seq"]), PLAIN | st.sampled_from([1, 2, "Undone", "undone"])
    )
)
def test_any_document_is_an_event_or_a_sentence(document: dict[str, object]) -> None:
    """Whatever stands in a document, the answer is an event that writes back to it, or CodecError."""
    try:
        event = from_document(document)
    except CodecError:
        return
    assert to_document(event) == {**document, "v": 2, "type": stored_name(type(event))}


WRONG_EVENTS: list[tuple[Any, str]] = [
    (Tick(1.5), "tick.at_ns: must be a whole number, got 1.5"),  # type: ignore[arg-type]
    (Tick(10**5000), "tick: Exceeds the limit"),
    (Turned(1, True), "turned.steps: must be a whole number, got True"),
    (Linked(1, "d", 1), "linked.up: must be true or false, got 1"),  # type: ignore[arg-type]
    (Linked(1, "\ud800", True), "linked: 'utf-8' codec can't encode character"),
    (Paired(1, ("1",), True), "paired.stations: must be a list of 2, got ['1']"),  # type: ignore[arg-type]
    (Sealed(1, [("1", (1,))]), "sealed: Sealed(at_ns=1, counts=[('1', (1,))]) would come back as"),  # type: ignore[arg-type]
    (Ruled(1, None), "ruled.verdict: must be a dict, got None"),  # type: ignore[arg-type]
    (Opened(1, "b", {"a": (1, 2)}), "opened: Opened(at_ns=1, boot='b', setup={'a': (1, 2)}"),
    (Opened(1, "b", {"a": float("nan")}), "opened: Opened(at_ns=1, boot='b', setup={'a': nan}"),
    (Opened(1, "b", {"a": {1: 2}}), "opened: Opened(at_ns=1, boot='b', setup={'a': {1: 2}}"),
    (Opened(1, "b", {"a": {None}}), "opened: Opened(at_ns=1, boot='b', setup={'a': {None}}"),
    (Opened(1, "b", {"a": object()}), "opened: <object object at"),
    (5, "5 is no event"),
    (Half(Fraction(1)), "Half(points=Fraction(1, 1)"),
]


@pytest.mark.parametrize(("event", "sentence"), WRONG_EVENTS)
def test_nothing_is_written_that_could_not_be_read(event: Any, sentence: str) -> None:
    """An event with a field of a wrong type is refused at once, not found at the next start as a damaged journal."""
    with pytest.raises(CodecError) as caught:
        encode(event)
    assert str(caught.value).startswith(sentence)


WRONG_HALVES: list[tuple[object, str]] = [
    ({}, "Half: lacks the field 'points'"),
    ({"points": "1/0"}, "Half.points: must be a fraction as text, such as \"7/2\", got '1/0'"),
    ({"points": 3}, 'Half.points: must be a fraction as text, such as "7/2", got 3'),
    ({"points": "-1"}, "Half: points must not be negative"),
    ({"points": "1", "suit": "D"}, "Half.suit: 'D' is none of the values that it may have"),
    ({"points": "1", "suit": 5}, "Half.suit: must be a text, got 5"),
    ({"points": "1", "end": "x"}, "Half.end: 'x' is none of the values that it may have"),
    ({"points": "1", "shares": []}, "Half.shares: must be a dict, got []"),
    ({"points": "1", "shares": {"1": 2}}, "Half.shares[...]: must be a fraction as text"),
    ({"points": "1", "parts": {"1": [2, True]}}, "Half.parts[...][1]: must be a whole number, got "),
    ({"points": "1", "note": 1.5}, "Half.note: must be "),
    ({"points": "1", "note": {1, 2}}, "Half: must be JSON values, but {1, 2} is none"),
    ({"points": "-1", "suit": "H", "end": "call", "shares": {}, "note": None}, "Half: points must not be negative"),
]


@pytest.mark.parametrize(("document", "sentence"), WRONG_HALVES)
def test_wrong_settings_are_one_sentence(document: object, sentence: str) -> None:
    """Fractions, choices and a value's own checks are refused with their place."""
    with pytest.raises(CodecError) as caught:
        load(Half, document)
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


def test_wrong_values_are_not_dumped() -> None:
    """Fields of a wrong type are found when they are written."""
    for value, sentence in [
        (Half(3), "Half.points: must be a fraction as text"),  # type: ignore[arg-type]
        (Half(Fraction(1), suit="H"), "Half: Half(points=Fraction(1, 1), suit='H'"),  # type: ignore[arg-type]
        (Half(Fraction(1), end="x"), "Half.end: 'x' is none of the values that it may have"),  # type: ignore[arg-type]
        (Half(Fraction(1), shares={"1": 0.5}), "Half.shares[...]: must be a fraction as text"),  # type: ignore[dict-item]
    ]:
        with pytest.raises(CodecError) as caught:
            dump(Half, value)
        assert str(caught.value).startswith(sentence)


def test_what_taking_back_is_called_has_its_text() -> None:
    """Each decision's own; of those that nobody can take back there is none."""
    called = [f"undo.{kind.undo}" for kind in get_args(Decision) if kind not in (Undone, Redone)]
    known = {key for _, key in catalogue("en").keys}
    assert [key for key in called if key not in known] == []
    assert len(set(called)) == len(called)
    assert not hasattr(Undone, "undo")
