"""Answer phones that look for a captive portal.

That is a page which a network wants people to open first. In the device's own Wi-Fi network, systemd/referee.dnsmasq
directs these requests here. The answer redirects to the page, so a phone that joins the network opens the page by
itself.
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
"""The hosts that phones and computers request; the same as in systemd/referee.dnsmasq."""


def redirect(request: web.Request) -> web.Response:
    """Return a redirect to the page at the address that received the request."""
    host, port = request.get_extra_info("sockname")[:2]
    place = f"[{host}]" if ":" in host else host
    return web.Response(status=302, headers={"Location": f"http://{place}:{port}/"})
