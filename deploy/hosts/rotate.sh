#!/bin/sh
# Changes a password, a key or certificates on all hosts, one process after the other:
# rotate.sh database|redis|payloads|authority|certificates|old-authority
# Run it where ./secrets is.
set -eu
umask 077
here=$(dirname "$0")
. "$here/addresses.sh"
password=$(sed 's/^REDIS_PASSWORD=//' secrets/redis.env)

# Runs redis-cli on the host $1 against what listens there on the port $2, by $password. It answers OK.
tell() {
  host=$1 port=$2
  shift 2
  printf '%s\n' "$*" |
    ssh "root@$host" "REDISCLI_AUTH=$password redis-cli --tls --cacert /etc/redis/ca.pem -h $host -p $port" | grep -x OK
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

case ${1:-} in
database)
  new=$(openssl rand -hex 24)
  ssh "root@$database" "runuser -u postgres -- psql -c \"ALTER ROLE temporal PASSWORD '$new'\""
  for host in $temporal; do ssh "root@$host" "sed -i 's/^POSTGRES_PASSWORD=.*/POSTGRES_PASSWORD=$new/' /etc/temporal/temporal.env"; done
  echo "POSTGRES_PASSWORD=$new" >secrets/temporal.env
  sh "$here/replace.sh" temporal
  ;;
redis)
  old=$password
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
  for host in $services; do ssh "root@$host" "sed -i 's/$old/$new/g' /etc/point-alarm/service.env"; done
  restart_services
  echo "REDIS_PASSWORD=$new" >secrets/redis.env
  password=$new
  for host in $redis; do
    tell "$host" 6379 ACL SETUSER default "<$old"
    tell "$host" 6379 CONFIG REWRITE
  done
  for host in $sentinels; do
    tell "$host" 26379 ACL SETUSER default "<$old"
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
  mv secrets/ca.pem secrets/ca-before.pem
  mv secrets/ca.key secrets/ca-before.key
  sh "$here/secrets.sh"
  cat secrets/ca-before.pem >>secrets/ca.pem
  rm secrets/ca-before.pem secrets/ca-before.key
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
*) sed -n 2,4p "$0" >&2 && exit 2 ;;
esac
