import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import {
  array,
  codec,
  decode,
  finite,
  flag,
  instant,
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
import { DIGEST_LENGTH } from '../digest';
import {
  GROUP_COMMANDS,
  hardLimits,
  KNOWN_SENDERS,
  MOST_KEYS,
  OUTBOX_BYTES,
  OUTBOX_EVENTS,
  SENDER_LENGTH,
} from '../limits';
import { storedMeasurement, type ContentType, type MeasurementOf } from '../measurement/measurement';
import { always, bandResult, ExternalPart, halResult, RatedPart } from '../alarm/part-codecs';
import { overallReadings } from '../rating/overall-regions';
import { storedThreshold } from '../threshold/threshold';
import { ResolvedBearing } from '../rating/vibration/bearings/resolved-bearing';
import { UserId } from '../commands/decode-command';
import { CarriedWrite, carriedWrite, type KnownGroup } from './idempotency';
import { newNode, type Node } from './node';
import type { Outbox, OutboxEvent } from './outbox';
import { SCHEMA_VERSION, type State } from './state';

const ULID_LENGTH = 26;
const ulid = text(ULID_LENGTH);
const word = text(DIGEST_LENGTH);

const parts = object(
  'parts',
  {},
  {
    overall: RatedPart,
    rateOfChange: RatedPart,
    inspection: RatedPart,
    external: ExternalPart,
    bands: array(object('band part', always, bandResult), hardLimits.bands),
    hals: array(object('HAL part', always, halResult), hardLimits.hals),
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
const ratedBy = object(
  'applied measurements',
  {},
  { DATA_POINT: applied, SPECTRUM: applied, QUESTION_ANSWERS: applied, rateOfChange: applied },
);

const answered: Codec<number | null> = codec('revision or null', {}, (input, context) =>
  input === null ? t.success(null) : notNegative.validate(input, context),
);
const knownGroup: Codec<KnownGroup> = object(
  'group',
  { sender: text(SENDER_LENGTH, 1), sequence: notNegative, revisions: array(answered, GROUP_COMMANDS) },
  {},
);

const state: Codec<State> = object(
  'state',
  {
    schemaVersion: oneOf('schema version', [SCHEMA_VERSION]),
    nodeId: uuid,
    threshold: storedThreshold,
    revision: notNegative,
    reading: oneOf('reading of overall regions', overallReadings),
    latest,
    newest: ratedBy,
    applied: ratedBy,
    parts,
    updatedAt: notNegative,
    sequenceId: ulid,
    bearings: array(ResolvedBearing, hardLimits.hals),
    writes: array(CarriedWrite, MOST_KEYS),
    groups: array(knownGroup, KNOWN_SENDERS),
  },
  { setBy: UserId, setAt: notNegative },
);

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

/** The argument of a run: what it was started with, and after continue-as-new the node. */
interface Argument {
  readonly state?: State;
  readonly outbox?: Outbox;
  readonly keepsStatusAttribute?: boolean;
}

const argument: Codec<Argument> = refine(
  object(
    'node',
    {},
    {
      state,
      outbox: object('outbox', { waiting: array(outboxEvent, OUTBOX_EVENTS), bytes: notNegative }, {}),
      keepsStatusAttribute: flag,
    },
  ),
  (given) =>
    (given.state === undefined) === (given.outbox === undefined)
      ? []
      : [{ name: given.state === undefined ? 'state' : 'outbox', reason: 'is required by the other' }],
);

/** A node at the beginning of a run, and what whoever started it asked for. */
export interface Begun {
  readonly node: Node;
  /** Whether it keeps its status in the search attribute; for ever, since each run carries it on. */
  readonly keepsStatusAttribute: boolean;
}

/** The argument of the run that follows (docs/reliability.md, "Upgrades"). */
export const carriedOn = ({ node: { state: known, outbox }, keepsStatusAttribute }: Begun): unknown => ({
  state: { ...known, writes: known.writes.map(carriedWrite) },
  outbox,
  ...(keepsStatusAttribute && { keepsStatusAttribute }),
});

/** The node `nodeId` as the argument of its run leaves it: empty where no run before carried it on. */
export const decodeArgument = (nodeId: string, input: unknown): E.Either<ReadonlyArray<Reason>, Begun> =>
  pipe(
    decode(argument, input ?? {}),
    E.map(({ state: known, outbox, keepsStatusAttribute = false }) => ({
      node: known === undefined || outbox === undefined ? newNode(nodeId) : { state: known, outbox },
      keepsStatusAttribute,
    })),
  );
