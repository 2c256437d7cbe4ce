import { partsView } from '../alarm/alarm-status';
import { worstOf } from '../alarm/parts';
import type { TypeOf } from '../codecs';
import type { DomainEvent } from '../commands/domain-event';
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

/** What is published of `event`, of which `state` is what came out; nothing for the node's own events. */
export const messageOf = (state: State, event: DomainEvent): Message | undefined => {
  switch (event._tag) {
    case 'ThresholdSet':
      return message('SetPointAlarmThresholdEvent', event, thresholdContent(state, event));
    case 'StatusUpdated':
      return message('PointAlarmStatusEvent', event, statusContent(state, event));
    case 'MeasurementRecorded':
    case 'RatedAnew':
    case 'WriteKeyed':
    case 'GroupTaken':
      return undefined;
  }
};

const message = (
  type: EventType,
  { userId, updatedAt }: Of<'ThresholdSet' | 'StatusUpdated'>,
  data: Message['data'],
): Message => ({ type, timestamp: updatedAt, userId, data });

const thresholdContent = (
  { nodeId, revision }: State,
  { threshold, origin, requestId, updatedAt }: Of<'ThresholdSet'>,
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

const statusContent = (
  { threshold }: State,
  { parts, alarmsChanged, requestId, updatedAt }: Of<'StatusUpdated'>,
): Content<typeof PointAlarmStatusEvent> => ({
  ...(requestId !== undefined && { requestId }),
  updatedAt,
  alarmStatus: worstOf(parts),
  alarmsChanged,
  ...partsView(threshold, parts),
});
