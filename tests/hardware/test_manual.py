"""The printed players' manual agrees with the program, and the PDFs with the pages."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from hardware.guide import manual, paper
from hardware.make import drawn
from hardware.make.catalogue import HARDWARE
from referee.config import Config
from referee.core.units import MS, S
from referee.language.words import LANGUAGES

GUIDE = HARDWARE / "guide"
PAGES = sorted(path.name for path in GUIDE.glob("*.html"))


def guide(tmp_path: Path) -> Path:
    """Copy the sources of the manual to a root."""
    (tmp_path / "enclosure").mkdir()
    shutil.copy(HARDWARE / "enclosure" / "parameters.toml", tmp_path / "enclosure")
    (tmp_path / "guide").mkdir()
    shutil.copy(GUIDE / "manual.toml", tmp_path / "guide")
    return tmp_path


def test_every_language_has_its_cards() -> None:
    """A page per language with five cards: one for the table, four for stations.

    The lid has all languages.
    """
    made = manual.files()
    assert sorted(made) == sorted([*(f"guide/card-{language}.html" for language in LANGUAGES), "guide/lid.html"])
    for language in LANGUAGES:
        page = made[f"guide/card-{language}.html"]
        assert re.findall(r'<article class="(\w+)"', page) == ["table", *["station"] * 4]
    assert re.findall(r'<article lang="(\w+)"', made["guide/lid.html"]) == list(LANGUAGES)


def test_a_changed_time_or_word_changes_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    before = manual.facts("de")
    assert (before["hold"], before["push"], before["leave"]) == ("0,8", "0,3", "2")
    assert (before["time_out"], before["undo"], before["left"]) == ("AUSZEIT", "Aufheben", "ÜBRIG")
    assert before["hold"] == f"{Config().table.hold_ms / 1000:g}".replace(".", ",")
    monkeypatch.setattr(manual, "KNOB_HOLD_NS", 450 * MS)
    monkeypatch.setattr(manual, "LONG_HOLD_NS", 3 * S)
    monkeypatch.setitem(manual.WORDS, "time_out", ("title", "title.tidy"))
    page = manual.files()["guide/card-de.html"]
    assert "0,45 s" in page
    assert "allein 3 s halten" in page
    assert "AUSZEIT" not in page


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "Hold {hold} s = no",
            "Hold 0.8 s = no",
            "guide/manual.toml, en: 'the screen asks you. Tap = yes, or one more. Hold 0.8",
        ),
        ("ist Drücken für {push} s {time_out}", "ist Drücken für {push} s AUSZEIT", "writes out 'AUSZEIT'; facts come"),
        ("{push} s, “{stuck}”", "{push} s, “{stock}”", "'{stock}' is no fact; they are hold, push, leave, time_out"),
        ('sign = "both"', 'sign = "three"', "'three' is no sign; they are dark, blinking, steady, both, knob."),
        ("[it]", "[fr]", "guide/manual.toml has en, de, fr; the display speaks en, de, it."),
    ],
)
def test_a_fact_that_is_written_out_is_refused(tmp_path: Path, before: str, after: str, said: str) -> None:
    root = guide(tmp_path)
    text = (root / manual.SOURCE).read_text(encoding="utf-8")
    assert before in text
    (root / manual.SOURCE).write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(manual.ManualError) as told:
        manual.load(root)
    assert said in str(told.value)


# -- output of other programs ------------------------------------------------------------------------------------------


def test_nothing_was_left_behind() -> None:
    assert list(drawn.left_behind(HARDWARE)) == []
    assert [path.name for path in paper.pages()] == PAGES
    assert {"guide.html", "lid.html", "card-en.html"} <= set(PAGES)


def copied(tmp_path: Path) -> Path:
    """Copy the guide with everything that it shows."""
    root = tmp_path / "hardware"
    for name in ("guide", "wiring", "enclosure/drawings", "prints", "builds"):
        shutil.copytree(HARDWARE / name, root / name)
    for name in (
        "README.md",
        "trouble.md",
        "everyone.md",
        "enclosure/parameters.toml",
        "enclosure/presets.toml",
        "enclosure/parts.json",
    ):
        shutil.copy(HARDWARE / name, root / name)
    (tmp_path / "docs").mkdir()
    shutil.copy(HARDWARE.parent / "docs" / "display.png", tmp_path / "docs")
    return root


def test_what_was_left_behind_is_named(tmp_path: Path) -> None:
    root = copied(tmp_path)
    (root / "guide" / "guide.pdf").unlink(missing_ok=True)  # only a release has it
    assert list(drawn.left_behind(root)) == []
    with (root / "README.md").open("a", encoding="utf-8") as file:
        file.write("one line more\n")
    with (root / "guide" / "pictures" / "the-set.png").open("ab") as picture:
        picture.write(b"another picture")
    (root / "guide" / "card-de.pdf").unlink()
    assert list(drawn.left_behind(root)) == [
        "hardware/guide/guide.html is not of today's text; run `make hardware`.",
        "hardware/guide/card-de.pdf is missing; run `make hardware`.",
    ]
    path = root / "enclosure" / "parameters.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("bed_mm = 220.0", "bed_mm = 221.0"), encoding="utf-8")
    found = list(drawn.left_behind(root))
    assert "hardware/enclosure/parts.json was made from other parameters; run `make hardware`." in found
    assert "hardware/guide/pictures/heirloom-9-knob.png was made from other parameters; run `make hardware`." in found
