"""The wheel runs a simulated table without the repository and without the libraries that only a Pi needs."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from hatchling.builders.wheel import WheelBuilder

from referee.core.names import LANGUAGES
from systemd.debian.contents import ROOT

RUN = """
import sys
sys.path[:] = [sys.argv.pop(1), *(place for place in sys.path if place != sys.argv[1])]
del sys.argv[1]
sys.modules["gpiod"] = sys.modules["spidev"] = None
from referee.cli import main
sys.exit(main())
"""
"""Program that runs the wheel's command. Arguments: the unpacked wheel, the repository, and the command's own."""
TEXTS = re.compile(r">([^<>]+)<")
LINKS = re.compile(r'(?:src|href)="(/[^"?]*)"')


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with zipfile.ZipFile(built) as wheel:
        wheel.extractall(folder / "unpacked")
    return folder / "unpacked"


@pytest.fixture(scope="module")
def address(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a simulated table's page, without a slash at its end."""
    words = ["run", "--simulate", "--listen", "127.0.0.1:0", "--state", "state"]
    command = [sys.executable, "-I", "-c", RUN, str(unpacked), str(ROOT), *words]
    with subprocess.Popen(command, cwd=tmp_path_factory.mktemp("home"), stdout=subprocess.PIPE, text=True) as table:
        assert table.stdout is not None
        found = re.search(r"http://\S+:\d+", table.stdout.readline())
        assert found is not None
        yield found[0]
        table.terminate()


def read(address: str) -> str:
    """Return the text that answers there."""
    with urlopen(address) as answer:
        text: str = answer.read().decode()
    return text


def test_every_file_of_the_program_is_in_it(unpacked: Path) -> None:
    sources = (path for path in (ROOT / "referee").rglob("*") if path.is_file() and path.suffix != ".pyc")
    assert [path for path in sources if not (unpacked / path.relative_to(ROOT)).exists()] == []
    assert not [
        path
        for path in unpacked.iterdir()
        if path.name not in ("referee", "gpiozero_gpiod") and path.suffix != ".dist-info"
    ]


def test_its_page_and_all_that_it_links_answer(address: str) -> None:
    links = {link for link in LINKS.findall(read(f"{address}/")) if link != "/"}
    assert {"/table.css", "/table.js", "/icon.svg"} < links
    assert all(read(address + link) for link in links)


def test_its_page_has_the_words_of_every_language(address: str) -> None:
    words = {language: set(TEXTS.findall(read(f"{address}/?language={language}"))) for language in LANGUAGES}
    for language in set(LANGUAGES) - {"en"}:
        assert len(words[language] - words["en"]) > 5


def test_the_pin_factory_is_a_package_of_its_own(unpacked: Path, tmp_path: Path) -> None:
    """Its wheel has the same modules as ours, and names the factory to gpiozero."""
    folder = ROOT / "gpiozero_gpiod"
    (built,) = WheelBuilder(str(folder)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(built) as wheel:
        wheel.extractall(tmp_path)
    modules = {path.name: path.read_bytes() for path in folder.glob("*.py")}
    for place in (tmp_path, unpacked):
        files = (path for path in (place / folder.name).rglob("*") if path.is_file() and path.suffix != ".pyc")
        assert {path.name: path.read_bytes() for path in files} == modules
    (notes,) = tmp_path.glob("*.dist-info")
    assert "gpiod = gpiozero_gpiod.factory:GpiodFactory" in (notes / "entry_points.txt").read_text()
