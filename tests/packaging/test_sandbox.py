"""How far the service is shut in, by systemd's own tool; what it may do all the same is named with a reason."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Any

import pytest

from systemd.debian.contents import ROOT, UNITS

MOST = 2.0
COMPARED = "252"
"""Debian 12's."""
TOOL = shutil.which("systemd-analyze")


def analyzed(name: str) -> tuple[list[dict[str, Any]], float]:
    """What the tool says of each thing it looks at, and of the whole (0: shut in, 10: open)."""
    if TOOL is None:
        pytest.skip("systemd-analyze is not here (Debian's package systemd)")
    command = [TOOL, "security", "--offline=true", "--no-pager"]
    unit = str(UNITS / name)
    parts = subprocess.run([*command, "--json=short", unit], capture_output=True, text=True, check=False)
    whole = subprocess.run([*command, unit], capture_output=True, text=True, check=False)
    if whole.returncode or parts.returncode:
        pytest.skip(f"this systemd-analyze cannot look at a file ({whole.stderr.strip() or whole.returncode})")
    found = re.search(r"Overall exposure level.*: ([\d.]+)", whole.stdout)
    assert found is not None
    return json.loads(parts.stdout), float(found[1])


def named() -> set[str]:
    """What ARCHITECTURE.md names in its table, each with a reason."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    table = text.partition("| what the tool counts |")[2].partition("\n\n")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    for row in rows:
        assert len(row.rstrip("| ").rpartition("| ")[2]) > 20, f"no reason: {row}"
    return {name for row in rows for name in re.findall(r"`([A-Z][^`]*=[^`]*)`", row.rpartition(" | ")[0])}


@pytest.mark.parametrize("unit", ["referee.service", "referee-stick@.service"])
def test_the_service_is_shut_in(unit: str) -> None:
    """The whole figure is no more than allowed."""
    assert analyzed(unit)[1] <= MOST


def test_what_stays_open_is_named() -> None:
    """Each exception stands in ARCHITECTURE.md; none stands there that is none. Other versions look at other things."""
    if TOOL is None:
        pytest.skip("systemd-analyze is not here (Debian's package systemd)")
    version = subprocess.run([str(TOOL), "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    if version != COMPARED:
        pytest.skip(f"the table is compared with version {COMPARED} of the tool, this is {version}")
    found, _ = analyzed("referee.service")
    weighs = {part["name"] for part in found if part["set"] is False and float(part["exposure"] or 0) > 0}
    assert weighs == named()
