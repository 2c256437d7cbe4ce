import type { CommandName } from '../../../workflows/domain/node/commands';
import type { Asked, JsonObject } from '../history';
import type { Call } from './call';
import type { Random } from './random';

/** Makes writes, none of which asks for what another one asked for. */
export interface RequestSource {
  readonly threshold: () => Asked;
  readonly measurement: () => Asked;
  readonly external: () => Asked;
  readonly patch: () => Asked;
  /** One of the five kinds, mostly measurements. */
  readonly any: () => Asked;
}

export const createRequestSource = (random: Random, now: () => number = Date.now): RequestSource => {
  let made = 0;
  const next = (): number => (made += 1);
  const threshold = (): Asked => ({
    kind: 'setThreshold',
    threshold: {
      thresholdType: 2,
      overall: { unit: 'C', outerHigh: 70 + next() / 1_000, innerHigh: 50, innerLow: 20, outerLow: 10 },
    },
  });
  const measurement = (): Asked => ({
    kind: 'recordMeasurement',
    measurementId: random.uuid(),
    createdAt: now() - random.below(2),
  });
  const external = (): Asked => ({ kind: 'setExternalAlarm', status: random.below(5), setBy: random.uuid() });
  const patch = (): Asked => ({ kind: 'patchThreshold', fullScale: next() + 0.5 });
  return {
    threshold,
    measurement,
    external,
    patch,
    any: () => {
      const drawn = random.draw();
      if (drawn < 0.55) return measurement();
      if (drawn < 0.72) return external();
      if (drawn < 0.84) return { kind: 'recalculate' };
      return drawn < 0.93 ? patch() : threshold();
    },
  };
};

/** The measurement that a write asks to record: 60 is DANGER, 30 is GOOD by the thresholds of these histories. */
export const measurementOf = ({
  measurementId,
  createdAt,
}: Extract<Asked, { kind: 'recordMeasurement' }>): JsonObject => ({
  measurementId,
  createdAt: new Date(createdAt).toISOString(),
  contentType: 'DATA_POINT',
  dataPoint: { coordinate: { x: 0, y: createdAt % 2 === 0 ? 60 : 30 }, xUnit: 's', yUnit: 'C' },
});

/** `asked` as a command for the node: its name and payload, without the user. */
export const commandOf = (asked: Asked): { readonly name: CommandName } & Readonly<Record<string, unknown>> => {
  switch (asked.kind) {
    case 'setThreshold':
      return { name: asked.kind, threshold: asked.threshold };
    case 'patchThreshold':
      return { name: asked.kind, operations: patchOf(asked) };
    case 'recordMeasurement':
      return { name: asked.kind, measurement: measurementOf(asked) };
    case 'recalculate':
      return { name: asked.kind };
    case 'setExternalAlarm':
      return { name: asked.kind, status: asked.status, setBy: asked.setBy };
  }
};

/** A patch that sets what no other write sets. */
export const patchOf = ({ fullScale }: Extract<Asked, { kind: 'patchThreshold' }>): ReadonlyArray<JsonObject> => [
  { op: 'add', path: '/fullScale', value: fullScale },
];

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
export const spoilCall = (call: Call): Call => {
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
