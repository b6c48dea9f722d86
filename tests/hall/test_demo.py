"""The demonstration ends all that it has started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.hall.brokers import PROGRAM, free_port


@pytest.mark.skipif(PROGRAM is None, reason="mosquitto is not installed (make hall-tools)")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signal_ends_hall_broker_and_tables(number: signal.Signals) -> None:
    command = [sys.executable, "-m", "tests.hall.demo", "--tables", "1", "--listen", f"127.0.0.1:{free_port()}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as demo:
        assert demo.stdout is not None
        assert any("shows hall" in line for line in demo.stdout)
        demo.send_signal(number)
        demo.wait()
        with pytest.raises(ProcessLookupError):
            os.killpg(demo.pid, signal.SIGKILL)
