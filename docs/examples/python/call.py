"""Calls the service, and repeats a call for five minutes (docs/calls.md, "Repeating a write"). Needs only Python 3.

In a program: from call import read, write, NotAcknowledged, Refused
As a script it sends one data point. It takes POINT_ALARM_URL (such as http://127.0.0.1:3000), POINT_ALARM_TOKEN, NODE, VALUE,
UNIT, MEASUREMENT_ID and CREATED_AT from the environment. Code 0: stored. Code 75: run it again later, with the same id and time.
Code 1: it prints the answer. Correct the token or the request, and run it again with the same id; after a 409 or 500, first see
"Which answers to repeat" there.
"""

import json
import logging
import os
import random
import time
import urllib.error
import urllib.request
import uuid
from email.message import Message
from http.client import HTTPException
from typing import Any, Mapping, Optional, Tuple

REPEATED = {408, 429, 502, 503, 504}
GIVE_UP_AFTER_S = 300  # a node remembers a key for ten minutes
TEMPORARY_FAILURE = 75  # by convention


class Refused(Exception):
    """Correct the token or the write, and keep its key; a refused write leaves it free. For 409, 412 and 500 see docs/calls.md."""

    def __init__(self, error: urllib.error.HTTPError) -> None:
        answer = error.read().decode(errors="replace")
        super().__init__(f"{error.code}: {answer}")
        self.status = error.code
        is_problem = error.headers.get_content_type() == "application/problem+json"
        self.problem = json.loads(answer) if is_problem else {}  # its "type" is one of docs/errors.md


class NotAcknowledged(Exception):
    """The write may have happened: send it again later under its key, a measurement before the node's newer ones."""

    def __init__(self, failure: str, key: Optional[str]) -> None:
        super().__init__(failure)
        self.key = key  # None for a read


def token() -> str:
    """Asked before each try. If tokens expire, get them from your identity provider here, and keep each while it lasts."""
    return os.environ["POINT_ALARM_TOKEN"]


def write(method: str, path: str, body: object = None, headers: Optional[Mapping[str, str]] = None) -> Message:
    """Returns the answer's headers once the write is stored. The path is one such as /v1/alarm-status/<node>.

    The headers may be a condition, such as {"If-Match": etag}, and an Idempotency-Key: the measurementId of a measurement, or
    the key of NotAcknowledged. Under the same key you may call this again, also after a restart, and the write counts once
    until ten minutes after the first try.
    """
    content_type = "application/json-patch+json" if method == "PATCH" else "application/json"
    key = str(uuid.uuid4())  # one for all tries
    return _call(method, path, body, {"Content-Type": content_type, "Idempotency-Key": key, **(headers or {})})[1]


def read(path: str) -> Tuple[Any, Message]:
    """What the node holds now, and the answer's headers, such as a threshold's ETag."""
    answer, headers = _call("GET", path, None, {"Cache-Control": "no-cache"})
    return json.loads(answer), headers


def _call(method: str, path: str, body: object, headers: Mapping[str, str]) -> Tuple[bytes, Message]:
    url = os.environ["POINT_ALARM_URL"] + path
    data = None if body is None else json.dumps(body).encode()
    until, wait = time.monotonic() + GIVE_UP_AFTER_S, 1.0
    while True:
        try:
            authorized = {**headers, "Authorization": f"Bearer {token()}"}
            request = urllib.request.Request(url, data, authorized, method=method)
            with urllib.request.urlopen(request, timeout=15) as answer:
                return answer.read(), answer.headers
        except urllib.error.HTTPError as error:
            if error.code not in REPEATED:
                raise Refused(error) from None
            failure = f"answer {error.code}"
            after = error.headers.get("Retry-After", "")
            pause = float(after) if after.isdigit() else wait
        except (OSError, HTTPException) as error:
            failure, pause = f"no answer: {error}", wait
        if time.monotonic() > until:
            raise NotAcknowledged(failure, headers.get("Idempotency-Key"))
        logging.warning("%s; it is repeated", failure)
        time.sleep(pause * random.uniform(1, 1.5))  # many callers do not return together
        wait = min(2 * wait, 30)


def send_data_point() -> None:
    point = {"coordinate": {"x": 0, "y": float(os.environ["VALUE"])}, "xUnit": "s", "yUnit": os.environ["UNIT"]}
    about = {"measurementId": os.environ["MEASUREMENT_ID"], "createdAt": os.environ["CREATED_AT"]}
    body = {**about, "contentType": "DATA_POINT", "dataPoint": point}
    key = {"Idempotency-Key": about["measurementId"]}  # so that a second run repeats the write of the first
    write("PUT", f"/v1/alarm-status/{os.environ['NODE']}", body, key)


if __name__ == "__main__":
    try:
        send_data_point()
    except Refused as refused:
        raise SystemExit(str(refused)) from None
    except NotAcknowledged as failure:
        logging.error("not acknowledged: %s", failure)
        raise SystemExit(TEMPORARY_FAILURE) from None
