"""The rows of an evening's file: effects of damage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.model.events import Opened, Resumed
from referee.core.presses.signals import Edge
from referee.core.stored import encode
from referee.storage.evenings.rows import FileRow, event_row, line, parse, read_tape, start_of, start_row
from tests.storage.evenings.desk import EVENING, OPENED

START = line(start_row(OPENED, 1, 1, "boot-1", 1_800_000_000, 7))
ROWS = [line(event_row(seq, event, encode(event), 1)) for seq, event in EVENING[1:]]
DATA = START + START + b"".join(ROWS)


def test_a_row_is_its_checksum_and_json() -> None:
    assert line(FileRow("aside", 3, 1, reason="why")) == b'f8bc3684 {"kind":"aside","n":3,"boot":1,"reason":"why"}\n'
    assert b',"format":1,' in START, "earlier releases read no other format"


@pytest.mark.parametrize(
    ("edge", "text"),
    [
        (Edge("1", True, 9, 3), b'["1",true,9,3]'),
        (Edge("1", True, 9), b'["1",true,9]'),
        (Edge("knob", False, 9, 0, 12), b'["knob",false,9,0,12]'),
        (Edge("1", True, 9, 3, 9, "ab:1", 4), b'["1",true,9,3,9,"ab:1",4]'),
        (Edge("1", True, 9, 3, 9, None, 4), b'["1",true,9,3,9,null,4]'),
    ],
)
def test_an_edge_is_a_short_list(edge: Edge, text: bytes) -> None:
    row = line(event_row(2, edge, encode(edge), 1))
    assert row[9:] == b'{"n":2,"edge":' + text + b"}\n"
    assert read_tape(START + row).rows == ((1, OPENED), (2, edge))


@given(st.integers(0, len(DATA) * 8 - 1))
def test_a_flipped_bit_costs_the_lines_that_it_is_in_and_is_reported(bit: int) -> None:
    damaged = bytearray(DATA)
    damaged[bit // 8] ^= 1 << bit % 8
    tape = read_tape(bytes(damaged))
    assert tape.damaged
    assert tape.id == 7
    assert list(tape.rows) == [row for row in EVENING if row in tape.rows]
    assert len(tape.rows) >= len(EVENING) - 1
    assert tape.rows[0] == EVENING[0]


@pytest.mark.parametrize("place", [place for place, byte in enumerate(DATA) if byte == ord("\n")])
def test_a_damaged_end_of_a_line_costs_no_row(place: int) -> None:
    for bit in range(8):
        damaged = bytearray(DATA)
        damaged[place] ^= 1 << bit
        tape = read_tape(bytes(damaged))
        assert list(tape.rows) == EVENING
        assert start_of(bytes(damaged)) == parse(START[:-1])
        assert tape.damaged == (f"the end of line {DATA[:place].count(10) + 1} is damaged",)


@pytest.mark.parametrize(
    "data",
    [b"\xef\xbb\xbf" + DATA, DATA.replace(b"\n", b"\r\n"), DATA + b"\0" * 700, DATA + b" " * 700],
    ids=["bom", "crlf", "zeros", "spaces"],
)
def test_what_editors_and_power_cuts_add_costs_no_row(data: bytes) -> None:
    assert list(read_tape(data).rows) == EVENING
    assert not read_tape(data).damaged


def test_later_boots_repeat_how_the_evening_begins() -> None:
    """A file whose first lines are both damaged is still read from its beginning."""
    again = line(start_row(OPENED, 1, 2, "boot-2", 1_800_000_900, 7))
    resumed = Resumed(3, "boot-2", None)
    goes_on = line(event_row(10, resumed, encode(resumed), 2, 1_800_000_901))
    tape = read_tape(START[1:] + START[1:] + DATA[len(START) * 2 :] + again + goes_on)
    assert list(tape.rows) == [*EVENING, (10, resumed)]
    assert tape.damaged == ("line 1 is damaged", "line 2 is damaged")
    assert (tape.id, tape.boots, tape.boot, tape.wall_s) == (7, 2, "boot-2", 1_800_000_901)


def test_missing_repeated_and_unknown_rows_are_reported() -> None:
    empty = line(FileRow(n=11))
    unknown = line(FileRow("event", 11, 1, event=event_row(11, OPENED, '{"type":"wished"}', 1).event))
    tape = read_tape(START + b"".join(ROWS[:2]) + ROWS[1] + b"".join(ROWS[5:]) + unknown + empty)
    assert list(tape.rows) == EVENING[:3] + EVENING[6:]
    assert tape.damaged[0] == "line 4 cannot be read: row 3 occurs twice"
    assert tape.damaged[1] == "rows 4 to 6 are missing"
    assert tape.damaged[2].startswith("line 8 cannot be read: ")
    assert tape.damaged[3] == "line 9 cannot be read: it holds no event"


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_an_error(data: bytes) -> None:
    assert read_tape(data).rows == ()
    assert parse(data) is None


def test_a_start_that_is_no_opened_is_reported() -> None:
    wrong = line(FileRow("start", 1, 1, 5, 1, "", 7, "b", event_row(1, EVENING[2][1], encode(EVENING[2][1]), 1).event))
    assert read_tape(wrong + START).damaged == ("line 1 cannot be read: an evening must begin with the event Opened",)
    assert isinstance(read_tape(wrong + START).rows[0][1], Opened)
