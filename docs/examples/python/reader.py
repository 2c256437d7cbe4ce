"""Keeps the present status of each node in a database, and counts its events, as one consumer of a group (docs/events.md).

Each event has its effect once, whenever a process is killed. What had its effect is printed as a line of JSON.

Settings: REDIS_URL (redis://reader:PASSWORD@HOST:6379; rights: SECURITY.md), EVENT_STREAM, CONSUMER_GROUP,
EFFECTS_FILE (a database of SQLite; one group, one database), CLAIM_AFTER_MS (longer than one event may take),
CONSUMER_NAME (its own for each process; with a new one after a restart, what the old one held waits for CLAIM_AFTER_MS).
The processes of a group take turns. An error ends a process, and loses nothing: start it again.
"""

import json
import os
import socket
import sqlite3
import sys
import time

import redis

TYPES = {"PointAlarmStatusEvent", "SetPointAlarmThresholdEvent"}  # others may come, and are passed over
STREAM = os.environ.get("EVENT_STREAM", "point-alarm-events")
GROUP = os.environ.get("CONSUMER_GROUP", "maintenance")
CONSUMER = os.environ.get("CONSUMER_NAME", f"{socket.gethostname()}-{os.getpid()}")
CLAIM_AFTER_MS = int(os.environ.get("CLAIM_AFTER_MS", "30000"))
client = redis.Redis.from_url(os.environ.get("REDIS_URL", "redis://127.0.0.1:6379"), decode_responses=True)

database = sqlite3.connect(os.environ.get("EFFECTS_FILE", "effects.db"), timeout=60)
database.executescript("""
    CREATE TABLE IF NOT EXISTS place (node TEXT PRIMARY KEY, last TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS status
        (node TEXT PRIMARY KEY, alarm_status INTEGER, timestamp INTEGER, events INTEGER NOT NULL);
""")

# The last sequenceId of the node; no row changes for an event that had its effect. SQLite compares byte by byte; in
# PostgreSQL declare: last TEXT COLLATE "C" NOT NULL.
PLACE = """
    INSERT INTO place (node, last) VALUES (?, ?)
    ON CONFLICT (node) DO UPDATE SET last = excluded.last WHERE place.last < excluded.last
"""
# The effect; put yours here.
EFFECT = """
    INSERT INTO status (node, alarm_status, timestamp, events) VALUES (?, ?, ?, 1)
    ON CONFLICT (node) DO UPDATE SET alarm_status = coalesce(excluded.alarm_status, status.alarm_status),
        timestamp = excluded.timestamp, events = status.events + 1
"""


def handle(fields: dict[str, str]) -> None:
    node, sequence = fields.get("aggregateId", ""), fields.get("sequenceId", "")
    if fields.get("type") not in TYPES:
        return
    try:
        data = json.loads(fields["data"])
        if not isinstance(data, dict):
            raise TypeError("data is no object")
    except (KeyError, TypeError, ValueError) as error:  # it would fail again, and the entries behind it would wait for ever
        print(f"{node} {sequence} is passed over: {error!r}", file=sys.stderr)
        return
    with database:  # one transaction for both
        if database.execute(PLACE, (node, sequence)).rowcount == 0:
            return
        database.execute(EFFECT, (node, data.get("alarmStatus"), fields.get("timestamp")))
        # A call to another system comes here: store always, guard only the call. `if data.get("alarmsChanged")` spares most
        # calls, and misses what changed in a gap: it is false in all events that were published again.
    shown = {name: data[name] for name in ("alarmStatus", "threshold") if name in data}
    print(json.dumps({"type": fields["type"], "aggregateId": node, "sequenceId": sequence, **shown}), flush=True)


try:
    client.xgroup_create(STREAM, GROUP, id="0", mkstream=True)
except redis.ResponseError as error:
    if not str(error).startswith("BUSYGROUP"):
        raise


def number(entry_id: str) -> list[int]:
    return [int(part) for part in entry_id.split("-")]


# A gap: entries were trimmed before this group was given them.
first = client.xinfo_stream(STREAM)["first-entry"]
[given] = [group["last-delivered-id"] for group in client.xinfo_groups(STREAM) if group["name"] == GROUP]
if first and [0, 0] < number(given) < number(first[0]):  # 0-0: the group is new
    print(f"entries between {given} and {first[0]} were trimmed unread: run pas republish --all", file=sys.stderr)


def report_trimmed(entry_id: str) -> None:
    print(f"{entry_id} was trimmed before it was handled: run pas republish --all", file=sys.stderr)


while True:
    # First what this consumer holds: delivered, and not acknowledged. An entry that was trimmed has no fields.
    held = [entry for _, entries in client.xreadgroup(GROUP, CONSUMER, {STREAM: "0"}, count=1) for entry in entries]
    # It is handled when nobody holds an earlier one. So the events of a node keep their order.
    if held and client.xpending(STREAM, GROUP)["min"] == held[0][0]:
        entry_id, fields = held[0]
        handle(fields) if fields else report_trimmed(entry_id)
        client.xack(STREAM, GROUP, entry_id)  # after the effect
        continue
    _, claimed, trimmed = client.xautoclaim(STREAM, GROUP, CONSUMER, CLAIM_AFTER_MS, count=16)
    for entry_id in trimmed:
        report_trimmed(entry_id)
    if claimed:
        continue  # it holds now what dead consumers held
    if held:
        time.sleep(0.05)
    else:
        client.xreadgroup(GROUP, CONSUMER, {STREAM: ">"}, count=16, block=1_000)  # it holds new ones
