#!/bin/sh
# Makes the namespace, its retention and the search attribute by which nodes in alarm are found. Harmless when repeated.
# TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and RETENTION are read from the environment.
set -eu
until temporal operator cluster health >/dev/null 2>&1; do
  tries=$((${tries:-0} + 1))
  [ "$tries" -lt 60 ] || { echo "Temporal at $TEMPORAL_ADDRESS is not healthy"; exit 1; }
  sleep 1
done
temporal operator namespace describe >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
temporal operator namespace update --retention "$RETENTION" >/dev/null
# A new namespace is known to all of the server after some seconds.
until temporal operator search-attribute list 2>/dev/null | grep -q PointAlarmStatus; do
  temporal operator search-attribute create --name PointAlarmStatus --type Int >/dev/null 2>&1 || true
  waited=$((${waited:-0} + 1))
  [ "$waited" -lt 30 ] || { echo "the search attribute PointAlarmStatus cannot be made"; exit 1; }
  sleep 1
done
echo "namespace $TEMPORAL_NAMESPACE is ready, retention $RETENTION"
