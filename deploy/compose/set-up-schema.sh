#!/bin/sh
# Creates Temporal's two databases and brings their schemas to the version of the tool, which holds them. Harmless when that is done already.
# SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD and SQL_PLUGIN are read from the environment.
set -eu
for database in temporal:temporal temporal_visibility:visibility; do
  name=${database%%:*}
  temporal-sql-tool --db "$name" create-database
  temporal-sql-tool --db "$name" setup-schema -v 0.0
  temporal-sql-tool --db "$name" update-schema --schema-name "postgresql/v12/${database##*:}"
done
