"""Sends one measurement, and repeats it for five minutes (docs/calls.md, "Repeating a write"). Needs only Python 3.
Settings: POINT_ALARM_URL (such as http://127.0.0.1:3000), POINT_ALARM_TOKEN, NODE, VALUE, MEASUREMENT_ID, CREATED_AT.
Keep the id and the time until it ends with code 0. Code 75: not acknowledged; run it again later. Code 1: refused.
"""

import json
import os
import random
import sys
import time
import urllib.error
import urllib.request
import uuid
from http.client import HTTPException

REPEATED = {408, 429, 502, 503, 504}
GIVE_UP_AFTER_S = 300  # a node remembers a key for ten minutes
NOT_ACKNOWLEDGED = 75  # by convention a temporary failure


def write(method: str, path: str, body: object) -> None:
    headers = {
        "Authorization": f"Bearer {os.environ['POINT_ALARM_TOKEN']}",
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),  # one for all tries
    }
    url = os.environ["POINT_ALARM_URL"] + path
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method=method)
    until, wait = time.monotonic() + GIVE_UP_AFTER_S, 1.0
    while True:
        try:
            return urllib.request.urlopen(request, timeout=15).close()
        except urllib.error.HTTPError as error:
            if error.code not in REPEATED:
                raise SystemExit(f"{error.code}: {error.read().decode()}") from None
            failure = f"answer {error.code}"
            after = error.headers.get("Retry-After", "")
            pause = float(after) if after.isdigit() else wait
        except (OSError, HTTPException) as error:
            failure, pause = f"no answer: {error}", wait
        if time.monotonic() > until:
            print(failure, file=sys.stderr)
            raise SystemExit(NOT_ACKNOWLEDGED)
        time.sleep(pause * random.uniform(1, 1.5))  # many callers do not return together
        wait = min(2 * wait, 30)


measured = {"coordinate": {"x": 0, "y": float(os.environ["VALUE"])}, "xUnit": "s", "yUnit": "C"}
about = {"measurementId": os.environ["MEASUREMENT_ID"], "createdAt": os.environ["CREATED_AT"]}
measurement = {**about, "contentType": "DATA_POINT", "dataPoint": measured}
write("PUT", f"/v1/alarm-status/{os.environ['NODE']}", measurement)
