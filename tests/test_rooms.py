"""What each process loads: none of the rooms of another process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from referee.device.children.mqtt import CHILD
from referee.device.children.page import PAGE

LIST = "import sys; print(*(name.split('.')[1] for name in sys.modules if name.startswith('referee.')))"
PROCESSES = {
    "device": ("import pkgutil, referee.device as d", {"page", "mqtt", "hall", "bench", "commands"}),
    PAGE.module: (
        f"import {PAGE.module}",
        {"device", "mqtt", "hall", "bench", "commands", "simulator", "screens", "drivers"},
    ),
    CHILD.module: (
        f"import {CHILD.module}",
        {"device", "page", "hall", "bench", "commands", "simulator", "screens", "web"},
    ),
    "hall": ("import referee.hall.service", {"device", "page", "mqtt", "bench", "commands", "simulator", "screens"}),
}
WHOLE = "; [__import__(found.name) for found in pkgutil.walk_packages(d.__path__, 'referee.device.')]"


@pytest.mark.parametrize("process", PROCESSES)
def test_a_process_loads_no_room_of_another(process: str) -> None:
    start, foreign = PROCESSES[process]
    program = f"{start}{WHOLE if process == 'device' else ''}; {LIST}"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    assert loaded
    assert not foreign & set(loaded)
