# Which host runs what; read by the scripts beside it. firewall.nft and haproxy.cfg have the same.
# shellcheck shell=sh disable=SC2034
operators=10.0.0.1 # you work here; Prometheus, forwarders, consumers
database=10.0.0.2
balancer=10.0.0.3
temporal='10.0.0.4 10.0.0.5'
redis='10.0.0.6 10.0.0.7'
sentinels='10.0.0.3 10.0.0.6 10.0.0.7'
services='10.0.0.6 10.0.0.7' # an API and a worker each
