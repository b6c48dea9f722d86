"""`referee score`: its output, and one sentence if there is nothing to score."""

from __future__ import annotations

import io
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from referee.commands import score
from referee.commands.terminal import UsageError
from tests.commands import house

MATCH: dict[str, Any] = {
    "preset": "nna",
    "options": {"bonus": 5, "target": 40},
    "teams": ["Red", "Blue", "Gold"],
    "hands": [
        {"end": "call", "callers": ["Red", "Blue"], "counts": {"Red": [28, 0], "Blue": [15, 0], "Gold": [2, 9]}},
        {"end": "stuck", "counts": {"Red": [8, 2], "Blue": [9, 4]}},
    ],
}
parsed = partial(house.parsed, score, "score")


def written(directory: Path, document: object) -> str:
    """Write that document to a file."""
    path = directory / "match.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def refusal(*argv: str) -> str:
    """Return the error message."""
    with pytest.raises(UsageError) as caught:
        score.run(parsed(*argv))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_json_is_the_result_document_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert score.run(parsed(written(tmp_path, MATCH), "--json")) == 0
    out, err = capsys.readouterr()
    assert err == ""
    result = json.loads(out)
    assert list(result) == ["hands", "totals", "ranks", "over", "winners", "tiebreak", "settlement"]
    assert result["totals"] == {"Red": 34.5, "Blue": 18.5, "Gold": -16}


def test_people_get_a_table_in_the_order_of_places(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row per team, a column per hand, halves as ½, a dash for a skipped hand."""
    assert score.run(parsed(written(tmp_path, MATCH))) == 0
    assert capsys.readouterr().out.splitlines() == [
        "              #1     #2   total",
        "  1  Red     30½      4     34½",
        "  2  Blue    17½      1     18½",
        "  3  Gold    -16      -     -16",
        "Not over yet.",
    ]


def test_the_winner_and_the_payments_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = {"target": 20, "settlement": "difference", "tiebreak": "share"}
    score.run(parsed(written(tmp_path, {**MATCH, "options": options, "hands": MATCH["hands"][:1]})))
    assert capsys.readouterr().out.splitlines()[-4:] == [
        "Over: Red won.",
        "Red gets 57",
        "Blue pays 13",
        "Gold pays 44",
    ]


def test_standard_input_is_a_match_too(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """MATCH may be -; a byte order mark is ignored."""
    raw = b"\xef\xbb\xbf" + json.dumps(MATCH).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    assert score.run(parsed("-", "--json")) == 0
    assert json.loads(capsys.readouterr().out)["over"] is False
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[]")))
    assert refusal("-") == "referee score: standard input: the document: [] is given, allowed is an object"


def test_a_terminal_without_the_signs_gets_question_marks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    assert score.run(parsed(written(tmp_path, {"preset": "nna", "teams": ["Jörg", "Zoé"], "hands": []}))) == 0
    out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    assert b"J?rg" in out.buffer.getvalue()
