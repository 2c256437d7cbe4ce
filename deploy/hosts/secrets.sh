#!/bin/sh
# Makes in ./secrets: a certificate authority, a certificate for each address that is given, the passwords, the key of payloads.
# What is there already stays.
set -eu
umask 077
mkdir -p secrets
cd secrets
[ -e temporal.env ] || echo "POSTGRES_PASSWORD=$(openssl rand -hex 24)" >temporal.env
[ -e redis.env ] || echo "REDIS_PASSWORD=$(openssl rand -hex 24)" >redis.env
[ -e payload.env ] || echo "PAYLOAD_KEY=$(date +%Y-%m):$(openssl rand -base64 32)" >payload.env
new_key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
# shellcheck disable=SC2086 # several options
[ -e ca.pem ] || openssl req -x509 $new_key -days 3650 -subj '/CN=point-alarm' -keyout ca.key -out ca.pem 2>/dev/null
for address; do
  [ ! -e "$address.pem" ] || continue
  # shellcheck disable=SC2086
  openssl req $new_key -subj "/CN=$address" -keyout "$address.key" -out request.pem 2>/dev/null
  echo "subjectAltName=IP:$address" >names
  openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 825 -extfile names -out "$address.pem" 2>/dev/null
  rm request.pem names
done
