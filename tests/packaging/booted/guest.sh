#!/bin/bash
# In the guest, as root under systemd, without a network: the package from its bundle, and what can go wrong around it.
# Each step that is as it must be is a line in /share/told; the first that is not ends the script. Three boots of one
# disk, by the first word: `install`, `off`, `purge`.
set -eu
unset PYTHONPATH PYTHONDONTWRITEBYTECODE
cd /root

tell() { printf '%7.1f s  %s\n' "$(cut -d' ' -f1 /proc/uptime)" "$*" | tee -a /share/told; }
fail() { tell "WRONG: $*"; journalctl -u referee.service --no-pager | tail -60; systemctl status referee.service --no-pager || true; exit 1; }
of() { systemctl show referee.service --property "$1" --value; }
until_true() { # seconds, what is waited for, the command
    local seconds=$1 what=$2
    shift 2
    for _ in $(seq $((seconds * 2))); do ! "$@" > /dev/null 2>&1 || return 0; sleep 0.5; done
    fail "$what: not within $seconds s"
}
ready() { [ "$(of ActiveState)" = active ]; }
page() { python3 -c 'import sys, urllib.request as u; sys.exit("<html" not in u.urlopen("http://127.0.0.1:8080/", timeout=5).read().decode())'; }
came_again() { [ "$(of NRestarts)" -gt "$1" ] && ready; }
says() { systemctl show referee.service --property StatusText --value | grep -q "$1"; }
rows() { python3 -c 'import sqlite3; d = sqlite3.connect("file:/var/lib/referee/journal.db?mode=ro", uri=True); print(d.execute("SELECT (SELECT count(*) FROM edge) + (SELECT count(*) FROM event)").fetchone()[0])'; }
kinds() { # how many events of that kind the journal has
    python3 -c 'import sqlite3, sys; d = sqlite3.connect("file:/var/lib/referee/journal.db?mode=ro", uri=True); print(d.execute("SELECT count(*) FROM event WHERE kind = ?", (sys.argv[1],)).fetchone()[0])' "$1"
}
has() { [ "$(kinds "$1")" -ge "$2" ]; }
tap() { # a button, the knob among them, by its line
    local pull=(/sys/devices/platform/gpio-sim.*/gpiochip*/sim_gpio"$1"/pull)
    echo pull-down > "${pull[0]}"; sleep 0.15; echo pull-up > "${pull[0]}"; sleep 0.6
}
share() { python3 -c 'import sys; print(f"{(int(sys.argv[2]) - int(sys.argv[1])) / 1e6:.2f} s")' "$(of ExecMainStartTimestampMonotonic)" "$(of ActiveEnterTimestampMonotonic)"; }
came_back() { # after how many resumptions; the match is the same one
    until_true 90 "READY=1" ready
    until_true 30 "the match that was under way" has resumed "$1"
    [ "$(kinds opened) $(kinds began)" = "$opened 1" ] || fail "another evening or match has begun"
}
installed() { dpkg-query -W -f '${Version}' card-table-referee; }

install_and_break() {
    # what is the rig's: the board's number
    mkdir -p /etc/systemd/system/referee.service.d
    printf '[Service]\nEnvironment=REFEREE_BOARD_REVISION=a02082\n' > /etc/systemd/system/referee.service.d/guest.conf
    tar -xf /share/bundle.tar
    card-table-referee-*/install < /dev/null
    tell "installed from the bundle: $(installed)"
    until_true 60 "a sentence about a machine without pins" says .
    tell "as installed, on a machine without pins: $(of StatusText)"
    # pins that a kernel simulates
    python3 /project/tests/rig/chip.py > /dev/null
    udevadm trigger --action=add --subsystem-match=gpio && udevadm settle
    printf '[pins]\nprofile = "direct4"\nchip = "rig-pinctrl"\n[arbiter]\ngpio_err_us = 2000\n[web]\nlisten = "0.0.0.0:8080"\n' > /etc/referee/referee.toml
    systemctl restart referee.service || true
    until_true 90 "READY=1" ready
    tell "the service has notified: $(of StatusText)"
    until_true 60 "the page" page
    tell "the page answers"
    ps -o user= -p "$(of MainPID)" | grep -qx referee || fail "it does not run as its own user"

    was=$(of NRestarts)
    systemctl kill --signal=STOP --kill-whom=main referee.service
    until_true 90 "back after a hang" came_again "$was"
    tell "hung, killed by its watchdog, and back: $(of Result) $(of NRestarts) restarts"

    # a match of two, in its first hand
    tap 17; tap 27; tap 12; tap 12
    until_true 20 "a match" has began 1
    sleep 3; tap 17; tap 27; sleep 5
    before=$(rows) opened=$(kinds opened) resumed=$(kinds resumed)
    dpkg -i /share/new.deb < /dev/null
    came_back $((resumed + 1))
    [ "$(rows)" -ge "$before" ] || fail "the upgrade has cost rows of the journal"
    tell "upgraded in mid-match to $(installed): the match is back, $before rows before, $(rows) after"
    dpkg -i --force-downgrade /share/old.deb < /dev/null
    came_back $((resumed + 2))
    [ "$(rows)" -ge "$before" ] || fail "the downgrade has cost rows of the journal"
    tell "downgraded to $(installed): the match is back, $(rows) rows"

    cp /etc/referee/referee.toml /root/well.toml
    sed -i 's/direct4/no such/' /etc/referee/referee.toml
    systemctl restart referee.service || true
    until_true 60 "the sentence about the settings" says "cannot start"
    tell "wrong settings: $(of StatusText)"
    was=$(of NRestarts); sleep 8; [ "$(of NRestarts)" = "$was" ] || fail "it spins"
    cp /root/well.toml /etc/referee/referee.toml
    until_true 60 "back with its settings" says "^[^c]"
    tell "settings put right: $(of StatusText)"

    fallocate -l "$(($(df --output=avail -B1 / | tail -1) - 8192))" /var/full 2> /dev/null || dd if=/dev/zero of=/var/full bs=1M 2> /dev/null || true
    dd if=/dev/zero of=/var/fuller bs=4k 2> /dev/null || true
    systemctl restart referee.service || true
    until_true 90 "READY=1 on a full disk" ready
    tell "full disk ($(df --output=avail / | tail -1 | tr -d ' ') KiB left): ready"
    rm -f /var/full /var/fuller
    until_true 90 "the page" page

    date -s '1970-01-02 00:00:00' > /dev/null
    systemctl restart referee.service
    until_true 90 "READY=1 in 1970" ready
    tell "the clock in $(date +%Y): ready"

    systemd-analyze security --no-pager referee.service | tail -1 | tee -a /share/told
    # the next boot has its pins before the service begins
    printf '%s\n' '[Unit]' 'After=rig-mounts.service' 'Before=referee.service' '[Service]' 'Type=oneshot' \
    'ExecStart=/bin/sh -c "python3 /project/tests/rig/chip.py && udevadm settle"' > /etc/systemd/system/guest-pins.service
    printf '[Unit]\nRequires=guest-pins.service\nAfter=guest-pins.service\n' >> /etc/systemd/system/referee.service.d/guest.conf
}

start_and_off() {
    until_true 90 "READY=1 by itself" ready
    until_true 90 "the table after a boot" says "open"
    tell "booted: $(of StatusText)"
    systemd-analyze critical-chain --no-pager referee.service >> /share/told
    tell "from its first instruction to READY=1, in this boot: $(share)"
    python3 - <<'P' | tee -a /share/told
import statistics, subprocess, sys, time
from pathlib import Path
code = "import sys; sys.path[:0] = ['/usr/lib/referee', '/usr/lib/referee/vendor']; import gpiozero, luma.oled.device, sqlite3"
def cold(command):
    Path("/proc/sys/vm/drop_caches").write_text("3")
    begun = time.monotonic()
    subprocess.run(command, check=True)
    return time.monotonic() - begun
def ours():
    subprocess.run(["systemctl", "stop", "referee.service"], check=True)
    cold(["systemctl", "start", "referee.service"])
    words = ["systemctl", "show", "referee.service", "--value", "--property"]
    at = [int(subprocess.check_output([*words, f"{name}TimestampMonotonic"])) for name in ("ExecMainStart", "ActiveEnter")]
    return (at[1] - at[0]) / 1e6
rounds = [(ours(), cold([sys.executable, "-c", code])) for _ in range(5)]
took, bare = (statistics.median(times) for times in zip(*rounds))
print(f"           the daemon's own share {took:.2f} s, the three imports {bare:.2f} s, both with cold caches: {took / bare:.2f} x (at most 2.5)")
sys.exit(took / bare > 2.5)
P
    [ "${PIPESTATUS[0]}" = 0 ] || fail "its start takes longer than 2.5 times the imports"
    tell "off is asked for, as the knob's Off does it"
    runuser -u referee -- touch /run/referee/off
    sleep 60
    fail "the machine is still on"
}

purge() {
    dpkg -r card-table-referee
    [ -e /var/lib/referee/journal.db ] || fail "removal has taken the journal"
    tell "removed; the journal is there"
    dpkg -P card-table-referee
    [ ! -e /var/lib/referee/journal.db ] || fail "the purge has left the journal"
    [ ! -e /etc/referee/referee.toml ] || fail "the purge has left the settings"
    tell "purged"
}

case $1 in
install) install_and_break ;;
off) start_and_off ;;
purge) purge ;;
esac
