"""The guard: connections, rights to press, and rates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.config import address
from referee.web.guard import Hosts, host_of, same_machine, same_origin

FOREIGN = ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "xlocalhost", "[::2]", "10.0.0.7"]
BROKEN = ["", " ", "localhost:", "localhost:x", "localhost:123456", "a@localhost", "localhost/", "[::1", "::1", "ö"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080", "localhost.:80"])
def test_the_page_answers_to_the_names_of_this_machine(host: str) -> None:
    assert Hosts("127.0.0.1").may_read(host)
    assert Hosts("127.0.0.1").may_write(host)


@pytest.mark.parametrize("host", FOREIGN + BROKEN)
def test_it_answers_to_no_other(host: str) -> None:
    assert not Hosts("127.0.0.1").may_read(host)
    assert not Hosts("127.0.0.1").may_write(host)
    assert not Hosts("127.0.0.1").may_read(None)


def test_the_listen_host_and_the_devices_own_name_are_names_of_ours() -> None:
    hosts = Hosts("192.168.1.5", ["Referee.local"])
    assert hosts.may_write("192.168.1.5:8080")
    assert hosts.may_write("referee.local")
    assert not hosts.may_read("192.168.1.6")


@pytest.mark.parametrize("listen", ["0.0.0.0", "::", "", "[::]", (address("*:80") or ("*", 0))[0]])
def test_listening_everywhere_bare_addresses_may_read_but_not_write(listen: str) -> None:
    hosts = Hosts(listen)
    assert hosts.may_read("192.168.1.5:8080")
    assert hosts.may_read("[fe80::1]:8080")
    assert not hosts.may_write("192.168.1.5:8080")
    assert not hosts.may_read("evil.example")
    assert not hosts.may_write("0.0.0.0:8080")


@given(st.text())
def test_any_header_is_a_host_or_none(header: str) -> None:
    host = host_of(header)
    assert host is None or host in header.lower()


@pytest.mark.parametrize(
    ("origin", "host", "same"),
    [
        ("http://localhost:8080", "localhost:8080", True),
        ("https://table.local", "table.local", True),
        ("http://localhost:8081", "localhost:8080", False),
        ("http://localhost:8080.evil", "localhost:8080", False),
        ("null", "localhost:8080", False),
        (None, "localhost:8080", False),
        ("http://", "", False),
        ("http://None", None, False),
    ],
)
def test_an_origin_is_ours_only_when_it_names_the_very_host(origin: str | None, host: str | None, same: bool) -> None:
    assert same_origin(origin, host) is same


@pytest.mark.parametrize(
    ("peer", "here", "same"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("127.8.9.1", "127.0.0.1", True),
        ("::1", "::1", True),
        ("::ffff:127.0.0.1", "::1", True),
        ("192.168.1.5", "192.168.1.5", True),
        ("192.168.1.9", "192.168.1.5", False),
        ("::ffff:192.168.1.9", "192.168.1.5", False),
        ("fe80::1%eth0", "fe80::1%eth0", True),
        (None, None, False),
        ("", "", False),
        ("unix", "unix", False),
    ],
)
def test_pressing_needs_a_peer_on_this_machine(peer: str | None, here: str | None, same: bool) -> None:
    assert same_machine(peer, here) is same
