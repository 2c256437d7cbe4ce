#!/bin/sh
# Changes a password, a key or certificates on all hosts, one process after the other:
# rotate.sh database|redis|payloads|authority|certificates|old-authority
# Run it where ./secrets is. One that broke may be repeated.
set -eu
umask 077
here=$(dirname "$0")
. "$here/addresses.sh"
case ${1:-} in
database | redis | payloads | authority | certificates | old-authority) ;;
*) sed -n 2,4p "$0" >&2 && exit 2 ;;
esac
exec 9>secrets/.lock
flock -n 9 || { echo "another rotate.sh is at work" >&2 && exit 1; }
# shellcheck disable=SC2086 # several addresses
for host in $(printf '%s\n' $database $balancer $temporal $sentinels $services | sort -u); do
  ssh -o ConnectTimeout=5 "root@$host" true || { echo "$host does not answer; nothing was changed" >&2 && exit 1; }
done
password=$(sed 's/^REDIS_PASSWORD=//' secrets/redis.env)

# Runs redis-cli on the host $1 against what listens there on the port $2, by $password. It answers OK.
tell() {
  host=$1 port=$2
  shift 2
  answer=$(printf '%s\n' "$*" |
    ssh "root@$host" "REDISCLI_AUTH=$password redis-cli --tls --cacert /etc/redis/ca.pem -h $host -p $port")
  [ "$answer" = OK ] || { echo "$host:$port answers: $answer" >&2 && return 1; }
}

restart_services() {
  sh "$here/replace.sh" worker
  sh "$here/replace.sh" api
}

restart_sentinels() {
  for host in $sentinels; do
    ssh "root@$host" systemctl restart redis-sentinel
    sleep 5
  done
}

# Everybody trusts what is in secrets/ca.pem.
install_authority() {
  for host in $sentinels; do scp secrets/ca.pem "root@$host:/etc/redis/ca.pem"; done
  for host in $services; do scp secrets/ca.pem "root@$host:/etc/point-alarm/ca.pem"; done
  for host in $redis; do tell "$host" 6379 CONFIG SET tls-ca-cert-file /etc/redis/ca.pem; done
  restart_sentinels
  restart_services
}

case $1 in
database)
  new=$(openssl rand -hex 24)
  ssh "root@$database" "runuser -u postgres -- psql -c \"ALTER ROLE temporal PASSWORD '$new'\""
  for host in $temporal; do ssh "root@$host" "sed -i 's/^POSTGRES_PASSWORD=.*/POSTGRES_PASSWORD=$new/' /etc/temporal/temporal.env"; done
  echo "POSTGRES_PASSWORD=$new" >secrets/temporal.env
  sh "$here/replace.sh" temporal
  ;;
redis)
  new=$(openssl rand -hex 24)
  # Both passwords hold, until everybody has the new one.
  for host in $redis; do
    tell "$host" 6379 ACL SETUSER default ">$new"
    tell "$host" 6379 CONFIG SET masterauth "$new"
    tell "$host" 6379 CONFIG REWRITE
  done
  for host in $sentinels; do
    tell "$host" 26379 ACL SETUSER default ">$new"
    tell "$host" 26379 SENTINEL SET point-alarm auth-pass "$new"
  done
  for host in $sentinels; do tell "$host" 26379 SENTINEL CONFIG SET sentinel-pass "$new"; done
  # By their names: a change that broke may have left another password there.
  change="s|^\(REDIS_URL=[^:]*://[^:]*:\)[^@]*@|\1$new@|; s|^\(REDIS_SENTINEL_PASSWORD=\).*|\1$new|"
  for host in $services; do ssh "root@$host" "sed -i '$change' /etc/point-alarm/service.env"; done
  restart_services
  echo "REDIS_PASSWORD=$new" >secrets/redis.env
  password=$new
  for host in $redis; do
    tell "$host" 6379 CONFIG SET requirepass "$new" # and takes the old one away
    tell "$host" 6379 CONFIG REWRITE
  done
  for host in $sentinels; do
    tell "$host" 26379 ACL SETUSER default resetpass ">$new"
    tell "$host" 26379 SENTINEL FLUSHCONFIG
  done
  ;;
payloads)
  new=$(date +%Y-%m-%d-%H%M%S):$(openssl rand -base64 32)
  # Everybody can decrypt by the new key before anybody encrypts by it.
  for change in "s|\$|,$new|" 's|=\(.*\),\([^,]*\)$|=\2,\1|'; do
    for host in $services; do ssh "root@$host" "sed -i '$change' /etc/point-alarm/payload.env"; done
    sed -i "$change" secrets/payload.env
    restart_services
  done
  ;;
authority)
  # Made beside the present one, which is trusted on until old-authority.
  rm -rf secrets/new && mkdir secrets/new
  scripts=$(cd "$here" && pwd)
  (cd secrets/new && sh "$scripts/secrets.sh")
  cat secrets/new/secrets/ca.pem secrets/ca.pem >secrets/new/ca.pem
  mv secrets/new/secrets/ca.key secrets/ca.key
  mv secrets/new/ca.pem secrets/ca.pem
  rm -r secrets/new
  install_authority
  ;;
certificates)
  for host in $sentinels; do rm -f "secrets/$host.pem"; done
  # shellcheck disable=SC2086 # several addresses
  sh "$here/secrets.sh" $sentinels
  for host in $sentinels; do
    scp "secrets/$host.pem" "root@$host:/etc/redis/server.pem"
    scp "secrets/$host.key" "root@$host:/etc/redis/server.key"
  done
  for host in $redis; do
    tell "$host" 6379 CONFIG SET tls-cert-file /etc/redis/server.pem tls-key-file /etc/redis/server.key
  done
  restart_sentinels
  cat "secrets/$balancer.pem" "secrets/$balancer.key" | ssh "root@$balancer" 'cat >/etc/haproxy/api.pem && systemctl reload haproxy'
  ;;
old-authority)
  openssl x509 -in secrets/ca.pem -out secrets/ca-new.pem # the first one
  mv secrets/ca-new.pem secrets/ca.pem
  install_authority
  ;;
esac
