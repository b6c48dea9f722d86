"""A hall to look at: a broker, `referee hall`, and simulated tables that play in real time (`make hall`).

    python -m tests.hall.demo --tables 20 --speed 1

The pages are at http://127.0.0.1:8090/. Log in as "director", open an event and draw a round: the tables play it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from referee.hall.service import DIRECTOR, renew_code
from referee.hall.store import Store
from tests.hall.brokers import PROGRAM, Mosquitto, exit_on_signals
from tests.hall.proof.stage import TOGETHER


def main() -> int:
    """Run until Ctrl-C or a signal."""
    exit_on_signals()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--speed", type=float, default=1.0, help="1: in real time")
    parser.add_argument("--preset", default="nna")
    parser.add_argument("--listen", default="127.0.0.1:8090")
    args = parser.parse_args()
    if PROGRAM is None:
        print("mosquitto is not installed: make hall-tools", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="hall-") as name:
        folder = Path(name)
        tables = [f"table-{n}" for n in range(1, args.tables + 1)]
        store = Store(f"sqlite:///{folder / 'hall.db'}")
        for table in tables:
            store.invite(table)
        print(f'Log in as "{DIRECTOR}" with the code {renew_code(store.access, DIRECTOR)}.', flush=True)
        store.close()
        processes: list[subprocess.Popen[bytes]] = []
        broker = Mosquitto(folder)
        try:
            hall = ["referee", "hall", "--broker", broker.url, "--state", name, "--listen", args.listen]
            processes.append(_started(hall))
            for at in range(0, len(tables), TOGETHER):
                group = ",".join(f"{table}:{broker.port}" for table in tables[at : at + TOGETHER])
                options = ["--preset", args.preset, "--speed", str(args.speed), "--seed", str(at), "--friendly"]
                processes.append(_started(["tests.hall.fleet", "--state", name, "--tables", group, *options]))
            return processes[0].wait()
        except KeyboardInterrupt:
            return 0
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait()
            broker.kill()


def _started(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", *command], stdin=subprocess.PIPE)


if __name__ == "__main__":
    sys.exit(main())
