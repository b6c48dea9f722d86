"""The command line: exit statuses, one-sentence errors, one JSON document, quiet endings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee import cli
from tests.heard import heard

ENVIRON = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def referee(*args: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command in its own process."""
    command = [sys.executable, "-m", "referee", *args]
    return subprocess.run(command, env=ENVIRON, timeout=120, text=True, stderr=subprocess.PIPE, check=False, **options)


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_each_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([command, "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().err == ""


MISTAKES: dict[tuple[str, ...], str] = {
    (): "referee: a command is missing (see referee --help)",
    ("fly",): 'referee: there is no command "fly"; there are run, ',
    ("hystory",): 'referee: there is no command "hystory"; did you mean history? (see referee --help)',
    ("backup",): "referee backup: DIR is missing (see referee backup --help)",
    ("demo", "--seed"): "referee demo: --seed: a value is missing (see referee demo --help)",
    ("run", "--fly"): "referee: --fly is unknown (see referee --help)",
    ("run", "--bots", "²"): "referee run: --bots: must be a whole number from 0 to 12, not '²'",
    ("run", "--bots", "2"): "referee run: --bots N needs --simulate: bots press simulated buttons only",
    ("run", "--simulate", "--listen", "here"): "referee run: --listen: must be HOST:PORT with a port "
    "from 0 to 65535, not 'here'",
    ("run", "--config", "none.toml"): "referee: none.toml cannot be read: No such file or directory",
    ("run", "--state", "{file}"): "referee run: --state {file}: {file} is a file, allowed is a directory",
    ("run", "--state", "{file}/x"): "referee run: --state {file}/x: {file} is a file, allowed is a directory",
    ("replay", "--state", "none"): "referee: none: there is no such directory; name it with --state DIR",
    (
        "history",
        "--state",
        "none",
    ): "referee: none: there are no evenings and no records; name their directory with --state DIR",
    ("export", "1", "--format", "xml"): 'referee export: --format has no "xml"; there are ',
    ("forget", "Anna", "--yes"): "referee forget: state: there is no such directory; name it with --state DIR",
    ("rules", "tie", "--preset", "x"): 'referee rules: there is no preset "x"; there are nna, ',
    (
        "rules",
        "tie",
        "--preset",
        "reflex-duel",
    ): 'referee rules: there is no rulebook for "reflex-duel"; there are nna, ',
    ("presets", "x"): 'referee presets: there is no preset "x"; there are nna, ',
    ("score", "none.json"): "referee score: none.json: cannot be read (No such file or directory)",
    ("arbitrate", "none.jsonl"): "referee: none.jsonl: No such file or directory",
}


@pytest.mark.parametrize("args", MISTAKES, ids=" ".join)
def test_a_mistake_is_one_sentence_and_status_2(
    args: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "file"
    file.touch()
    assert cli.main([arg.format(file=file) for arg in args]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(MISTAKES[args].format(file=file))
    assert said.err.count("\n") == 1
    assert said.out == ""
    assert list(tmp_path.iterdir()) == [file]


def test_a_command_imports_none_of_the_others() -> None:
    """`referee run` starts sooner without the arguments of every command; help lists them all."""
    program = "import sys; from referee import cli; cli.main(sys.argv[1:]); print(*sys.modules, sep='\\n')"
    command = [sys.executable, "-c", program, "presets", "--json"]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert {"run", "demo", "doctor"} & {name for name in cli.COMMANDS if f"referee.commands.{name}" in found} == set()


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_import_no_command(option: str) -> None:
    program = (
        "import atexit, sys; from referee import cli; "
        "atexit.register(lambda: print(*sys.modules, sep='\\n', file=sys.stderr)); cli.main(sys.argv[1:])"
    )
    command = [sys.executable, "-c", program, option]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRON | {"COLUMNS": "120"})
    found = {*done.stderr.split()}
    packages = {name.partition(".")[0] for name in found}
    assert packages & {"asyncio", "msgspec", "gpiozero", "luma", "PIL", "serial", "snowballstemmer"} == set()
    ours = {name for name in found if name.startswith("referee.")}
    assert ours == {"referee.cli", "referee.commands", "referee.commands.owner", "referee.commands.terminal"}
    words = " ".join(done.stdout.split())
    assert all((f" {name} {told}" in words) is (option == "--help") for name, told in cli.COMMANDS.items())


@pytest.mark.parametrize("args", [("presets",), ("run", "--help")], ids=" ".join)
def test_a_reader_who_leaves_early_is_no_fault(args: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = referee(*args, stdout=writing)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_full_disk_behind_standard_output_is_one_sentence() -> None:
    """Status 2 and the system's message; no traceback from the interpreter's last flush."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full here")
    with full.open("w") as out:
        done = referee("presets", stdout=out)
    assert (done.returncode, done.stderr) == (2, "referee: standard output: No space left on device\n")


def test_a_closed_standard_output_is_no_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    monkeypatch.setattr("sys.stderr", None)
    assert cli.main(["presets"]) == 0
    assert cli.main(["presets", "nothing"]) == 2
    sys.stdout.close()
    sys.stderr.close()


def test_a_line_end_in_a_name_ends_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["score", "two\nlines"]) == 2
    assert capsys.readouterr().err == "referee score: two\\nlines: cannot be read (No such file or directory)\n"
    assert cli.main(["presets", "nna", "two\nlines"]) == 2
    assert capsys.readouterr().err == "referee: two\\nlines is unknown (see referee --help)\n"


def test_ctrl_c_ends_a_command_quietly(tmp_path: Path) -> None:
    """It exits with 130 and prints nothing, also if the suite runs in the background, where shells ignore Ctrl-C."""
    fifo = tmp_path / "match"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "referee", "score", str(fifo)]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # the fifo opens when the command has opened its side
    with heard(signal.SIGINT):
        process = subprocess.Popen(command, env=ENVIRON, text=True, **pipes)
    with process, fifo.open("w"):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (130, "", "")


def test_ctrl_c_while_the_program_is_imported_says_nothing(tmp_path: Path) -> None:
    """The first module that the command line imports sends the signal to its own process."""
    (tmp_path / "argparse.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    command = [sys.executable, "-m", "referee", "run", "--simulate"]
    with heard(signal.SIGINT):
        done = subprocess.run(
            command, env={**ENVIRON, "PYTHONPATH": str(tmp_path)}, capture_output=True, timeout=120, check=False
        )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


def test_a_sentence_has_an_end_whatever_is_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A value or key of 1 MB in a document or the settings.

    A value of 100 kB on the command line.
    """
    long = "x" * 1_000_000
    (tmp_path / "value.json").write_text(json.dumps({"preset": long}))
    (tmp_path / "key.json").write_text(json.dumps({long[:800_000]: 1}))
    (tmp_path / "settings.toml").write_text(f'[table]\npreset = "{long}"\n')
    for asked in (
        ["score", str(tmp_path / "value.json")],
        ["score", str(tmp_path / "key.json")],
        ["pins", "--config", str(tmp_path / "settings.toml")],
        ["replay", long[:100_000], "--state", str(tmp_path)],
        ["run", "--listen", long[:100_000]],
        [long[:100_000]],
    ):
        assert cli.main(asked) == 2
        assert 10 < len(capsys.readouterr().err) < 1000


def _raising(error: Exception) -> Callable[[Any], int]:
    def run(args: Any) -> int:
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ValueError("seat 9 is unknown"), "referee: seat 9 is unknown"),
        (PermissionError(13, "Permission denied", "journal.db"), "referee: journal.db: Permission denied"),
        (OSError("no such bus"), "referee: system: no such bus"),
    ],
)
def test_what_a_command_raises_is_a_sentence(
    error: Exception, sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("referee.commands.presets.run", _raising(error))
    assert cli.main(["presets"]) == 2
    assert capsys.readouterr().err == sentence + "\n"


@pytest.mark.parametrize("args", ["", "--listen 0.0.0.0:8080", "--bots 0"])
def test_make_run_adds_its_arguments_to_three_bots(args: str) -> None:
    root = Path(__file__).parent.parent
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    make = ["make", "-n", "--no-print-directory", "run", f"ARGS={args}"]
    done = subprocess.run(make, cwd=root, env=clean, capture_output=True, text=True, check=True)
    command = done.stdout.splitlines()[-1].split()
    assert command[command.index("run") :] == ["run", "--simulate", "--bots", "3", *args.split()]
