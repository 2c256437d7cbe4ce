import { fc } from '@fast-check/vitest';
import { text } from '../../../workflows/domain/codecs';
import {
  hardLimits,
  IDEMPOTENCY_KEY_LENGTH,
  REQUEST_NAME_LENGTH,
  USER_ID_LENGTH,
} from '../../../workflows/domain/limits';
import { overallReadings } from '../../../workflows/domain/rating/overall-regions';
import { Status } from '../../../workflows/domain/alarm/status';
import { origin } from '../../../workflows/domain/threshold/threshold';
import { patchThreshold, recalculate, recordMeasurement, republish, setExternalAlarm, setThreshold } from '../commands';
import { anId, userId, type Sent } from '../scenario';
import { ofCodec } from './from-schema';
import { measurements } from './measurement';
import { thresholds } from './threshold';

const about = fc.record(
  {
    userId: fc.constantFrom(userId, 'someone else', '名'.repeat(USER_ID_LENGTH)),
    idempotencyKey: fc.constantFrom('a', 'b', 'c', 'k'.repeat(IDEMPOTENCY_KEY_LENGTH)),
    cause: fc.record({ requestId: ofCodec(text(REQUEST_NAME_LENGTH, 1)) }, { noNullPrototype: true }),
  },
  { requiredKeys: ['userId'], noNullPrototype: true },
);
const setting = fc
  .tuple(
    about,
    fc.record(
      { ifMatch: fc.nat(3), ifNoneMatch: fc.nat(3), reading: fc.constantFrom(...overallReadings) },
      { requiredKeys: [], noNullPrototype: true },
    ),
  )
  .map(([one, other]) => ({ ...one, ...other }));

/** Patches of thresholds: many apply to some threshold, few to all. */
export const operations: fc.Arbitrary<ReadonlyArray<unknown>> = fc.array(
  fc.oneof(
    fc.record({
      op: fc.constantFrom('add', 'replace', 'test'),
      path: fc.constantFrom('/fullScale', '/overall/innerHigh', '/thresholdType'),
      value: fc.nat(4),
    }),
    fc.record({
      op: fc.constantFrom('add', 'replace'),
      path: fc.constantFrom('/bandAlarms', '/halAlarms'),
      value: fc.constant([]),
    }),
    fc.record({
      op: fc.constant('add'),
      path: fc.constantFrom('/bandAlarms/-', '/bandAlarms/0'),
      value: fc.constant({ overallThreshold: {} }),
    }),
    fc.record({
      op: fc.constant('remove'),
      path: fc.constantFrom(
        '',
        '/nodeId',
        '/fullScale',
        '/overall',
        '/inspection',
        '/halAlarms/0',
        '/bandAlarms/0/overallThreshold',
      ),
    }),
    fc.record({
      op: fc.constantFrom('move', 'copy'),
      from: fc.constantFrom('/bandAlarms/0', '/overall', '/halAlarms'),
      path: fc.constantFrom('/bandAlarms/1', '/rateOfChange', '/halAlarms'),
    }),
  ),
  { maxLength: 4 },
);

/** Commands of every name, as they are sent, of few ids so that they repeat. */
export const commands: fc.Arbitrary<Sent> = fc.oneof(
  fc
    .tuple(thresholds, fc.option(ofCodec(origin(hardLimits)), { nil: undefined, freq: 4 }), setting)
    .map(([threshold, from, more]) =>
      setThreshold(from === undefined ? { ...threshold } : { ...threshold, origin: from }, more),
    ),
  fc.tuple(operations, setting).map(([given, more]) => patchThreshold(given, more)),
  fc.tuple(measurements, about).map(([measurement, more]) => recordMeasurement(measurement, more)),
  about.map((more) => recalculate(more)),
  about.map((more) => republish(more)),
  fc
    .tuple(ofCodec(Status), fc.constantFrom(undefined, anId(7)), about)
    .map(([status, setBy, more]) => setExternalAlarm(setBy === undefined ? { status } : { status, setBy }, more)),
);
