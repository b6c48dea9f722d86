"""The configuration file: allowed content, and one sentence for each mistake before anything starts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cli import main
from referee.config import Config, ConfigError, address, load, parse
from referee.core.model.events import Opened
from referee.core.model.table import SEATS, Setup
from referee.core.names import ALLOWED
from referee.core.stored import decode, encode

MISTAKES = {
    "[tabel]": ": unknown section [tabel]; allowed are table, ",
    "hold_ms = 500": ": unknown option 'hold_ms' above all sections (it belongs in [table]); allowed are table, ",
    "[table]\ntarget = 150": ": unknown option 'target' in section [table] (it belongs in [rules]); allowed",
    "[pins]\nP1_BTN = 3": ": unknown option 'P1_BTN' in section [pins]; allowed are profile, chip, sync_wire",
    '["\\n"]': r': unknown section ["\n"]; ',
    "table = 3": ": 'table' must be a section [table], not 3",
    "[[names]]\n1 = 'Anna'": ": 'names' must be a section [names], not [",
    "[table]\nhold_ms = true": ": option 'hold_ms' in section [table] must be a whole number, not true",
    "[table]\npreset = 5": ": option 'preset' in section [table] must be a text in quotes, not 5",
    "[arbiter]\nmax_err_ms = 'x'": ": option 'max_err_ms' in section [arbiter] must be a number, not \"x\"",
    "[sound]\nquiet = 1": ": option 'quiet' in section [sound] must be true or false, not 1",
    "[pins]\nmoved = 3": ": 'moved' in section [pins] must be a section [pins.moved], not 3",
    "[pins.moved]\nP1_BTN = true": ": option 'P1_BTN' in section [pins.moved] must be a GPIO number, not true",
    "[table]\nhold_ms = 700": ": option 'hold_ms' in section [table] must be one of 500, 800, 1200, not 700",
    "[arbiter]\nlockout_ms = 99": ": option 'lockout_ms' in section [arbiter] must lie between 100 and 60000, not 99",
    "[arbiter]\nmax_err_ms = nan": ": option 'max_err_ms' in section [arbiter] must lie between 0 and 1000, not NaN",
    "[display]\ni2c_address = 0x7A": "between 0x03 and 0x77, not 0x7A (which modules have in print for 0x3D: ",
    "[display]\nchip = 'lcd'": ": option 'chip' in section [display] must be one of ",
    "[table]\npreset = 'whist'": ": option 'preset' in section [table]: there is no preset \"whist\"; there are nna, ",
    "[rules]\ntarget = 'x'": ': section [rules]: option "target": "x" is given, allowed is a whole number ',
    "[names]\n13 = 'Anna'": ': section [names] has the seats 1 to 12, not "13"',
    "[names]\n1 = '  '": f': the name of seat 1 must be {ALLOWED}, not "  "',
    '[names]\n1 = "A\\u0007"': f": the name of seat 1 must be {ALLOWED}, not ",
    "[pods]\nlines = '/dev/ttyACM0'": ": option 'lines' in section [pods] must be a list of texts, not ",
    "[pods.contacts]\nleft = ['1']": ": section [pods.contacts] names pods by their last 4 to 16 digits (0-9, a-f), ",
    "[pods.contacts]\n3f2a = '1'": ': section [pods.contacts]: "3f2a" must have a list of 1 to 8 stations, not "1"',
    "[pods.contacts]\n3f2a = ['13']": ': section [pods.contacts]: "3f2a" may have the stations "1", ',
    "[pods.contacts]\n3f2a = ['1', '1']": ': section [pods.contacts] gives station "1" to two contacts; allowed is one',
    "[pods.contacts]\n3f2a = ['1']\nb3f2a = ['2']": ': section [pods.contacts]: pods "3f2a" and "b3f2a" end alike',
    "[keys]\ndebounce_ms = -1": ": option 'debounce_ms' in section [keys] must lie between 0 and 200, not -1",
    "[keys]\nbuttons = 3": ": 'buttons' in section [keys] must be sections such as [keys.b",
    "[keys.buttons.pad]\nKEY_A = '1'": ': section [keys.buttons."pad"] must be named as in `referee keys list`, ',
    "[keys.buttons]\n'046d:c31c' = '1'": ": 'buttons' in section [keys] must be sections such as ",
    "[keys.buttons.'046d:c31c']\na = '1'": 'names keys such as KEY_A, BTN_TRIGGER or 30, not "a"',
    "[keys.buttons.'046d:c31c']\nKEY_A = '13'": 'KEY_A may have the stations "1", "2", ',
    "[keys.buttons.'046d:c31c']\nKEY_A = ['1']": 'KEY_A may have the stations "1", "2", ',
    "[keys.buttons.'046d:c31c']\nKEY_A = '1'\nKEY_B = '1'": 'gives station "1" a second button; allowed is one',
    "[keys.buttons.'046d:c31c']\ngrab = 1": "option 'grab' in section [keys.buttons.\"046d:c31c\"] must be true or ",
    "[pods.contacts]\n3f2a = ['1']\n[keys.buttons.'046d:c31c']\nKEY_A = '1'": 'gives station "1" a second button; ',
    "[mqtt]\nurl = 'http://anna:secret@x'": "option 'url' in section [mqtt] must be mqtt:// or mqtts://, a host and ",
    "[mqtt]\nurl = 'mqtt://x:99999'": "option 'url' in section [mqtt] must be mqtt:// or mqtts://, a host and perhaps",
    "[mqtt]\nurl = 'mqtt://x y'": "option 'url' in section [mqtt] must be mqtt:// or mqtts://, a host and perhaps",
    f"[mqtt]\nurl = '{'mqtt://x ' * 9}'": "up to 8 with spaces between",
    "[mqtt]\nname = 'a/b'": "option 'name' in section [mqtt] must be 1 to 32 letters (a-z), digits, - and _, not",
    "[mqtt]\nprefix = '#'": "option 'prefix' in section [mqtt] must be 1 to 100 letters (a-z), digits, -, _ and /, not",
    "[mqtt]\nversion = '4'": ': option \'version\' in section [mqtt] must be one of "3.1.1", "5", not "4"',
    "[web]\nlisten = ':80'": ": option 'listen' in section [web] must be HOST:PORT with a port from 0 to 65535, not ",
    "[web]\nnames = ['http://a.lan:80']": ": option 'names' in section [web] must be a list of names such as ",
    "[pins]\nprofile = 'full9'": ': There is no pin profile "full9"; allowed are full8, direct4, none.',
    "[pins]\nmoved.P1_BTN = 27": ": Profile 'full8': P2_BTN is on GPIO27, which P1_BTN uses already; free: GPIO17.",
    "[pins]\nmoved = { P1_BTN = 24, P2_BTN = 24 }": "P1_BTN uses already; free: GPIO17, GPIO27. (1 of 2 conflicts)",
    "[pins]\nmoved.P1_BTN = 28": ": Option 'P1_BTN' in section [pins.moved] is 28; allowed is a BCM pin number ",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_is_one_sentence_and_starts_nothing(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names file, section, option, given and allowed values.

    Status 2, and no state directory.
    """
    file, state = tmp_path / "referee.toml", tmp_path / "state"
    file.write_text(text, encoding="utf-8")
    assert main(["run", "--simulate", "--config", str(file), "--state", str(state)]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(f"referee: {file}: ")
    assert MISTAKES[text] in said.err
    assert (said.err.count("\n"), said.out) == (1, "")
    assert not state.exists()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"[table]\n# caf\xe9\n", "is not UTF-8 text: byte 14 is 0xe9"),
        (b"[web]\nport = 1\n\n [web] # again\n", "is not TOML: section [web] appears twice (at line 4, "),
        (b"[web]\nport = 1\nport = 2\n", "is not TOML: Cannot overwrite a value (at line 3"),
        (b"x = ", "is not TOML: "),
        (b"a = " + b"[" * 20_000, "is not TOML: "),
        (b"a = 1" + b"0" * 5_000, "is not TOML: "),
        (b"#" * 1_048_577, "cannot be read: it is longer than 1024 KiB, which no configuration is"),
        (None, "cannot be read: Is a directory"),
    ],
)
def test_a_file_that_is_no_text_is_said_so(content: bytes | None, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "referee.toml"
    file.mkdir() if content is None else file.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        load(file)
    assert str(caught.value).startswith(f"{file} {sentence}")
    assert "\n" not in str(caught.value)


def test_a_mark_of_byte_order_and_foreign_line_ends_are_no_mistake(tmp_path: Path) -> None:
    file = tmp_path / "referee.toml"
    file.write_bytes(b"\xef\xbb\xbf[table]\r\nhold_ms = 1200\r\n")
    assert load(file).table.hold_ms == 1200


# -- what is right -------------------------------------------------------------------------------------------------


def test_without_a_file_everything_has_its_default() -> None:
    assert load(None) == parse({}) == Config()


def test_what_a_file_says_reaches_the_core(tmp_path: Path) -> None:
    file = tmp_path / "referee.toml"
    file.write_text(
        "[table]\npreset = 'pagat'\nhold_ms = 500\n[arbiter]\nmax_err_ms = 2.5\nlockout_ms = 100\ngpio_err_us = 40\n"
        "[names]\n5 = 'Eva'\n1 = ' Anna '\n[rules]\ntarget = 50\n[pins.moved]\nBUZZER = 19\n",
        encoding="utf-8",
    )
    config = load(file)
    assert config.setup(("1", "2")) == Setup(
        preset="pagat",
        options=(("target", 50),),
        stations=("1", "2"),
        names=(("1", "Anna"),),
        hold_ns=500_000_000,
        max_err_ns=2_500_000,
        lockout_ns=100_000_000,
        agreement=True,
    )
    assert config.gpio_err_ns == 40_000
    assert config.moved == (("BUZZER", 19),)


def test_an_address_is_taken_apart() -> None:
    assert address("localhost:0") == ("localhost", 0)
    assert address("[::1]:65535") == ("::1", 65535)
    assert address("*:80") == ("", 80)
    wrong = ("", ":", ":1", "a:", "a:b", "a:65536", "::1", "fe80::1:80", "a:٣", "a:²", "a:-1", "a:" + "9" * 5000)
    assert [text for text in wrong if address(text) is not None] == []


WORDS = """table arbiter pins display sound web names rules moved preset hold_ms listen max_err_ms lockout_ms
    target bonus reserve tie_ms stuck chip profile 1 2 x pods contacts lines 3f2a"""
KEYS = st.sampled_from(WORDS.split())
SCALARS = st.one_of(
    st.integers(), st.floats(), st.booleans(), st.text(max_size=7), st.dates(), st.sampled_from((500, 1))
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)


@given(st.dictionaries(KEYS, st.dictionaries(KEYS, VALUES, max_size=3) | VALUES, max_size=4))
def test_any_document_is_a_configuration_or_one_sentence(document: dict[str, Any]) -> None:
    setup, refusal = Setup(), ""
    try:
        setup = parse(document, "referee.toml").setup(("1", "2"))
    except ConfigError as exc:
        refusal = str(exc)
    assert not refusal or re.fullmatch(r"referee\.toml: .+", refusal)
    opened = decode(encode(Opened(0, "boot", setup.document())))
    assert isinstance(opened, Opened)
    assert Setup.from_document(opened.setup) == setup


def test_pods_bring_their_stations_and_their_lag() -> None:
    """Stations on a pod are remote, and the arbiter waits for them; a wired table does not wait."""
    config = parse({"pods": {"contacts": {"3f2a": ["5", "", "knob"]}, "lines": ["/dev/ttyS0", "socket://127.0.0.1:7"]}})
    setup = config.setup(("1", "2"))
    assert (setup.stations, setup.remote) == (("1", "2", "5"), ("5", "knob"))
    assert (setup.latency_ns, setup.lag_ns("5"), setup.lag_ns("1")) == (30_000_000, 30_000_000, 0)
    assert config.pods.lines == ("/dev/ttyS0", "socket://127.0.0.1:7")
    assert Config().setup(("1", "2")).latency_ns == 0


OTHER_LINES = (
    *("socket://pod:7", "socket://10.0.0.7:7", "socket://[fe80::1]:7", "socket://127.0.0.1.example.org:7"),
    *("socket://localhost@10.0.0.7:7", "socket://10.0.0.7:7/socket://127.0.0.1:7", "SOCKET://10.0.0.7:7"),
    *("rfc2217://127.0.0.1:7", "spy:///dev/ttyACM0", "loop://", "hwgrep://2e8a", "alt:///dev/ttyACM0", "cp2110://x"),
)


@pytest.mark.parametrize("line", OTHER_LINES)
def test_a_pods_line_is_a_device_or_a_socket_of_this_host(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigError, match="a line in section"):
        parse({"pods": {"lines": ["/dev/ttyACM0", line]}})
    assert main(["pod", "list", "--line", line]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("line", ["/dev/ttyACM0", "COM3", "socket://127.0.0.1:7", "socket://localhost:65535"])
def test_lines_of_this_host_are_allowed(line: str) -> None:
    assert parse({"pods": {"lines": [line, "socket://[::1]:7"]}}).pods.lines == (line, "socket://[::1]:7")


def test_keys_are_buttons_that_may_arrive_late() -> None:
    keyboard = {"KEY_A": "1", "30": "2", "KEY_UP": "knob-left", "KEY_ENTER": "knob"}
    config = parse({"keys": {"buttons": {"046d:c31c": keyboard}}})
    setup = config.setup(())
    assert (setup.stations, setup.remote, setup.latency_ns) == (("1", "2"), ("1", "2", "knob"), 30_000_000)
    slow = parse({"keys": {"debounce_ms": 40, "polling_ms": 16, "buttons": {"046d:c31c": keyboard}}})
    assert slow.setup(()).latency_ns == 66_000_000


def test_a_table_has_as_many_seats_as_its_file_says() -> None:
    assert parse({"table": {"seats": 3}}).setup(tuple("12345678")).stations == ("1", "2", "3")
    twelve = parse({"table": {"seats": 12}, "pods": {"contacts": {"3f2a": ["9", "10"]}}, "names": {"12": "Finn"}})
    setup = twelve.setup(tuple("12345678"))
    assert (setup.stations, setup.names) == (SEATS, (("12", "Finn"),))
    assert setup.remote == ("9", "10", "11", "12")
    assert twelve.without_button(tuple("12345678")) == ("11", "12")
    assert parse({"pods": {"contacts": {"3f2a": ["10", "9"]}}}).setup(("1", "2")).stations == ("1", "2", "9", "10")


@pytest.mark.parametrize("seats", [-1, 1, 13])
def test_no_other_number_of_seats_is_taken(seats: int) -> None:
    with pytest.raises(ConfigError, match=f"option 'seats' in section .table. must be one of 0, 2, .*12, not {seats}"):
        parse({"table": {"seats": seats}})
