"""Keeps each node's status and alarms in a database, and counts its events, as one consumer of a group (docs/events.md).

With ORDERS_URL it also reports each part that begins or ends an alarm, or changes its status, to a maintenance system.
Each event has its effect once, whenever a process is killed. What had its effect is printed as a line of JSON. The
settings stand in docs/consumer-python-go.md. An order that is not taken is sent again. Any other error ends a process, and loses
nothing: start it again.
"""

import asyncio
import json
import os
import re
import socket
import sqlite3
import ssl
import sys
import time

import httpx
import redis
from redis.connection import parse_url
from redis.sentinel import Sentinel

TYPES = {"PointAlarmStatusEvent", "SetPointAlarmThresholdEvent"}  # others may come, and are passed over
NO_DATA = 1
STREAM = os.environ.get("EVENT_STREAM", "point-alarm-events")
GROUP = os.environ.get("CONSUMER_GROUP", "maintenance")
CONSUMER = os.environ.get("CONSUMER_NAME", f"{socket.gethostname()}-{os.getpid()}")
CLAIM_AFTER_MS = int(os.environ.get("CLAIM_AFTER_MS", "30000"))
ORDERS_URL = os.environ.get("ORDERS_URL")
ORDER_S = 5
MOST_BYTES = 1_048_576  # of an answer
TRUSTED = ssl.create_default_context()  # with the authorities of SSL_CERT_FILE
EFFECTS_URL = os.environ.get("EFFECTS_URL")  # a PostgreSQL; without it the effects are in a file of SQLite


def connect() -> redis.Redis:
    """By the URL. With Sentinels only TLS, user, password and database count, and they name the primary.

    Protocol 2, whatever the URL asks for: answers have other shapes in protocol 3.
    """
    url, sentinels = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379"), os.environ.get("REDIS_SENTINELS")
    if not sentinels:
        return redis.Redis.from_pool(redis.ConnectionPool(**parse_url(url) | {"decode_responses": True, "protocol": 2}))
    named = {name: value for name, value in parse_url(url).items() if name in ("username", "password", "db")}
    tls = {"ssl": url.startswith("rediss:")}
    of_sentinels = {**tls, "password": os.environ.get("REDIS_SENTINEL_PASSWORD")}
    places = [place.rsplit(":", 1) for place in sentinels.split(",")]
    master = os.environ["REDIS_SENTINEL_MASTER"]
    shape = {"decode_responses": True, "protocol": 2}
    return Sentinel(places, sentinel_kwargs=of_sentinels).master_for(master, **shape, **named, **tls)


client = connect()

if EFFECTS_URL:
    import psycopg

    # Outside a transaction each statement is committed at once, as in SQLite.
    database = psycopg.connect(EFFECTS_URL, autocommit=True)
else:
    database = sqlite3.connect(os.environ.get("EFFECTS_FILE", "effects.db"), timeout=60)


def run(statement: str, values: tuple = ()):
    """psycopg writes %s for a value, SQLite ?."""
    return database.execute(statement.replace("?", "%s") if EFFECTS_URL else statement, values)


def transaction():
    """It commits at the end of the block, or rolls back if there is an error."""
    return database.transaction() if EFFECTS_URL else database


# A sequenceId is compared byte by byte, not by a locale. If your database has the table `work_order` of an older reader,
# rename it before you start. Otherwise this reader opens all orders again: ALTER TABLE work_order RENAME TO alarm
run(f"""CREATE TABLE IF NOT EXISTS place
    (node TEXT PRIMARY KEY, last TEXT COLLATE "{"C" if EFFECTS_URL else "BINARY"}" NOT NULL)""")
run("""CREATE TABLE IF NOT EXISTS status
    (node TEXT PRIMARY KEY, alarm_status INTEGER, timestamp BIGINT, events INTEGER NOT NULL)""")
run("""CREATE TABLE IF NOT EXISTS alarm
    (node TEXT, part TEXT, label TEXT, status INTEGER, PRIMARY KEY (node, part))""")

# The last sequenceId of the node; no row changes for an event that had its effect.
PLACE = """
    INSERT INTO place (node, last) VALUES (?, ?)
    ON CONFLICT (node) DO UPDATE SET last = excluded.last WHERE place.last < excluded.last
"""
# The kept status. Put other effects into handle, inside its transaction.
EFFECT = """
    INSERT INTO status (node, alarm_status, timestamp, events) VALUES (?, ?, ?, 1)
    ON CONFLICT (node) DO UPDATE SET alarm_status = coalesce(excluded.alarm_status, status.alarm_status),
        timestamp = excluded.timestamp, events = status.events + 1
"""


Part = tuple[str, str]  # its name and its label


def label_of(part: dict) -> str:
    """A band may have no label: its edges stand for it."""
    label, edges = part.get("label"), [part.get("minFrequency"), part.get("maxFrequency")]
    if isinstance(label, str) and label:
        return re.sub("[\0\ud800-\udfff]", "\ufffd", label)  # a database refuses these
    return json.dumps(edges, sort_keys=True, separators=(",", ":")) if any(edges) else ""


def parts_of(data: dict) -> dict[Part, dict]:
    """Each part, unknown ones too. Bands and HALs are told apart by their position and their label."""
    parts = {}
    for name, member in data.items():
        if isinstance(member, list):
            parts |= {f"{name}/{position}": part for position, part in enumerate(member)}
        else:
            parts[name] = member
    return {(name, label_of(part)): part for name, part in parts.items() if isinstance(part, dict)}


def alarms_of(parts: dict[Part, dict], kept: dict[Part, int]) -> dict[Part, int]:
    """The status of each part in ALERT or DANGER."""
    statuses = {key: part.get("status") for key, part in parts.items()}
    statuses |= {key: kept.get(key) for key, status in statuses.items() if status == NO_DATA}  # its alarm may last
    return {key: status for key, status in statuses.items() if isinstance(status, int) and status >= 3}


class OrderNotTaken(Exception):
    """The maintenance system did not say that it has the order."""


def send_order(node: str, name: str, label: str, status: int, part: dict | None, sequence: str) -> None:
    """One call for a change of a part: 3 or 4 opens its order or changes it, 0 closes it. A repeat has the same key."""
    order = f"{node}/{name}/{label}" if label else f"{node}/{name}"
    body = json.dumps({"order": order, "status": status, "part": part}).encode()
    # With the status: if the label of a position changed, one event closes an order there and opens another.
    headers = {"Content-Type": "application/json", "Idempotency-Key": f"{sequence}/{name}/{status}"}
    try:
        asyncio.run(asyncio.wait_for(post(body, headers), ORDER_S))
    except (asyncio.TimeoutError, httpx.TransportError, OSError) as error:
        raise OrderNotTaken(f"{order}: no answer: {error or type(error).__name__}") from error


async def post(body: bytes, headers: dict[str, str]) -> None:
    """An order is taken where ORDERS_URL itself answers 2xx, completely, and not with a page such as a login."""
    async with httpx.AsyncClient(verify=TRUSTED, timeout=None) as http:
        async with http.stream("POST", ORDERS_URL, content=body, headers=headers) as answer:
            size = 0
            async for part in answer.aiter_raw():
                size += len(part)
                if size > MOST_BYTES:
                    raise OrderNotTaken("its answer is too long")
            kind = answer.headers.get("Content-Type", "")
            if not answer.is_success or kind.startswith("text/html"):  # a redirect is not followed
                raise OrderNotTaken(f"answer {answer.status_code} {kind}".strip())


def update_alarms(node: str, sequence: str, data: dict) -> None:
    """Compares with what was kept. So it finds what changed in a gap, which `alarmsChanged` does not show."""
    rows = run("SELECT part, label, status FROM alarm WHERE node = ?", (node,))
    kept = {(name, label): status for name, label, status in rows}
    parts = parts_of(data)
    alarms = alarms_of(parts, kept)
    if alarms == kept:
        return
    for name, label in sorted(kept.keys() | alarms.keys()):
        key = (name, label)
        if ORDERS_URL and kept.get(key) != alarms.get(key):
            send_order(node, name, label, alarms.get(key, 0), parts.get(key), sequence)
    run("DELETE FROM alarm WHERE node = ?", (node,))
    for (name, label), status in alarms.items():
        run("INSERT INTO alarm (node, part, label, status) VALUES (?, ?, ?, ?)", (node, name, label, status))


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
    with transaction():  # one transaction for both
        if run(PLACE, (node, sequence)).rowcount == 0:
            return
        run(EFFECT, (node, data.get("alarmStatus"), fields.get("timestamp")))
        if fields["type"] == "PointAlarmStatusEvent":
            update_alarms(node, sequence, data)  # before the commit: a crash between the two repeats its calls
    shown = {name: data[name] for name in ("alarmStatus", "threshold") if name in data}
    print(json.dumps({"type": fields["type"], "aggregateId": node, "sequenceId": sequence, **shown}), flush=True)


try:
    client.xgroup_create(STREAM, GROUP, id="0", mkstream=True)
    if run("SELECT 1 FROM place").fetchone():  # it read before
        print(f"Redis lost the group {GROUP}, perhaps with events: run pas republish --all --again", file=sys.stderr)
except redis.ResponseError as error:
    if not str(error).startswith("BUSYGROUP"):
        raise


def number(entry_id: str) -> list[int]:
    return [int(part) for part in entry_id.split("-")]


def report_gap() -> None:
    """A gap: entries were trimmed before this group was given them."""
    first = client.xinfo_stream(STREAM)["first-entry"]
    [given] = [group["last-delivered-id"] for group in client.xinfo_groups(STREAM) if group["name"] == GROUP]
    if first and [0, 0] < number(given) < number(first[0]):  # 0-0: the group is new
        gap = f"entries between {given} and {first[0]} were trimmed unread"
        print(f"{gap}: run pas republish --all --again", file=sys.stderr)


def report_trimmed(entry_id: str) -> None:
    print(f"{entry_id} was trimmed before it was handled: run pas republish --all --again", file=sys.stderr)


# A loop that commits several events at once is faster: docs/consumer-python-go.md, "How fast is it?".
wait = FIRST_WAIT_S = 0.1
while True:
    # First what this consumer holds: delivered, and not acknowledged. An entry that was trimmed has no fields.
    held = [entry for _, entries in client.xreadgroup(GROUP, CONSUMER, {STREAM: "0"}, count=1) for entry in entries]
    # It is handled when nobody holds an earlier one. So the events of a node keep their order.
    if held and client.xpending(STREAM, GROUP)["min"] == held[0][0]:
        entry_id, fields = held[0]
        try:
            handle(fields) if fields else report_trimmed(entry_id)
        except OrderNotTaken as error:  # nothing was committed
            print(f"an order is not taken, and sent again: {error}", file=sys.stderr)
            time.sleep(wait)
            wait = min(2 * wait, 10)
            continue
        wait = FIRST_WAIT_S
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
        report_gap()
        client.xreadgroup(GROUP, CONSUMER, {STREAM: ">"}, count=16, block=1_000)  # it holds new ones
