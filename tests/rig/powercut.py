"""Cut the power of a running match in the record of its disk's writes: `make rig-powercut`.

    python -m tests.rig.powercut [--cuts N] [--seconds S] [--seed N]

The daemon plays with eight bots in the virtual machine, its journal on its own ext4 disk, of which QEMU records every
write and flush (blocklog.py); the guest writes to the disk which rows are durable. Then the disk is rebuilt as it may
be after a cut at N places of the record, with writes since the last flush missing or torn; ext4 is repaired as at a
boot, and the journal opened: every durable row must be unchanged, and the match must go on.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from referee.core.match.engine import Engine
from referee.core.model.events import Began, Event, Resumed
from referee.core.units import S
from referee.storage.evenings.folder import evenings_in, find_latest
from referee.storage.evenings.rows import Tape
from referee.storage.evenings.writer import Journal
from tests.core.sitting import BREATH_NS, Sitting
from tests.rig.blocklog import Disk, last_told, requests
from tests.rig.vm import RigError, provision, run_script, shared_directory

CUTS, SECONDS = 100, 240
FILE_SYSTEM_BYTES, TOLD_AT, DISK_BYTES = 48 << 20, 56 << 20, 64 << 20
BOOT_S = 240
"""Maximum seconds of a boot, the program's start and its end on a busy host."""
SCRIPT = f"""
mkdir /tmp/disk && mount -t ext4 -o noatime /dev/vdb /tmp/disk
python3 -m tests.rig.powercut_guest /tmp/disk/state /dev/vdb {TOLD_AT} SECONDS
umount /tmp/disk
"""


def recorded(work: Path, seconds: int) -> tuple[bytes, bytes]:
    """Return the disk before the match, and the record of its writes."""
    before, disk, log = work / "before.img", work / "disk.img", work / "writes.log"
    for path, size in ((before, DISK_BYTES), (log, 0)):
        with path.open("wb") as file:
            file.truncate(size)
    blocks = FILE_SYSTEM_BYTES // 1024
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", "-E", "lazy_itable_init=0", before, f"{blocks}k"], check=True)
    shutil.copy(before, disk)
    # the host is not cut: it need not wait for its own disk
    drives = [
        f"driver=file,node-name=plain,filename={disk},cache.no-flush=on",
        f"driver=file,node-name=record,filename={log},cache.no-flush=on",
        "driver=blklogwrites,node-name=logged,file=plain,log=record",
    ]
    more = [word for drive in drives for word in ("-blockdev", drive)] + [
        "-device",
        "virtio-blk-pci,drive=logged,addr=0x10",
    ]
    with shared_directory() as share:
        run_script(SCRIPT.replace("SECONDS", str(seconds)), share, timeout_s=seconds + BOOT_S, more=more)
    return before.read_bytes(), log.read_bytes()


def mended(image: bytes, work: Path) -> Path:
    """Repair the disk as a boot does and return the folder with the journal.

    Raises RigError if ext4 cannot be repaired.
    """
    disk, folder = work / "cut.img", work / "state"
    disk.write_bytes(image)
    found = subprocess.run(["e2fsck", "-f", "-y", disk], capture_output=True, text=True, check=False)
    if found.returncode & ~3:
        raise RigError(f"ext4 cannot be repaired: {found.stdout}{found.stderr}")
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["debugfs", "-R", f"rdump /state {work}", disk], capture_output=True, check=True)
    folder.mkdir(exist_ok=True)
    return folder


def tape_of(folder: Path) -> Tape:
    """Return the content of the evening's file after the journal was opened."""
    assert Journal(folder, "after the cut", opening_s=60.0).close(60.0)
    return find_latest(evenings_in(folder)).tape


def missing(tape: Tape, truth: dict[int, Event], durable: int) -> str:
    """Return the numbers of durable rows that are missing or changed, in words; "" for none."""
    found = dict(tape.rows)
    lost = [seq for seq, event in truth.items() if seq <= durable and found.get(seq) != event]
    return f"{len(lost)} of {durable} rows are lost, the first {lost[:3]}" if lost else ""


def goes_on(tape: Tape) -> str:
    """Return the phase after people go on: all who are asked tap, or the knob resumes the match.

    Raises ValueError if nothing follows. Before the first hand only the seats are kept.
    """
    table = Sitting()
    table.engine = Engine.restored(tape.rows, tape.aside)
    began = any(isinstance(event, Began) for _, event in tape.rows)
    played = len(table.engine.state.table.hands)
    table.now_ns = 5 * S
    table.engine.intake([Resumed(table.now_ns, "after the cut", 60, (), True)], table.now_ns)
    table.wait(BREATH_NS)
    if began and table.phase == "POWER_BACK":
        table.tap(*table.asked).wait(BREATH_NS)
        if table.phase == "POWER_BACK":
            raise ValueError("everybody has tapped, and the match does not go on")
    elif began and table.phase == "LOBBY" and played:  # between two hands: others may be here now, so people choose
        table.choose("Resume").wait(BREATH_NS)
    state = table.engine.state.table
    if len(state.hands) != played:
        raise ValueError(f"{played} hands had been played, and {len(state.hands)} are there")
    if began and not (state.teams if played else [seat for seat in state.seats if seat.name]):
        raise ValueError("a match had begun, and nobody sits there")
    return table.phase


def campaign(cuts: int, seconds: int, seed: int) -> int:
    """Make `cuts` cuts; return how many went wrong."""
    chance, bad, phases = random.Random(seed), 0, dict[str, int]()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        before, log = recorded(work, seconds)
        asked = list(requests(log))
        whole = Disk(before, TOLD_AT)
        for one in asked:
            whole.take(one)
        truth = dict(tape_of(mended(whole.cut(random.Random(0)), work)).rows)
        first = next(n for n in range(len(asked)) if last_told(asked[: n + 1], TOLD_AT))
        disk, done = Disk(before, TOLD_AT), 0
        for place in sorted(chance.choices(range(first, len(asked)), k=cuts)):
            while done <= place:
                disk.take(asked[done])
                done += 1
            try:
                tape = tape_of(mended(disk.cut(chance), work))
                told = missing(tape, truth, disk.durable)
                phase = goes_on(tape)
                phases[phase] = phases.get(phase, 0) + 1
            except Exception as error:  # a journal that does not open, a match that does not go on
                told = repr(error)
            if told:
                bad += 1
                print(f"cut behind request {place} of {len(asked)}: {told}", flush=True)
    flushes = sum(one.flags & 1 for one in asked)
    print(
        f"{cuts} cuts in {len(asked)} requests ({flushes} flushes, {len(truth)} rows, "
        f"{last_told(asked, TOLD_AT)} told): {bad} not as they must be; the table came back to {phases}"
    )
    return bad


def main() -> int:
    """Return 0 if every durable row was kept each time and the match went on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=CUTS)
    parser.add_argument(
        "--seconds", type=int, default=SECONDS, help="how long the match is played, in the guest's time"
    )
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    try:
        provision()
        return 1 if campaign(given.cuts, given.seconds, given.seed) else 0
    except RigError as error:
        print(f"rig-powercut: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
