"""The host imports an evening on the page of a running table, in a real browser: `make browser`."""

from __future__ import annotations

from pathlib import Path

from tests.commands.house import texts
from tests.page.browser.axe import AXE, LOOKS, SIZES, judged
from tests.page.browser.chromium import Tab, chromium
from tests.page.browser.test_phones import SHOTS, pairs, running, shown_code, tap
from tests.page.test_imports import exported


async def chooses(tab: Tab, files: list[Path]) -> list[str]:
    """Choose these files, import them and return what the page says of each."""
    found = await tab.ask("Runtime.evaluate", expression="document.getElementById('import-files')")
    await tab.ask("DOM.setFileInputFiles", objectId=found["result"]["objectId"], files=[str(file) for file in files])
    await tap(tab, "#import button")
    await tab.until(f"document.querySelectorAll('#imported li').length === {len(files)}")
    return list(await tab.run("[...document.querySelectorAll('#imported li')].map(row => row.textContent)"))


async def test_the_host_imports_an_evening_and_a_broken_file_changes_nothing(tmp_path: Path) -> None:
    """Both matches are imported at once and shown in the history.

    axe-core finds no problem, if installed.
    """
    one, two, broken = [tmp_path / name for name in ("match-1.json", "match-2.json", "broken.json")]
    whole, other = await exported(tmp_path / "here")
    there = tmp_path / "there"
    for file, body in ((one, whole), (two, other), (broken, whole[:300])):
        file.write_bytes(body)
    async with running(there) as (address, table), chromium() as tab:
        await tab.size(390, 844, ratio=2, phone=True)
        await pairs(tab, address, await shown_code(table))
        await tab.ask("Page.navigate", url=f"{address}/history")
        await tab.until("document.readyState === 'complete' && location.pathname === '/history'")
        assert "No match has been played" in await tab.run("document.getElementById('past').innerText")
        sentence = "broken.json: this is no match that a referee has exported; nothing was changed"
        assert await chooses(tab, [broken]) == [sentence]
        assert not list((there / "records").glob("[0-9A-Z]*.json"))
        told = await chooses(tab, [one, broken, two])
        assert told == ["match-1.json: kept as match A1", sentence, "match-2.json: kept as match A2"]
        await tab.until("document.querySelectorAll('#past .matches a').length === 2")
        assert "No match has been played" not in await tab.run("document.body.innerText")
        before = texts(there / "records")
        told = await chooses(tab, [one])
        assert told == ["match-1.json: this match is here already, as match A1; nothing was changed"]
        assert texts(there / "records") == before
        wrong: dict[str, list[str]] = {}
        for size, (width, height, phone) in SIZES.items():
            await tab.size(width, height, phone=phone)
            for look in LOOKS:
                await tab.prefer(prefers_color_scheme=look)
                if AXE.exists() and (found := await judged(tab)):
                    wrong[f"{size} {look}"] = found
                if SHOTS:
                    await tab.picture(Path(SHOTS) / f"import-{size}-{look}.png", whole=True)
        assert wrong == {}
        await tap(tab, "#imported a")
        await tab.until("document.readyState === 'complete' && location.pathname === '/history/A1'")
        await tab.ask("Page.navigate", url=f"{address}/history")
        await tab.until("document.querySelectorAll('#past .matches a').length === 2")
        unwanted = ("400 (Bad Request)", "Cross-Origin-Opener")
        assert [trouble for trouble in tab.troubles() if not any(one in trouble for one in unwanted)] == []
    assert b"Anna" in texts(there)
