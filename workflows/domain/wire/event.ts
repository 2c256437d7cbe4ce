import { described, flag, notNegative, object, text, uuid, type TypeOf } from '../codecs';
import { hardLimits, USER_ID_LENGTH } from '../limits';
import { Status } from '../status';
import { REQUEST_NAME_LENGTH } from '../node/cause';
import { origin, ThresholdType } from '../threshold/threshold';
import { partFields } from './alarm-status';
import { PublishedThreshold } from './threshold';

const about = {
  aggregateId: described(uuid, { description: 'The node.' }),
  userId: described(text(USER_ID_LENGTH), { description: 'Who caused it.' }),
  sequenceId: described(text(26, 26), { description: 'A ULID, rising strictly within a node: compare as text.' }),
  updatedAt: described(notNegative, { type: 'integer', format: 'int64', description: 'Epoch milliseconds.' }),
};

const call = {
  requestId: described(text(REQUEST_NAME_LENGTH, 1), {
    description: 'The call that caused it: its X-Request-Id, as in the log. Missing where no call did.',
  }),
};

/** What a status event holds: the status of the node and every part that it is made of. */
export const PointAlarmStatusEvent = object(
  'PointAlarmStatusEvent',
  {
    ...about,
    alarmStatus: described(Status, {
      description: 'The worst of the parts: 0 NOT_CONFIGURED, 1 NO_DATA, 2 GOOD, 3 ALERT, 4 DANGER.',
    }),
    alarmsChanged: described(flag, { description: "Whether some part's status or the set of parts changed." }),
  },
  { ...call, ...partFields },
);

/** What a threshold event holds: the whole threshold as GET shows it, and who set it. */
export const SetPointAlarmThresholdEvent = object(
  'SetPointAlarmThresholdEvent',
  { ...about, threshold: PublishedThreshold },
  { ...call, thresholdType: ThresholdType, origin: origin(hardLimits) },
);

/** The codec of each type of event. */
export const eventCodecs = { PointAlarmStatusEvent, SetPointAlarmThresholdEvent };

type StatusEvent = { readonly type: 'PointAlarmStatusEvent' } & TypeOf<typeof PointAlarmStatusEvent>;
type ThresholdEvent = { readonly type: 'SetPointAlarmThresholdEvent' } & TypeOf<typeof SetPointAlarmThresholdEvent>;

/** An event as a consumer reads it, told apart by its type. */
export type StreamEvent = StatusEvent | ThresholdEvent;
