import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { partsView, type AlarmStatusView } from '../alarm/alarm-status';
import { Parts, worstOf } from '../alarm/parts';
import * as c from '../codecs';
import { DIGEST_LENGTH } from '../digest';
import { CARRIED_SIGNALS, hardLimits, KNOWN_SENDERS, MOST_KEYS } from '../limits';
import { Latest } from '../measurement/measurement';
import { overallReadings } from '../rating/overall-regions';
import { ratingRules, type RatingRules } from '../rating/rating-rules';
import { ResolvedBearing } from '../rating/vibration/bearings/bearing';
import { NONE, storedThreshold, thresholdView } from '../threshold/threshold';
import { ULID_LENGTH } from '../ulid';
import { commandNames } from './commands';
import { emptyOutbox, Outbox } from './outbox';
import { carriedWrite, CarriedWrite, KnownGroup } from './repeats';

/** The shape of a carried state. A new one counts on, and all before are still decoded: nodes at rest keep old runs. */
const SCHEMA_VERSION = 1;

/** A measurement by which a repeat is known: its id, a digest of its content, and its arrival. */
const appliedMeasurement = c.object('applied measurement', {
  measurementId: c.uuid,
  digest: c.text(DIGEST_LENGTH),
  arrivedAt: c.wholeNumber,
});

/** By what measurements rate: the parts of each content type, and rate of change. */
const ratedBy = c.partial('applied measurements', {
  DATA_POINT: appliedMeasurement,
  SPECTRUM: appliedMeasurement,
  QUESTION_ANSWERS: appliedMeasurement,
  rateOfChange: appliedMeasurement,
});

/** Everything that a node knows, as a run before carried it on; plain JSON, what is absent is absent. Times are epoch ms. */
export const CarriedState = c.object(
  'state',
  {
    schemaVersion: c.oneOf('schema version', [SCHEMA_VERSION]),
    nodeId: c.uuid,
    threshold: storedThreshold,
    /** How often a threshold was set; the ETag of GET. */
    revision: c.notNegative,
    reading: c.oneOf('reading of overall regions', overallReadings),
    latest: Latest,
    newest: ratedBy,
    /** Which measurements rated the parts last: the newest, unless an older one came after it. */
    applied: ratedBy,
    parts: Parts,
    /** 0 for a node that was never touched. */
    updatedAt: c.notNegative,
    /** The last id given to an event; empty before the first. */
    sequenceId: c.text(ULID_LENGTH),
    /** The orders of the bearings that the threshold names, found when it was set; not shown. */
    bearings: c.array(ResolvedBearing, hardLimits.hals),
    /** The writes under idempotency keys that a repeat is known by, oldest first. */
    writes: c.array(CarriedWrite, MOST_KEYS),
    /** The last group of each API process, the one heard of longest ago first. */
    groups: c.array(KnownGroup, KNOWN_SENDERS),
    /** Whether the node writes its status into the search attribute, as the last API said that had to say so. */
    keepsStatusAttribute: c.flag,
  },
  /** The user who set the threshold, and the time. */
  { setBy: c.UserId, setAt: c.notNegative },
);

/** The same, with the rules that follow from its threshold. */
export type State = c.TypeOf<typeof CarriedState> & RatingRules;

/** A node: what it knows, and what it has still to publish. */
export interface Node {
  readonly state: State;
  readonly outbox: Outbox;
}

export const newNode = (nodeId: string): Node => ({
  state: {
    schemaVersion: SCHEMA_VERSION,
    nodeId,
    ...ratingRules({ thresholdType: NONE }),
    revision: 0,
    latest: {},
    newest: {},
    applied: {},
    parts: {},
    updatedAt: 0,
    sequenceId: '',
    writes: [],
    groups: [],
    keepsStatusAttribute: false,
  },
  outbox: emptyOutbox,
});

/** A signal that waits to be taken. Its payload is decoded then. */
const WaitingSignal = c.object('signal', { name: c.oneOf('command', commandNames) }, { payload: c.json });
export type WaitingSignal = c.TypeOf<typeof WaitingSignal>;
const waitingSignals = c.array(WaitingSignal, CARRIED_SIGNALS);

/** The argument of a run: nothing, or after continue-as-new the node, and its signals that wait. */
const argument = c.refine(
  c.partial('node', { state: CarriedState, outbox: Outbox, signals: waitingSignals }),
  ({ state, outbox }) =>
    (state === undefined) === (outbox === undefined)
      ? []
      : [{ name: state === undefined ? 'state' : 'outbox', reason: 'is required by the other' }],
);

/** The argument of the run that follows (docs/upgrades.md, "What stays compatible"). */
export const carriedOn = (
  { state: { sought: _, answers: __, ...state }, outbox }: Node,
  signals: ReadonlyArray<WaitingSignal> = [],
): unknown => ({
  state: { ...state, writes: state.writes.map(carriedWrite) },
  ...(signals.length > 0 && { signals }),
  outbox,
});

/** The node `nodeId` as the argument of its run leaves it: empty where no run before carried it on. Another node's state is refused. */
export const decodeArgument = (nodeId: string, input: unknown): E.Either<c.Reasons, Node> =>
  pipe(
    c.decode(argument, input ?? {}),
    E.map(({ state, outbox }) =>
      state === undefined || outbox === undefined
        ? newNode(nodeId)
        : { state: { ...state, ...ratingRules(state.threshold, state) }, outbox },
    ),
    E.filterOrElse(
      ({ state }) => state.nodeId === nodeId,
      (): c.Reasons => [{ name: 'state.nodeId', reason: `must be ${nodeId}` }],
    ),
  );

/** The signals that wait as a run begins, by its argument, which decodes. */
export const signalsIn = (input: unknown): ReadonlyArray<WaitingSignal> =>
  E.getOrElse((): ReadonlyArray<WaitingSignal> => [])(
    c.decode(waitingSignals, c.isRecord(input) ? input['signals'] : undefined),
  );

/** Whether a signal may wait: one that nests deeper is refused anyway, and could not be carried on. */
export const mayBeCarried = (payload: unknown): boolean => payload === undefined || c.json.is(payload);

export const revisedThreshold = ({ nodeId, revision, threshold }: State) => ({
  revision,
  threshold: thresholdView(nodeId, threshold),
});
export type RevisedThreshold = Readonly<ReturnType<typeof revisedThreshold>>;

export const alarmStatusView = ({ nodeId, updatedAt, threshold, parts }: State): AlarmStatusView => ({
  nodeId,
  updatedAt,
  status: worstOf(parts),
  ...partsView(threshold, parts),
});

/** What both GETs answer, and the last event of which they know. */
export const snapshotView = (state: State) => ({
  threshold: revisedThreshold(state),
  alarmStatus: alarmStatusView(state),
  sequenceId: state.sequenceId,
});
export type Snapshot = Readonly<ReturnType<typeof snapshotView>>;
