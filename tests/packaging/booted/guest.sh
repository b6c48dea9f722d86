#!/bin/bash
# In the guest, as root under systemd, without a network: install the package from its bundle, and test faults.
# Each passed step is a line in /share/told; the first failed one ends the script. Nine boots of one
# disk, by the first word: `install`, `children`, `torture`, `off`, `cut`, `update`, `storage`, `readonly`, `purge`; and the second boot of a blank card, `card`.
set -eu
unset PYTHONPATH PYTHONDONTWRITEBYTECODE
cd /root

tell() { printf '%7.1f s  %s\n' "$(cut -d' ' -f1 /proc/uptime)" "$*" | tee -a /share/told; }
fail() { tell "WRONG: $*"; journalctl -u referee.service -u "referee-*" --no-pager | tail -60; systemctl status referee.service --no-pager || true; exit 1; }
of() { systemctl show referee.service --property "$1" --value; }
until_true() { # seconds, what is waited for, the command
    local seconds=$1 what=$2
    shift 2
    for _ in $(seq $((seconds * 2))); do ! "$@" > /dev/null 2>&1 || return 0; sleep 0.5; done
    fail "$what: not within $seconds s"
}
ready() { [ "$(of ActiveState)" = active ]; }
page() { python3 -c 'import sys, urllib.request as u; sys.exit("<html" not in u.urlopen("http://127.0.0.1:8080/", timeout=5).read().decode())'; }
asks_back() { # whether the display asks those of the match that was under way
    python3 -c 'import sys, json, urllib.request as u; sys.exit(json.load(u.urlopen("http://127.0.0.1:8080/api/view", timeout=20))["phase"] != "POWER_BACK")'
}
came_again() { [ "$(of NRestarts)" -gt "$1" ] && ready; }
says() { systemctl show referee.service --property StatusText --value | grep -q "$1"; }
rows() { zcat -f /var/lib/referee/evenings/*.jsonl* | grep -c '"kind":"e'; } # edges and events
kinds() { # how many events of that kind the evenings have; "opened": how many evenings
    [ "$1" != opened ] || { ls /var/lib/referee/evenings | wc -l; return; }
    zcat -f /var/lib/referee/evenings/*.jsonl* | grep -c "\"event\":{\"type\":\"$1\"" || true
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
knob() { PYTHONPATH=/project python3 -m tests.packaging.booted.knob "$@" || fail "the knob's list has no such line"; }
of_host() { # something that only a person beside the machine can do: the host does it (__main__.py)
    echo "$1" > /share/asked.new
    mv /share/asked.new /share/asked
    until_true 30 "the host" test ! -e /share/asked
}
told_of() { journalctl -u referee.service --no-pager -o cat --since "-2min" | grep -qi "$1"; }
finished() { # the matches with a hand in that list of `referee history`
    python3 -c 'import json, sys; print(*(m["totals"] for m in json.load(open(sys.argv[1]))["matches"] if m["hands"]))' "$1"
}
unmounted() { [ ! -e /run/referee-stick/sda ]; }
copied() { journalctl --no-pager -u "referee-stick*" | grep -q "The stick can be pulled out"; }
phase() { python3 -c 'import json, sys, urllib.request as u; sys.exit(json.load(u.urlopen("http://127.0.0.1:8080/api/view", timeout=20))["phase"] != sys.argv[1])' "$1"; }
update_says() { grep -q "\"kind\": \"$1\"" /var/lib/referee/update/says.json; }
ended() { ! update_says installing && ! update_says offer; }
moment() { cut -d' ' -f1 /proc/uptime; }
installed() { dpkg-query -W -f '${Version}' card-table-referee; }

install() {
    # specific to the rig: the board's number
    mkdir -p /etc/systemd/system/referee.service.d
    printf '[Service]\nEnvironment=GPIOD_BOARD_REVISION=a02082\n' > /etc/systemd/system/referee.service.d/guest.conf
    [ "$(ls /sys/class/net)" = lo ] || fail "there is a network"
    cp -r /share/release /root/release
    cd /root/release
    # the three commands of its README.txt and of docs/releasing.md
    sha256sum --ignore-missing -c SHA256SUMS
    tar -xf card-table-referee-*-"$(dpkg --print-architecture)".tar
    card-table-referee-*-"$(dpkg --print-architecture)"/install < /dev/null
    cd /root
    tell "installed from a release's folder by three commands: $(installed) on $(uname -m)"
    until_true 60 "a sentence about a machine without pins" says .
    tell "as installed, on a machine without pins: $(of StatusText)"
    PYTHONPATH=/project python3 /project/tests/rig/chip.py pinctrl-bcm2835 > /dev/null
    until_true 180 "the table, with a Pi's pins" says "open"
    tell "with a Pi's pins, without another command: $(of StatusText)"
    until_true 60 "the page" page
    tell "the page answers"
    # the rig's wiring
    udevadm trigger --action=add --subsystem-match=gpio --subsystem-match=i2c-dev --subsystem-match=pwm && udevadm settle
    printf '[pins]\nprofile = "direct4"\n[arbiter]\ngpio_err_us = 2000\n[web]\nlisten = "0.0.0.0:8080"\n[sound]\npwm = "/sys/class/pwm/pwmchip0"\n' > /etc/referee/referee.toml
    systemctl restart referee.service || true
    until_true 90 "READY=1" ready
    tell "the service has notified: $(of StatusText)"
    until_true 60 "the page" page
    cp /project/tests/packaging/booted/guest-pins.service /etc/systemd/system/
    cp /project/tests/packaging/booted/a-pi.conf /etc/systemd/system/referee.service.d/guest.conf
}

child() { pgrep -f -P "$(of MainPID)" -- "-m $1"; }
another() { local now; now=$(child "$1") && [ "$now" != "$2" ]; }
lost() { # the child's module, its name in the log, the cause, a command that ends it
    local was
    was=$(child "$1")
    "${@:4}" "$was"
    until_true 15 "a word about the $2" told_of "the $2 has ended ($3)"
    until_true 60 "another $2" another "$1" "$was"
    until_true 60 "the $2's answer" told_of "the $2 is back"
    [ "$(of MainPID) $(of NRestarts)" = "$main" ] || fail "the $2 has taken the table with it"
    tell "the $2 was named and is back: $3"
}
memory_ends() { echo f > /proc/sysrq-trigger; } # the kernel kills what it would kill without memory

children() {
    until_true 90 "READY=1 by itself" ready
    until_true 90 "the table after a boot" says "open"
    cp /etc/referee/referee.toml /root/well.toml
    printf '[mqtt]\nurl = "mqtt://127.0.0.1:9"\nname = "t1"\n' >> /etc/referee/referee.toml
    systemctl restart referee.service
    until_true 90 "READY=1" ready
    until_true 90 "the page" page
    main="$(of MainPID) $(of NRestarts)"
    for limited in "referee.page.child 268435456" "referee.mqtt.child 536870912"; do
        read -r module most <<< "$limited"
        until_true 60 "the process $module" child "$module"
        pid=$(child "$module")
        grep -q "^Max data size *$most " "/proc/$pid/limits" || fail "$module: $(grep data "/proc/$pid/limits")"
        [ "$(cat "/proc/$pid/oom_score_adj") $(ps -o ni= -p "$pid" | tr -d ' ')" = "800 10" ] || fail "$module has another priority"
    done
    lost referee.page.child "page" "it was stopped" kill -STOP
    lost referee.mqtt.child "MQTT link" "it was stopped" kill -STOP
    lost referee.page.child "page" "status -9" memory_ends
    until_true 90 "the page" page
    tap 17
    cp /root/well.toml /etc/referee/referee.toml
}

torture() {
    until_true 90 "READY=1 by itself" ready
    until_true 90 "the table after a boot" says "open"
    ps -o user= -p "$(of MainPID)" | grep -qx referee || fail "it does not run as its own user"

    was=$(of NRestarts)
    systemctl kill --signal=STOP --kill-whom=main referee.service
    until_true 90 "back after a hang" came_again "$was"
    tell "hung, killed by its watchdog, and back: $(of Result) $(of NRestarts) restarts"

    # a match of two, in its first hand: both join, the knob starts, both agree, both have dealt
    tap 17; tap 27; tap 12; tap 12
    until_true 20 "a match" has began 1
    sleep 3; tap 17; tap 27; sleep 3; tap 17; tap 27; sleep 8
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
    until_true 60 "the match that was under way, on a full disk" asks_back
    tell "full disk ($(df --output=avail / | tail -1 | tr -d ' ') KiB left): ready, and the match is back"
    rm -f /var/full /var/fuller
    until_true 90 "the page" page

    # an unplugged display: the table opens without it, reports it, and finds it again
    echo 1 > /sys/module/rig_i2c/parameters/nack
    systemctl restart referee.service
    until_true 90 "READY=1 without a display" ready
    tap 17
    until_true 30 "a word about the display" told_of "display"
    tell "no display: ready; $(journalctl -u referee.service --no-pager -o cat | grep -i display | tail -1)"
    echo 0 > /sys/module/rig_i2c/parameters/nack
    until_true 60 "the display, plugged in again" told_of "display is back"
    tell "the display is back"

    date -s '1970-01-02 00:00:00' > /dev/null
    systemctl restart referee.service
    until_true 90 "READY=1 in 1970" ready
    tell "the clock in $(date +%Y): ready"

    systemd-analyze security --no-pager referee.service | tail -1 | tee -a /share/told
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
code = "import sys; sys.path[:0] = ['/usr/lib/referee', '/usr/lib/referee/vendor']; import gpiozero, luma.oled.device, msgspec"
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
    knob item.other_table item.more item.device item.off
    tell "off is asked for at the knob"
    knob item.switch_off
    sleep 60
    fail "the machine is still on"
}

accept() { # the newer version on that stick
    until_true 90 "the lobby" phase LOBBY
    of_host "$1"
    until_true 180 "the offer of the stick $1" phase OFFER
    echo pull-down > /sys/devices/platform/gpio-sim.0/gpiochip*/sim_gpio12/pull; sleep 2
    echo pull-up > /sys/devices/platform/gpio-sim.0/gpiochip*/sim_gpio12/pull
}

cut_update() {
    until_true 90 "READY=1 by itself" ready
    accept good
    until_true 300 "the update's begin" test -e /var/lib/referee-update/under-way
    sleep 15
    sync
    rows > /share/rows-before-the-cut
    tell "the plug is pulled in mid-update"
    touch /share/pulled
    sleep 60
    fail "the machine is still on"
}

update() { # a stick, the expected end, the expected version
    local was begun end
    was=$(rows)
    accept "$1"
    begun=$(moment)
    until_true 60 "the update's begin" update_says installing
    until_true 900 "the update's end" ended
    end=$(moment)
    update_says "$2" || fail "$1: $(cat /var/lib/referee/update/says.json)"
    [ "$(installed)" = "$3" ] || fail "$1: $(installed) is installed, not $3"
    until_true 90 "READY=1" ready
    until_true 90 "the table" says "open"
    until_true 60 "the page" page
    [ "$(rows)" -ge "$was" ] || fail "the update has cost rows of the evening"
    grep -q direct4 /etc/referee/referee.toml || fail "$1: the settings are gone"
    tell "a stick with a version: $1, $2; $(installed) is ready $(python3 -c "print(round($end - $begun))") s after the knob; $was rows before, $(rows) after"
    journalctl -u referee-update.service --no-pager -o short-monotonic | tail -40
}

updates() {
    until_true 90 "READY=1 by itself" ready
    until_true 90 "the table after a boot" says "open"
    local old
    old=$(installed)
    update_says cut || fail "after the cut: $(cat /var/lib/referee/update/says.json)"
    [ "$old" != 0.1.3 ] || fail "the update that was cut has stayed"
    [ "$(rows)" -ge "$(cat /share/rows-before-the-cut)" ] || fail "the cut has cost rows of the evening"
    tell "after the cut: $old is ready, $(rows) rows"
    update crash broken "$old"
    update hang broken "$old"
    update good installed 0.1.3
}

storage_and_button() {
    until_true 90 "READY=1 by itself" ready
    until_true 60 "the page" page
    cp -r /share/matches /tmp/matches # the host's folder is root's alone
    chmod -R a+rX /tmp/matches
    runuser -u referee -- referee import /tmp/matches --state /var/lib/referee > /dev/null
    of_host stick
    until_true 60 "the matches on the stick" copied
    until_true 60 "the stick is unmounted" unmounted
    mkdir -p /mnt/stick
    mount -o ro /dev/sda /mnt/stick
    referee import /mnt/stick/referee --state /root/another-house > /root/imported
    referee history --state /root/another-house --json > /root/there
    referee history --state /var/lib/referee --json > /root/here
    [ "$(finished /root/here)" = "$(finished /root/there)" ] || fail "another house has read $(finished /root/there), not $(finished /root/here)"
    tell "a stick plugged in, and read by another house: $(finished /root/there)"
    umount /mnt/stick

    before=$(rows)
    /usr/libexec/referee/evenings-partition /dev/vdb
    until_true 90 "READY=1 with the evenings' own partition" ready
    [ "$(rows)" -ge "$before" ] || fail "the partition has cost rows of the evenings"
    tell "the evenings have their own partition: $before rows before, $(rows) there"

    # the picture and sound at the very end, for the host
    echo 1 > /sys/kernel/tracing/events/pwm/pwm_apply/enable
    printf '%s\n' '[Unit]' 'Before=referee.service' 'RequiresMountsFor=/share' '[Service]' 'Type=oneshot' 'RemainAfterExit=yes' \
    'ExecStart=/bin/true' 'ExecStop=/bin/sh -c "cp /dev/rig_i2c /share/panel.log; cp /sys/kernel/tracing/trace /share/sounded.txt"' \
    > /etc/systemd/system/guest-last-look.service
    systemctl daemon-reload
    systemctl start guest-last-look.service
    systemctl is-active --quiet systemd-logind.service || fail "logind, which hears the power button, does not run"
    touch /run/power-button
    echo > /sys/kernel/tracing/trace
    tell "the power button is held"
    of_host power
    sleep 60
    fail "the machine is still on"
}

read_only() {
    [ "$(findmnt -no FSTYPE /)" = overlay ] || fail "the root is no overlay"
    until_true 90 "READY=1 under a read-only root" ready
    until_true 60 "the page" page
    findmnt -no SOURCE /var/lib/referee | grep -q vdb || fail "the evenings are not on their partition"
    before=$(rows)
    tap 17; tap 27; sleep 8
    [ "$(rows)" -gt "$before" ] || fail "the journal has not grown by two taps"
    tell "under a read-only root: the table is open, $before rows before two taps, $(rows) behind them"
    rows > /share/rows-before-the-cut
    tell "the plug is pulled"
    touch /share/pulled
    sleep 60
    fail "the machine is still on"
}

purge() {
    until_true 90 "READY=1 after the pulled plug" ready
    [ "$(rows)" -ge "$(cat /share/rows-before-the-cut)" ] || fail "the pulled plug has cost rows of the journal"
    tell "after the pulled plug: $(rows) rows, $(of StatusText)"
    dpkg -r card-table-referee
    [ -e /var/lib/referee/evenings ] || fail "removal has taken the journal"
    tell "removed; the journal is there"
    dpkg -P card-table-referee
    [ ! -e /var/lib/referee/evenings ] || fail "the purge has left the journal"
    [ ! -e /etc/referee/referee.toml ] || fail "the purge has left the settings"
    tell "purged"
}

card() {
    until_true 180 "READY=1 from a blank card" ready
    until_true 180 "the table" says "open"
    tell "from a blank card, without a key pressed: $(of StatusText)"
    until_true 60 "the page" page
    tell "the page answers"
    grep -q "Done; the machine starts again" /boot/firmware/referee/first-start.txt || fail "$(cat /boot/firmware/referee/first-start.txt)"
    grep -q "dtoverlay" /boot/firmware/config.txt || fail "config.txt has no lines of the wiring"
    referee pins --config /etc/referee/referee.toml | grep -q direct4 || fail "the wiring is not the card's"
    [ "$(hostname)" = card-table ] || fail "Imager's name is not in place: $(hostname)"
    id anna > /dev/null || fail "Imager's user is not there"
    grep -q '^anna:[$]5[$]' /etc/shadow || fail "Imager's password is not there"
    grep -rq "At home" /etc/netplan || fail "Imager's Wi-Fi is not there"
    tell "name $(hostname), user anna and Wi-Fi are those of Imager"
    cloud-init status --long | tail -20
}

case $1 in
card) card ;;
install) install ;;
children) children ;;
torture) torture ;;
off) start_and_off ;;
cut) cut_update ;;
update) updates ;;
storage) storage_and_button ;;
readonly) read_only ;;
purge) purge ;;
esac
