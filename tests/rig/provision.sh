#!/bin/bash
# From a bare Debian bookworm (x86-64, root) to a machine that vm.py can boot, in about a minute.
#
# Prints the directory that holds it: vmlinuz, initrd.gz, disk.img; for arm64 the first two alone. The directory is named by a hash of
# everything it is made from, so a second call returns at once and a change builds anew. The product's
# own source is not among the inputs: the guest gets it at boot, over 9p.
#
#   provision.sh [arm64]   of another architecture than the builder's amd64: its kernel and modules, cross-compiled
#   RIG_CACHE   where machines are kept (default: $HOME/.cache/referee-rig)
#
# Packages come from this machine's own apt sources and package index, whatever they are. The Python packages are
# what the product needs at run time, in the versions of requirements.lock.
set -euo pipefail

rig=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$rig/../.." && pwd)
cache=${RIG_CACHE:-$HOME/.cache/referee-rig}
lock=$project/requirements.lock
suite=bookworm
guest_python=3.11            # bookworm's
kernel_series=6.1            # bookworm's
architecture=${1:-amd64}
host_tools=(qemu-system-x86 mmdebstrap kmod cpio gcc libc6-dev make libelf-dev xz-utils
            e2fsprogs python3 python3-pip python3-venv)
apt_words=() # of apt, about packages of the guest's architecture
make_words=()
kernel_packages=("linux-source-$kernel_series" busybox-static)
cross=''
case $architecture in
    amd64) kernel_packages+=(linux-compiler-gcc-12-x86) ;;
    arm64)
        host_tools+=(qemu-system-arm gcc-aarch64-linux-gnu)
        cross=aarch64-linux-gnu-
        make_words=(ARCH=arm64 CROSS_COMPILE=$cross)
        ;;
esac
guest_packages=(systemd-sysv udev kmod procps python3 python3-evdev sqlite3)

started=$SECONDS
say() { printf 'provision %3d s: %s\n' $((SECONDS - started)) "$*" >&2; }
refuse() { printf 'provision: %s\n' "$*" >&2; exit 1; }

check_host() {
    [ "$(id -u)" = 0 ] || refuse "must run as root: it installs packages and makes a root file system"
    [[ $architecture =~ ^(amd64|arm64)$ ]] || refuse "no architecture of ours: $architecture; allowed are amd64 and arm64"
    [ "$(uname -m)" = x86_64 ] || refuse "needs an x86-64 machine, this one is $(uname -m)"
    grep -qs "^VERSION_CODENAME=$suite" /etc/os-release || refuse "needs Debian $suite"
    [ -f "$lock" ] || refuse "no file $lock: it says which versions to install"
    command -v python3 > /dev/null || { apt-get update -qq && apt-get install -y -qq python3 > /dev/null; }
}

wanted_packages() { # the product's own requirements, and what the rig compares with
    python3 -c 'import sys, tomllib; print(*tomllib.load(sys.stdin.buffer)["project"]["dependencies"], sep="\n")' \
        < "$project/pyproject.toml"
    cat "$rig/machine/requirements.txt"
}

locked_versions() {
    sed -n 's/^\([A-Za-z0-9][^ ]*==[^ ;]*\).*/\1/p' "$lock"
}

input_hash() {
    # $suite and the guest's packages stand in this script, hence are hashed with it
    # $architecture is hashed, too
    (echo "$architecture"; cd "$rig" && find provision.sh machine -type f | LC_ALL=C sort | xargs sha256sum; wanted_packages; locked_versions) |
        sha256sum | cut -c1-16
}

install_host_tools() {
    local missing=() tool
    for tool in "${host_tools[@]}"; do
        dpkg-query -W -f '${Status}' "$tool" 2>/dev/null | grep -q 'ok installed' || missing+=("$tool")
    done
    # a Python from elsewhere brings its own pip and venv
    if python3 -c 'import ensurepip, pip' 2>/dev/null; then
        missing=("${missing[@]/#python3*/}")
    fi
    say "package lists"
    apt-get update -qq
    # shellcheck disable=SC2068 # names left empty above must vanish
    set -- ${missing[@]}
    [ $# = 0 ] && return
    say "tools: $*"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

read_foreign_lists() { # in a folder of its own: the builder's apt goes on as it was
    [ "$architecture" != amd64 ] || return 0
    local name
    mkdir -p apt/lists/partial apt/cache/archives/partial
    touch apt/status
    for name in APT::Architecture="$architecture" APT::Architectures="$architecture" Dir::State="$PWD/apt" \
        Dir::State::lists="$PWD/apt/lists" Dir::State::status="$PWD/apt/status" Dir::Cache="$PWD/apt/cache"
    do
        apt_words+=(-o "$name")
    done
    say "package lists of $architecture"
    apt-get "${apt_words[@]}" update -qq
}

fetch_kernel() { # Debian's own kernel, its headers, and the source of the drivers it leaves out
    local image version
    image=$(apt-cache "${apt_words[@]}" depends "linux-image-$architecture" | awk '/Depends: linux-image/ { print $2; exit }')
    version=${image#linux-image-}
    mkdir -p debs kernel headers source
    (cd debs && apt-get "${apt_words[@]}" download -qq "$image" "linux-headers-$version" \
        "linux-headers-${version%-"$architecture"}-common" "${kernel_packages[@]}" 2>/dev/null &&
        apt-get download -qq "linux-kbuild-$kernel_series" 2>/dev/null) # its programs run here
    dpkg-deb -x debs/busybox-static_*.deb busybox
    dpkg-deb -x debs/"${image}"_*.deb kernel
    for deb in $(find debs -name "linux-headers-*" -o -name "linux-kbuild-*" -o -name "linux-compiler-*"); do dpkg-deb -x "$deb" headers; done
    echo "$version" > kernel-version
}

extract_driver_sources() {
    local top=linux-source-$kernel_series
    # tar leaves as soon as it has all three; the broken pipe behind it is expected
    { dpkg-deb --fsys-tarfile debs/"$top"_*.deb 2>/dev/null || true; } |
        { tar -xO "./usr/src/$top.tar.xz" 2>/dev/null || true; } |
        tar -xJ --occurrence=1 --transform 's,.*/,,' -C source \
            "$top/drivers/gpio/gpio-sim.c" "$top/drivers/gpio/gpiolib.h" "$top/kernel/irq/irq_sim.c"
}

build_modules() {
    local version tree module
    version=$(cat kernel-version)
    tree=$PWD/headers/usr/src/linux-headers-$version
    # the headers package refers to its other half by the place where it would be installed
    sed -i "s,/usr/src/,$PWD/headers/usr/src/,g" "$tree/Makefile"
    cp "$rig"/machine/{Kbuild,rig_i2c.c,rig_irq_sim.c,rig_pwm.c} source/
    make -s "${make_words[@]}" -C "$tree" M="$PWD/source" modules > modules.log 2>&1 || { cat modules.log >&2; return 1; }
    mkdir -p "kernel/lib/modules/$version/extra"
    for module in rig_gpio_sim rig_i2c rig_pwm; do
        "${cross}strip" --strip-debug -o "kernel/lib/modules/$version/extra/$module.ko" "source/$module.ko"
    done
    depmod -b kernel "$version"
}

build_initramfs() {
    local version module file
    version=$(cat kernel-version)
    mkdir -p initramfs/{bin,proc,sys,dev,root} "initramfs/lib/modules/$version"
    cp busybox/bin/busybox initramfs/bin/
    install -m 755 "$rig/machine/initramfs-init" initramfs/init
    cp "$rig/machine/modules-to-load" initramfs/
    # those at hand are loaded where the kernel's words ask for them (initramfs-init)
    while read -r module; do
        modprobe -d "$PWD/kernel" -S "$version" --show-depends "$module"
    done < <(cat "$rig"/machine/modules-{to-load,at-hand}) | awk '$1 == "insmod" { print $2 }' | sort -u > module-files
    while read -r file; do
        install -D -m 644 "$file" "initramfs/lib/modules/$version/${file#*/lib/modules/"$version"/}"
    done < module-files
    cp "kernel/lib/modules/$version"/modules.{order,builtin,builtin.modinfo} "initramfs/lib/modules/$version/"
    depmod -b initramfs "$version"
    (cd initramfs && find . | cpio --quiet -o -H newc) | gzip -1 > initrd.gz
    cp "kernel/boot/vmlinuz-$version" vmlinuz
}

kernel_side() {
    read_foreign_lists
    say "kernel packages"; fetch_kernel
    say "driver sources"; extract_driver_sources
    say "modules"; build_modules
    say "initramfs"; build_initramfs
}

make_root() {
    # the machine's own Debian sources, in one-line form whichever way they are written
    apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
        'Created-By: Packages' 'Origin: Debian' "Codename: $suite" | sort -u > sources.list
    [ -s sources.list ] || refuse "this machine's apt has no source for Debian $suite"
    say "root file system"
    mmdebstrap --quiet --mode=root --variant=minbase --include="$(IFS=,; echo "${guest_packages[*]}")" \
        --aptopt='APT::Install-Recommends "false"' --dpkgopt='path-exclude=/usr/share/doc/*' \
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        "$suite" root - < sources.list
}

install_python_packages() {
    local site=usr/local/lib/python$guest_python/dist-packages
    say "Python packages"
    wanted_packages > wanted
    locked_versions > versions
    python3 -m pip install -q --no-compile --root-user-action=ignore --target python -c versions -r wanted \
        --only-binary=:all: --implementation cp --python-version "$guest_python" \
        --platform manylinux_2_34_x86_64 --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 \
        --platform manylinux2014_x86_64 2> pip.log || { cat pip.log >&2; return 1; }
    mkdir -p "root/$site"
    cp -r python/. "root/$site/"
    chroot root python3 -m compileall -q "/$site" > /dev/null || true # a template in a wheel may not compile
}

compile_programs() {
    local program
    # static: no need to match the guest's C library
    for program in toggler pulse; do
        gcc -O2 -Wall -Wextra -Werror -static -o "root/usr/local/bin/$program" "$rig/machine/$program.c"
    done
}

furnish_root() {
    local unit
    install -m 755 "$rig"/machine/{rig-mounts,rig-script,rig-fast-init} root/usr/local/sbin/
    install -m 644 "$rig"/machine/rig-*.service root/etc/systemd/system/
    chroot root systemctl --quiet enable rig-mounts.service rig-script.service
    # a console or a timer that wakes up would only add noise to the measurements
    for unit in getty@tty1.service serial-getty@ttyS0.service console-getty.service systemd-timesyncd.service \
        apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer
    do
        ln -sf /dev/null "root/etc/systemd/system/$unit"
    done
    mkdir -p root/project root/share
    echo rig > root/etc/hostname
    : > root/etc/fstab
    # a fixed identity, or systemd takes every boot for the first one
    echo 0123456789abcdef0123456789abcdef > root/etc/machine-id
}

make_disk() {
    say "disk image"
    rm -rf root/var/cache/apt/* root/var/lib/apt/lists/*
    truncate -s 1G disk.img
    mke2fs -q -F -t ext4 -L rig -d root disk.img
}

build() {
    install_host_tools
    [ "$architecture" = amd64 ] || { kernel_side; return; }
    kernel_side &
    local kernel_job=$!
    make_root
    install_python_packages
    compile_programs
    furnish_root
    make_disk
    wait "$kernel_job"
}

check_host
mkdir -p "$cache"
finished=$cache/$(input_hash)
exec 9> "$cache/lock"
flock 9 # two runs at once: the second waits and finds the work done
if [ ! -d "$finished" ]; then
    rm -rf "$cache/building"
    # not the others at once: a machine made from one may be running
    find "$cache" -mindepth 1 -maxdepth 1 -type d -mtime +3 -exec rm -rf {} +
    mkdir "$cache/building"
    (cd "$cache/building" && build)
    mkdir "$cache/building/keep"
    mv "$cache"/building/{vmlinuz,initrd.gz} "$cache/building/keep/"
    [ "$architecture" != amd64 ] || mv "$cache/building/disk.img" "$cache/building/keep/"
    mv "$cache/building/keep" "$finished"
    rm -rf "$cache/building"
    say "done"
fi
echo "$finished"
