# The commands of docs/runbook/README.md. Source it in bash, on the machine that reaches the hosts by ssh, in the repository's folder.
# shellcheck shell=bash disable=SC2034,SC2154
. deploy/hosts/addresses.sh
export API=https://$balancer/v1 CURL_CA_BUNDLE=$PWD/secrets/ca.pem
on-host() { local host=$1 && shift && ssh -o ConnectTimeout=5 "root@$host" "$(printf '%q ' "$@")"; }
# On the first host of the services that answers:
on-services() {
  local host && for host in $services; do
    on-host "$host" true 2>/dev/null </dev/null && { on-host "$host" "$@"; return; }
  done
  echo "none of $services answers" >&2 && return 1
}
temporal() { on-services env "TEMPORAL_ADDRESS=$balancer:7233" TEMPORAL_NAMESPACE=point-alarm temporal "$@"; }
pas() {
  on-services bash -c 'set -a && . /etc/point-alarm/service.env && . /etc/point-alarm/payload.env && exec env --chdir=/tmp pas "$@"' pas "$@"
}
# A Sentinel, and what it names as the primary:
sentinel() { local host && for host in $sentinels; do redis-at "$host" 26379 "$@" && return; done; }
redis-cli() { redis-at "$(sentinel SENTINEL GET-MASTER-ADDR-BY-NAME point-alarm | head -n 1)" 6379 "$@"; }
redis-at() {
  local ask='. /etc/point-alarm/service.env && export REDISCLI_AUTH=$REDIS_SENTINEL_PASSWORD && host=$1 port=$2 && shift 2 && exec redis-cli --tls --cacert /etc/point-alarm/ca.pem -h "$host" -p "$port" "$@"'
  on-services bash -c "$ask" redis-cli "$@"
}
# The hosts and the unit of a kind of process:
hosts-of() { case $1 in temporal) echo "$temporal" ;; redis) echo "$redis" ;; postgres) echo "$database" ;; forward-*) echo "$operators" ;; *) echo "$services" ;; esac; }
unit-of() { case $1 in temporal) echo temporal ;; redis) echo redis-server ;; postgres) echo postgresql@15-main ;; *) echo "point-alarm-$1" ;; esac; }
logs() {
  local host
  [ "$1" != postgres ] || { on-host "$database" sh -c 'cat /var/log/postgresql/*.log' && return; }
  for host in $(hosts-of "$1"); do on-host "$host" journalctl --output=cat "_SYSTEMD_UNIT=$(unit-of "$1").service"; done
}
restart() {
  local host failed=0
  case $1 in
  api | worker | temporal) sh deploy/hosts/replace.sh "$1" ;; # one after the other
  redis)
    for host in $redis; do on-host "$host" systemctl restart redis-server && has-loaded "$host" || failed=1; done
    return $failed
    ;;
  *) for host in $(hosts-of "$1"); do on-host "$host" systemctl restart "$(unit-of "$1")"; done ;;
  esac
}
# Waits until a Redis has its data: at most half a minute, since a replica without a primary gets none.
has-loaded() {
  local try
  for try in $(seq 30); do
    [ "$(redis-at "$1" 6379 PING)" = PONG ] && redis-at "$1" 6379 INFO replication | grep -qE 'role:master|link_status:up' && return
    sleep 1
  done
  echo "$1: Redis has no data yet: redis-at $1 6379 INFO replication" >&2
  return 1
}
processes() {
  local host && for host in $database $balancer $temporal $services; do
    echo "$host" && on-host "$host" systemctl list-units --no-legend --plain 'point-alarm-*.service' temporal.service haproxy.service \
      redis-server.service redis-sentinel.service 'postgresql@*.service'
  done
}
usage() { local host && for host in $database $balancer $temporal $services; do echo "$host" && on-host "$host" top -b -n 1 -w 100 | head -n 12; done; }
on-postgres() { on-host "$database" runuser -u postgres -- "$@"; }
