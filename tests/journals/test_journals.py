"""Evenings that earlier releases have played and written come back, in this one and in one with a tuned constant.

Each folder beside this file is a set, named by its place in the order and the commit that played and wrote it
(`record.py` says how). A change of what is stored adds a set; none is ever written again.
"""

from __future__ import annotations

import json
import lzma
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from referee.core.match.engine import Engine, JournalRow
from referee.core.model.events import Began, Rematched, Resumed
from referee.core.units import S
from referee.drivers.journal.writer import Journal
from tests.core.changed import CONSTANTS, RULES, changed, other_rule
from tests.journals.record import told

HERE = Path(__file__).parent
EVENINGS = sorted(path.relative_to(HERE).as_posix().removesuffix(".json") for path in HERE.glob("*/*.json"))
THOROUGH = bool(os.environ.get("JOURNALS"))
"""`JOURNALS=all`: every cut of every evening under every tuned constant; a quarter of an hour."""
NUMBERED = 15
"""From this set on a time out says which one on record it is."""
# Where a table stands without a sentence when only facts, and no decision since, say that it stood elsewhere: a journal
# does not tell, before set 11, what its release made of the last count.
CALM = ("LOBBY", "READY", "TIMEOUT", "COUNTING", "OVER", "POWER_BACK", "VERDICT", "STOPPED")


@cache
def rows(evening: str, folder: Path) -> tuple[JournalRow, ...]:
    """What this release's journal gives back of the file."""
    path = folder / evening.replace("/", "-") / "journal.db"
    path.parent.mkdir()
    path.write_bytes(lzma.decompress((HERE / f"{evening}.db.xz").read_bytes()))
    journal = Journal(path, boot="now")
    recovered = journal.take_recovered()
    assert journal.close()
    assert (recovered.note, dict(recovered.aside)) == ("", {})
    return recovered.rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files of this run are unpacked."""
    return tmp_path_factory.mktemp("journals")


def expected(evening: str) -> list[tuple[int, dict[str, Any]]]:
    """Of how many rows that release made what."""
    return [(end, then) for end, then in json.loads((HERE / f"{evening}.json").read_text(encoding="utf-8"))]


def back(kept: tuple[JournalRow, ...], end: int) -> tuple[Engine, dict[str, Any]]:
    """The table restored from so many rows, and what it is; it can also be resumed and shown."""
    engine = Engine.restored(kept[:end], release="now")
    found = told(engine.state)
    engine.intake([Resumed(7 * S, "now", 60)], 7 * S)
    engine.view(7 * S)
    assert not engine.take().aside
    return engine, json.loads(json.dumps(found))


def same_table(evening: str, then: dict[str, Any], now: dict[str, Any]) -> bool:
    """Every sealed hand, every seat and team, the settings; a new setting has its default.

    Every time out on record, too. Before set `NUMBERED` an answer that took another one's
    place may then stand beside it.
    """
    options = {**now["setup"]["options"], **then["setup"]["options"]} == now["setup"]["options"]
    setup = {**now["setup"], "options": {}} == {**then["setup"], "options": {}}
    noted = then.get("noted", now["noted"])  # before set 12 nothing was put on record beside the hands
    agreed = {**now["noted"]["agreed"], **noted["agreed"]} == now["noted"]["agreed"]
    left = iter(now["noted"]["timeouts"])
    timeouts = all(one in left for one in noted["timeouts"]) and not (number_of(evening) >= NUMBERED and [*left])
    same = {**now["noted"], "agreed": {}, "timeouts": []} == {**noted, "agreed": {}, "timeouts": []}
    noted_alike = agreed and timeouts and same
    return options and setup and noted_alike and all(then[part] == now[part] for part in ("hands", "seats", "teams"))


def number_of(evening: str) -> int:
    """The number of its set."""
    return int(evening.partition("-")[0])


def test_there_are_sets_of_this_format_and_of_five_earlier_ones() -> None:
    """A set a commit."""
    assert len({evening.partition("/")[0] for evening in EVENINGS}) >= 6


@pytest.mark.parametrize("evening", EVENINGS)
def test_an_evening_of_an_earlier_release_comes_back(evening: str, folder: Path) -> None:
    """Cut at many rows: the table, in its phase, or in a calm one with a sentence."""
    kept = rows(evening, folder)
    cuts = expected(evening)
    for end, then in cuts if THOROUGH else (cuts[len(cuts) // 2], cuts[-1]):
        engine, now = back(kept, end)
        assert same_table(evening, then, now), end
        same = (now["phase"], now["inner"]) == (then["phase"], then["inner"])
        assert same or engine.sentence, end


@pytest.mark.parametrize(("number", "constant", "value"), [(n, *constant) for n, constant in enumerate(CONSTANTS)])
def test_an_evening_of_an_earlier_release_outlives_a_tuned_constant(
    number: int, constant: str, value: int, folder: Path
) -> None:
    """Each constant with another evening, or all with all: nothing that was decided is lost."""
    for evening in EVENINGS if THOROUGH else [EVENINGS[number * 5 % len(EVENINGS)]]:
        kept = rows(evening, folder)
        cuts = expected(evening)
        for end, then in cuts if THOROUGH else cuts[len(cuts) // 2 :][:1]:
            with changed(constant, value):
                engine, now = back(kept, end)
            # What was another evening then would begin with the lobby: a match without a hand is not kept for it.
            begun_anew = constant == "ANOTHER_EVENING_S" and now["phase"] == "LOBBY" and not then["hands"]
            assert same_table(evening, {**then, "teams": now["teams"]} if begun_anew else then, now), (evening, end)
            calm = engine.sentence or now["phase"] in CALM
            assert now["phase"] == then["phase"] or calm, (evening, end)


@pytest.mark.parametrize(("number", "preset", "rule", "value"), [(n, *changed) for n, changed in enumerate(RULES)])
def test_an_evening_of_an_earlier_release_outlives_another_rule(
    number: int, preset: str, rule: str, value: object, folder: Path
) -> None:
    """A release that would count otherwise, end the match elsewhere, ask others: each sealed hand is there.

    Each rule with an evening of a match and another one, or all with all.
    """
    playing = [evening for evening in EVENINGS if expected(evening)[-1][1]["setup"]["preset"] == preset]
    matches = [evening for evening in playing if "bots" in evening]
    for evening in playing if THOROUGH else {matches[number % len(matches)], playing[number * 5 % len(playing)]}:
        kept = rows(evening, folder)
        cuts = expected(evening)
        begun = [event for _, event in kept if isinstance(event, Began | Rematched)]
        own = bool(begun) and all(rule in dict(event.rules) for event in begun)  # not a rule that came later
        for end, then in cuts if THOROUGH else (*cuts[len(cuts) // 3 :: 6], cuts[-1]):
            with other_rule(preset, rule, value):
                engine, now = back(kept, end)
            assert same_table(evening, then, now), (evening, end)
            calm = "at the knob" in engine.sentence or (not own and (engine.sentence or now["phase"] in CALM))
            assert now["phase"] == then["phase"] or calm, (evening, end)


def test_a_decision_to_which_the_rules_of_now_do_not_lead_is_told(folder: Path) -> None:
    """With five lives nobody would be out: the hands were played without her, and stand."""
    evening = "5-c0495d2/bots_31"
    end, then = expected(evening)[-1]
    with other_rule("31", "lives", 5):
        engine, now = back(rows(evening, folder), end)
    assert len(now["hands"]) == 7
    assert now["hands"] == then["hands"]
    assert engine.sentence
