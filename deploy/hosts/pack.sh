#!/bin/sh
# Builds the commit that is checked out, with Temporal's server and commands, and packs both: point-alarm-RELEASE.tar.gz, in place of an older one.
# It needs Node with npm, Go 1.26 and the registries of both.
set -eu
cd "$(dirname "$0")/../.."
release=$(git describe --tags --always)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
into=$folder/point-alarm-$release
mkdir -p "$into"
git archive HEAD | tar -x -C "$into"
(
  cd "$into"
  npm ci --no-audit --no-fund
  npm run build
  npm prune --omit=dev --no-audit --no-fund
  # The Temporal SDK brings its core for five platforms.
  find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +
  mkdir bin
  go -C dev/tools/temporal-server build -trimpath -ldflags="-s -w" -o "$into/bin/temporal-server" go.temporal.io/server/cmd/server
  go -C dev/tools/temporal-server build -trimpath -ldflags="-s -w" -o "$into/bin/temporal-sql-tool" go.temporal.io/server/cmd/tools/sql
  go -C dev/tools/temporal build -trimpath -ldflags="-s -w" -o "$into/bin/temporal" github.com/temporalio/cli/cmd/temporal
  chmod 755 dist/cli/main.js
  ln -s ../dist/cli/main.js bin/pas
)
rm -f point-alarm-*.tar.gz
tar -czf "point-alarm-$release.tar.gz" -C "$folder" "point-alarm-$release"
echo "point-alarm-$release.tar.gz"
