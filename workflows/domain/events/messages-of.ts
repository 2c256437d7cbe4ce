import { partsView } from '../alarm/alarm-status';
import { worstOf } from '../alarm/parts';
import type { TypeOf } from '../codecs';
import type { Attribution, DomainEvent } from '../commands/domain-event';
import type { State } from '../node/state';
import { thresholdView } from '../threshold/threshold-view';
import type { EventType, PointAlarmStatusEvent, SetPointAlarmThresholdEvent } from './event';

/** An event to be published, before it has its id. */
export interface Message {
  readonly type: EventType;
  /** Epoch ms. */
  readonly timestamp: number;
  readonly userId: string;
  /** The event's content, but for what its envelope repeats. */
  readonly data: Content<typeof PointAlarmStatusEvent> | Content<typeof SetPointAlarmThresholdEvent>;
}

type Content<C extends typeof PointAlarmStatusEvent | typeof SetPointAlarmThresholdEvent> = Omit<
  TypeOf<C>,
  'aggregateId' | 'userId' | 'sequenceId'
>;

type Of<Tag extends DomainEvent['_tag']> = Extract<DomainEvent, { readonly _tag: Tag }>;

/** What is published of `event`, in order, of which `state` is what came out; nothing for the node's own events. */
export const messagesOf = (state: State, event: DomainEvent): ReadonlyArray<Message> => {
  switch (event._tag) {
    case 'ThresholdSet':
      return [message('SetPointAlarmThresholdEvent', event, thresholdContent(state, event))];
    case 'StatusUpdated':
      return [message('PointAlarmStatusEvent', event, statusContent(state, event))];
    case 'Republished':
      return republished(state, event);
    case 'MeasurementRecorded':
    case 'RatedAnew':
    case 'WriteKeyed':
    case 'GroupTaken':
      return [];
  }
};

/** The threshold, where one was set, and the status as they are, with the times at which they became so. */
const republished = (state: State, event: Of<'Republished'>): ReadonlyArray<Message> => {
  const { threshold, parts, setAt = state.updatedAt, updatedAt } = state;
  const ofThreshold = { ...event, threshold, updatedAt: setAt };
  const ofStatus = { ...event, parts, alarmsChanged: false, updatedAt };
  return [
    ...(state.revision > 0
      ? [message('SetPointAlarmThresholdEvent', event, thresholdContent(state, ofThreshold))]
      : []),
    message('PointAlarmStatusEvent', event, statusContent(state, ofStatus)),
  ];
};

const message = (type: EventType, { userId, updatedAt }: Attribution, data: Message['data']): Message => ({
  type,
  timestamp: updatedAt,
  userId,
  data,
});

type ThresholdFacts = Pick<Of<'ThresholdSet'>, 'threshold' | 'origin' | 'requestId' | 'updatedAt'>;

const thresholdContent = (
  { nodeId, revision }: State,
  { threshold, origin, requestId, updatedAt }: ThresholdFacts,
): Content<typeof SetPointAlarmThresholdEvent> => {
  const { thresholdType } = threshold;
  return {
    ...(requestId !== undefined && { requestId }),
    updatedAt,
    revision,
    ...(thresholdType !== undefined && { thresholdType }),
    threshold: thresholdView(nodeId, threshold),
    ...(origin !== undefined && { origin }),
  };
};

type StatusFacts = Pick<Of<'StatusUpdated'>, 'parts' | 'alarmsChanged' | 'requestId' | 'updatedAt'>;

const statusContent = (
  { threshold }: State,
  { parts, alarmsChanged, requestId, updatedAt }: StatusFacts,
): Content<typeof PointAlarmStatusEvent> => ({
  ...(requestId !== undefined && { requestId }),
  updatedAt,
  alarmStatus: worstOf(parts),
  alarmsChanged,
  ...partsView(threshold, parts),
});
