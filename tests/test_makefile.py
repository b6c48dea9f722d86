"""What `make` installs: a lock file's own versions and nothing else, so that a clone of today works in a year."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
RECIPES = [line for line in (ROOT / "Makefile").read_text("utf-8").splitlines() if line.startswith("\t")]


def test_lock_files_are_installed_as_they_stand() -> None:
    """Each recipe that installs a lock does so by LOCKED, which resolves nothing: a new release changes nothing."""
    locked = re.search(r"^LOCKED := (.+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert locked
    assert {"--no-deps", "--require-hashes"} <= set(locked[1].split())
    of_a_lock = [line for line in RECIPES if re.search(r"pip install.* -r |\$\(LOCKED\)", line)]
    assert len(of_a_lock) == len([path for path in ROOT.rglob("requirements.*") if _is_installed_by_make(path)])
    assert not [line for line in of_a_lock if "$(LOCKED)" not in line]


def _is_installed_by_make(path: Path) -> bool:
    """A pinned list with hashes of our own tree; the rig's is what a virtual machine gets."""
    shipped = path.relative_to(ROOT)
    return (
        shipped.suffix in {".lock", ".txt"}
        and not {"node_modules", "machine"} & set(shipped.parts)
        and not any(part.startswith(".") for part in shipped.parts)
        and "--hash=" in path.read_text("utf-8")
    )


def test_what_is_installed_is_checked_to_be_whole() -> None:
    """`pip check` follows, since nothing is resolved: a lock that lacks a library ends `make` and not the program."""
    assert any("pip check" in line for line in RECIPES)


def test_each_submission_is_tried_with_mistakes_in_what_it_changed() -> None:
    """At most 200, on the tests that `make check` has just seen go through their lines; all that is called exists."""
    makefile, ci = (ROOT / "Makefile").read_text("utf-8"), (ROOT / ".ci/run").read_text("utf-8")
    called = re.findall(r"^\s*(?:[A-Z_]+=\S+ )*step make ([a-z-]+)", ci, re.MULTILINE)
    assert called.index("check") < called.index("mutants-changed")
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in called), called
    recipe = makefile.partition("\nmutants-changed:")[2].partition("\n\n")[0]
    assert int(recipe.partition("--sample ")[2].split()[0]) <= 200
    assert "make mutants-changed TESTED=.coverage" in ci
    assert "-p tests.lines" in makefile.partition("\ncheck:")[2].partition("\n\n")[0]
