#!/usr/bin/env bash
# Install what the page's tests need: three browsers and a driver (Debian, root), and axe-core from npm.
# Does nothing if all of it is installed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -r "$here/node_modules/axe-core/axe.min.js" ]; then
    if command -v npm > /dev/null; then
        npm ci --prefix "$here" --silent --no-audit --no-fund
    else
        echo "npm is missing: the pages are tried without axe-core"
    fi
fi
wanted=()
if ! command -v chromium > /dev/null && ! command -v chromium-browser > /dev/null \
    && ! command -v google-chrome > /dev/null && ! command -v chrome > /dev/null; then wanted+=(chromium); fi
if ! command -v firefox-esr > /dev/null && ! command -v firefox > /dev/null; then wanted+=(firefox-esr); fi
command -v WebKitWebDriver > /dev/null || wanted+=(webkit2gtk-driver)
command -v Xvfb > /dev/null || wanted+=(xvfb)
[ ${#wanted[@]} -gt 0 ] || exit 0
[ "$(id -u)" = 0 ] || { echo "make browser-tools needs root (it installs ${wanted[*]})"; exit 2; }
[ -r /etc/debian_version ] || { echo "make browser-tools knows Debian only; install by hand: ${wanted[*]}"; exit 2; }
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=600 update -qq
apt-get -o DPkg::Lock::Timeout=600 install -qq -y --no-install-recommends "${wanted[@]}" > /dev/null
