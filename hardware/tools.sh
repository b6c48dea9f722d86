#!/usr/bin/env bash
# Install what draws and checks the hardware: KiCad 9 with its libraries, Graphviz (Debian 12 or 13, root).
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "make hardware-tools needs root (it installs Debian packages)"; exit 2; }
[ -r /etc/debian_version ] || { echo "make hardware-tools knows Debian only; install KiCad 9 and Graphviz by hand"; exit 2; }
# shellcheck disable=SC1091
. /etc/os-release
release=()
if [ "$VERSION_CODENAME" = bookworm ]; then # its own KiCad is 6, which has no command line
    list=/etc/apt/sources.list.d/bookworm-backports.list
    if ! grep -rqs "^[^#]*bookworm-backports" /etc/apt/sources.list /etc/apt/sources.list.d; then
        apt-get update -qq
        # from where this machine has its other Debian packages
        mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' "Codename: bookworm" | sort -u | head -1)
        [ -n "$mirror" ] || { echo "this machine's apt has no source for Debian bookworm; add bookworm-backports by hand"; exit 2; }
        echo "deb $mirror bookworm-backports main" > "$list"
    fi
    release=(-t bookworm-backports)
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -qq -y --no-install-recommends "${release[@]}" kicad kicad-symbols kicad-footprints graphviz
