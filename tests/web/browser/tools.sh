#!/usr/bin/env bash
# Install what the page's tests need: Chromium (Debian, root), and axe-core from npm. Does nothing where both are.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -r "$here/node_modules/axe-core/axe.min.js" ]; then
    if command -v npm > /dev/null; then
        npm ci --prefix "$here" --silent --no-audit --no-fund
    else
        echo "npm is missing: the pages are tried without axe-core"
    fi
fi
for name in chromium chromium-browser google-chrome chrome; do
    if command -v "$name" > /dev/null; then exit 0; fi
done
[ "$(id -u)" = 0 ] || { echo "make browser-tools needs root (it installs a Debian package)"; exit 2; }
[ -r /etc/debian_version ] || { echo "make browser-tools knows Debian only; install Chromium by hand"; exit 2; }
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=600 update -qq
apt-get -o DPkg::Lock::Timeout=600 install -qq -y --no-install-recommends chromium > /dev/null
