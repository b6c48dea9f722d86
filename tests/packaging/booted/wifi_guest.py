"""A cycle of the Wi-Fi test, run as root in the guest; see wifi.py.

    python3 -m tests.packaging.booted.wifi_guest CYCLE [NOTE]

The network in which the last boot ended is back: the phone joins it and opens the page. Then other networks are chosen
at the knob, and the phone joins them. In the own network it gets its address from the device, asks what phones ask, and
is led to the page. With NOTE, the power is then cut; without it, two phones pair, take seats and start a match.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from evdev import UInput, ecodes

TOLD, ANSWER = Path("/share/told"), Path("/run/referee-wifi/answer")
STATE, HOST = Path("/root/state.json"), Path("/root/host")
LOCAL, PAGE = "http://127.0.0.1:8080", "http://10.42.0.1:8080/"
ASKED = "http://connectivitycheck.gstatic.com/generate_204"
HOME = ("Heim", "at home we play")
LIMIT_S, BOOT_S = 30.0, 240.0
POLL_S = 0.25
SHOWN_S = 3.0
"""Seconds within which an emulated machine shows the result of a push."""
KEYS = {"push": ecodes.KEY_ENTER, -1: ecodes.KEY_LEFT, 1: ecodes.KEY_RIGHT}


def uptime_s() -> float:
    return float(Path("/proc/uptime").read_text().split()[0])


def tell(text: str) -> None:
    with TOLD.open("a") as told:
        told.write(f"{uptime_s():7.1f} s  {text}\n")


def run(*words: str) -> str:
    """Run a command; return its output, "" if it fails."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout if done.returncode == 0 else ""


def phone(*words: str) -> str:
    """Run a command in the phone."""
    return run("ip", "netns", "exec", "phone", *words)


def wait(what: str, test: Callable[[], Any], limit_s: float) -> Any:
    """Return the first true value of `test`. End with the logs after `limit_s`."""
    give_up_s = time.monotonic() + limit_s
    while time.monotonic() < give_up_s:
        if found := test():
            return found
        time.sleep(POLL_S)
    tell(f"WRONG: {what}: not within {limit_s:g} s")
    print(run("journalctl", "--no-pager", "-b", "-u", "NetworkManager", "-u", "referee*", "-n", "150"))  # noqa: T201
    print(run("nmcli"), run("nft", "list", "ruleset"), run("iw", "dev"), phone("ip", "addr"))  # noqa: T201
    sys.exit(1)


# -- the knob ------------------------------------------------------------------------------------------------------


class Knob:
    """A keyboard whose keys turn and push the knob."""

    def __init__(self) -> None:
        keys = {ecodes.EV_KEY: [ecodes.KEY_A, ecodes.KEY_B, *KEYS.values()]}
        self._pad = UInput(keys, name="Guest pad", vendor=0x1234, product=0x5678)

    def press(self, key: str | int) -> None:
        for down in (1, 0):
            self._pad.write(ecodes.EV_KEY, KEYS[key], down)
            self._pad.syn()
            time.sleep(0.2)

    def _lists(self) -> bool:
        """Push the knob if no list is open; return whether one was."""
        if "items" in screen():
            return True
        self.press("push")
        time.sleep(SHOWN_S)
        return False

    def choose(self, *keys: str) -> None:
        """Push the knob along these lines of its lists."""
        wait("a list", self._lists, BOOT_S)
        for key in keys:
            at = wait(f"the line {key}", partial(place, key), LIMIT_S)[0]
            steps = at - screen()["cursor"]
            for _ in range(abs(steps)):
                self.press(1 if steps > 0 else -1)
            wait(f"the cursor at {key}", partial(_is_at, at), BOOT_S)
            self.press("push")


def _is_at(cursor: int) -> bool:
    return bool(screen().get("cursor") == cursor)


def screen() -> dict[str, Any]:
    try:
        with urllib.request.urlopen(f"{LOCAL}/api/view", timeout=10) as answer:
            found: dict[str, Any] = json.load(answer)["screen"]
            return found
    except OSError:
        return {}


def place(key: str) -> tuple[int] | None:
    """Return the index of the line with that key in the list, in a tuple; None without one."""
    lines = screen().get("items", ())
    return next(((at,) for at, line in enumerate(lines) if isinstance(line, dict) and line.get("key") == key), None)


# -- the phone -----------------------------------------------------------------------------------------------------


def join(name: str, password: str) -> None:
    """Join that network with the phone, and get an address."""
    Path("/run/phone.conf").write_text(
        f'network={{\nssid="{name}"\nscan_ssid=1\nkey_mgmt=WPA-PSK\npsk="{password}"\n}}\n'
    )
    run("pkill", "--pidfile", "/run/phone.pid")
    phone("ip", "addr", "flush", "dev", "wlan1")
    phone("wpa_supplicant", "-B", "-i", "wlan1", "-c", "/run/phone.conf", "-P", "/run/phone.pid")


def leased() -> bool:
    lease = ("busybox", "udhcpc", "-i", "wlan1", "-n", "-q", "-t", "2", "-T", "1", "-s", "/usr/local/sbin/guest-lease")
    return ("Not connected" not in phone("iw", "dev", "wlan1", "link") and bool(phone(*lease))) or bool(
        phone("sh", "-c", "ip -4 -o addr show dev wlan1 | grep inet")
    )


def is_open(address: str) -> bool:
    return "<html" in phone("curl", "-sm", "5", address)


def opened(mode: str) -> bool:
    """Return whether the phone opens the page; in the own network by asking as phones ask."""
    if not leased():
        return False
    if mode == "own":
        return phone("curl", "-sLm", "8", "-w", "\n%{http_code} %{url_effective}", ASKED).endswith(f"\n200 {PAGE}")
    words = run("sh", "-c", "ip -4 -o addr show dev wlan0 | awk '{print $4}'").partition("/")[0]
    return words.startswith("192.168.77.") and is_open(f"http://{words}:8080/")


def network(mode: str) -> tuple[str, str]:
    """Return the name and password of the network, as the display shows them."""
    if mode == "home":
        return HOME
    name, password = ANSWER.read_text().splitlines()[2:4]
    return name, password


# -- playing -------------------------------------------------------------------------------------------------------


def host_phone() -> str:
    """Return the secret of a phone that was paired before, the host's."""
    if not HOST.exists():
        code = (
            "import sys; sys.path[:0] = ['/usr/lib/referee', '/usr/lib/referee/vendor']; from pathlib import Path; "
            "from referee.device.phones.pairing import PhoneBook; "
            "print(PhoneBook(Path('/var/lib/referee/phones.json')).pair()[1])"
        )
        run("systemctl", "stop", "referee.service")
        HOST.write_text(run("runuser", "-u", "referee", "--", "python3", "-c", code).strip())
        run("systemctl", "start", "referee.service")
    return HOST.read_text()


async def evening(host: str) -> None:
    """Pair a second phone with the code that the first one shows, seat both, and start a match."""
    from aiohttp import ClientSession

    async with ClientSession() as session:

        async def post(path: str, secret: str = "", **body: object) -> dict[str, Any]:
            headers = {"Origin": PAGE.rstrip("/")} | ({"Cookie": f"phone={secret}"} if secret else {})
            async with session.post(f"{PAGE}api/{path}", json=body, headers=headers) as answer:
                text = await answer.text()
                assert answer.status == 200, f"{path}: {answer.status} {text}"
                found: dict[str, Any] = json.loads(text or "{}")
                return {**found, "cookie": answer.cookies["phone"].value if "phone" in answer.cookies else ""}

        code = (await post("code", host))["code"]
        guest = (await post("pair", code=code))["cookie"]
        for seat, (secret, name) in enumerate(((host, "Anna"), (guest, "Ben")), 1):
            await post("seat", secret, seat=seat, name=name)
        async with session.ws_connect(f"{PAGE}live", headers={"Cookie": f"phone={guest}"}) as live:
            await post("start", host)
            async for message in live:
                if '"asks":"ready"' in message.data.replace(": ", ":"):
                    return


def main(cycle: int, note: str) -> None:
    before = json.loads(STATE.read_text()) if STATE.exists() else {"mode": "home"}
    mode = before["mode"]
    wait("the page", screen, BOOT_S)
    wait(f"NetworkManager in {mode}", lambda: run("nmcli", "-g", "STATE", "general"), BOOT_S)
    begun_s = uptime_s()
    join(*before.get("network", HOME))
    wait(f"the page in the {mode} network after the start", lambda: opened(mode), BOOT_S)
    all_s = uptime_s() - begun_s
    tell(f"cycle {cycle}: the {mode} network is back, the page opened {all_s:.1f} s after the service{_mark(all_s)}")
    host = host_phone()
    wait("the page", screen, BOOT_S)
    knob = Knob()
    networks = ["home", "own", "home"] if mode == "own" else ["own", "home", "own"]
    for new in networks:
        choose(knob, new, cycle)
        mode = new
    if not note:
        off_and_on(knob, cycle)
        play(host)
        return
    STATE.write_text(json.dumps({"mode": mode, "network": network(mode)}))
    run("sync")
    Path(note).touch()
    time.sleep(60)


def off_and_on(knob: Knob, cycle: int) -> None:
    """Open the own network, switch the Wi-Fi off and open it again: it is the same network. The doctor names it."""
    choose(knob, "own", cycle)
    before = network("own")
    ask(knob, "off")
    wait("the radio to be off", lambda: run("nmcli", "-g", "WIFI", "radio").strip() == "disabled", BOOT_S)
    choose(knob, "own", cycle)
    if network("own") != before:
        tell("WRONG: another network after off and on")
        sys.exit(1)
    told = subprocess.run(
        ["referee", "doctor", "--config", "/etc/referee/referee.toml"], capture_output=True, text=True, check=False
    )
    said = [line for line in told.stdout.splitlines() if "wi-fi" in line]
    tell("the doctor: " + " / ".join(" ".join(line.split()) for line in said))
    if not any("own network is open" in line for line in said):
        sys.exit(1)


def ask(knob: Knob, new: str) -> float:
    """Choose that line at the knob, wait for the answer and its word on the display; return when it was chosen."""
    time.sleep(3)
    knob.choose("item.more", "item.device", "item.wifi", f"item.wifi_{new}")
    begun_s = uptime_s()
    wait(f"the answer to {new}", partial(answered, new, time.time()), BOOT_S)
    if new != "own":
        word = f"note.wifi_{new}"
        wait("the display's word about it", lambda: screen().get("note", {}).get("key") == word, BOOT_S)
    return begun_s


def choose(knob: Knob, new: str, cycle: int) -> None:
    """Choose that network at the knob; the phone joins it and opens the page."""
    begun_s = ask(knob, new)
    took_s = uptime_s() - begun_s
    join(*network(new))
    wait(f"the page in the {new} network", partial(opened, new), BOOT_S)
    all_s = uptime_s() - begun_s
    told = f"answered after {took_s:.1f} s, the page after {all_s:.1f} s{_mark(all_s)}"
    tell(f"cycle {cycle}: {new} at the knob, {told}")
    knob.press("push")


def _mark(took_s: float) -> str:
    return " SLOW" if took_s > LIMIT_S else ""


def answered(choice: str, since: float) -> bool:
    if not ANSWER.exists() or ANSWER.stat().st_mtime < since - 1:
        return False
    return ANSWER.read_text().splitlines()[:2] == [choice, choice]


def play(host: str) -> None:
    command = (sys.executable, "-m", "tests.packaging.booted.wifi_guest", "phone", host)
    words = ["ip", "netns", "exec", "phone", *command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        tell(f"WRONG: the phones do not play: {done.stderr[-600:]}")
        sys.exit(1)
    tell("two phones have paired, sat down and started a match over the own network")


if __name__ == "__main__":
    if sys.argv[1] == "phone":
        asyncio.run(evening(sys.argv[2]))
    else:
        main(int(sys.argv[1]), (*sys.argv[2:], "")[0])
