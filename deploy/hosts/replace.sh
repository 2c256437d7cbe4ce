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

# A worker has no place in the balancer.
balancer_sets() {
  [ "$part" = worker ] || ssh "root@$balancer" "echo 'set server $part/$part-$number state $1' | socat stdio /run/haproxy/admin.sock"
}

number=0
for host in $hosts; do
  number=$((number + 1))
  balancer_sets drain
  sleep 2
  [ -z "$release" ] || ssh "root@$host" "test -d /opt/$release && ln -sfn /opt/$release /opt/$unit"
  ssh "root@$host" systemctl restart "$unit"
  tries=0
  until ssh "root@$host" curl -sf "http://$host$ready" >/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -lt 90 ] || { balancer_sets ready && echo "$unit on $host is not ready: ssh root@$host journalctl --unit $unit" >&2 && exit 1; }
    sleep 1
  done
  balancer_sets ready
  sleep 5
  echo "$unit on $host is ready"
done
