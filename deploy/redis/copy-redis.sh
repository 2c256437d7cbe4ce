#!/bin/sh
# Copies Redis into a folder: `copy-redis.sh FOLDER redis-cli ARGUMENTS...`, every 15 minutes by cron or a timer.
# A copy counts only once it is whole and holds the stream; one that holds far fewer keys or events than the copy before is
# kept as `.suspect` beside the good ones, which it does not replace. Kept are the copies of two hours, one of each hour of a
# day, one of each day of a week, and the newest good one in any case. Exit code 1: this copy is suspect or failed.
set -eu
folder=$1
shift
stream=${EVENT_STREAM:-point-alarm-events}
now=${NOW:-$(date +%s)}
name=redis-$(date -u -d "@$now" +%Y-%m-%dT%H%M%S)
draft=$folder/.$name.rdb
trap 'rm -f "$draft"' EXIT

events=$("$@" --raw XLEN "$stream")
case $events in
*[!0-9]* | '') echo "$name: no copy, because Redis says of the stream $stream: $events" >&2 && exit 1 ;;
esac
"$@" --rdb "$draft" >/dev/null
# It reads the whole file, with its checksum. An older one cannot read what a newer server wrote, so each that is there tries.
for check in redis-check-rdb valkey-check-rdb; do
  if checked=$($check "$draft" 2>&1); then break; fi
  checked=
done
[ -n "$checked" ] || { echo "$name: the copy is broken, or no redis-check-rdb here is as new as the server" >&2; exit 1; }
keys=$(printf '%s\n' "$checked" | sed -n 's/^\[info\] \([0-9]*\) keys read$/\1/p')

newest=$(ls "$folder"/redis-*.rdb 2>/dev/null | tail -n 1)
before=$(cat "${newest%.rdb}.count" 2>/dev/null || echo '0 0')
if [ "${keys:-0}" -lt $((${before% *} / 2)) ] || [ "$events" -lt $((${before#* } / 2)) ] || [ "${keys:-0}" = 0 ] || [ "$events" = 0 ]; then
  mv "$draft" "$folder/$name.rdb.suspect"
  find "$folder" -name '*.rdb.suspect' -mtime +1 -delete
  echo "$name: $keys keys and $events events, before ${before% *} and ${before#* }: kept as .suspect, no copy was replaced." \
    "If Redis may be that small, rename it to $name.rdb" >&2
  exit 1
fi
printf '%s %s\n' "$keys" "$events" >"$folder/$name.count"
mv "$draft" "$folder/$name.rdb"

# What stays, newest first: the first of each quarter of an hour, of each hour, of each day, by age.
seen=
cd "$folder"
for copy in $(ls -r redis-*.rdb); do
  stamp=${copy#redis-}
  stamp=${stamp%.rdb}
  at=$(date -u -d "$(echo "$stamp" | sed 's/T\(..\)\(..\)\(..\)/ \1:\2:\3/')" +%s)
  age=$((now - at))
  if [ $age -lt 7200 ]; then slot=$at
  elif [ $age -lt 86400 ]; then slot=hour$((at / 3600))
  elif [ $age -lt 604800 ]; then slot=day$((at / 86400))
  else slot=old; fi
  case " $seen " in
    *" $slot "*) rm -f "$copy" "${copy%.rdb}.count" ;;
    *) if [ "$slot" = old ] && [ -n "$seen" ]; then rm -f "$copy" "${copy%.rdb}.count"; else seen="$seen $slot"; fi ;;
  esac
done
