"""Calls the service, and repeats a call for five minutes (docs/calls.md, "Repeating a write"). Needs httpx (requirements.txt).

In a program: from call import read, read_thresholds, write, NotAcknowledged, Refused
As a script it sends one data point. It takes POINT_ALARM_URL (such as http://127.0.0.1:3000), POINT_ALARM_TOKEN, NODE, VALUE,
UNIT, MEASUREMENT_ID and CREATED_AT from the environment. Code 0: stored. Code 75: run it again later, with the same id and time.
Code 1: it prints the answer. Correct the token or the request, and run it again with the same id; after a 409 or 500, first see
"Which answers to repeat" there.
"""

import asyncio
import json
import logging
import os
import random
import ssl
import time
import uuid
from typing import Any, List, Mapping, Optional, Sequence, Tuple

import httpx

REPEATED = {408, 429, 502, 503, 504}
TRY_S = 15
GIVE_UP_AFTER_S = 300  # a node remembers a key for ten minutes
MOST_BYTES = 64 * 1_048_576
TEMPORARY_FAILURE = 75  # by convention
TRUSTED = ssl.create_default_context()  # with the authorities of SSL_CERT_FILE


class Refused(Exception):
    """Correct the token or the write, and keep its key; a refused write leaves it free. For 409, 412 and 500 see docs/calls.md."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status}: {json.dumps(problem)}")
        self.status = status
        self.problem = problem  # its "type" is one of docs/errors.md


class NotAcknowledged(Exception):
    """The write may have happened: send it again later under its key, a measurement before the node's newer ones."""

    def __init__(self, failure: str, key: Optional[str]) -> None:
        super().__init__(failure)
        self.key = key  # None for a read


def token() -> str:
    """Asked before each try. If tokens expire, get them from your identity provider here, and keep each while it lasts."""
    return os.environ["POINT_ALARM_TOKEN"]


def write(
    method: str, path: str, body: object = None, headers: Optional[Mapping[str, str]] = None
) -> Tuple[Any, httpx.Headers]:
    """Returns once the write is stored: after PATCH the threshold, else None, and the answer's headers.

    The path is one such as /v1/alarm-status/<node>. The headers may be a condition, such as {"If-Match": etag}, and an
    Idempotency-Key: the measurementId of a measurement, or the key of NotAcknowledged. Under the same key you may call this
    again, also after a restart, and the write counts once until ten minutes after the first try.
    """
    is_patch = method == "PATCH"
    content_type = "application/json-patch+json" if is_patch else "application/json"
    key = str(uuid.uuid4())  # one for all tries
    sent = {"Content-Type": content_type, "Idempotency-Key": key, **(headers or {})}
    return _call(method, path, body, sent, 200 if is_patch else 204)


def read(path: str) -> Tuple[Any, httpx.Headers]:
    """What the node holds now, and the answer's headers, such as a threshold's ETag."""
    return _call("GET", path, None, {"Cache-Control": "no-cache"}, 200)


def read_thresholds(nodes: Sequence[str]) -> List[Any]:
    """The thresholds of several nodes, in their order."""
    headers = {"Content-Type": "application/json"}
    return _call("POST", "/v1/point-alarm-threshold-batch", {"nodeIDs": nodes}, headers, 200)[0]["thresholds"]


def _call(
    method: str, path: str, body: object, headers: Mapping[str, str], expected: int
) -> Tuple[Any, httpx.Headers]:
    url, key = os.environ["POINT_ALARM_URL"].rstrip("/") + path, headers.get("Idempotency-Key")
    data = None if body is None else json.dumps(body).encode()
    until, wait = time.monotonic() + GIVE_UP_AFTER_S, 1.0
    while True:
        try:
            authorized = {**headers, "Authorization": f"Bearer {token()}"}
            answer, text = asyncio.run(asyncio.wait_for(_try(method, url, data, authorized), TRY_S))
            status, value = answer.status_code, _object(text)
            if status == expected == 204 or status == expected and value.keys() & {"nodeId", "thresholds"}:
                return value or None, answer.headers
            if status not in REPEATED:
                if status >= 400 and value.get("status") == status:  # a problem document
                    raise Refused(status, value)
                raise NotAcknowledged(f"the answer {status} is not the service's", key)  # a login page, a proxy
            failure = f"answer {status}"
            after = answer.headers.get("Retry-After", "")
            pause = max(1.0, float(after)) if after.isdecimal() else wait
        except (httpx.LocalProtocolError, httpx.UnsupportedProtocol):
            raise  # it cannot be sent
        except (OSError, httpx.HTTPError, asyncio.TimeoutError) as error:
            failure, pause = f"no answer: {error or type(error).__name__}", wait
        pause *= random.uniform(1, 1.5)  # many callers do not return together
        if time.monotonic() + pause > until:
            raise NotAcknowledged(failure, key)
        logging.warning("%s; it is repeated", failure)
        time.sleep(pause)
        wait = min(2 * wait, 30)


async def _try(
    method: str, url: str, data: Optional[bytes], headers: Mapping[str, str]
) -> Tuple[httpx.Response, bytes]:
    """Follows no redirect. httpx bounds each read, but not all of them together: the caller does."""
    async with httpx.AsyncClient(verify=TRUSTED, timeout=None) as client:
        async with client.stream(method, url, content=data, headers=headers) as answer:
            text = bytearray()
            async for part in answer.aiter_bytes():
                text += part
                if len(text) > MOST_BYTES:
                    raise httpx.ReadError("the answer is too long")
            return answer, bytes(text)


def _object(text: bytes) -> Mapping[str, Any]:
    """The JSON object of an answer; empty where it holds none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


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
