"""The package in a booted Debian 13 with systemd: `make deb-boot`."""
