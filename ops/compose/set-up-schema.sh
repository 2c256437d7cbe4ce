#!/bin/sh
# Creates Temporal's two databases and brings their schemas to the version of this image. Harmless when that is done already.
# SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD and SQL_PLUGIN are read from the environment.
set -eu
schemas=${SCHEMA_FOLDER:-/etc/temporal/schema/postgresql/v12}
for database in temporal:temporal temporal_visibility:visibility; do
  name=${database%%:*}
  temporal-sql-tool --db "$name" create-database
  temporal-sql-tool --db "$name" setup-schema -v 0.0
  temporal-sql-tool --db "$name" update-schema -d "$schemas/${database##*:}/versioned"
done
