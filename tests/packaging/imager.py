"""The files of a freshly written card.

They have the form that Imager 2.0 writes for Raspberry Pi OS 13 (src/customization_generator.cpp in its sources).
SEED is the system's own (pi-gen, stage2/04-cloud-init).
"""

from __future__ import annotations

SEED = """\
datasource_list: [ NoCloud, None ]
datasource:
  NoCloud:
    seedfrom: file:///boot/firmware
"""
UNTOUCHED = "#cloud-config\n\n# disable_piwiz: false\n#hostname: raspberrypi\n"
NAMED = """\
#cloud-config
hostname: card-table
manage_etc_hosts: true
packages:
- avahi-daemon
apt:
  conf: |
    Acquire {
      Check-Date "false";
    };
timezone: Europe/Berlin
enable_ssh: true
users:
- name: anna
  groups: users,adm,dialout,audio,video,plugdev,games,sudo
  shell: /bin/bash
  lock_passwd: false
  passwd: $5$hkui88$nvZgIle31cNpryjRfO9uArF7DYiBcWEnjqq7L1AQNN3
ssh_pwauth: true
"""
COUNTRY = f"""\
{NAMED}runcmd:
  - [ rfkill, unblock, wifi ]
  - [ sh, -c, "for f in /tmp/*:wlan; do echo 0 > \\"$f\\"; done" ]
"""
WIFI = f"""\
network:
  version: 2
  wifis:
    wlan0:
      dhcp4: true
      regulatory-domain: "DE"
      access-points:
        "At home":
          password: "{"0f" * 32}"
      optional: true
"""
