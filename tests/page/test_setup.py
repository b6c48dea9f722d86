"""The set-up on the page: everyone reads it, the host changes it; the house's own presets."""

from __future__ import annotations

from pathlib import Path

from referee.core.model.registry import presets
from referee.device.phones.pairing import MOST_HOUSES, HouseBook, HousePreset
from tests.core.sitting import BREATH_NS
from tests.device.test_phones import SCRIPT, Party, party
from tests.page.lines import read, table


async def seen(table: Party, path: str, cookie: str = "") -> str:
    """Return a page as that phone sees it."""
    status, text = await table.get(path, cookie)
    assert status == 200, text
    return str(text)


async def test_every_preset_stands_there_with_each_option_and_its_source() -> None:
    async with table() as (client, _):
        for name, game in presets().items():
            text = await read(client, f"/setup/{name}")
            for option in game.OPTIONS:
                assert f'<dt id="{option.name}">' in text
            assert "<form" not in text
        assert "There are no such rules here." in await read(client, "/setup/poker", status=404)
        text = await read(client, "/setup")
        assert all(f'href="/setup/{name}"' in text for name in presets())
        async with client.get("/api/setup") as answer:
            assert answer.status == 503


async def test_options_stand_there_as_the_knob_s_list_has_them(tmp_path: Path) -> None:
    """Also the option's name in a settings file.

    A value that the list does not have is shown unchanged.
    """

    async with party(tmp_path) as table:
        host = await table.phone()
        await table.post("/api/set", {"setting": "target", "value": 333}, host)
        text = await seen(table, "/setup?language=de", host)
        for said in ("Ziel: 333", "In der Luft: zählt", "Legezwang: ja", ">brennen</option>"):
            assert said in text
        for typed in ("<code>target = 333</code>", "<code>in_flight = lands</code>", 'value="burn"'):
            assert typed in text


async def test_an_option_that_changes_nothing_is_not_offered(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        host = await table.phone()
        await table.post("/api/set", {"setting": "preset", "value": "ligretto"}, host)
        await table.post("/api/set", {"setting": "turn", "value": 1}, host)
        text = await seen(table, "/setup", host)
        for name in ("river_transfer", "tiebreak_teams", "turn_order", "jokers", "king_bonus"):
            assert f'id="{name}"' not in text
        for name in ("river", "tiebreak", "turn", "bonus"):
            assert f'id="{name}"' in text
        assert 'id="turn_order"' in await seen(table, "/setup/ligretto", host)


async def test_the_host_changes_what_is_played_and_others_read_it(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        host, guest = await table.phone(), await table.phone()
        for cookie, forms in ((host, True), (guest, False), ("", False)):
            assert ("<form" in await seen(table, "/setup", cookie)) is forms
        assert (await table.post("/api/set", {"setting": "preset", "value": "pagat"}, host))[0] == 200
        status, told = await table.post("/api/set", {"setting": "target", "value": 250}, host)
        assert (status, told["preset"], told["options"]["target"]) == (200, "pagat", 250)
        for setting, value in (("target", -1), ("preset", "poker"), ("nonsense", 1), ("language", "fr")):
            status, told = await table.post("/api/set", {"setting": setting, "value": value}, host)
            assert status == 409
            assert told["error"].startswith("option ")
        setup = table.sitting.engine.state.table.setup
        assert (setup.preset, setup.options) == ("pagat", (("target", 250),))
        text = await seen(table, "/setup")
        assert '<dt id="target">Target: 250 <span class="source">(this table)</span></dt>' in text
        _, told = await table.get("/api/setup")
        assert (told["preset"], told["own"], told["lobby"]) == ("pagat", {"target": 250}, True)


async def test_in_a_match_a_change_of_the_hosts_asks_all(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        host = await table.phone()
        table.sitting.tap("1", "2").choose("Start").wait(BREATH_NS)
        assert (await table.post("/api/set", {"setting": "preset", "value": "pagat"}, host))[0] == 409
        status, told = await table.post("/api/set", {"setting": "target", "value": 50}, host)
        assert (status, told["asked"], told["options"]["target"]) == (200, True, 100)
        table.sitting.wait(BREATH_NS).tap("1", "2")
        assert table.sitting.engine.state.table.setup.options == (("target", 50),)
        assert "A match is on" in await seen(table, "/setup", host)


async def test_rules_of_the_house_are_kept_under_a_name_and_played_again(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        host = await table.phone()
        await table.post("/api/set", {"setting": "preset", "value": "pagat"}, host)
        await table.post("/api/set", {"setting": "bonus", "value": 5}, host)
        for name in ("Ours", SCRIPT):
            assert (await table.post("/api/house", {"act": "save", "name": name}, host))[0] == 200
        await table.post("/api/set", {"setting": "preset", "value": "nna"}, host)
        text = await seen(table, "/setup")
        assert "<b>Ours</b>" in text
        assert "&lt;script&gt;alert" in text
        assert "<script>" not in text
        assert (await table.post("/api/house", {"act": "use", "name": " ours "}, host))[0] == 200
        setup = table.sitting.engine.state.table.setup
        assert (setup.preset, setup.options) == ("pagat", (("bonus", 5),))
        assert (await table.post("/api/house", {"act": "forget", "name": "OURS"}, host))[0] == 200
        for act in ("use", "forget"):
            assert (await table.post("/api/house", {"act": act, "name": "Ours"}, host))[0] == 404
        assert (await table.post("/api/house", {"act": "save", "name": "  "}, host))[0] == 409
        assert [one.name for one in HouseBook(tmp_path / "houses.json").presets] == [SCRIPT]


async def test_a_house_preset_of_another_release_is_refused_where_it_cannot_be_played(tmp_path: Path) -> None:
    HouseBook(tmp_path / "houses.json").save(HousePreset("Old", "nna", {"target": -5}))
    HouseBook(tmp_path / "houses.json").save(HousePreset("Gone", "no-such", {}))
    async with party(tmp_path) as table:
        host = await table.phone()
        for name in ("Old", "Gone"):
            status, told = await table.post("/api/house", {"act": "use", "name": name}, host)
            assert status == 409
            assert told["error"].startswith("option ")
        assert "<b>Gone</b> (no-such)" in await seen(table, "/setup")


async def test_a_book_of_houses_that_cannot_be_read_is_empty_and_one_that_is_full_says_so(tmp_path: Path) -> None:
    """Torn, of another format or shape: no house presets."""
    path = tmp_path / "houses.json"
    for text in ("", "[]", '{"format": 9, "presets": []}', '{"format": 1, "presets": [{"name": "x"}]}'):
        path.write_text(text)
        assert HouseBook(path).presets == ()

    async with party(tmp_path) as table:
        host = await table.phone()
        for number in range(MOST_HOUSES + 1):
            table.desk._houses.save(HousePreset(f"House {number}", "nna", {}))  # type: ignore[union-attr]
        assert (await table.post("/api/house", {"act": "save", "name": "More"}, host))[0] == 409
        assert (await table.post("/api/house", {"act": "save", "name": "House 3"}, host))[0] == 200


async def test_what_is_no_setting_is_one_sentence(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        host = await table.phone()
        bodies: list[tuple[str, object]] = [
            ("/api/set", {"setting": 3, "value": 1}),
            ("/api/set", {"setting": "target", "value": None}),
            ("/api/set", {"setting": "target", "value": 10**30}),
            ("/api/set", {"setting": "target", "value": 2.5}),
            ("/api/house", {"act": "burn", "name": "Ours"}),
            ("/api/house", {"act": "save"}),
        ]
        for path, body in bodies:
            status, told = await table.post(path, body, host)
            assert status == 400, body
            assert told["error"].startswith('"')
