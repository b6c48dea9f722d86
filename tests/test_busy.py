"""The command that runs tests beside busy neighbours: which tests it takes, and that its neighbours come and go."""

import multiprocessing
from pathlib import Path

from tests.busy import busy_neighbours, process_tests, starts_processes


def test_files_that_import_what_starts_processes_are_taken() -> None:
    """Both forms of an import count, also within a function; a name in a text does not."""
    assert starts_processes("import subprocess")
    assert starts_processes("def run():\n    from subprocess import Popen\n")
    assert starts_processes("import multiprocessing.connection")
    assert not starts_processes("text = 'import subprocess'")


def test_the_tests_of_run_are_among_them_and_other_tools_are_not(tmp_path: Path) -> None:
    """The list is read from the tree: `run` starts processes, and what has a target of its own is left out."""
    taken = process_tests()
    assert "tests/commands/test_run.py" in taken
    assert not [path for path in taken if path.startswith(("tests/firmware", "tests/hardware", "tests/web/browser"))]
    (tmp_path / "tests/web/browser").mkdir(parents=True)
    (tmp_path / "tests/web/browser/test_a.py").write_text("import subprocess")
    (tmp_path / "tests/test_b.py").write_text("import subprocess")
    assert process_tests(tmp_path) == ["tests/test_b.py"]


def test_neighbours_end_with_their_block() -> None:
    """As many neighbours as asked for run within the block, and none is left after it."""
    before = set(multiprocessing.active_children())
    with busy_neighbours(2):
        assert len(set(multiprocessing.active_children()) - before) == 2
    assert not set(multiprocessing.active_children()) - before
