import { array, notNegative, object, oneOf, text, uuid, wholeNumber, type TypeOf, UserId } from '../codecs';
import { Parts } from '../alarm/parts';
import { DIGEST_LENGTH } from '../digest';
import { hardLimits, KNOWN_SENDERS, MOST_KEYS } from '../limits';
import { Latest } from '../measurement/measurement';
import { overallReadings } from '../rating/overall-regions';
import { ResolvedBearing } from '../rating/vibration/bearings/resolved-bearing';
import { noThreshold, storedThreshold } from '../threshold/threshold';
import { ULID_LENGTH } from '../ulid';
import { CarriedWrite, KnownGroup } from './idempotency';

/** The shape of a carried state; a release that changes it counts on and still decodes the one before. */
const SCHEMA_VERSION = 1;

/** A measurement by which a repeat is known: its id and a digest of its content. Absent in runs of early builds: its arrival. */
const applied = object(
  'applied measurement',
  { measurementId: uuid, digest: text(DIGEST_LENGTH) },
  { arrivedAt: wholeNumber },
);

/** By what measurements rate: the parts of each content type, and rate of change. */
const ratedBy = object(
  'applied measurements',
  {},
  { DATA_POINT: applied, SPECTRUM: applied, QUESTION_ANSWERS: applied, rateOfChange: applied },
);

/** Everything that a node knows, as a run before carried it on; plain JSON, what is absent is absent. Times are epoch ms. */
export const State = object(
  'state',
  {
    schemaVersion: oneOf('schema version', [SCHEMA_VERSION]),
    nodeId: uuid,
    threshold: storedThreshold,
    /** How often a threshold was set; the ETag of GET. */
    revision: notNegative,
    reading: oneOf('reading of overall regions', overallReadings),
    latest: Latest,
    /** Which measurements `latest` holds. */
    newest: ratedBy,
    /** Which measurements rated the parts last: the newest, unless an older one came after it. */
    applied: ratedBy,
    parts: Parts,
    /** 0 for a node that was never touched. */
    updatedAt: notNegative,
    /** The last id given to an event; empty before the first. */
    sequenceId: text(ULID_LENGTH),
    /** The orders of the bearings that the threshold names, found when it was set; not shown. */
    bearings: array(ResolvedBearing, hardLimits.hals),
    /** The writes under idempotency keys that a repeat is known by, oldest first. */
    writes: array(CarriedWrite, MOST_KEYS),
    /** The last group of each API process, the one heard of longest ago first. */
    groups: array(KnownGroup, KNOWN_SENDERS),
  },
  /** The user who set the threshold, and the time. */
  { setBy: UserId, setAt: notNegative },
);
export type State = TypeOf<typeof State>;

/** A node that was never touched. */
export const untouched = (nodeId: string): State => ({
  schemaVersion: SCHEMA_VERSION,
  nodeId,
  threshold: noThreshold,
  revision: 0,
  reading: 'literal',
  bearings: [],
  latest: {},
  newest: {},
  applied: {},
  parts: {},
  updatedAt: 0,
  sequenceId: '',
  writes: [],
  groups: [],
});
