"""Test the own Wi-Fi network in a booted Debian 13 with simulated radios: `make deb-boot-wifi`.

    python -m tests.packaging.booted.wifi [--cycles 4] [--keep DIR]

Debian's own kernel (mac80211_hwsim, uinput), NetworkManager and the package. One radio is the device's; a phone and a
home router have the others, each in a network namespace. In each cycle the machine boots, the network of before comes
back, others are chosen at the knob (wifi_guest.py), and the power is cut. Needs root on Debian 12, x86-64; elsewhere
it prints a sentence and exits with 0.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from systemd.debian.__main__ import build
from systemd.debian.contents import depends
from tests.packaging.booted.guest import lacking, machine
from tests.rig.vm import FIRST_LINE, Image, RigError, run_script, shared_directory

VERSION, EPOCH_S = "0.1.0+wifi1", 1_750_000_000
PACKAGES = (
    *("polkitd", "linux-image-amd64", "initramfs-tools", "zstd", "network-manager", "wpasupplicant", "dnsmasq-base"),
    *("nftables", "iproute2", "iw", "busybox", "curl", "python3-evdev"),
    *(name.split()[0] for name in depends()),
)
TIMEOUT_S = 1200
SLOW = "SLOW"
"""The guest's mark of a page that came too late."""
RADIOS = """\
#!/bin/sh -e
# The first radio is the device's; a phone and a router get the others, each in a network namespace.
modprobe mac80211_hwsim radios=3
ip netns add phone && iw phy phy1 set netns name phone
ip netns add router && iw phy phy2 set netns name router
ip -n router addr add 192.168.77.1/24 dev wlan2
ip netns exec router wpa_supplicant -B -i wlan2 -c /etc/guest/router.conf
ip netns exec router dnsmasq --conf-file=/dev/null --port=0 --interface=wlan2 \\
    --dhcp-range=192.168.77.50,192.168.77.99,1h
"""
RADIOS_UNIT = """\
[Unit]
DefaultDependencies=no
After=systemd-udevd.service local-fs.target
Before=NetworkManager.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/guest-radios
[Install]
WantedBy=multi-user.target
"""
FILES = {
    "etc/guest/router.conf": (
        'network={\nssid="Heim"\nmode=2\nfrequency=2412\nkey_mgmt=WPA-PSK\npsk="at home we play"\n}\n'
    ),
    "etc/NetworkManager/system-connections/Heim.nmconnection": (
        "[connection]\nid=Heim\ntype=wifi\n[wifi]\nssid=Heim\n[wifi-security]\nkey-mgmt=wpa-psk\npsk=at home we play\n"
        "[ipv4]\nmethod=auto\n[ipv6]\nmethod=disabled\n"
    ),
    "etc/systemd/system/guest-radios.service": RADIOS_UNIT,
    "usr/local/sbin/guest-radios": RADIOS,
    "usr/local/sbin/guest-lease": (
        '#!/bin/sh\n[ "$1" = bound ] || exit 0\nip addr flush dev "$interface"\n'
        'ip addr add "$ip/$mask" dev "$interface"\necho "nameserver $dns" > /etc/resolv.conf\n'
    ),
    "etc/netns/phone/resolv.conf": "",
    "etc/initramfs-tools/conf.d/guest": "MODULES=list\n",
    "etc/initramfs-tools/modules": "virtio_pci\nvirtio_blk\next4\n",
    "etc/initramfs-tools/scripts/init-top/rig": f'#!/bin/sh\necho "<2>{FIRST_LINE}" > /dev/kmsg\n',
    "etc/modules-load.d/guest.conf": "uinput\n",
    "etc/referee/referee.toml": (
        '[pins]\nprofile = "none"\n[table]\nseats = 2\n[web]\nlisten = "0.0.0.0:8080"\n'
        '[keys.buttons."1234:5678"]\nKEY_A = "1"\nKEY_B = "2"\nKEY_ENTER = "knob"\n'
        'KEY_LEFT = "knob-left"\nKEY_RIGHT = "knob-right"\n'
    ),
}
PRIVATE, PLAIN, PROGRAM = 0o600, 0o644, 0o755


def image(work: Path) -> Image:
    """Return a disk with the package installed, and Debian's own kernel from it."""

    def furnish(root: Path) -> None:
        (root / "referee.deb").write_bytes(build(VERSION, EPOCH_S))
        subprocess.run(["chroot", root, "dpkg", "-i", "/referee.deb"], check=True, stdout=subprocess.DEVNULL)
        for path, text in FILES.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
            mode = PRIVATE if "system-connections" in path else PROGRAM if "#!/bin/sh" in text else PLAIN
            (root / path).chmod(mode)
        subprocess.run(["systemctl", "--quiet", f"--root={root}", "enable", "guest-radios"], check=True)
        subprocess.run(["chroot", root, "update-initramfs", "-u", "-k", "all"], check=True, stdout=subprocess.DEVNULL)
        for name in ("vmlinuz", "initrd.img"):
            (kept,) = (root / "boot").glob(f"{name}-*")
            shutil.copy(kept, work / name)

    made = machine(work, packages=PACKAGES, furnish=furnish)
    return Image(work / "vmlinuz", work / "initrd.img", made.disk)


def play(cycles: int, keep: Path | None) -> None:
    """Boot once for each cycle, and print what the guest has measured. Raises RigError on a failure."""
    with shared_directory() as share, tempfile.TemporaryDirectory(dir="/var/tmp") as work:
        made = image(Path(work))
        try:
            for cycle in range(cycles):
                _boot(made, share, cycle, last=cycle == cycles - 1)
            if slow := (share / "told").read_text().count(SLOW):
                raise RigError(f"the page came too late {slow} times")
        finally:
            told = share / "told"
            print(told.read_text() if told.exists() else "the guest has told nothing", end="")  # noqa: T201
            if keep:
                shutil.copytree(share, keep, dirs_exist_ok=True)


def _boot(made: Image, share: Path, cycle: int, *, last: bool) -> None:
    pulled = share / "pulled"
    pulled.unlink(missing_ok=True)
    script = f"exec python3 -m tests.packaging.booted.wifi_guest {cycle} {'' if last else '/share/pulled'}\n"
    words = "root=/dev/vda net.ifnames=0"
    run_script(
        script,
        share,
        systemd=True,
        timeout_s=TIMEOUT_S,
        image=made,
        disk=made.disk,
        kernel_words=words,
        plug=pulled,
    )


def main() -> int:
    """Return 0 if all was right, or if it cannot run here."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cycles", type=int, default=4)
    parser.add_argument("--keep", type=Path, help="a folder for what the guest leaves")
    given = parser.parse_args()
    if why := lacking("amd64"):
        print(f"deb-boot-wifi: skipped: {why}")  # noqa: T201
        return 0
    try:
        play(given.cycles, given.keep)
    except RigError as error:
        print(f"deb-boot-wifi: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
