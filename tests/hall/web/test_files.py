"""Printouts and exports of an event."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from referee.core.values import replace
from referee.hall.web import exports, printouts
from referee.hall.web.exports import as_bgstats, as_csv, as_json
from referee.language.words import speaking
from referee.web.drawing import font_paths
from tests.core.documents.test_bgstats import a_pair_beaten
from tests.hall.web.house import House, drawn, finished, house


def played(hall: House) -> None:
    """Play the first round of the event, and draw the second."""
    drawn(hall.store, hall.event)
    for seats in hall.store.event(hall.event).rounds[0]:
        finished(hall.store, hall.event, seats.table)
    drawn(hall.store, hall.event)


async def test_each_printout_is_a_pdf_that_does_not_change_by_itself(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        played(hall)
        for name in ("pairings-1", "slips-2", "standings", "results"):
            tags = []
            for _ in range(2):
                async with hall.client.get(f"/events/{hall.event}/{name}.pdf") as answer:
                    assert answer.content_type == "application/pdf"
                    assert (await answer.read()).startswith(b"%PDF-")
                    tags.append(answer.headers["ETag"])
            assert len(set(tags)) == 1
        await hall.text(f"/events/{hall.event}/pairings-3.pdf", 404)
        await hall.text("/events/77/standings.pdf", 404)


def test_printouts_show_every_name_in_letters_that_can_be_read() -> None:
    if not font_paths():
        pytest.skip("the font DejaVu is not installed")
    sheet = printouts.Sheet("x")
    assert sheet.written("Łukasz 🎉") == "Łukasz ☺"
    assert sheet.written("דנה Huber") == "הנד Huber"  # the order on paper, from left to right
    assert sheet.written("محمد").isascii()
    sheet.output()  # closes the font's files


async def test_printouts_without_the_font_have_latin_letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printouts, "font_paths", list)
    async with house(tmp_path) as hall:
        sheet = printouts.Sheet("x")
        assert sheet.written("דנה · Żaneta 🎉").isascii()
        assert printouts.standings_sheet(hall.store.event(hall.event)).startswith(b"%PDF-")


async def test_csv_has_a_row_for_each_entry_at_a_table(tmp_path: Path) -> None:
    async with house(tmp_path, names=("=cmd()", *"ABCDEFG")) as hall:
        played(hall)
        rows = list(csv.DictReader(io.StringIO(await hall.text(f"/events/{hall.event}/results.csv"))))
        assert len([row for row in rows if row["round"] == "1"]) == 8
        assert {row["reason"] for row in rows} == {"no device", ""}
        assert "'=cmd()" in {row["name"] for row in rows}
        winner = next(row for row in rows if row["points"] == "100")
        assert winner["place"] == "1"
        assert as_csv(hall.store.event(hall.event)).startswith("round,table,name,points,place")


async def test_json_has_entries_results_and_standings(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        played(hall)
        document = json.loads(await hall.text(f"/events/{hall.event}/results.json"))
        assert document["name"] == "Club night"
        assert len(document["entries"]) == len(document["standings"]) == 8
        assert json.loads(as_json(hall.store.event(hall.event))) == document


def test_bg_stats_joins_matches_and_knows_people_again() -> None:
    record = a_pair_beaten()
    again = replace(record, id="another", begun_s=record.begun_s)
    file = json.loads(as_bgstats("Club night", [record, again, replace(record, begun_s=None, ended_s=None)]))
    people = sum(len(team.players) for team in record.teams)
    assert len(file["players"]) == people
    assert len(file["plays"]) == 2
    ids = {player["id"] for player in file["players"]}
    for play in file["plays"]:
        assert {score["playerRefId"] for score in play["playerScores"]} == ids
        assert play["gameRefId"] == play["locationRefId"] == 1


async def test_exports_of_an_event_that_does_not_exist(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        for path in exports.ROUTES:
            ending = path.rpartition(".")[2]
            await hall.text(f"/events/55/results.{ending}", 404)
        with speaking("de"):
            assert printouts.results_sheet(hall.store.event(hall.event)).startswith(b"%PDF-")
