"""Keeps the present status of each node in a database, and counts its events, as one consumer of a group (docs/events.md).

Each event has its effect once, whenever a process is killed. What had its effect is printed as a line of JSON.

Settings: REDIS_URL, EVENT_STREAM, CONSUMER_GROUP, EFFECTS_FILE (a database of SQLite),
CONSUMER_NAME (its own for each process, and kept over restarts), CLAIM_AFTER_MS (longer than one event may take).
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
GROUP = os.environ.get("CONSUMER_GROUP", "trail")
CONSUMER = os.environ.get("CONSUMER_NAME", f"{socket.gethostname()}-{os.getpid()}")
CLAIM_AFTER_MS = int(os.environ.get("CLAIM_AFTER_MS", "30000"))
client = redis.Redis.from_url(os.environ.get("REDIS_URL", "redis://127.0.0.1:6379"), decode_responses=True)

database = sqlite3.connect(os.environ.get("EFFECTS_FILE", "effects.db"), timeout=60)
database.executescript("""
    CREATE TABLE IF NOT EXISTS place (node TEXT PRIMARY KEY, last TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS status (node TEXT PRIMARY KEY, alarm_status INTEGER, events INTEGER NOT NULL);
""")

# The last sequenceId of the node; no row changes for an event that had its effect. SQLite compares byte by byte.
PLACE = """
    INSERT INTO place (node, last) VALUES (?, ?)
    ON CONFLICT (node) DO UPDATE SET last = excluded.last WHERE last < excluded.last
"""
# The effect; put yours here.
EFFECT = """
    INSERT INTO status (node, alarm_status, events) VALUES (?, ?, 1)
    ON CONFLICT (node) DO UPDATE SET alarm_status = coalesce(excluded.alarm_status, alarm_status), events = events + 1
"""


def handle(fields: dict[str, str]) -> None:
    node, sequence = fields.get("aggregateId", ""), fields.get("sequenceId", "")
    if fields.get("type") not in TYPES:
        return
    try:
        data = json.loads(fields["data"])
        shown = {name: data[name] for name in ("alarmStatus", "threshold") if name in data}
    except (KeyError, TypeError, ValueError) as error:  # it would fail again, and the entries behind it would wait for ever
        print(f"{node} {sequence} is passed over: {error!r}", file=sys.stderr)
        return
    with database:  # one transaction for both
        if database.execute(PLACE, (node, sequence)).rowcount == 0:
            return
        database.execute(EFFECT, (node, data.get("alarmStatus")))
    print(json.dumps({"type": fields["type"], "aggregateId": node, "sequenceId": sequence, **shown}), flush=True)


try:
    client.xgroup_create(STREAM, GROUP, id="0", mkstream=True)
except redis.ResponseError as error:
    if not str(error).startswith("BUSYGROUP"):
        raise

while True:
    # First what this consumer holds: delivered, and not acknowledged. An entry that was trimmed has no fields.
    held = [entry for _, entries in client.xreadgroup(GROUP, CONSUMER, {STREAM: "0"}, count=1) for entry in entries]
    # It is handled when nobody holds an earlier one. So the events of a node keep their order.
    if held and client.xpending(STREAM, GROUP)["min"] == held[0][0]:
        handle(held[0][1])
        client.xack(STREAM, GROUP, held[0][0])  # after the effect
    elif client.xautoclaim(STREAM, GROUP, CONSUMER, CLAIM_AFTER_MS, count=16)[1]:
        continue  # it holds now what dead consumers held
    elif held:
        time.sleep(0.05)
    else:
        client.xreadgroup(GROUP, CONSUMER, {STREAM: ">"}, count=16, block=1_000)  # it holds new ones
