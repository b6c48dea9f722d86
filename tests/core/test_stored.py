"""Events, records and states as JSON: a round trip keeps them, and other input is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from enum import Enum
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import referee.core.phases.points  # its hand is stored, whichever games use it
import referee.hall.model  # noqa: F401 - a hall stores its decisions
from referee.core.games.nertz.settings import Playing
from referee.core.match.advance import advance
from referee.core.match.engine import Engine
from referee.core.model.events import (
    Began,
    Divided,
    Event,
    Linked,
    Opened,
    Paired,
    Rematched,
    Ruled,
    Sealed,
    Tick,
)
from referee.core.model.registry import all_games
from referee.core.model.state import Phase, State
from referee.core.model.table import Setup
from referee.core.presses.arbiter import CalledPress, Verdict
from referee.core.presses.signals import Edge
from referee.core.stored import (
    EVENTS,
    CodecError,
    decode,
    dump,
    encode,
    from_document,
    load,
    state_from_document,
    state_to_document,
    to_document,
)
from referee.core.units import S
from referee.core.values import Value, field, replace, stored_name
from referee.simulator.table.bots import Bots
from referee.simulator.table.evening import Evening
from tests.core.sitting import Sitting
from tests.core.test_trouble import MOMENTS, at

all_games()
NAMES: dict[str, list[str]] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "stored-names.json").read_text(encoding="utf-8")
)
"""Stored name -> fields of every kind of saved value."""
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


# -- names -------------------------------------------------------------------------------------------------------------


def kinds(base: type[Value]) -> Iterator[type[Value]]:
    """Yield every class of the program derived from `base`."""
    for kind in base.__subclasses__():
        if kind.__module__.startswith("referee."):
            yield kind
        yield from kinds(kind)


def test_stored_names_and_fields_are_as_written_down() -> None:
    """Saved evenings depend on them, so a change of this list is a change of the format."""
    named = {kind: name for kind in kinds(Value) if isinstance(name := stored_name(kind), str)}
    assert {name: [*kind.__struct_encode_fields__] for kind, name in named.items()} == NAMES
    assert len(named) == len(NAMES), "two classes have one name"


# -- events ------------------------------------------------------------------------------------------------------------


@given(st.one_of([st.from_type(kind) for kind in EVENTS.values()]))
def test_every_event_comes_back(event: Event) -> None:
    text = encode(event)
    assert decode(text) == decode(text.encode()) == from_document(json.loads(text)) == event
    assert to_document(event) == json.loads(text)
    assert [*json.loads(text)] == ["type", *type(event).__struct_fields__]
    assert text.isascii()
    assert "\n" not in text


def test_the_text_is_as_written_down() -> None:
    called = CalledPress("1", "5", 7, 2)
    verdict = Verdict("tie", True, ("1", "2"), "1", 20, 99, (called,), ((called, True),), ())
    assert encode(Paired(3, ("1", "2"), True)) == '{"type":"paired","at_ns":3,"stations":["1","2"],"together":true}'
    assert encode(Sealed(3, (("1", (28, 0)),))) == '{"type":"sealed","at_ns":3,"counts":[["1",[28,0]]]}'
    assert encode(Divided(3, (("1", Fraction(7, 2)),))) == '{"type":"divided","at_ns":3,"shares":[["1","7/2"]]}'
    late = {"type": "called_press", "team": "1", "station": "5", "t_ns": 7, "err_ns": 2, "clock": None}
    later = {"rel_err_ns": None, "shift_ns": 0, "old": False}
    assert json.loads(encode(Ruled(9, verdict)))["verdict"]["late"] == [[late | later, True]]


TICK = {"type": "tick", "at_ns": 1}
WRONG_DOCUMENTS: list[tuple[object, str]] = [
    ([], "an event is a JSON object with a type of opened, "),
    ({**TICK, "type": "setup"}, "an event is a JSON object with a type of opened, "),
    ({"type": "tick"}, "tick: lacks the field 'at_ns'"),
    ({**TICK, "by": 2}, "tick: unknown field 'by'"),
    ({**TICK, "at_ns": "1"}, "tick.at_ns: must be a whole number, got '1'"),
    ({**TICK, "at_ns": True}, "tick.at_ns: must be a whole number, got True"),
    ({**TICK, "at_ns": "x" * 99}, "tick.at_ns: must be a whole number, got '" + "x" * 56 + "..."),
    ({**TICK, "type": "linked", "link": "d", "up": 1}, "linked.up: must be true or false, got 1"),
    (
        {**TICK, "type": "resumed", "boot": "b", "away_s": "x"},
        "resumed.away_s: must be a whole number or nothing, got 'x'",
    ),
    (
        {**TICK, "type": "paired", "stations": ["1"], "together": True},
        "paired.stations: must be a list of 2, got ['1']",
    ),
    (
        {**TICK, "type": "sealed", "counts": [["1", [2, "b"]]]},
        "sealed.counts[0][1][1]: must be a whole number, got 'b'",
    ),
    ({**TICK, "type": "ruled", "verdict": {"kind": "tie"}}, "ruled.verdict: lacks the field 'grey'"),
    (
        {**TICK, "type": "ruled", "verdict": {"type": "tick"}},
        "ruled.verdict.type: 'tick' is none of the values that it may have",
    ),
    (
        {**TICK, "type": "opened", "boot": "b", "setup": {"a": float("nan")}},
        "opened: must be JSON values, but Out of range float values",
    ),
]


@pytest.mark.parametrize(("document", "sentence"), WRONG_DOCUMENTS)
def test_a_wrong_document_is_one_sentence(document: object, sentence: str) -> None:
    with pytest.raises(CodecError) as caught:
        from_document(document)
    assert str(caught.value).startswith(sentence)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        *((text, "not a JSON document: ") for text in ("", "{", "[" * 100_000, b"\xff\xfe\xff", "9" * 5_000)),
        ('{"type":"tick","at_ns":"1"}', "tick.at_ns: must be a whole number, got '1'"),
        ('{"type":"dealt"}', "an event is a JSON object with a type of opened, "),
    ],
)
def test_a_text_that_is_no_event_is_one_sentence(text: str | bytes, sentence: str) -> None:
    with pytest.raises(CodecError) as caught:
        decode(text)
    assert str(caught.value).startswith(sentence)


@given(
    st.dictionaries(
        st.sampled_from(["type", "at_ns", "station", "seq"]), PLAIN | st.sampled_from([1, 2, "undone", "cleared"])
    )
)
def test_any_document_is_an_event_or_a_sentence(document: dict[str, object]) -> None:
    try:
        event = from_document(document)
    except CodecError:
        return
    assert to_document(event) == document


WRONG_EVENTS: list[tuple[Any, str]] = [
    (Tick(1.5), "tick.at_ns: must be a whole number, got 1.5"),  # type: ignore[arg-type]
    (Tick(10**5000), "tick: Exceeds the limit"),
    (Linked(1, "\ud800", True), "linked: 'utf-8' codec can't encode character"),
    (Sealed(1, [("1", (1,))]), "sealed: Sealed(at_ns=1, counts=[('1', (1,))]) would come back as"),  # type: ignore[arg-type]
    (Opened(1, "b", {"a": float("nan")}), "opened: Opened(at_ns=1, boot='b', setup={'a': nan}"),
    (Opened(1, "b", {"a": object()}), "opened: <object object at"),
    (5, "5 is no event"),
    (Half(Fraction(1)), "Half(points=Fraction(1, 1)"),
]


@pytest.mark.parametrize(("event", "sentence"), WRONG_EVENTS)
def test_nothing_is_written_that_could_not_be_read(event: Any, sentence: str) -> None:
    with pytest.raises(CodecError) as caught:
        encode(event)
    assert str(caught.value).startswith(sentence)


# -- any value ---------------------------------------------------------------------------------------------------------


def test_values_come_back_from_their_documents() -> None:
    for note in ("text", 5, Half2((1, True)), (1, 2), None):
        half = Half(Fraction(7, 2), Suit.SPADES, "stuck", {"1": Fraction(3)}, {"1": (2,)}, note)
        written = dump(Half, half)
        assert json.loads(json.dumps(written)) == written
        assert load(Half, written) == half
    usual: dict[str, Any] = {"suit": "H", "end": "call", "shares": {}, "parts": {}, "note": None}
    assert dump(Half, Half(Fraction(7, 2))) == {"points": "7/2", **usual}
    assert load(int | str, dump(int | str, 5)) == 5


# -- states ------------------------------------------------------------------------------------------------------------


def without_past(state: State) -> State:
    """Return the part of a state that a document keeps."""
    return replace(state, undo=None, redo=None, menu=None, toast=None)


def read_again(document: object) -> State:
    return state_from_document(json.loads(json.dumps(document)))


@cache
def states(preset: str) -> list[State]:
    """Return the states of a bots' match, one of 150."""
    rows: list[tuple[int, Event]] = []
    Evening(Setup(preset), Bots(["1", "2", "3"], 5, pace_percent=20), journal=rows.extend).play(1)
    (seq, opened), *events = rows
    assert isinstance(opened, Opened)
    found = [Engine(opened, seq - 1).state]
    for _, event in events:
        found.append(advance(found[-1], event).state)
    return found[::150]


@pytest.mark.no_cover
@pytest.mark.parametrize("preset", ["racing-demon", "31", "snap", "spoons"])
def test_every_state_of_a_match_comes_back(preset: str) -> None:
    for state in states(preset):
        assert read_again(state_to_document(state)) == without_past(state)


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.__name__)
def test_a_state_of_each_phase_comes_back(moment: Callable[[], Sitting]) -> None:
    state = at(moment).engine.state
    document = state_to_document(state)
    assert read_again(document) == without_past(state)
    assert document["type"] == "state"
    assert document["phase"]["type"] == stored_name(type(state.phase))


@given(st.data())
def test_a_state_with_a_wrong_part_is_one_sentence(data: st.DataObject) -> None:
    inner = document = json.loads(json.dumps(state_to_document(at(data.draw(st.sampled_from(MOMENTS))).engine.state)))
    key: Any = data.draw(st.sampled_from([*inner]))
    while isinstance(inner[key], dict | list) and inner[key] and data.draw(st.booleans()):
        inner = inner[key]
        key = data.draw(st.sampled_from([*inner] if isinstance(inner, dict) else range(len(inner))))
    inner[key] = data.draw(PLAIN)
    try:
        state = state_from_document(document)
    except CodecError:
        return
    assert isinstance(state, State)


def changed(place: str, part: object) -> dict[str, Any]:
    """Return the document of a lobby's state with another part at that place."""
    document: dict[str, Any] = json.loads(json.dumps(state_to_document(Sitting().tap("1").engine.state)))
    *names, last = place.split(".")
    inner = document
    for name in names:
        inner = inner[name]
    inner[last] = part
    return document


def nested(depth: int) -> dict[str, Any]:
    """Return a vote nested to that depth."""
    phase: dict[str, Any] = {"type": "lobby", "asked_at_ns": 1}
    for _ in range(depth):
        phase = {"type": "vote", "asked_at_ns": 1, "inner": phase}
    return phase


WRONG_STATES: list[tuple[object, str]] = [
    ([], 'state: must be a dict whose key "type" names a stored State, got []'),
    ({"type": "state"}, "state: lacks the field 'boot'"),
    (changed("colour", "red"), "state: unknown field 'colour'"),
    (changed("phones", [["1", 7]]), "state.phones[0][1]: must be a text, got 7"),
    (changed("phase.type", "os.environ"), 'state.phase: must be a dict whose key "type" names a stored Phase, got '),
    (
        changed("phase", {"type": "called", "asked_at_ns": 1, "play": {"type": "lobby", "asked_at_ns": 1}}),
        'state.phase.play: must be a dict whose key "type" names a stored Race, got ',
    ),
    (changed("phase", nested(5_000)), "state: it is nested too deeply"),
    (changed("table.hands", [{"type": "nertz_hand"}]), "state.table.hands[0]: lacks the field 'end'"),
    (changed("table.setup.flavour", 3), "state.table.setup: unknown field 'flavour'"),
    (changed("table.setup.names", {"1": 3}), "state.table.setup.names[0][1]: must be a text, got 3"),
    (changed("table.joined", [["1", "1/0"]]), "state.table.joined[0][1]: must be a fraction as text"),
]


@pytest.mark.parametrize(("document", "sentence"), WRONG_STATES)
def test_a_wrong_state_is_one_sentence(document: object, sentence: str) -> None:
    with pytest.raises(CodecError) as caught:
        state_from_document(document)
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


class Stray(Phase):
    """A phase of no game, without a stored name."""


def test_a_state_that_could_not_be_read_is_not_written() -> None:
    state = Sitting().engine.state
    for wrong, sentence in [
        (replace(state, table=replace(state.table, hands=(Engine,))), "state: <class"),
        (replace(state, table=replace(state.table, hands=(Half2((1, True)),))), "state.table.hands[0]: must be a dict"),
        (replace(state, phase=Stray(1)), 'state.phase: must be a dict whose key "type" names a stored Phase'),
        (replace(state, address=1.5), "state.address: must be a text or nothing, got 1.5"),  # type: ignore[arg-type]
        (replace(state, away=["1"]), "state: State("),  # type: ignore[arg-type]
    ]:
        with pytest.raises(CodecError) as caught:
            state_to_document(wrong)
        assert str(caught.value).startswith(sentence)


def test_sets_in_a_state_are_sorted() -> None:
    state = at(MOMENTS[0]).engine.state
    document = state_to_document(replace(state, table=replace(state.table, absent=frozenset("736152849"))))
    assert document["table"]["absent"] == [*"123456789"]


def test_a_state_armed_for_no_team_comes_back() -> None:
    state = replace(Sitting().engine.state, phase=Playing(5))
    assert read_again(state_to_document(state)) == without_past(state)


def test_a_vote_on_a_decision_comes_back_with_it() -> None:
    table = Sitting().playing("1", "2").press("1").wait(1 * S).choose("False call")
    assert table.phase == "VOTE"
    state = table.engine.state
    assert state_from_document(state_to_document(state)).phase == state.phase
    assert table.reopened().engine.state.phase == state.phase
