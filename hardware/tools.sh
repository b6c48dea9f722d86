#!/usr/bin/env bash
# Install what draws and checks the hardware: KiCad 9 with its libraries, ngspice, Graphviz, Pango and a font for the PDFs, a
# slicer (Debian 12 or 13, root). With the argument `rules` only KiCad without libraries and ngspice.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "make hardware-tools needs root (it installs Debian packages)"; exit 2; }
[ -r /etc/debian_version ] || { echo "make hardware-tools knows Debian only; install KiCad 9 and Graphviz by hand"; exit 2; }

WAIT_S=900 # another apt may hold its locks: a machine that has just started brings itself up to date
update() { # DPkg::Lock::Timeout does not cover the lock of the lists
    local said
    until said=$(LC_ALL=C apt-get update -qq 2>&1); do
        case $said in *"Could not get lock"*) ;; *) echo "$said"; return 1 ;; esac
        [ "$SECONDS" -lt $WAIT_S ] || { echo "$said"; return 1; }
        sleep 5
    done
}

# shellcheck disable=SC1091
. /etc/os-release
release=()
if [ "$VERSION_CODENAME" = bookworm ]; then # its own KiCad is 6, which has no command line
    list=/etc/apt/sources.list.d/bookworm-backports.list
    if ! grep -rqs "^[^#]*bookworm-backports" /etc/apt/sources.list /etc/apt/sources.list.d; then
        update
        # from where this machine has its other Debian packages
        mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' "Codename: bookworm" | sort -u | head -1)
        [ -n "$mirror" ] || { echo "this machine's apt has no source for Debian bookworm; add bookworm-backports by hand"; exit 2; }
        echo "deb $mirror bookworm-backports main" > "$list"
    fi
    release=(-t bookworm-backports)
fi
export DEBIAN_FRONTEND=noninteractive
update
packages=(kicad ngspice)
if [ "${1:-}" != rules ]; then
    packages+=(kicad-symbols kicad-footprints graphviz libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fonts-liberation prusa-slicer)
fi
apt-get -o DPkg::Lock::Timeout=$WAIT_S install -qq -y --no-install-recommends "${release[@]}" "${packages[@]}"
