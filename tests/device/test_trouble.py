"""A device that cannot start reports why on its display and to the service manager, without restarting in a loop."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cli import main
from referee.config import Config, ConfigError, load, salvage
from referee.device import assembly, trouble
from referee.drivers.oled.panel import OledPanel
from referee.drivers.systemd import Notifier
from referee.screens.dialogs import draw_trouble, pages
from tests.drivers.oled.fake import FakeSerial

WRONG = '[display]\nchip = "sh1106"\nlanguage = "de"\n[table]\npreset = "canasta"\n'


class Told(Notifier):
    """A service manager that has started this process, and the messages it received."""

    def __init__(self) -> None:
        super().__init__({})
        self.lines: list[str] = []

    def _send(self, *lines: str) -> bool:
        self.lines += lines
        return True


@pytest.fixture
def glass(monkeypatch: pytest.MonkeyPatch) -> FakeSerial:
    """A display that is found with any configuration."""
    serial = FakeSerial("sh1106")
    monkeypatch.setattr(assembly, "pin_factory", lambda simulate, config: None)
    monkeypatch.setattr(assembly, "panel", lambda config, wiring, factory: lambda: OledPanel(serial, "sh1106"))
    return serial


def wrong(path: Path) -> tuple[Path, str]:
    """A configuration with an unknown preset, and the error message."""
    file = path / "referee.toml"
    file.write_text(WRONG)
    with pytest.raises(ConfigError) as refused:
        load(file)
    return file, str(refused.value)


def test_a_wrong_configuration_is_on_the_display_until_the_file_changes(
    tmp_path: Path, glass: FakeSerial, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message is in the file's own language. Status 2 makes the service manager restart it."""
    file, sentence = wrong(tmp_path)
    shown: list[bytes] = []

    class Stopping(threading.Event):
        looks = 0

        def wait(self, timeout: float | None = None) -> bool:
            self.looks += 1
            assert sign[0]._display is not None
            assert sign[0]._display.settle(60)
            shown.append(glass.memory.picture().tobytes())
            if self.looks == 3:
                file.write_text(WRONG.replace("canasta", "nna"))
            return False

    sign: list[trouble.Sign] = []
    whole = trouble.Sign

    def noted(*args: Any) -> trouble.Sign:
        sign.append(whole(*args))
        return sign[0]

    monkeypatch.setattr(trouble, "Sign", noted)
    told = Told()
    assert trouble.stand(sentence, file, Stopping(), told) == 2
    assert len(shown) == 3
    assert shown[0] == draw_trouble(sentence, 0, (128, 64), "de").tobytes()
    assert glass.memory.lit
    assert told.lines[0] == "READY=1"
    assert "canasta" in told.lines[1]
    assert "WATCHDOG=1" in told.lines


def test_it_ends_well_when_it_is_told_to_and_by_itself_after_a_minute(tmp_path: Path, glass: FakeSerial) -> None:
    """Stopping it gives 0; after a minute a trouble outside the file may be over."""
    file, sentence = wrong(tmp_path)
    waited: list[float] = []

    class Stopping(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waited.append(timeout or 0)
            return self.is_set()

    stopping = Stopping()
    assert trouble.stand(sentence, file, stopping, Told()) == 2
    assert sum(waited) == pytest.approx(trouble.AGAIN_S)
    stopping.set()
    assert trouble.stand(sentence, file, stopping, Told()) == 0


def test_without_any_display_it_stands_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(simulate: bool, config: Config) -> Any:
        raise ConfigError("there are no pins here")

    monkeypatch.setattr(assembly, "pin_factory", none)
    stopping, told = threading.Event(), Told()
    stopping.set()
    assert trouble.stand("the sentence", tmp_path / "nowhere.toml", stopping, told) == 0
    assert told.lines[:2] == ["READY=1", "STATUS=cannot start: the sentence"]


@pytest.mark.parametrize("managed", [True, False])
def test_at_a_terminal_it_is_one_sentence_and_2_as_ever(
    managed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only a child of a service manager stays."""
    file, sentence = wrong(tmp_path)
    stood: list[tuple[str, Path]] = []

    def stand(sentence: str, path: Path) -> int:
        stood.append((sentence, path))
        return 2

    monkeypatch.setattr(trouble, "stand_until_told", stand)
    if managed:
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "socket"))
    assert main(["run", "--config", str(file), "--state", str(tmp_path / "state")]) == 2
    assert stood == ([(sentence, file)] if managed else [])
    assert (sentence in capsys.readouterr().err) is not managed
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    ("text", "chip", "language"),
    [
        (WRONG, "sh1106", "de"),
        ("[display]\nchip = 7\n[pins]\nprofile = 'direct4'\n", "", "en"),
        ("[displ", "", "en"),
        ("display = 3\n", "", "en"),
        ("\x00", "", "en"),
    ],
)
def test_what_a_wrong_file_still_says_of_the_display_counts(
    text: str, chip: str, language: str, tmp_path: Path
) -> None:
    """The rest has its defaults; it never raises."""
    file = tmp_path / "referee.toml"
    file.write_text(text)
    found = salvage(file).display
    assert (found.chip, found.language) == (chip, language)
    assert salvage(tmp_path / "nowhere") == salvage(None) == Config()


@given(st.text(min_size=1, max_size=400), st.sampled_from([(128, 64), (256, 64)]), st.sampled_from(["en", "de", "it"]))
def test_every_word_of_a_sentence_is_on_some_page(sentence: str, size: tuple[int, int], language: str) -> None:
    shown = pages(sentence, size)
    assert (
        "".join("".join(page) for page in shown).replace(" ", "").replace("-", "")
        == "".join(sentence.split()).replace("-", "")
        or not sentence.isprintable()
    )
    assert all(len(line) * 6 <= size[0] for page in shown for line in page)
    for page in range(len(shown) + 1):
        assert draw_trouble(sentence, page, size, language).size == size
