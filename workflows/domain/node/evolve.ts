import { partsView } from '../alarm/alarm-status';
import { worstOf, type Parts } from '../alarm/parts';
import { fractionOf } from '../digest';
import { takenAt, type Latest, type Measurement } from '../measurement/measurement';
import type { OverallReading } from '../rating/overall-regions';
import type { ResolvedBearing } from '../rating/vibration/bearings/bearing';
import { thresholdView, type Origin, type Threshold } from '../threshold/threshold';
import { nextUlid } from '../ulid';
import type { StreamEvent } from './events';
import { enqueue, type OutboxEvent } from './outbox';
import { rememberGroup, rememberWrite, type KeyedWrite, type KnownGroup } from './repeats';
import type { Node, State } from './state';

export interface Attribution {
  readonly userId: string;
  readonly requestId?: string;
  /** Epoch ms; it never goes back within a node. */
  readonly updatedAt: number;
}

export interface MeasurementRecorded {
  readonly _tag: 'MeasurementRecorded';
  readonly measurement: Measurement;
  readonly digest: string;
  /** Epoch ms; it never goes back within a node. */
  readonly arrivedAt: number;
}

interface ThresholdSet extends Attribution {
  readonly _tag: 'ThresholdSet';
  readonly threshold: Threshold;
  readonly reading: OverallReading;
  readonly bearings: ReadonlyArray<ResolvedBearing>;
  readonly origin?: Origin;
}

type StatusUpdated = Attribution & {
  readonly _tag: 'StatusUpdated';
  readonly parts: Parts;
  readonly alarmsChanged: boolean;
};

/**
 * What was committed to a node. `ThresholdSet` and `StatusUpdated` are published, `Republished` publishes both again; the
 * others are the node's own: `RatedAnew` records that the newest measurements rated all parts again.
 */
export type DomainEvent =
  | ThresholdSet
  | MeasurementRecorded
  | StatusUpdated
  | { readonly _tag: 'RatedAnew' }
  | (Attribution & { readonly _tag: 'Republished' })
  | { readonly _tag: 'WriteKeyed'; readonly write: Omit<KeyedWrite, 'revision'> }
  | { readonly _tag: 'GroupTaken'; readonly group: KnownGroup }
  | { readonly _tag: 'StatusAttributeKept' };

/** The node after `event`, what is to be published of it in the outbox. Total: it never refuses, rates nothing, reads no clock. */
export const evolve = (node: Node, event: DomainEvent): Node => {
  const { state } = node;
  const become = (changes: Partial<State>): Node => ({ ...node, state: { ...state, ...changes } });
  switch (event._tag) {
    case 'ThresholdSet': {
      const { threshold, reading, bearings, origin, userId: setBy, updatedAt } = event;
      const rated = { threshold, reading, bearings, applied: state.newest };
      const set = become({ ...rated, revision: state.revision + 1, setBy, setAt: updatedAt, updatedAt });
      return publish(set, thresholdMessage(set.state, event, updatedAt, origin));
    }
    case 'StatusUpdated': {
      const { parts, updatedAt, alarmsChanged } = event;
      const updated = become({ parts, updatedAt });
      return publish(updated, statusMessage(updated.state, event, updatedAt, alarmsChanged));
    }
    case 'Republished': {
      const { setAt, updatedAt } = state; // the times at which both became so
      const threshold = setAt === undefined ? [] : [thresholdMessage(state, event, setAt)];
      return [...threshold, statusMessage(state, event, updatedAt, false)].reduce(publish, node);
    }
    case 'MeasurementRecorded':
      return become(recorded(state, event));
    case 'RatedAnew':
      return become({ applied: state.newest });
    case 'WriteKeyed':
      return become({ writes: rememberWrite(state.writes, { ...event.write, revision: state.revision }) });
    case 'GroupTaken':
      return become({ groups: rememberGroup(state.groups, event.group) });
    case 'StatusAttributeKept':
      return become({ keepsStatusAttribute: true });
  }
};

const recorded = (
  { latest, newest, applied }: State,
  { measurement, digest, arrivedAt }: MeasurementRecorded,
): Pick<State, 'latest' | 'newest' | 'applied'> => {
  const { measurementId, createdAt, contentType, rateOfChange } = measurement;
  const rated = { measurementId, digest, arrivedAt };
  /** The newest is kept; on a tie the later arrival. */
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

/** The node with `message` in its outbox, by the id after the last one: the same whenever the decision is made again. */
const publish = ({ state, outbox }: Node, { type, timestamp, userId, data }: Message): Node => {
  const { nodeId, sequenceId: previous } = state;
  const entropy = [fractionOf(`${nodeId}/${previous}`), fractionOf(`${previous}/${nodeId}`)] as const;
  const sequenceId = nextUlid(previous, timestamp, entropy);
  const event: OutboxEvent = {
    ...{ type, timestamp, userId, sequenceId },
    data: { aggregateId: nodeId, userId, sequenceId, ...data },
  };
  return { state: { ...state, sequenceId }, outbox: enqueue(outbox, event) };
};

/** An event to be published, before it has its id; `data` lacks what its envelope repeats. */
interface Message extends Omit<OutboxEvent, 'sequenceId' | 'data'> {
  readonly data: Content<StreamEvent>;
}

type Content<E> = E extends StreamEvent ? Omit<E, 'type' | 'aggregateId' | 'userId' | 'sequenceId'> : never;

const thresholdMessage = (
  { nodeId, revision, threshold }: State,
  { userId, requestId, updatedAt: timestamp }: Attribution,
  updatedAt: number,
  origin?: Origin,
): Message => ({
  ...{ type: 'SetPointAlarmThresholdEvent', timestamp, userId },
  data: {
    ...(requestId !== undefined && { requestId }),
    ...{ updatedAt, revision },
    ...(threshold.thresholdType !== undefined && { thresholdType: threshold.thresholdType }),
    threshold: thresholdView(nodeId, threshold),
    ...(origin !== undefined && { origin }),
  },
});

const statusMessage = (
  { threshold, parts }: State,
  { userId, requestId, updatedAt: timestamp }: Attribution,
  updatedAt: number,
  alarmsChanged: boolean,
): Message => ({
  ...{ type: 'PointAlarmStatusEvent', timestamp, userId },
  data: {
    ...(requestId !== undefined && { requestId }),
    ...{ updatedAt, alarmStatus: worstOf(parts), alarmsChanged },
    ...partsView(threshold, parts),
  },
});
