"""The code that pairs a phone: an independent decoder reads it from the panel's pixels."""

from __future__ import annotations

from itertools import pairwise

import pytest
import zxingcpp
from PIL import Image

from referee.core.messages import msg
from referee.core.model.view import PhonesScreen, WifiScreen
from referee.core.values import replace
from referee.screens import draw, render
from tests.screens.samples import PAIRING, view

SIZES = ((128, 64), (256, 64))
LINKS = (
    "HTTP://10.0.0.7:8080/J/K7Q4XM",
    PAIRING[2],
    "HTTP://A-VERY-LONG-NAME-OF-A-REFEREE.LOCAL:65535/J/ZZZZZZ",
    "http://[2001:db8:85a3::8a2e:370:7334]:8080/J/K7Q4XM",
)


def scanned(picture: Image.Image, scale: int = 1) -> list[str]:
    """Return what a decoder reads in the picture."""
    size = (picture.width * scale, picture.height * scale)
    grey = picture.convert("L").resize(size, Image.Resampling.NEAREST)
    return [found.text for found in zxingcpp.read_barcodes(grey)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("link", LINKS)
def test_the_code_is_read_off_the_panel(link: str, size: tuple[int, int]) -> None:
    """At original size and enlarged as in a camera's view; with a strip at the bottom, too."""
    shown = view(PhonesScreen(PAIRING[0], "K7Q4XM", link))
    for scale in (1, 3):
        assert scanned(draw(shown, size), scale) == [link]
    if len(link) < 40:
        assert scanned(draw(replace(shown, banner=msg("toast.not_saved")), size), 3) == [link]


@pytest.mark.parametrize("size", SIZES)
def test_the_own_network_s_code_is_read_off_the_panel_and_its_password_beside_it(size: tuple[int, int]) -> None:
    shown = view(WifiScreen("own", name="Table 42", password="k7q4xm2p9r"))
    for scale in (1, 3):
        assert scanned(draw(shown, size), scale) == ["WIFI:T:WPA;S:Table 42;P:k7q4xm2p9r;;"]
    marks = [mark.text for mark in render(shown, size).marks]
    assert "Table 42" in marks
    assert "k7q4xm2p9r" in "".join(marks)


@pytest.mark.parametrize("size", SIZES)
def test_code_and_address_stand_beside_it_whole(size: tuple[int, int]) -> None:
    """For people who cannot scan the code."""
    marks = [mark.text for mark in render(view(PhonesScreen(*PAIRING)), size).marks]
    assert "K7Q4XM" in marks
    assert "referee.local:8080" in "".join(marks)


@pytest.mark.parametrize("host", ["10.0.0.5", "192.168.178.123", "referee.local"])
def test_no_number_of_the_address_is_broken(host: str) -> None:
    written = [mark.text for mark in render(view(PhonesScreen(f"http://{host}:8080/", "K7Q4XM", LINKS[0]))).marks]
    lines = written[written.index("K7Q4XM") + 1 :]
    assert "".join(lines) == f"{host}:8080"
    assert not [pair for pair in pairwise(lines) if pair[0][-1].isalnum() and pair[1][0].isalnum()]


@pytest.mark.parametrize("size", SIZES)
def test_further_addresses_are_shown_whole_or_not_at_all(size: tuple[int, int]) -> None:
    addresses = ("http://10.0.0.5:80/", "http://a-very-long-name-of-a-table.local:80/", "http://den.local:80/")
    written = [m.text for m in render(view(PhonesScreen(" ".join(addresses), "K7Q4XM", LINKS[0])), size).marks]
    beside = "".join(written[written.index("K7Q4XM") + 1 :])
    whole = "10.0.0.5:80a-very-long-name-of-a-table.local:80den.local:80"
    assert beside in (whole, whole.replace("a-very-long-name-of-a-table.local:80", ""))
