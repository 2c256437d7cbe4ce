#!/bin/sh
# Makes the namespace, its retention and the search attribute by which nodes in alarm are found. Harmless when repeated.
# TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and RETENTION are read from the environment.
set -eu

# Repeats a step until it succeeds, a minute at most: a new namespace is known to all of the server after some seconds.
insist() {
  tries=0
  until "$@" >/tmp/last-try 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] || { cat /tmp/last-try; echo "failed for a minute: $*"; exit 1; }
    sleep 1
  done
}

has_namespace() {
  temporal operator namespace describe ||
    temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
}

has_attribute() {
  temporal operator search-attribute list | grep -q PointAlarmStatus ||
    temporal operator search-attribute create --name PointAlarmStatus --type Int
}

insist temporal operator cluster health
insist has_namespace
insist temporal operator namespace update --retention "$RETENTION"
insist has_attribute
echo "namespace $TEMPORAL_NAMESPACE is ready, retention $RETENTION"
