"""Uses the client that OpenAPI Generator's `python` makes of docs/openapi.json."""

import os
import uuid

from openapi_client import AlarmThresholdInput, ApiClient, Configuration, ThresholdsApi

node = uuid.uuid4()
configuration = Configuration(host=os.environ["URL"], access_token=os.environ["TOKEN"])
with ApiClient(configuration) as client:
    api = ThresholdsApi(client)
    band = {"overallThreshold": {"upperAlert": {"value": 0.1, "valueType": 2}}}
    given = {"thresholdType": 2, "overall": {"innerHigh": 1234567.891}, "bandAlarms": [band], "fullScale": 16777217.5}
    api.set_threshold(node, AlarmThresholdInput.from_dict(given))
    shown = api.get_threshold(node)
    api.set_threshold(node, AlarmThresholdInput.from_dict(shown.to_dict()))
    again = api.get_threshold(node)
    assert (again.overall.inner_high, again.full_scale) == (1234567.891, 16777217.5), again
    assert again == shown, again
