"""The links between clients and brokers, and their faults: through proxies, or packet by packet (root only)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Protocol

from tests.hall.brokers import free_port

PORT = 1883


class Links(Protocol):
    """The links of all clients, each with a name. faults: what `spoil` can do."""

    faults: Sequence[str]

    async def start(self) -> None:
        """Make the links."""

    async def stop(self) -> None:
        """Remove the links."""

    def place(self, server: int) -> tuple[str, int]:
        """Return host and port at which a server listens, from 1."""

    def peer(self, server: int, by: int) -> tuple[str, int]:
        """Return host and port at which a server listens for another one."""

    def within(self, number: int) -> list[str]:
        """Return what begins a command that runs as this server (1 to 3) or process of tables (from 11)."""

    def addresses(self, name: str) -> list[tuple[str, int]]:
        """Return the host and port of each server for a client."""

    def spoil(self, name: str, fault: str, rng: Random) -> None:
        """Break a link until `mend`."""

    def mend(self, name: str) -> None:
        """Mend a link."""

    def lose(self, name: str) -> None:
        """Note that the client was killed."""

    def up_s(self, name: str) -> float | None:
        """Return when the server answered on the current connection; None if it has not."""


class Proxy:
    """Passes the bytes of one client to the servers. `ports`: one for each server."""

    def __init__(self, targets: Sequence[int]) -> None:
        self.ports: list[int] = []
        self._targets = targets
        self._servers: list[asyncio.Server] = []
        self._cut, self._flows = False, asyncio.Event()
        self._flows.set()
        self.delay_s = 0.0
        self._writers: set[asyncio.StreamWriter] = set()
        self._newest: asyncio.StreamWriter | None = None
        self.up_s: float | None = None

    async def start(self) -> None:
        """Listen on free ports."""
        for target in self._targets:
            server = await asyncio.start_server(partial(self._serve, target), "127.0.0.1", 0)
            self._servers.append(server)
            self.ports.append(server.sockets[0].getsockname()[1])

    def close(self) -> None:
        """Close the ports and all connections."""
        for server in self._servers:
            server.close()
        self.cut()

    def cut(self) -> None:
        """Close all connections and refuse others."""
        self._cut = True
        for writer in self._writers:
            writer.transport.abort()

    def stall(self) -> None:
        """Pass nothing on until `mend`, but keep connections."""
        self._flows.clear()

    def mend(self) -> None:
        """Pass everything on again."""
        self._cut, self.delay_s = False, 0.0
        self._flows.set()

    async def _serve(self, target: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._cut:
            writer.transport.abort()
            return
        try:
            far_reader, far = await asyncio.open_connection("127.0.0.1", target)
        except OSError:
            writer.transport.abort()
            return
        self._newest, self.up_s = writer, None
        pair = {writer, far}
        self._writers |= pair
        flows = self._pass(reader, far, None), self._pass(far_reader, writer, far)
        try:
            await asyncio.wait(map(asyncio.ensure_future, flows), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            return
        finally:
            for one in pair:
                one.transport.abort()
            self._writers -= pair
            if self._newest is writer:
                self.up_s = None

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, far: object) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                await asyncio.sleep(self.delay_s)
                await self._flows.wait()
                writer.write(data)
                await writer.drain()
                if far is not None and self.up_s is None and self._newest is writer:
                    self.up_s = time.monotonic()


class Proxies:
    """Links through TCP proxies; needs no root."""

    faults: Sequence[str] = ("cut", "stall", "slow")

    def __init__(self, names: Sequence[str], servers: int) -> None:
        self._ports = [free_port() for _ in range(servers)]
        self._peers = [free_port() for _ in range(servers)]
        self._proxies = {name: Proxy(self._ports) for name in names}

    async def start(self) -> None:
        for proxy in self._proxies.values():
            await proxy.start()

    async def stop(self) -> None:
        for proxy in self._proxies.values():
            proxy.close()
        await asyncio.sleep(0.1)  # the connections end

    def place(self, server: int) -> tuple[str, int]:
        return "127.0.0.1", self._ports[server - 1]

    def peer(self, server: int, by: int) -> tuple[str, int]:
        return "127.0.0.1", self._peers[server - 1]

    def within(self, number: int) -> list[str]:
        return []

    def addresses(self, name: str) -> list[tuple[str, int]]:
        return [("127.0.0.1", port) for port in self._proxies[name].ports]

    def spoil(self, name: str, fault: str, rng: Random) -> None:
        proxy = self._proxies[name]
        if fault == "slow":
            proxy.delay_s = rng.uniform(0.02, 0.3)
        else:
            proxy.cut() if fault == "cut" else proxy.stall()

    def mend(self, name: str) -> None:
        self._proxies[name].mend()

    def lose(self, name: str) -> None:
        pass  # the connection's end shows it

    def up_s(self, name: str) -> float | None:
        return self._proxies[name].up_s


class Network:
    """Links between network namespaces, with faults of packets; needs root, TUN devices and iproute2.

    The caller's own namespace must be a private one. Halls and database run in it.
    """

    faults: Sequence[str] = ("partition", "one-way", "poor", "one server")

    def __init__(self, names: Sequence[str], servers: int, groups: int, seed: int) -> None:
        self._links = {name: number for number, name in enumerate(names, 1)}
        self._names = {number: name for name, number in self._links.items()}
        for one in range(1, servers + 1):  # servers reach each other through links of their own
            self._links[f"server {one}"] = 255 << 8 | one
        self._servers, self._seed = range(1, servers + 1), seed
        self._numbers = [0, *self._servers, *range(11, 11 + groups)]
        self._held: dict[int, str] = {}
        self._up_s: dict[str, float] = {}
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        pipe, command = asyncio.subprocess.PIPE, [sys.executable, "-m", "tests.hall.proof.router", str(self._seed)]
        self._process = await asyncio.create_subprocess_exec(
            *command, *map(str, self._numbers), stdin=pipe, stdout=pipe
        )
        assert self._process.stdout is not None
        while (line := (await self._process.stdout.readline()).split()) != [b"ready"]:
            if not line:
                raise OSError("the router has ended: it needs root, /dev/net/tun and iproute2")
            self._held[int(line[0])] = f"/proc/{self._process.pid}/fd/{int(line[1])}"
        self._hearing = asyncio.create_task(self._hear(self._process.stdout))

    async def _hear(self, lines: asyncio.StreamReader) -> None:
        while words := (await lines.readline()).split():
            name = self._names.get(int(words[0]), "")
            if len(words) > 1:
                self._up_s[name] = float(words[1])
            else:
                self._up_s.pop(name, None)

    async def stop(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
            await self._hearing

    def place(self, server: int) -> tuple[str, int]:
        return f"10.{server}.254.1", PORT

    def peer(self, server: int, by: int) -> tuple[str, int]:
        return f"10.{server}.255.{by}", 6222

    def within(self, number: int) -> list[str]:
        return ["nsenter", f"--net={self._held[number]}"]

    def addresses(self, name: str) -> list[tuple[str, int]]:
        link = self._links[name]
        return [(f"10.{server}.{link >> 8}.{link & 255}", PORT) for server in self._servers]

    def spoil(self, name: str, fault: str, rng: Random) -> None:
        servers = [rng.choice(self._servers)] if fault == "one server" else list(self._servers)
        loss = rng.uniform(0.02, 0.3)
        one_way = rng.choice(("1 0 0 0", "0 1 0 0"))
        poor = f"{loss:.3f} {loss:.3f} {rng.uniform(5, 300):.0f} {rng.uniform(0, 200):.0f}"
        self._set(name, {"one-way": one_way, "poor": poor}.get(fault, "1 1 0 0"), servers)

    def mend(self, name: str) -> None:
        self._set(name, "0 0 0 0", self._servers)

    def lose(self, name: str) -> None:
        self._up_s.pop(name, None)
        self._say(f"lost {self._links[name]}")

    def up_s(self, name: str) -> float | None:
        return self._up_s.get(name)

    def _set(self, name: str, trouble: str, servers: Sequence[int]) -> None:
        for server in servers:
            self._say(f"{server << 16 | self._links[name]} {trouble}")

    def _say(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())


def enter_private() -> None:
    """Start this program again in namespaces of its own, which end with it. Does not return the first time."""
    if os.environ.get("HALL_PROOF") != "private":
        os.environ["HALL_PROOF"] = "private"
        options = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
        begin = ["sh", "-c", 'ip link set lo up && exec "$0" "$@"']
        os.execvp("unshare", ["unshare", *options, *begin, sys.executable, "-m", "tests.hall.proof", *sys.argv[1:]])
