"""A router between network namespaces, with faults for each link. Run by network.py as root.

Theory of operation. Each namespace has a TUN device. This process reads their packets, and delays, drops or passes
them. Server N has all addresses 10.N.0.0/16, and each client uses one of its own, 10.N.HIGH.LOW. So the server's
address in a packet says to which link it belongs. Clients have 10.N.255.254.

Lines on standard input: `KEY LOSS_UP LOSS_DOWN DELAY_MS JITTER_MS`, with KEY = N << 16 | HIGH << 8 | LOW, and
`lost LINK`, with LINK = HIGH << 8 | LOW, when the client was killed. Lines on standard output: first the number of each
namespace and its descriptor; then `LINK SECONDS` when a server answers on a new connection, or when an interrupted one
passes data again in all directions that have lost some; and `LINK` when it is interrupted.
"""

from __future__ import annotations

import ctypes
import fcntl
import heapq
import os
import select
import struct
import subprocess
import sys
import time
from random import Random

CLIENT = 255 << 8 | 254
MTU = 1500
_CLONE_NEWNET, _TUNSETIFF, _TUN, _NO_HEADER = 0x40000000, 0x400454CA, 0x0001, 0x1000
_FIN, _SYN, _RST = 1, 2, 4
_LIBC = ctypes.CDLL(None, use_errno=True)


class Trouble:
    """What happens to the packets of a link: loss to and from the server (1.0: all), delay in ms."""

    def __init__(self, up: float, down: float, delay_ms: float, jitter_ms: float) -> None:
        self.loss, self.delay_s, self.jitter_s = (up, down), delay_ms / 1000, jitter_ms / 1000


class Link:
    """The newest connection of a client. missing: the directions (0: to the server) in which data was dropped."""

    def __init__(self) -> None:
        self.client = b""
        self.answered = self.shown = False
        self.missing: set[int] = set()


class Router:
    """Passes packets between namespaces, each with a number."""

    def __init__(self, numbers: list[int], seed: int) -> None:
        self._rng = Random(seed)
        self._devices = {number: self._device(number) for number in numbers}
        self._troubles: dict[int, Trouble] = {}
        self._links: dict[int, Link] = {}
        self._later: list[tuple[float, int, int, bytes]] = []
        self._count, self._rest = 0, b""

    def _device(self, number: int) -> int:
        """Make a namespace with a TUN device, or only the device in the first one."""
        if number:
            if _LIBC.unshare(_CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "unshare")
            held = os.open("/proc/self/ns/net", os.O_RDONLY)
            print(number, held, flush=True)
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH", b"hall", _TUN | _NO_HEADER))
        for command in (
            "link set lo up",
            f"link set hall up mtu {MTU} txqueuelen 10000",
            f"address add 10.{number}.{CLIENT >> 8}.{CLIENT & 255}/32 dev hall",
            "route add 10.0.0.0/8 dev hall",
            f"route add local 10.{number}.0.0/16 dev lo",
        ):
            subprocess.run(["ip", *command.split()], check=True)
        return device

    def run(self) -> None:
        """Pass packets until standard input ends."""
        poll = select.epoll()
        for one in (0, *self._devices.values()):
            poll.register(one, select.EPOLLIN)
        while True:
            wait_s = self._later[0][0] - time.monotonic() if self._later else -1
            for fd, _ in poll.poll(max(wait_s, 0) if self._later else None):
                if fd == 0 and not self._obey():
                    return
                if fd:
                    self._read(fd)
            now_s = time.monotonic()
            while self._later and self._later[0][0] <= now_s:
                _, _, device, packet = heapq.heappop(self._later)
                self._send(device, packet)

    def _obey(self) -> bool:
        data = os.read(0, 1 << 16)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for words in map(bytes.split, lines):
            if words[0] == b"lost":
                link = self._links.setdefault(int(words[1]), Link())
                link.answered, link.client = False, b""
                self._show(int(words[1]), link)
                continue
            trouble = Trouble(*map(float, words[1:]))
            self._troubles.pop(int(words[0]), None)
            if any((*trouble.loss, trouble.delay_s)):
                self._troubles[int(words[0])] = trouble
        return bool(data)

    def _read(self, fd: int) -> None:
        for _ in range(64):
            try:
                packet = os.read(fd, MTU + 100)
            except BlockingIOError:
                return
            if packet[0] >> 4 == 4 and packet[16] == 10 and packet[17] in self._devices:
                self._route(packet, self._devices[packet[17]])

    def _route(self, packet: bytes, device: int) -> None:
        down = int.from_bytes(packet[18:20], "big") == CLIENT
        key = int.from_bytes(packet[13:16] if down else packet[17:20], "big")
        trouble = self._troubles.get(key)
        dropped = trouble is not None and self._rng.random() < trouble.loss[down]
        if packet[9] == 6:
            self._watch(packet, key & 0xFFFF, down, dropped)
        if dropped:
            return
        if trouble is None or not trouble.delay_s:
            self._send(device, packet)
            return
        self._count += 1
        delay_s = trouble.delay_s + self._rng.random() * trouble.jitter_s
        heapq.heappush(self._later, (time.monotonic() + delay_s, self._count, device, packet))

    def _watch(self, packet: bytes, name: int, down: bool, dropped: bool) -> None:
        """Follow the newest connection of a link."""
        at = (packet[0] & 15) * 4
        flags, has_data = packet[at + 13], int.from_bytes(packet[2:4], "big") > at + (packet[at + 12] >> 4) * 4
        client = packet[16:20] + packet[at + 2 : at + 4] if down else packet[12:16] + packet[at : at + 2]
        link = self._links.setdefault(name, Link())
        if flags & _SYN and not down:
            link.client, link.answered, link.missing = client, False, set()
        elif link.client != client:
            return
        if flags & (_FIN | _RST):
            link.answered, link.client = False, b""
        elif dropped and has_data:
            link.missing.add(down)
        elif has_data:
            link.missing.discard(down)
            link.answered |= down
        self._show(name, link)

    def _show(self, name: int, link: Link) -> None:
        passes = link.answered and not link.missing
        if passes != link.shown:
            link.shown = passes
            print(name, *[time.monotonic()] if passes else [], flush=True)

    @staticmethod
    def _send(device: int, packet: bytes) -> None:
        try:
            os.write(device, packet)
        except OSError as error:  # a full queue loses packets, as a real one does
            print(f"a packet is lost: {error}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    router = Router([int(number) for number in sys.argv[2:]], int(sys.argv[1]))
    print("ready", flush=True)
    router.run()
