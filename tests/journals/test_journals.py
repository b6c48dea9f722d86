"""Each version from the first release on reads the recorded evenings and derives the same records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.core.documents.chronicle import records
from referee.core.documents.match import score_document
from referee.core.documents.record import from_document, read_trusted, to_document
from referee.core.match.engine import Engine
from referee.core.model.registry import all_games, presets
from referee.drivers.evenings.folder import read_evening
from tests.journals.record import GAMES, HERE, played, written


@pytest.mark.parametrize("game", GAMES)
def test_a_recorded_evening_is_read_and_follows_from_its_evidence(game: str) -> None:
    tape = read_evening(HERE / f"{game}.jsonl.gz")
    assert (tape.format, tape.damaged, tape.aside, tape.gaps) == (1, (), {}, ())
    Engine.derived(tape.rows)
    restored = Engine.restored(tape.rows)
    assert (restored.sentence, restored.state.phase.name) == ("", "OVER")
    (record,) = records(tape.rows, {})
    document = json.loads((HERE / f"{game}.json").read_text(encoding="utf-8"))
    assert to_document(record) == document
    assert from_document(document) == record


def test_an_evening_with_a_score_sheet_keeps_its_result() -> None:
    """Earlier versions sealed a count 3 s after it was done, and had other lists; the time of play may differ."""
    tape = read_evening(HERE / "nertz-sheet.jsonl.gz")
    assert Engine.restored(tape.rows).state.phase.name == "OVER"
    (record,) = records(tape.rows, {})
    before = from_document(json.loads((HERE / "nertz-sheet.json").read_text(encoding="utf-8")))
    assert (record.match, record.totals, record.winners) == (before.match, before.totals, before.winners)


def test_every_game_has_an_evening() -> None:
    assert {presets()[preset].FAMILY for preset, _ in GAMES.values()} == {game.FAMILY for game in presets().values()}
    assert len(GAMES) == len(all_games())


def test_the_recorder_writes_what_is_read(tmp_path: Path) -> None:
    rows = played("nertz")
    path = tmp_path / "2026-11-26_1930.jsonl"
    path.write_bytes(written(rows))
    assert list(read_evening(path).rows) == rows


def test_an_evening_before_draws_keeps_the_shares_of_its_ties() -> None:
    """Three callers shared 10 as 4:3:3, the first two times without a majority, so no shares were written."""
    tape = read_evening(HERE / "nertz-shares.jsonl.gz")
    Engine.derived(tape.rows)
    (record,) = records(tape.rows, {})
    document = json.loads((HERE / "nertz-shares.json").read_text(encoding="utf-8"))
    shares = {"Blue": 4, "Green": 3, "Red": 3}
    assert [hand.get("shares") for hand in document["match"]["hands"]] == [None, None, shares]
    for kept in (to_document(record), to_document(from_document(document)), to_document(read_trusted(document))):
        assert [kept[key] for key in ("totals", "winners")] == [document[key] for key in ("totals", "winners")]
        assert [hand["scores"] for hand in kept["hands"]] == [hand["scores"] for hand in document["hands"]]
        assert [hand["shares"] for hand in kept["match"]["hands"]] == [shares] * 3
    assert score_document(document)["totals"] == document["totals"] == {"Red": 69, "Blue": 72, "Green": 69}
