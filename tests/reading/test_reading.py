"""The pictures for readers can be made at any time: every sample is there, and both evenings go as their keys say."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from tests.reading import __main__ as reading
from tests.reading import evening
from tests.reading.fifty import FIFTY
from tests.reading.pictures import seen
from tests.screens.samples import samples
from tests.tapes.play import TapeFailedError


def test_fifty_samples_are_asked_about_each_once() -> None:
    assert len(FIFTY) == 50 == len({asked.sample for asked in FIFTY})
    assert {asked.sample for asked in FIFTY} <= samples().keys()
    assert all(part.strip() for asked in FIFTY for part in asked)


@pytest.mark.parametrize("name", evening.names())
def test_an_evening_goes_as_its_key_says(name: str) -> None:
    """What is right is what the script does next: otherwise the table would not be where it says."""
    shots = list(evening.shots(name))
    assert len(shots) > 40
    assert all(shot.happened and shot.right for shot in shots)
    assert shots[-1].view.phase == "OVER"


def test_an_evening_whose_right_act_is_left_out_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (evening.HERE / "evening1.evening").read_text(encoding="utf-8")
    (tmp_path / "evening1.evening").write_text(text.replace("+0.05   2 down\n", "", 1), encoding="utf-8")
    monkeypatch.setattr(evening, "HERE", tmp_path)
    with pytest.raises(TapeFailedError, match="verdict clear 2"):
        list(evening.shots("evening1"))


def test_a_moment_without_a_key_is_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "short.evening").write_text("table nna\n? You sit down.\n+1 2 tap\n", encoding="utf-8")
    monkeypatch.setattr(evening, "HERE", tmp_path)
    with pytest.raises(ValueError, match="no line with !"):
        list(evening.shots("short"))


def test_the_reader_s_sheet_has_every_number_and_no_answer(tmp_path: Path) -> None:
    folder = tmp_path / "evening1"
    folder.mkdir()
    reading.pictured("evening1", folder, "en")
    shots = list(evening.shots("evening1"))
    asked, key = ((folder / name).read_text(encoding="utf-8") for name in ("questions.md", "key.md"))
    assert len(list(folder.glob("*.png"))) == len(shots)
    for number, shot in enumerate(shots, 1):
        assert f"\n{number}. {shot.happened}\n" in asked
        assert f"{number}. {shot.right}\n" in key
        assert shot.right not in asked


def test_a_picture_is_as_sharp_as_the_eye_and_no_sharper() -> None:
    """Nothing but grey edges is added: dark stays dark, lit strokes stay lit, and one pixel is no hard square."""
    picture = seen(samples()["verdict-clear"])
    assert picture.size == (128 * 8 + 48, 64 * 8 + 48)
    greys = sum(picture.histogram()[40:216])
    assert picture.getextrema() == (0, 255)
    assert greys > picture.width * picture.height // 50
    assert isinstance(picture, Image.Image)
