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

/**
 * Version of the state that a run hands to the next. A new shape of the state gets the next number. All earlier shapes must
 * still decode, because a node without commands stays in a run that an old release began.
 */
const SCHEMA_VERSION = 1;

/** What a node keeps of a measurement to recognise a repeat: its id, a digest of its content, and its arrival (epoch ms). */
const appliedMeasurement = c.object('applied measurement', {
  measurementId: c.uuid,
  digest: c.text(DIGEST_LENGTH),
  arrivedAt: c.wholeNumber,
});

/** A measurement of each content type, and one for the rate of change. */
const ratedBy = c.partial('applied measurements', {
  DATA_POINT: appliedMeasurement,
  SPECTRUM: appliedMeasurement,
  QUESTION_ANSWERS: appliedMeasurement,
  rateOfChange: appliedMeasurement,
});

/** Everything that a node knows, as a run hands it to the next: plain JSON; absent values are left out. Times are epoch ms. */
export const CarriedState = c.object(
  'state',
  {
    schemaVersion: c.oneOf('schema version', [SCHEMA_VERSION]),
    nodeId: c.uuid,
    threshold: storedThreshold,
    /** How often a threshold was set. GET shows it as ETag. */
    revision: c.notNegative,
    reading: c.oneOf('reading of overall regions', overallReadings),
    latest: Latest,
    newest: ratedBy,
    /** The measurements that rated the parts last: the newest ones, unless an older one arrived later. */
    applied: ratedBy,
    parts: Parts,
    /** Time of the last change; 0 if there was none. */
    updatedAt: c.notNegative,
    /** The last id given to an event; empty before the first. */
    sequenceId: c.text(ULID_LENGTH),
    /** The orders (multiples of shaft speed) of the threshold's bearings, found when it was set; GET does not show them. */
    bearings: c.array(ResolvedBearing, hardLimits.hals),
    /** Writes under idempotency keys, oldest first, so that repeats are recognised. */
    writes: c.array(CarriedWrite, MOST_KEYS),
    /** The last group of each API process; the process that was silent longest comes first. */
    groups: c.array(KnownGroup, KNOWN_SENDERS),
    /** Whether the node writes its status to the search attribute, by the last group that stated it. */
    keepsStatusAttribute: c.flag,
  },
  /** The user who set the threshold, and the time. */
  { setBy: c.UserId, setAt: c.notNegative },
);

/** The carried state, with the rules that follow from its threshold. */
export type State = c.TypeOf<typeof CarriedState> & RatingRules;

/** A node: its state, and the events that it may still have to publish. */
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

/** A signal that waits for a later task. Its payload is decoded only when the signal is applied. */
const WaitingSignal = c.object('signal', { name: c.oneOf('command', commandNames) }, { payload: c.json });
export type WaitingSignal = c.TypeOf<typeof WaitingSignal>;
const waitingSignals = c.array(WaitingSignal, CARRIED_SIGNALS);

/** The argument of a run: nothing at first; after continue-as-new the node and its waiting signals. */
const argument = c.refine(
  c.partial('node', { state: CarriedState, outbox: Outbox, signals: waitingSignals }),
  ({ state, outbox }) =>
    (state === undefined) === (outbox === undefined)
      ? []
      : [{ name: state === undefined ? 'state' : 'outbox', reason: 'is required by the other' }],
);

/** The argument of the next run (docs/upgrades.md, "What stays compatible"). */
export const continueAsNewArgument = (
  { state: { halRules: _, statusOfAnswer: __, ...state }, outbox }: Node,
  signals: ReadonlyArray<WaitingSignal> = [],
): unknown => ({
  state: { ...state, writes: state.writes.map(carriedWrite) },
  ...(signals.length > 0 && { signals }),
  outbox,
});

/** Decodes the argument of the run of `nodeId`. Without an earlier run the node is new. Another node's state is refused. */
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

/** The waiting signals in `input`: a run's argument that `decodeArgument` has accepted. */
export const signalsIn = (input: unknown): ReadonlyArray<WaitingSignal> =>
  E.getOrElse((): ReadonlyArray<WaitingSignal> => [])(
    c.decode(waitingSignals, c.isRecord(input) ? input['signals'] : undefined),
  );

/** Whether a signal may wait. One that nests too deep cannot go to the next run; it is decided at once, and refused. */
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

/** What GET of the threshold and GET of the alarm status answer, and the id of the last event whose change both show. */
export const snapshotView = (state: State) => ({
  threshold: revisedThreshold(state),
  alarmStatus: alarmStatusView(state),
  sequenceId: state.sequenceId,
});
export type Snapshot = Readonly<ReturnType<typeof snapshotView>>;
