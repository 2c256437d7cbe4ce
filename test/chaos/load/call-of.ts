import { measurementOf, patchOf } from './asks';
import type { Asked, JsonObject } from '../history';
import type { Call } from './call';

/** `asked` of a node as a request to the API, without a token. */
export const callOf = (nodeId: string, writeId: string, asked: Asked): Call => {
  switch (asked.kind) {
    case 'setThreshold': {
      const origin = { id: writeId, type: 'chaos', provider: 'test' };
      return put(`/v1/point-alarm-threshold/${nodeId}`, { ...asked.threshold, origin });
    }
    case 'patchThreshold':
      return {
        method: 'PATCH',
        path: `/v1/point-alarm-threshold/${nodeId}`,
        headers: { 'Content-Type': 'application/json-patch+json' },
        body: JSON.stringify(patchOf(asked)),
      };
    case 'recordMeasurement':
      return put(`/v1/alarm-status/${nodeId}`, measurementOf(asked));
    case 'recalculate':
      return { method: 'PUT', path: `/v1/alarm-status/${nodeId}`, headers: {} };
    case 'setExternalAlarm':
      return put(`/v1/alarm-status/${nodeId}/status/external`, { status: asked.status, setBy: asked.setBy });
  }
};

/** `call` so that the service must refuse it: a member that nobody knows, or a patch whose test fails. */
export const spoiled = (call: Call): Call => {
  if (call.body === undefined) return { ...call, headers: { 'Content-Type': 'text/plain' }, body: 'anything' };
  const content: unknown = JSON.parse(call.body);
  const bad: unknown = Array.isArray(content)
    ? [...(content as ReadonlyArray<unknown>), { op: 'test', path: '/overall/unit', value: 'never' }]
    : { ...(content as JsonObject), colour: 'red' };
  return { ...call, body: JSON.stringify(bad) };
};

const put = (path: string, content: JsonObject): Call => ({
  method: 'PUT',
  path,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(content),
});
