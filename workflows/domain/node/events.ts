import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { partFields, updatedAt, worstStatus, type AlarmStatusView } from '../alarm/alarm-status';
import * as c from '../codecs';
import { hardLimits, REQUEST_NAME_LENGTH, USER_ID_LENGTH } from '../limits';
import type { BandThresholdName } from '../threshold/band';
import { origin, ThresholdType, ThresholdView, thresholdViewNaming } from '../threshold/threshold';
import { ULID_LENGTH } from '../ulid';

export const EventType = c.oneOf('EventType', ['PointAlarmStatusEvent', 'SetPointAlarmThresholdEvent']);
export type EventType = c.TypeOf<typeof EventType>;

const about = {
  aggregateId: c.described(c.uuid, 'The node.'),
  userId: c.described(
    c.text(USER_ID_LENGTH),
    'The user who caused it: the claim of the token that AUTH_USER_CLAIM names. If it was republished: the user that `pas republish` names, by default pas.',
  ),
  sequenceId: c.described(
    c.text(ULID_LENGTH, ULID_LENGTH),
    'A ULID, rising strictly within a node: compare byte by byte.',
  ),
  updatedAt: c.described(updatedAt, 'When the threshold or the status became so: epoch milliseconds, UTC.'),
};

const call = {
  requestId: c.described(
    c.text(REQUEST_NAME_LENGTH, 1),
    'The call that caused it: its X-Request-Id, as in the log. Missing where no call did.',
  ),
};

/** The content of a status event: the status of the node and all of its alarms. */
export const PointAlarmStatusEvent = c.object(
  'PointAlarmStatusEvent',
  {
    ...about,
    alarmStatus: worstStatus,
    alarmsChanged: c.described(
      c.flag,
      "Whether some part's status or the set of parts changed; bands and HALs are compared by position.",
    ),
  },
  {
    ...call,
    measurementId: c.described(
      c.uuid,
      'The measurement whose arrival it was, whichever parts it rated. Missing where it was none: an external alarm, a recalculation, a threshold, a republished status.',
    ),
    ...partFields,
  },
);

const thresholdEvent = <T>(threshold: c.Codec<T>) =>
  c.object(
    'SetPointAlarmThresholdEvent',
    { ...about, threshold: c.described(threshold, 'The whole threshold, exactly as GET answers it.') },
    {
      ...call,
      revision: c.described(c.wholeNumber, 'How often the threshold was set, as the ETag says.'),
      thresholdType: ThresholdType,
      origin: origin(hardLimits),
    },
  );

/** The content of a threshold event: the whole threshold as GET shows it, and its revision. */
export const SetPointAlarmThresholdEvent = thresholdEvent(ThresholdView);

/** The codecs of published events, in which the limits of bands have the name `name`. */
export const eventCodecsNaming = (name: BandThresholdName) => ({
  PointAlarmStatusEvent,
  SetPointAlarmThresholdEvent: thresholdEvent(thresholdViewNaming(name)),
});

export type StatusEvent = { readonly type: 'PointAlarmStatusEvent' } & c.TypeOf<typeof PointAlarmStatusEvent>;
export type ThresholdEvent = { readonly type: 'SetPointAlarmThresholdEvent' } & c.TypeOf<
  typeof SetPointAlarmThresholdEvent
>;

/** An event as a consumer reads it, distinguished by its type. */
export type StreamEvent = StatusEvent | ThresholdEvent;

/** The alarm status in a status event, as GET returns it: without the members that only events have. */
export const alarmStatusIn = (event: StatusEvent): AlarmStatusView => {
  const {
    type: _type,
    aggregateId: nodeId,
    sequenceId: _id,
    alarmStatus: status,
    alarmsChanged: _changed,
    ...more
  } = event;
  const { userId: _user, requestId: _request, measurementId: _by, updatedAt: at, ...parts } = more;
  return { nodeId, updatedAt: at, status, ...parts };
};

const codecs = { PointAlarmStatusEvent, SetPointAlarmThresholdEvent };

/** Decodes `content` as an event of `type`, or says in one line what is wrong. Unknown members are ignored. */
export const eventOf = (type: EventType, content: unknown): E.Either<string, StreamEvent> => {
  const codec = codecs[type];
  return pipe(
    c.decode<object>(codec, c.withoutUnknown(codec.schema, content)),
    E.bimap(lineOf, (decoded) => ({ type, ...decoded }) as StreamEvent), // `codec` decodes just this type
  );
};

const lineOf = (reasons: c.Reasons): string => reasons.map(({ name, reason }) => `data ${name} ${reason}`).join('; ');
