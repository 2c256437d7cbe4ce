import type { CommandName } from '../../workflows/domain/node/commands';
import type { Asked, JsonObject } from './history';

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
