"""Documents changed at random are refused in one sentence or fully usable."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from referee import config
from referee.commands.score import lines
from referee.commands.terminal import terminal
from referee.config import ConfigError
from referee.core.cards.check import allowed_by
from referee.core.cards.legal import legal_moves
from referee.core.documents.chronicle import records
from referee.core.documents.course import summarize
from referee.core.documents.figures import figures
from referee.core.documents.match import account, score_document
from referee.core.documents.record import RecordError, forget_person, from_document, to_document
from referee.core.documents.trace import TraceError, document, rows_of, story
from referee.core.games.nertz.cards import card_rules
from referee.core.games.nertz.rules import PRESETS
from referee.core.model.registry import position_of
from referee.core.presses.arbiter import CallRules, arbitrate
from referee.core.reading import DocumentError, parse
from referee.core.units import S
from referee.core.values import Document
from referee.device.assembly import profile_of
from referee.language.words import speaking
from referee.page import evening_page as evening
from referee.page.photo_finish import finish, recorded_photo
from referee.page.request import macro
from referee.web import charts, exports
from tests.core.cards.tables import shuffled, walk
from tests.core.cards.written import nertz_document
from tests.core.evenings import played
from tests.core.games.lastone import test_play as lastone
from tests.core.games.slap import test_play as slap
from tests.core.games.thirtyone.test_record import evening as thirtyone

ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 10**14, 10**30, 1e308, "", "Anna", "ANNA", "\0", "\ud800", "x" * 300, "31", "spoons",
    [], {}, [[]], {"a": 1}, ["Anna", "Anna"],
)  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn, document: Any) -> Any:
    """The document with up to three parts deleted, duplicated, renamed or replaced by other parts or odd values."""
    whole = [copy.deepcopy(document)]
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(whole))
        holder, key = places[draw(st.integers(0, len(places) - 1))]
        odd = copy.deepcopy(draw(st.sampled_from(ODD)))
        change = draw(st.sampled_from(("replace", "move", "rename", "double", "delete")))
        if change == "rename" and isinstance(holder[key], str) and isinstance(odd, str):
            whole = json.loads(json.dumps(whole).replace(json.dumps(holder[key]), json.dumps(odd)))
        elif change == "move":
            other, at = places[draw(st.integers(0, len(places) - 1))]
            holder[key] = copy.deepcopy(other[at])
        elif change == "double" and isinstance(holder, list) and holder is not whole:
            holder.insert(key, copy.deepcopy(holder[key]))
        elif change == "delete" and holder is not whole:
            del holder[key]
        else:
            holder[key] = odd
    return whole[0]


def _places(part: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each part below this one: its container and its key or index."""
    inside = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in inside:
        yield part, key
        yield from _places(value)


def refused(error: ValueError) -> None:
    """Check for one sentence of readable length."""
    assert str(error).isprintable()
    assert len(str(error)) < 1000


@cache
def matches() -> list[Any]:
    """Return an exported match of each game."""
    slapped = slap.slapped(slap.dealt(target=3), "2", "1").tap("1", "2", "3").wait(S)
    slap.slapped(slapped, "1").hold("1").wait(S)
    pressed = lastone.pressed(lastone.dealt("pig", lives=1), s1=0, s2=100, s3=300).wait(9 * S)
    lastone.pressed(lastone.again(pressed), s2=0, s1=200).wait(9 * S)
    found = [records(rows, {1: 5})[0] for rows in (played(), thirtyone().rows, slapped.rows, pressed.rows)]
    return [json.loads(json.dumps(to_document(record))) for record in found if record is not None]


@settings(max_examples=60, deadline=None)
@given(st.deferred(lambda: st.sampled_from(matches()).flatmap(damaged)))
def test_a_changed_record_is_refused_or_used(changed: Any) -> None:
    """If used, it is kept, exported, shown in the history with figures and photo finishes, and forgotten."""
    try:
        record = from_document(parse(json.dumps(changed)))
    except (RecordError, DocumentError) as error:
        refused(error)
        return
    assert from_document(json.loads(json.dumps(to_document(record)))) == record
    match = summarize(record)
    exports.as_csv("1", record, "Home").encode()
    for person in record.people:
        forget_person(record, person)
    if record.begun_s is not None:
        exports.as_bgstats("1", record, "Home")
        exports.bgstats_link(record, "Home")
    with speaking("de"):
        shown = evening.match_values("1", record)
        "".join(macro("match_parts.html", part, shown) for part in ("standings", "hands", "notes", "curve")).encode()
        for found in figures([("1", match)]):
            macro("statistics_parts.html", "figures", evening.figures_values(found), False).encode()
        for call in (call for hand in record.hands for call in hand.calls):
            charts.svg(finish(recorded_photo(record, call), "call"))


@settings(max_examples=60, deadline=None)
@given(st.deferred(lambda: st.sampled_from([record["match"] for record in matches()]).flatmap(damaged)))
def test_a_changed_match_is_refused_or_scored(changed: Any) -> None:
    try:
        match = parse(json.dumps(changed))
        score_document(match)
        list(lines(account(match), terminal()))
    except DocumentError as error:
        refused(error)


@cache
def position() -> Document:
    """A hand in progress."""
    rules = PRESETS["nna"]
    *_, (_, last) = walk(shuffled(card_rules(rules, 3), 3, Random(4)), Random(5), 60)
    found: Document = json.loads(json.dumps(nertz_document(rules, last)))
    return found


@settings(max_examples=60, deadline=None)
@given(st.deferred(lambda: damaged(position())))
def test_a_changed_position_is_refused_or_has_moves(changed: Any) -> None:
    try:
        found = position_of(parse(json.dumps(changed)))
    except DocumentError as error:
        refused(error)
        return
    for team in range(len(found.teams)):
        for move in legal_moves(found, team):
            allowed_by(found, move)


TRACE: list[Document] = [
    {"station": "1", "closed": True, "t_ns": 7, "err_ns": 3, "arrived_ns": 9, "clock": "pod", "rel_err_ns": 1},
    {"station": "2", "closed": True, "t_ns": 8},
    {"station": "1", "closed": False, "t_ns": S},
]


@settings(max_examples=60, deadline=None)
@given(damaged(TRACE))
def test_a_changed_trace_is_refused_or_judged(changed: Any) -> None:
    rows: Sequence[Any] = changed if isinstance(changed, list) else [changed]
    try:
        verdicts = arbitrate(rows_of(map(json.dumps, rows)), CallRules())
    except TraceError as error:
        refused(error)
        return
    json.dumps(document(verdicts))
    story(verdicts).encode()


SETTINGS: Document = {
    "table": {"preset": "nna", "seats": 4, "hold_ms": 800, "agreement": True},
    "arbiter": {"max_err_ms": 10.0, "latency_ms": 30.0, "gpio_err_us": 300},
    "pins": {"profile": "full8", "moved": {"BUZZER": 12}, "sync_wire": False},
    "display": {"chip": "", "i2c_address": 60, "language": "de"},
    "web": {"listen": "0.0.0.0:8080", "read": "all"},
    "names": {"1": "Anna"},
    "rules": {"target": 150, "bonus": 10},
    "pods": {"lines": ["/dev/ttyACM0"], "contacts": {"e66141040b2c3f2a": ["1", "2", "knob"]}},
}


def as_toml(value: Any) -> str:
    """Return the value in TOML with inline objects; values that TOML lacks become empty texts."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {as_toml(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    return json.dumps("" if value is None or value == "\ud800" else value)


@settings(max_examples=60, deadline=None)
@given(damaged(SETTINGS).filter(lambda changed: isinstance(changed, dict)))
def test_changed_settings_are_refused_or_make_a_table(changed: Any) -> None:
    try:
        found = config.parse(tomllib.loads("\n".join(f"{json.dumps(k)} = {as_toml(v)}" for k, v in changed.items())))
        found.setup(tuple(profile_of(found).stations()))
    except ConfigError as error:
        refused(error)
