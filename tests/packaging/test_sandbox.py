"""The services' exposure as `systemd-analyze security` rates it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Any

import pytest

from systemd.debian.contents import UNITS

MOST = 2.0
TOOL = shutil.which("systemd-analyze")


def analyzed(name: str) -> tuple[list[dict[str, Any]], float]:
    """Return the tool's rating of each item, and of the whole (0: confined, 10: open)."""
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


@pytest.mark.parametrize("unit", ["referee.service", "referee-stick@.service"])
def test_the_service_is_shut_in(unit: str) -> None:
    assert analyzed(unit)[1] <= MOST
