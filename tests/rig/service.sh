#!/bin/bash
# In the guest, under systemd: installs the product as on a Pi and starts its unit. Sourced by the scripts that need it.
#
# What is the rig's and not the product's: the board's revision (there is no Pi to ask), the chips' names, the stated
# error of the emulation, and how long rows may wait that tell nobody anything.

install_product() { # from the wheel in /share, into the place that the unit names
    local lib=/opt/referee/lib
    mkdir -p /opt/referee/bin $lib /etc/referee
    python3 -m zipfile -e /share/*.whl $lib
    [ ! -e /share/pinmap.toml ] || cp /share/pinmap.toml $lib/referee/ # see pins.py
    PYTHONDONTWRITEBYTECODE= python3 -m compileall -q $lib
    # People of the rig look at what the daemon has written before they go on. A release that tells nobody anything would
    # wait for its 20 s, and they with it.
    printf '%s\n' '#!/usr/bin/python3' 'import sys' "sys.path.insert(0, '$lib')" \
        'if "run" in sys.argv:' '    from referee.device import live' '    live.QUIET_NS = 10**9' \
        'from referee.cli import main' 'sys.exit(main())' > /opt/referee/bin/referee
    chmod +x /opt/referee/bin/referee
    cp /share/referee.toml /etc/referee/referee.toml
    install -m 644 /project/systemd/referee.service /etc/systemd/system/
    install -m 644 /project/systemd/referee.sysusers /usr/lib/sysusers.d/referee.conf
    install -m 644 /project/systemd/referee.rules /etc/udev/rules.d/60-referee.rules
    systemd-sysusers
    udevadm control --reload
}

adapt_unit() {
    mkdir -p /etc/systemd/system/referee.service.d
    cat > /etc/systemd/system/referee.service.d/rig.conf <<'U'
[Service]
Environment=GPIOD_BOARD_REVISION=a02082
U
    systemctl daemon-reload
}

start_service() {
    python3 -m tests.rig.chip
    udevadm trigger --action=add --subsystem-match=gpio --subsystem-match=i2c-dev --subsystem-match=pwm
    udevadm settle
    systemctl start referee.service || { journalctl --unit=referee.service --no-pager; return 1; }
}

leave_evidence() { # for the host: evenings and records, the log, what systemd thinks
    for kept in evenings records; do
        [ ! -e /var/lib/referee/$kept ] || cp -r /var/lib/referee/$kept /share/
    done
    journalctl --unit=referee.service --output=short-monotonic --no-pager > /share/journal.log
    systemctl show referee.service > /share/unit.properties
    systemd-analyze security --no-pager referee.service > /share/security.txt 2>&1 || true
}
