import type * as E from 'fp-ts/Either';
import {
  array,
  decode,
  finite,
  instant,
  mapped,
  notNegative,
  object,
  oneOf,
  openObject,
  refine,
  text,
  uuid,
  type Codec,
  type Reason,
} from '../codecs';
import {
  hardLimits,
  OUTBOX_BYTES,
  OUTBOX_EVENTS,
  REMEMBERED_REQUESTS,
  REQUEST_ID_LENGTH,
  UNIT_LENGTH,
} from '../limits';
import { storedMeasurement, type ContentType, type MeasurementOf } from '../measurement/measurement';
import { overallReadings } from '../rating/overall-regions';
import { Status } from '../status';
import { storedThreshold } from '../threshold/threshold';
import { ResolvedBearing } from '../vibration/bearings/resolved-bearing';
import { UserId } from './decode-command';
import type { Node } from './node';
import type { OutboxEvent } from './outbox';
import { SCHEMA_VERSION, type State } from './state';

const ULID_LENGTH = 26;
const ulid = text(ULID_LENGTH);
const word = text(hardLimits.textLength);
const aPart = { triggeringMeasurement: uuid };
const part = object('part', { status: Status }, aPart);
const calculatedOverall = object('calculated overall', { value: finite, unit: text(UNIT_LENGTH) }, {});
const parts = object(
  'parts',
  {},
  {
    overall: part,
    rateOfChange: part,
    inspection: part,
    external: object('external part', { status: Status }, { setBy: uuid }),
    bands: array(object('band part', { status: Status }, { ...aPart, calculatedOverall }), hardLimits.bands),
    hals: array(
      object(
        'HAL part',
        { status: Status },
        {
          ...aPart,
          faultFrequency: finite,
          halIndex: finite,
          numberOfHarmonicsUsed: finite,
          rpmFactor: finite,
          errorDescription: text(4 * hardLimits.textLength),
        },
      ),
      hardLimits.hals,
    ),
  },
);

const measurementOf = <C extends ContentType>(type: C): Codec<MeasurementOf<C>> =>
  refine(storedMeasurement, ({ contentType }) =>
    contentType === type ? [] : [{ name: 'contentType', reason: `must be ${type}` }],
  ) as Codec<unknown> as Codec<MeasurementOf<C>>;

const latest = object(
  'latest measurements',
  {},
  {
    DATA_POINT: measurementOf('DATA_POINT'),
    SPECTRUM: measurementOf('SPECTRUM'),
    QUESTION_ANSWERS: measurementOf('QUESTION_ANSWERS'),
    rateOfChange: object('rate of change', { measurementId: uuid, createdAt: instant, value: finite }, {}),
  },
);

const applied = object('applied measurement', { measurementId: uuid, digest: word }, {});

const carriedState = object(
  'state',
  {
    schemaVersion: oneOf('schema version', [SCHEMA_VERSION]),
    nodeId: uuid,
    threshold: storedThreshold,
    revision: notNegative,
    reading: oneOf('reading of overall regions', overallReadings),
    latest,
    applied: object('applied measurements', {}, { DATA_POINT: applied, SPECTRUM: applied, QUESTION_ANSWERS: applied }),
    parts,
    updatedAt: notNegative,
    sequenceId: ulid,
    remembered: array(object('request', { id: text(REQUEST_ID_LENGTH), digest: word }, {}), REMEMBERED_REQUESTS),
  },
  // Absent in what the first builds carried.
  { setBy: UserId, setAt: notNegative, bearings: array(ResolvedBearing, hardLimits.hals) },
);

const state: Codec<State> = mapped(carriedState, (carried) => ({ bearings: [], ...carried }));

const outboxEvent: Codec<OutboxEvent> = object(
  'event',
  {
    type: oneOf('event type', ['PointAlarmStatusEvent', 'SetPointAlarmThresholdEvent']),
    sequenceId: ulid,
    timestamp: notNegative,
    userId: UserId,
    data: openObject(OUTBOX_BYTES),
  },
  {},
);

const carriedNode: Codec<Node> = object(
  'node',
  { state, outbox: object('outbox', { waiting: array(outboxEvent, OUTBOX_EVENTS), bytes: notNegative }, {}) },
  {},
);

/** The node that a run carried on to the next, also of an older release (docs/reliability.md, "Upgrades"). */
export const decodeCarried = (input: unknown): E.Either<ReadonlyArray<Reason>, Node> => decode(carriedNode, input);
