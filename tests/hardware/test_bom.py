"""The bills of materials count the schematics' parts, add up, and are complete."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from hardware.make import __main__ as command
from hardware.make import bom, catalogue, catalogue_rules, netlist, outputs
from hardware.make.catalogue import HARDWARE
from tests.hardware import bench


def read(name: str, root: Path = HARDWARE) -> list[dict[str, str]]:
    """Return the rows of a committed CSV."""
    with (root / "bom" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def pieces(rows: list[dict[str, str]], mpn: str, players: int) -> int:
    """Return the number of a part for that many players."""
    return sum(int(row[f"for_{players}"]) for row in rows if row["mpn"] == mpn)


def test_every_reference_of_the_schematic_is_listed_once() -> None:
    for name in outputs.PLAYERS:
        nets = netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch")
        listed = [ref for row in read(name) for ref in row["references"].replace("station ", "station_").split()]
        bought = sorted(ref for ref, part in nets.components.items() if part.bought)
        assert sorted(ref for ref in listed if not ref.startswith("station_")) == bought


def test_quantities_follow_the_number_of_players() -> None:
    """One more station is a button, two sockets, a lead, a plug, and four parts of its input."""
    rows = read("full8")
    parts = catalogue.load()
    for key, each in {"button": 1, "keystone": 2, "patch": 1, "xh4": 1, "r2k2": 1, "tvs": 1}.items():
        found = [pieces(rows, parts[key].mpn, players) for players in range(2, 9)]
        assert [b - a for a, b in pairwise(found)] == [each] * 6, key
    assert pieces(rows, parts["uln2803"].mpn, 2) == pieces(rows, parts["uln2803"].mpn, 8) == 1


def test_totals_leave_options_out() -> None:
    """The amplifier's header and a lamp are on the schematics' lists but not in the sum."""
    rows, parts = read("full8"), catalogue.load()
    optional = [row for row in rows if row["option"]]
    keys = {"amp_header", "xh7", "lamp", *parts.builds["full8"].option}
    assert {row["mpn"] for row in optional} == {parts[key].mpn for key in keys}
    price = next(name for name in rows[0] if name.startswith("eur_each_"))
    for players in range(2, 9):
        bought = [row for row in rows[:-1] if not row["option"]]
        spent = 0
        for row in bought:
            needed, pack = int(row[f"for_{players}"]), int(row["pack"])
            spent += round(float(row[price]) * 100) * pack * math.ceil(needed / pack)
        assert rows[-1][f"for_{players}"] == f"{spent / 100:.2f}"


def test_what_is_paid_for_is_whole_packs_and_postage() -> None:
    """Screws by the pack, a board house's five boards, a spool of filament.

    Each seller's postage.
    """
    rows = {row["mpn"]: row for row in read("full8")}
    parts = catalogue.load()
    for key, pack in {"screw_m3": 50, "carrier": 5, "petg": 20, "r1k": 10, "uln2803": 1}.items():
        assert int(rows[parts[key].mpn]["pack"]) == pack, key
    assert int(rows["postage"]["for_2"]) == parts.builds["full8"].once["postage"] >= 3
    assert bom.pieces_paid(11, 10) == 20


def test_a_cable_into_a_breadboard_needs_one_jack_a_station() -> None:
    """Its other end is cut and screwed in; the carrier's case has a second jack."""
    mpn = catalogue.load()["keystone"].mpn
    assert [pieces(read(name), mpn, 4) for name in ("full8", "direct4", "pod")] == [8, 4, 4]


def test_a_part_without_a_number_has_facts_to_choose_by() -> None:
    parts = catalogue.load()
    blank = replace(parts["pi"], choose="")
    said = list(catalogue_rules.complaints(replace(parts, items={**parts.items, "pi": blank})))
    assert said == ["parts.toml: 'pi' has no order number; it needs facts to choose by."]


def test_a_bigger_build_comes_from_more_sellers() -> None:
    parts = catalogue.load()
    pod = parts.builds["pod"]
    builds = {**parts.builds, "pod": replace(pod, once={**pod.once, "postage": 4})}
    said = list(catalogue_rules.complaints(replace(parts, builds=builds)))
    assert said == ["parts.toml: pod, direct4 and full8 come from [4, 4, 5] sellers; a bigger build has more."]


STATION = (
    "insert",
    "screw_m3",
    "screw_m3_flat",
    "bar",
    "rubber",
    "petg",
    "patch",
    "quick_connect",
    "keystone",
    "button",
)


def test_every_build_has_its_stations_parts() -> None:
    """One more player is one more station, printed, in each list; its price is in the totals."""
    parts = catalogue.load()
    per_station = {"insert": 4, "screw_m3": 3, "screw_m3_flat": 4, "rubber": 2, "petg": 4, "quick_connect": 2}
    for name, players in outputs.PLAYERS.items():
        rows = read(name)
        for key in STATION:
            found = [pieces(rows, parts[key].mpn, n) for n in players]
            jacks = 2 if (name, key) == ("full8", "keystone") else 1
            assert [b - a for a, b in pairwise(found)] == [per_station.get(key, jacks)] * (len(players) - 1), (
                name,
                key,
            )
            assert any(row["mpn"] == parts[key].mpn and not row["option"] for row in rows), (name, key)


def test_a_kit_of_many_shares_packs_and_postage() -> None:
    parts = catalogue.load()
    nets = {name: netlist.read(HARDWARE / "schematic" / f"{name}.kicad_sch") for name in ("full8", "station")}
    rows = bom.rows(nets["full8"], nets["station"], parts.builds["full8"])
    one, ten, hundred = (bom.kit_price(rows, parts, 4, kits) for kits in (1, 10, 100))
    assert one == pytest.approx(bom.total(rows, parts, 4))
    assert one > ten > hundred
    pieces = sum(parts[row.key].price * row.quantity(4) for row in rows if not row.option and row.key != bom.POSTAGE)
    assert pieces <= hundred < 1.02 * pieces


def test_the_guide_says_the_lists_prices() -> None:
    """The range of each build's totals, to the next five euros."""
    guide = (HARDWARE / "README.md").read_text(encoding="utf-8")
    for name, title in (("pod", "Pod"), ("direct4", "Breadboard"), ("full8", "Heirloom")):
        totals = [float(text) for column, text in read(name)[-1].items() if column.startswith("for_")]
        least, most = (5 * round(total / 5) for total in (min(totals), max(totals)))
        assert f"| €{least} to €{most} |" in next(line for line in guide.splitlines() if f"[{title}](#" in line)


def test_a_part_taken_from_the_list_is_missed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = bench.copy(tmp_path)
    path = root / "bom" / "direct4.csv"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if "ULN2803AN" not in line]
    assert len(kept) == len(lines) - 1
    path.write_text("".join(kept), encoding="utf-8")
    assert command.main(["--check", "--pure", "--root", str(root)]) == 1
    said = capsys.readouterr().out
    assert "bom/direct4.csv: column for_4 lists" in said
    sums = re.search(r"bom/direct4.csv: column for_2 adds up to ([\d.]+), and says ([\d.]+)\.", said)
    assert sums
    assert float(sums[2]) - float(sums[1]) == pytest.approx(catalogue.load()["t_uln2803"].price)


def test_every_part_of_the_catalogue_is_bought_somewhere() -> None:
    """Unused parts are an error; every part has its purpose and its replacement."""
    listed = {row["mpn"] for name in outputs.PLAYERS for row in read(name)}
    for key, item in catalogue.load().items.items():
        assert item.mpn in listed, key
        assert item.why, key
        assert item.substitutes, key
        assert item.price > 0, key


def test_a_mistake_in_the_catalogue_is_one_sentence(tmp_path: Path) -> None:
    root = bench.copy(tmp_path)
    path = root / "bom" / "parts.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("[part.r100]\n", '[part.r100]\ncolour = "blue"\n'), encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"^parts.toml: unknown key 'colour' in part 'r100'; allowed are bridged, choose, code, "
    ):
        catalogue.load(root)
    path.write_text(text.replace("spacer = 1", "spacers = 1"), encoding="utf-8")
    with pytest.raises(ValueError, match="build 'full8' needs 'spacers', which is no part of the catalogue"):
        catalogue.load(root)
