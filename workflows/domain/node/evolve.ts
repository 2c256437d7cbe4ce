import { partsView } from '../alarm/alarm-status';
import { worstOf, type Parts } from '../alarm/parts';
import { takenAt, type Latest, type Measurement } from '../measurement/measurement';
import type { RatingRules } from '../rating/rating-rules';
import { thresholdView, type Origin, type Threshold } from '../threshold/threshold';
import { eventIdAfter } from './event-id';
import type { EventType, StatusEvent, StreamEvent } from './events';
import { enqueue } from './outbox';
import { rememberGroup, rememberWrite, type KeyedWrite, type KnownGroup } from './repeats';
import type { Node, State } from './state';

export interface Attribution {
  readonly userId: string;
  readonly requestId?: string;
  /** Epoch ms, never before the node's last change. */
  readonly updatedAt: number;
}

interface MeasurementRecorded {
  readonly _tag: 'MeasurementRecorded';
  readonly measurement: Measurement;
  readonly digest: string;
  /** Epoch ms, never before the node's last change. */
  readonly arrivedAt: number;
}

interface StatusUpdated extends Attribution {
  readonly _tag: 'StatusUpdated';
  readonly parts: Parts;
  readonly alarmsChanged: boolean;
  /** The measurement whose arrival caused the update. */
  readonly measurementId?: string;
}

interface ThresholdSet extends Attribution {
  readonly _tag: 'ThresholdSet';
  readonly rules: RatingRules;
  readonly origin?: Origin;
}

/**
 * What was committed to a node. `ThresholdSet` and `StatusUpdated` are published, and `Republished` publishes threshold and
 * status again. All other events stay in the node; `RatedAnew` records that the newest measurements rated all parts again.
 */
export type DomainEvent =
  | ThresholdSet
  | MeasurementRecorded
  | StatusUpdated
  | { readonly _tag: 'RatedAnew' }
  | (Attribution & { readonly _tag: 'Republished' })
  | { readonly _tag: 'WriteKeyed'; readonly write: Omit<KeyedWrite, 'revision'> }
  | { readonly _tag: 'GroupTaken'; readonly group: KnownGroup }
  | { readonly _tag: 'StatusAttributeKept'; readonly isKept: boolean };

/** The node after `event`. Events for the stream go to its outbox. `evolve` never refuses, rates nothing and reads no clock. */
export const evolve = (node: Node, event: DomainEvent): Node => {
  const { state } = node;
  const withState = (changes: Partial<State>): Node => ({ ...node, state: { ...state, ...changes } });
  switch (event._tag) {
    case 'ThresholdSet': {
      const { rules, origin, userId: setBy, updatedAt } = event;
      const revision = state.revision + 1;
      const set = withState({ ...rules, applied: state.newest, revision, setBy, setAt: updatedAt, updatedAt });
      return publishThreshold(set, event, updatedAt, origin);
    }
    case 'StatusUpdated': {
      const { parts, updatedAt, alarmsChanged, measurementId } = event;
      const of = { updatedAt, alarmsChanged, ...(measurementId !== undefined && { measurementId }) };
      return publishStatus(withState({ parts, updatedAt }), event, of);
    }
    case 'Republished': {
      const { setAt, updatedAt } = state; // the times of the last real changes
      const republished = setAt === undefined ? node : publishThreshold(node, event, setAt);
      return publishStatus(republished, event, { updatedAt, alarmsChanged: false });
    }
    case 'MeasurementRecorded':
      return withState(withMeasurement(state, event));
    case 'RatedAnew':
      return withState({ applied: state.newest });
    case 'WriteKeyed':
      return withState({ writes: rememberWrite(state.writes, { ...event.write, revision: state.revision }) });
    case 'GroupTaken':
      return withState({ groups: rememberGroup(state.groups, event.group) });
    case 'StatusAttributeKept':
      return withState({ keepsStatusAttribute: event.isKept });
  }
};

/** The measurements that `events` record, each with the threshold that rated it. The first of them follows on `before`. */
export const measurementsIn = (
  before: Threshold,
  events: ReadonlyArray<DomainEvent>,
): ReadonlyArray<MeasurementRecorded & { readonly threshold: Threshold }> => {
  let threshold = before;
  return events.flatMap((event) => {
    if (event._tag === 'ThresholdSet') threshold = event.rules.threshold;
    return event._tag === 'MeasurementRecorded' ? [{ ...event, threshold }] : [];
  });
};

const withMeasurement = (
  { latest, newest, applied }: State,
  { measurement, digest, arrivedAt }: MeasurementRecorded,
): Pick<State, 'latest' | 'newest' | 'applied'> => {
  const { measurementId, createdAt, contentType, rateOfChange } = measurement;
  const rated = { measurementId, digest, arrivedAt };
  /** Whether the measurement replaces the kept one: the newest is kept, and of two with the same time the later arrival. */
  const isNotOlder = (kind: keyof Latest): boolean => {
    const [kept, arrival] = [latest[kind], newest[kind]];
    if (kept === undefined || arrival === undefined) return true;
    return takenAt(createdAt, arrivedAt) >= takenAt(kept.createdAt, arrival.arrivedAt);
  };
  const isNewest = isNotOlder(contentType);
  const isNewestRate = rateOfChange !== undefined && isNotOlder('rateOfChange');
  return {
    latest: {
      ...latest,
      ...(isNewest && { [contentType]: measurement }),
      ...(isNewestRate && { rateOfChange: { measurementId, createdAt, value: rateOfChange } }),
    },
    newest: { ...newest, ...(isNewest && { [contentType]: rated }), ...(isNewestRate && { rateOfChange: rated }) },
    applied: { ...applied, [contentType]: rated, ...(rateOfChange !== undefined && { rateOfChange: rated }) },
  };
};

const publishThreshold = (node: Node, by: Attribution, updatedAt: number, origin?: Origin): Node => {
  const { nodeId, revision, threshold } = node.state;
  const { thresholdType } = threshold;
  return publish(node, by, 'SetPointAlarmThresholdEvent', {
    updatedAt,
    revision,
    ...(thresholdType !== undefined && { thresholdType }),
    threshold: thresholdView(nodeId, threshold),
    ...(origin !== undefined && { origin }),
  });
};

const publishStatus = (
  node: Node,
  by: Attribution,
  { updatedAt, ...others }: Pick<StatusEvent, 'updatedAt' | 'alarmsChanged' | 'measurementId'>,
): Node => {
  const { threshold, parts } = node.state;
  const shown = partsView(threshold, parts);
  return publish(node, by, 'PointAlarmStatusEvent', { updatedAt, alarmStatus: worstOf(parts), ...others, ...shown });
};

/** Adds an event to the outbox. Its id follows from the last id: validator, handler and replay make the same id. */
const publish = (
  { state, outbox }: Node,
  { userId, requestId, updatedAt: timestamp }: Attribution,
  type: EventType,
  content: Content<StreamEvent>,
): Node => {
  const { nodeId, sequenceId: previous } = state;
  const sequenceId = eventIdAfter(nodeId, previous, timestamp);
  const call = requestId !== undefined && { requestId };
  const data = { aggregateId: nodeId, userId, sequenceId, ...call, ...content };
  return {
    state: { ...state, sequenceId },
    outbox: enqueue(outbox, { type, timestamp, userId, sequenceId, data }),
  };
};

/** The members of an event that `publish` does not set: all besides its type, node, user, id and call. */
type Content<E> = E extends StreamEvent
  ? Omit<E, 'type' | 'aggregateId' | 'userId' | 'sequenceId' | 'requestId'>
  : never;
