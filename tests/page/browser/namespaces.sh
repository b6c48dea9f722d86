#!/usr/bin/env bash
# Run a command with the table in a network namespace of its own and the phones in another (root, iproute2).
# The phones open the table under its LAN name. For `make browser ARGS="-k four_browsers"`.
set -euo pipefail
table=referee-table phones=referee-phones name=$(hostname -s | tr '[:upper:]' '[:lower:]').local
clean() {
    ip netns delete "$table" 2> /dev/null || true
    ip netns delete "$phones" 2> /dev/null || true
    rm -rf "/etc/netns/$phones"
}
trap clean EXIT
clean
ip netns add "$table"
ip netns add "$phones"
ip link add veth-phones netns "$phones" type veth peer name veth-table netns "$table"
ip -n "$table" address add 10.77.0.2/24 dev veth-table
ip -n "$phones" address add 10.77.0.1/24 dev veth-phones
for side in "$table" "$phones"; do ip -n "$side" link set lo up; done
ip -n "$table" link set veth-table up
ip -n "$phones" link set veth-phones up
mkdir -p "/etc/netns/$phones"
printf '127.0.0.1 localhost\n10.77.0.1 %s\n' "$name" > "/etc/netns/$phones/hosts" # the relay is before the table
ip netns exec "$phones" env TABLE_NAMESPACE="$table" TABLE_HOST=10.77.0.2 TABLE_NAME="$name" "$@"
