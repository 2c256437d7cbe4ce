#!/bin/sh
# Restarts one process after the other, so that no call fails: replace.sh api|worker|temporal [RELEASE]
# With a RELEASE, which is unpacked on the hosts, API or worker start that one.
set -eu
. "$(dirname "$0")/addresses.sh"
part=${1:-}
release=${2:-}
case $part in
api) hosts=$services unit=point-alarm-api ready=:3000/readyz ;;
worker) hosts=$services unit=point-alarm-worker ready=:3001/readyz ;;
temporal) hosts=$temporal unit=temporal ready=:7243/api/v1/system-info ;;
*) echo "replace.sh api|worker|temporal [RELEASE]" >&2 && exit 2 ;;
esac

[ "$part" != temporal ] || [ -z "$release" ] || { echo "replace.sh: Temporal has no releases of this service" >&2 && exit 2; }

# A worker has no place in the balancer, which says nothing if all is well.
balancer_sets() {
  [ "$part" != worker ] || return 0
  said=$(ssh "root@$balancer" "echo 'set server $part/$part-$number state $1' | socat stdio /run/haproxy/admin.sock") || return
  [ -z "$said" ] || { echo "$balancer: $said" >&2 && return 1; }
}

# However this ends, what left the balancer comes back; its checks tell whether it gets calls.
number=0
drained=
trap '[ -z "$drained" ] || balancer_sets ready' EXIT
trap 'exit 130' HUP INT TERM
for host in $hosts; do
  number=$((number + 1))
  [ -z "$release" ] || ssh "root@$host" "ls -d /opt/$release >/dev/null && ln -sfn /opt/$release /opt/$unit"
  drained=yes
  balancer_sets drain
  sleep 2
  ssh "root@$host" systemctl restart "$unit"
  tries=0
  until ssh "root@$host" curl -sf "http://$host$ready" >/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -lt 90 ] || { echo "$unit on $host is not ready: ssh root@$host journalctl --unit $unit" >&2 && exit 1; }
    sleep 1
  done
  balancer_sets ready
  drained=
  sleep 5
  echo "$unit on $host is ready"
done
