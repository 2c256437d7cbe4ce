#!/bin/sh
# Makes in ./secrets: a certificate authority, a certificate for each address that is given, the passwords, the key of payloads.
# What is there already stays.
set -eu
umask 077
mkdir -p secrets
cd secrets

# A file gets its name only once it is whole, so that one that broke may be repeated.
secret() {
  [ ! -s "$1" ] || return 0
  # shellcheck disable=SC2086 # two words
  value=$(openssl rand $3)
  echo "$2$value" >"$1.part"
  mv "$1.part" "$1"
}
quietly() { said=$("$@" 2>&1) || { printf '%s\n' "$said" >&2 && exit 1; }; }

secret temporal.env POSTGRES_PASSWORD= '-hex 24'
secret redis.env REDIS_PASSWORD= '-hex 24'
secret payload.env "PAYLOAD_KEY=$(date +%Y-%m):" '-base64 32'
new_key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
if [ ! -s ca.pem ]; then
  # shellcheck disable=SC2086 # several options
  quietly openssl req -x509 $new_key -days 3650 -subj '/CN=point-alarm' -keyout ca.key -out ca.part
  mv ca.part ca.pem
fi
for address; do
  [ ! -s "$address.pem" ] || continue
  # shellcheck disable=SC2086
  quietly openssl req $new_key -subj "/CN=$address" -keyout "$address.key" -out request.pem
  echo "subjectAltName=IP:$address" >names
  quietly openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 825 -extfile names -out certificate.part
  mv certificate.part "$address.pem"
  rm request.pem names
done
