"""Bytes to a child process that reads slowly."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor

from referee.children import Child


def test_what_finds_no_room_is_sent_later_in_order() -> None:
    child = Child.__new__(Child)  # its end of the socket alone
    child.rest, (child._line, theirs) = b"", socket.socketpair()
    sent, number = b"", 0
    while child.send_now(part := bytes([number]) * 50_000):
        sent, number = sent + part, number + 1
    with ThreadPoolExecutor() as threads, theirs.makefile("rb") as lines:
        read = threads.submit(lines.read)
        child.send(b"end")
        child._line.close()
        assert read.result() == sent + b"end"
    theirs.close()
    assert number > 0
    assert not child.send_now(b"gone")
