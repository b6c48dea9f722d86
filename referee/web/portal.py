"""Answers phones that ask whether their network has a page which they must open first (a captive portal).

In the device's own Wi-Fi network, systemd/referee.dnsmasq sends these questions here. The answer is a redirect to the
page, so a phone that has joined opens the page by itself.
"""

from __future__ import annotations

from aiohttp import web

HOSTS = frozenset(
    {
        "captive.apple.com",
        "connect.rom.miui.com",
        "connectivity-check.ubuntu.com",
        "connectivitycheck.android.com",
        "connectivitycheck.gstatic.com",
        "connectivitycheck.platform.hicloud.com",
        "clients3.google.com",
        "detectportal.firefox.com",
        "network-test.debian.org",
        "networkcheck.kde.org",
        "nmcheck.gnome.org",
        "www.msftconnecttest.com",
        "www.msftncsi.com",
    }
)
"""The hosts that phones and computers ask; the same as in systemd/referee.dnsmasq."""


def redirect(request: web.Request) -> web.Response:
    """Return the redirect to the page, at the address at which the request has come in."""
    host, port = request.get_extra_info("sockname")[:2]
    place = f"[{host}]" if ":" in host else host
    return web.Response(status=302, headers={"Location": f"http://{place}:{port}/"})
