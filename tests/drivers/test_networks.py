"""The addresses by which a phone reaches this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from referee.drivers.network import LOOPBACK, POINT_TO_POINT, RUNNING, UP, Interface, interfaces, reachable
from tests.drivers.networks import missing, within

WORKS = UP | RUNNING


def one(name: str, *addresses: str, flags: int = WORKS, hardware: bool = True) -> Interface:
    return Interface(name, flags, hardware, addresses)


HOTSPOT = one("wlan0", "10.42.0.1", "fe80::1", "fd00::5")
CABLE = one("eth0", "192.168.1.5", "2a02::5")
DOCKER = one("docker0", "172.17.0.1", hardware=False)


def test_best_address_comes_first() -> None:
    """The default route's, other hardware's, IPv6, virtual interfaces, an unassigned address."""
    tunnel = one("wg0", "10.9.0.2", flags=WORKS | POINT_TO_POINT)
    lone = one("eth1", "169.254.7.7")
    found = reachable([lone, DOCKER, tunnel, HOTSPOT, CABLE], "192.168.1.5")
    assert found[:2] == ("192.168.1.5", "10.42.0.1")
    assert set(found[2:4]) == {"fd00::5", "2a02::5"}
    assert set(found[4:6]) == {"172.17.0.1", "10.9.0.2"}
    assert found[6:] == ("169.254.7.7",)


def test_hotspot_without_a_route_is_reachable() -> None:
    assert reachable([DOCKER, HOTSPOT]) == ("10.42.0.1", "fd00::5", "172.17.0.1")


def test_bridge_that_has_the_route_is_the_best() -> None:
    bridge = one("br0", "192.168.1.5", hardware=False)
    assert reachable([DOCKER, HOTSPOT, bridge], "192.168.1.5")[0] == "192.168.1.5"


@pytest.mark.parametrize("flags", [0, UP, RUNNING, WORKS | LOOPBACK])
def test_no_address_of_what_is_down_or_this_machine_s_own(flags: int) -> None:
    assert reachable([one("eth0", "192.168.1.5", flags=flags), one("lo", "127.0.0.1", "::1")]) == ()


def test_this_machine_has_a_loopback_interface() -> None:
    assert any("127.0.0.1" in interface.addresses for interface in interfaces())


@pytest.fixture
def hotspot() -> Iterator[str]:
    """An isolated network: a hotspot at 10.42.0.1 and fd00::5, without a route."""
    if why := missing():
        pytest.skip(why)
    name = f"referee-hotspot-{os.getpid()}"
    try:
        for command in (
            f"netns add {name}",
            f"-n {name} link set lo up",
            f"-n {name} link add wlan0 type veth peer name guest",
            f"-n {name} link set guest up",
            f"-n {name} address add 10.42.0.1/24 dev wlan0",
            f"-n {name} address add fd00::5/64 dev wlan0 nodad",
            f"-n {name} link set wlan0 up",
        ):
            subprocess.run(["ip", *command.split()], check=True)
        yield name
    finally:
        subprocess.run(["ip", "netns", "delete", name], check=False)


def test_page_on_a_hotspot_has_a_number(hotspot: str) -> None:
    """The number comes first, for the scanned code, then the name.

    Only address families that the page listens on.
    """
    script = (
        "from referee.device.page import page_addresses as p; print(p('', 80, 'a.local'), p('0.0.0.0', 80, 'a.local'))"
    )
    said = subprocess.run(within(hotspot, sys.executable, "-c", script), check=True, capture_output=True, text=True)
    every, four = (
        "http://10.42.0.1:80/ http://a.local:80/ http://[fd00::5]:80/",
        "http://10.42.0.1:80/ http://a.local:80/",
    )
    assert said.stdout.split() == f"{every} {four}".split()
