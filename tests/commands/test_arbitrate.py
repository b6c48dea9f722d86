"""`referee arbitrate`: input, output and exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from referee.cli import main
from referee.commands import arbitrate
from referee.commands.terminal import UsageError
from referee.core.units import MS
from tests.commands import house

TRACE = """\
{"station": "red", "closed": true, "t_ns": 1000000}
{"station": "blue", "closed": true, "t_ns": 13000000, "err_ns": 200000}
{"station": "red", "closed": false, "t_ns": 90000000}
{"station": "red", "closed": true, "t_ns": 190000000}
"""
parsed = partial(house.parsed, arbitrate, "arbitrate")


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A recorded tie, 12 ms apart."""
    path = tmp_path / "tie.jsonl"
    path.write_text(TRACE, encoding="utf-8")
    return path


def test_options_take_fractions_of_milliseconds() -> None:
    """To the nearest nanosecond, ties to even."""
    args = parsed("t", "--tie-ms", "0.5", "--latency-ms", "0", "--max-err-ms", "1e1", "--lockout-ms", "100.0000005")
    assert (args.tie_ms, args.latency_ms, args.max_err_ms, args.lockout_ms) == (500_000, 0, 10_000_000, 100_000_000)
    assert parsed("t", "--tie-ms", "0.0000015").tie_ms == 2
    assert parsed("t", "--tie-ms", "0.00000051").tie_ms == 1
    assert parsed("t", "--tie-ms", "1e-999999").tie_ms == 0
    args = parsed("t")
    assert (args.tie_ms, args.latency_ms, args.max_err_ms, args.lockout_ms, args.json) == (
        20_000_000,
        30_000_000,
        10_000_000,
        2_000_000_000,
        False,
    )


@pytest.mark.parametrize(
    ("option", "given"),
    [
        ("--tie-ms", "-0.1"),
        ("--max-err-ms", "ten"),
        ("--tie-ms", "snan"),
        ("--tie-ms", "1e999999"),
        ("--lockout-ms", "99.9999999"),
    ],
)
def test_settings_that_cannot_be_are_refused(option: str, given: str) -> None:
    least = 100 if option == "--lockout-ms" else 0
    allowed = f"{given!r} is given, allowed is a number of milliseconds from {least} to 1000000000"
    with pytest.raises(UsageError, match=allowed):
        parsed("t", option, given)


def test_verdicts_as_one_json_document(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        arbitrate.run(parsed(str(trace), "--json", "--tie-ms", "12.5", "--max-err-ms", "1", "--latency-ms", "3")) == 0
    )
    (call,) = json.loads(capsys.readouterr().out)["calls"]
    assert (call["verdict"], call["window_ns"], call["deadline_ns"]) == ("tie", 12_500_000, 17_500_000)
    assert call["ignored"] == [{"station": "red", "t_ns": 190_000_000}]
    assert arbitrate.run(parsed(str(trace), "--json", "--lockout-ms", "100")) == 0
    assert len(json.loads(capsys.readouterr().out)["calls"]) == 2


def test_standard_input_with_a_byte_order_mark_is_a_trace_too(trace: Path) -> None:
    command = [sys.executable, "-m", "referee", "arbitrate", "-"]
    done = subprocess.run(command, input=b"\xef\xbb\xbf" + trace.read_bytes(), capture_output=True, check=True)
    assert done.stdout.startswith(b"Call 1: tie of red and blue within 20.000 ms\n")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{"station": "red"}\n', "line 1: the key closed is missing, needed are station, closed, t_ns"),
        (b"\n\n\xff\n", "line 3: byte 1 is no UTF-8, allowed is text in UTF-8"),
        (b"\n" + b"x" * 65537, "line 2: it is longer than 64 KiB, allowed is one row"),
    ],
)
def test_a_mistake_names_the_file_and_the_line(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(content)
    with pytest.raises(ValueError) as caught:
        arbitrate.run(parsed(str(path)))
    assert str(caught.value) == f"{path}, {sentence}"


def test_with_a_limit_the_last_press_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("a", 0), ("b", 300), ("c", 300.5), ("d", 2_500)]
    lines = [
        json.dumps({"station": s, "closed": closed, "t_ns": int((ms + more) * MS), "arrived_ns": int((ms + more) * MS)})
        for s, ms in rows
        for closed, more in ((True, 0), (False, 50))
    ]
    path = tmp_path / "trace"
    path.write_text("\n".join(sorted(lines, key=lambda line: json.loads(line)["t_ns"])))
    assert main(["arbitrate", str(path), "--limit-ms", "1000", "--lockout-ms", "100", "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["calls"]
    assert (first["verdict"], first["callers"]) == ("tie", ["c", "b"])
    assert second["callers"] == ["d"]
