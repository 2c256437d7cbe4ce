"""Uses the client that openapi-python-client generates from docs/openapi.json, by its own defaults."""

import os
import uuid

from point_alarm_service_client import AuthenticatedClient
from point_alarm_service_client.api.statuses import get_alarm_status, update_alarm_status
from point_alarm_service_client.api.thresholds import get_threshold, set_threshold
from point_alarm_service_client.models import (
    AlarmLimitsInput,
    AlarmStatus,
    AlarmThresholdInput,
    ContentType,
    CoordinateInput,
    DataPointInput,
    MeasurementInput,
    Problem,
    Status,
    ThresholdType,
)

node = uuid.uuid4()
with AuthenticatedClient(base_url=os.environ["URL"], token=os.environ["TOKEN"]) as client:
    limits = AlarmLimitsInput(unit="C", inner_high=50, outer_high=70)
    threshold = AlarmThresholdInput(threshold_type=ThresholdType.OVERALL_OUT_OF_WINDOW, overall=limits)
    done = set_threshold.sync_detailed(node, client=client, body=threshold, idempotency_key="first")
    assert done.status_code == 204, done
    shown = get_threshold.sync(node, client=client)
    assert (shown.threshold_type, shown.overall.inner_high) == (ThresholdType.OVERALL_OUT_OF_WINDOW, 50), shown

    point = DataPointInput(coordinate=CoordinateInput(x=0, y=75), x_unit="s", y_unit="C")
    measurement = MeasurementInput(uuid.uuid4(), "2026-01-31T10:00:00Z", ContentType.DATA_POINT, data_point=point)
    done = update_alarm_status.sync_detailed(node, client=client, body=measurement)
    assert done.status_code == 204, done

    status = get_alarm_status.sync(node, client=client, cache_control="no-cache")
    assert status.status is Status.DANGER, status
    assert status.overall_alarm.triggering_measurement == measurement.measurement_id, status
    later = AlarmStatus.from_dict({**status.to_dict(), "ofALaterRelease": 1})
    assert later.additional_properties == {"ofALaterRelease": 1}, later

    incomplete = AlarmThresholdInput(threshold_type=ThresholdType.INSPECTION)
    problem = set_threshold.sync(node, client=client, body=incomplete)
    assert isinstance(problem, Problem), problem
    assert problem.type_ == "/problems/invalid-request", problem
    assert [reason.name for reason in problem.reasons] == ["inspection"], problem
