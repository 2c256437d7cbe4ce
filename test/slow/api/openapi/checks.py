"""Which requests that are valid by the schema may be refused all the same."""

import re

import schemathesis

# Rules that JSON Schema cannot state, as the reasons of a 400 have them. Any other reason means that the schema is wrong.
UNSTATABLE = [
    # The body is compared with the path.
    r"must be the node of the path, [0-9a-f-]{36}",
    # Members are compared with each other.
    r"must not be below \w+ \(.+\)(, it comes to .+)?",
    # Items are compared with each other.
    r"must be greater than the one before \(.+\)",
    r"must be unique among the choices",
    # The whole is measured as JSON.
    r"must be at most \d+ bytes as JSON",
    r"must nest at most \d+ levels",
]
CONDITIONS = {"if-match", "if-none-match"}


@schemathesis.check
def valid_data_is_refused_for_a_reason(ctx, response, case):
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if response.status_code == 400:
        strange = [
            reason
            for reason in response.json()["reasons"]
            if not any(re.fullmatch(rule, reason["reason"]) for rule in UNSTATABLE)
        ]
        assert not strange, f"the schema does not state: {strange}"
    if response.status_code == 412:
        assert CONDITIONS & {name.lower() for name in case.headers}, "412 without a condition"
