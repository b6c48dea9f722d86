"""Stored names: what a journal calls things never changes, whatever happens to the classes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from hashlib import blake2b
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import NODEFAULT
from msgspec.structs import fields

import referee.core.phases.points  # noqa: F401 - no game of the house need use it
import tests.core.stored.test_codec  # noqa: F401 - says how Hypothesis draws an Edge and an Opened
from referee.core.match.state_document import state_from_document, state_to_document
from referee.core.model.events import Event
from referee.core.model.phase import BetweenHands, Listed, Phase, Play, Resting, UnderWay
from referee.core.model.registry import all_games
from referee.core.model.state import State
from referee.core.phases.race import Race
from referee.core.stored import oldnames
from referee.core.stored.codec import decode, encode, event_types, from_document, to_document
from referee.core.values import KINDS, Value, replace, stored, stored_name
from tests.core.sitting import Sitting
from tests.core.test_trouble import MOMENTS, at, verdict

all_games()
GOLDEN: dict[str, list[str]] = json.loads(
    (Path(__file__).parent.parents[1] / "vectors" / "stored-names.json").read_text(encoding="utf-8")
)
"""Stored name -> fields that were there when it was given out. A line is added with a new kind, and never changed."""
MISSING: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent.parents[1] / "vectors" / "stored-defaults.json").read_text(encoding="utf-8")
)
"""Stored name -> what each field says that a journal may lack. One that joins is written down, and none is changed."""
OURS = {name: kind for name, kind in KINDS.items() if kind.__module__.startswith("referee.")}
LEFT_BEHIND = ("undo", "redo", "menu", "toast")


def test_each_name_that_was_given_out_stands_and_each_new_one_is_written_down() -> None:
    """A renamed stored name fails here, and so does a kind that nobody wrote down."""
    assert sorted([*OURS, *oldnames.RENAMED]) == sorted(GOLDEN)


@pytest.mark.parametrize("name", GOLDEN)
def test_a_kind_keeps_its_fields_and_what_joined_has_a_default(name: str) -> None:
    """So that what was written with that name can be read, and may lack what came later."""
    kind = OURS[oldnames.RENAMED.get(name, name)]
    if issubclass(kind, Enum):
        assert [str(member.value) for member in kind] == GOLDEN[name]
        return
    fields = kind.__struct_encode_fields__
    assert set(GOLDEN[name]) - set(oldnames.MOVED.get(name, ())) <= set(fields)
    assert set(fields) - set(GOLDEN[name]) <= set(fields[len(fields) - len(kind.__struct_defaults__) :])


def test_what_a_journal_says_nothing_of_is_read_as_it_always_was() -> None:
    """Whoever changes what is usual changes what was played: a table that had not agreed on anything has now."""
    found = {name: usual for name, kind in OURS.items() if issubclass(kind, Value) and (usual := usual_values(kind))}
    assert found == MISSING


def usual_values(kind: type[Value]) -> dict[str, object]:
    """The fields of a kind that may be missing, and what they are then, as JSON has it.

    A phase that another one keeps is always written: it has a default because a field before it has one.
    """
    usual = {part.encode_name: part.default for part in fields(kind) if part.default is not NODEFAULT}
    made = {part.encode_name: part.default_factory for part in fields(kind) if part.default_factory is not NODEFAULT}
    every = usual | {name: make() for name, make in made.items()}
    return {name: plain(value) for name, value in every.items() if not isinstance(value, Phase)}


def plain(value: object) -> object:
    """A default as JSON has it."""
    match value:
        case Enum():
            return value.value
        case tuple() | frozenset():
            return [plain(part) for part in value]
        case Mapping():
            return dict(value)
    return value


def held(kind: type[Value]) -> Iterator[type]:
    """The classes that a value's hints name, and the subclasses of those."""
    open_, seen = [hint for name, hint in get_type_hints(kind).items() if name in kind.__struct_fields__], set[type]()
    if kind is State:
        open_ = [hint for name, hint in get_type_hints(kind).items() if name not in LEFT_BEHIND]
    while open_:
        hint = open_.pop()
        open_ += get_args(hint)
        if isinstance(hint, type) and issubclass(hint, Value | Enum) and hint not in seen:
            seen.add(hint)
            open_ += hint.__subclasses__()
            yield hint


def test_whatever_a_state_can_hold_has_a_name() -> None:
    """By the type hints, from the state on; a phase of a test's own game and the kinds of phases are no journal's."""
    known, fresh = set[type](), [State, *get_args(Event)]
    while fresh:
        kind = fresh.pop()
        if kind not in known and kind.__module__.startswith("referee."):
            known.add(kind)
            fresh += held(kind) if issubclass(kind, Value) else ()
    assert {kind for kind in known if stored_name(kind) is None} == {
        Phase,
        Play,
        Race,
        Resting,
        UnderWay,
        BetweenHands,
        Listed,
    }


def test_a_name_is_given_once() -> None:
    """Two kinds of one name could not be told apart."""
    with pytest.raises(TypeError, match="'tick' is the stored name of"):
        stored("tick")(Phase)
    assert stored_name(Phase) is None


@pytest.fixture
def renamed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every class that is stored is called otherwise and stands elsewhere."""
    were = {kind: (kind.__name__, kind.__qualname__, kind.__module__) for kind in OURS.values()}
    for number, kind in enumerate(were):
        monkeypatch.setitem(sys.modules, f"referee.elsewhere{number}", sys.modules[kind.__module__])
        kind.__name__ = kind.__qualname__ = f"Renamed{number}"
        kind.__module__ = f"referee.elsewhere{number}"
    yield
    for kind, (name, qualified, module) in were.items():
        kind.__name__, kind.__qualname__, kind.__module__ = name, qualified, module


MOMENT = at(verdict)
WRITTEN = [encode(event) for _, event in MOMENT.rows]
CARRIED = json.dumps(state_to_document(MOMENT.engine.state))


@pytest.mark.usefixtures("renamed")
def test_a_class_that_is_renamed_and_moved_changes_nothing_stored() -> None:
    """What is written is the same to the letter, and what was written is read."""
    assert [encode(event) for _, event in MOMENT.rows] == WRITTEN
    assert [decode(text) for text in WRITTEN] == [event for _, event in MOMENT.rows]
    assert json.dumps(state_to_document(MOMENT.engine.state)) == CARRIED
    assert state_to_document(state_from_document(json.loads(CARRIED))) == json.loads(CARRIED)


# -- every state, every event ------------------------------------------------------------------------------------------


def old(plain: Any, names: Mapping[str, str]) -> Any:
    """A document of a state as format 1 had it."""
    if isinstance(plain, list):
        return [old(part, names) for part in plain]
    if not isinstance(plain, dict):
        return plain
    return {key: names[part] if key in ("is", "enum") else old(part, names) for key, part in plain.items()}


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.__name__)
def test_a_state_of_each_phase_comes_back_in_either_format(moment: Callable[[], Sitting]) -> None:
    """But for what could be undone, the knob's list and the short answer."""
    table = at(moment)
    again = replace(table.engine.state, undo=None, redo=None, menu=None, toast=None)
    document = json.loads(json.dumps(state_to_document(table.engine.state)))
    assert state_from_document(document) == again
    names = {oldnames.RENAMED.get(name, name): place for place, name in oldnames.STATES.items()}
    before = replace(again, table=replace(again.table, calls=()))  # format 1 kept no calls
    document = json.loads(json.dumps(state_to_document(before)))
    assert state_from_document({"values": old(document["values"], names)}) == before


@pytest.mark.parametrize(("was", "name"), oldnames.EVENTS.items())
@settings(max_examples=5)
@given(data=st.data())
def test_an_event_of_format_1_is_read(was: str, name: str, data: st.DataObject) -> None:
    """By the name that its class had when that format was written."""
    event = data.draw(st.from_type(event_types()[name]))
    document = {**to_document(event), "v": 1, "type": was}
    assert from_document(document) == event


def test_the_old_names_are_those_of_the_last_release_that_wrote_them() -> None:
    """Frozen, to the letter: each names a kind that still is one, and the events are all that there were."""
    assert {oldnames.RENAMED.get(name, name) for name in oldnames.STATES.values()} <= set(OURS)
    assert set(oldnames.EVENTS.values()) <= set(event_types())
    assert len(oldnames.EVENTS) == 31
    told = json.dumps(sorted(oldnames.STATES.items()))
    assert blake2b(told.encode(), digest_size=8).hexdigest() == "a13eb54cd38db228"


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("TWO AT A TIME", "hint.two_at_a_time"),
        ("ALREADY A PAIR", "hint.already_pair"),
        ("END MATCH?", "ask.end_match"),
        ("FALSE CALL?", "ask.false_call"),
        ("TIE?", "ask.tie"),
        ("FIRST?", "ask.first"),
        ("VOID HAND?", "ask.void_hand"),
        ("END HAND?", "ask.end_hand"),
        ("NERTZ?", "ask.call"),
        ("BONUS?", "ask.bonus"),
        ("BONUS 9:8:8?", "ask.bonus"),
        ("NOT A 31?", "ask.not_a_31"),
        ("31?", "ask.31"),
        ("RIDE ON?", "ask.ride_on"),
        ("ask.tie", "ask.tie"),
    ],
)
def test_what_a_journal_says_in_english_is_read_by_its_key(said: str, key: str) -> None:
    """As releases before the catalogues have asked and hinted; a key stays what it is."""
    assert oldnames.key_of(said) == key


def test_what_has_another_name_now_is_found_under_it() -> None:
    """Call and verdict were one game's, reserves stood in the table of every game, questions were texts."""
    assert oldnames.RENAMED == {"nertz_called": "called", "nertz_verdict": "judged"}
    assert oldnames.MOVED == {"table": {"dealt": "own"}}
    assert oldnames.ASKED == {"KNOCK?": "knock", "31?": "31"}
    assert set(oldnames.TEXT_FIELDS) == {"question", "hint"}
