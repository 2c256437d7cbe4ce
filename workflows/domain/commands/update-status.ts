import { alarmsDiffer, type Parts } from '../alarm/parts';
import { isStatusUpdate, type State } from '../node/state';
import type { Sent } from './command';
import type { Attribution, DomainEvent } from './domain-event';

/** The change from the parts of `state` to `parts`; nothing where the node holds none before and after. */
export const updateStatus = (state: State, parts: Parts, sent: Sent): ReadonlyArray<DomainEvent> =>
  isStatusUpdate(state.parts, parts)
    ? [
        {
          _tag: 'StatusUpdated',
          parts,
          alarmsChanged: alarmsDiffer(state.parts, parts),
          ...attributionOf(state, sent),
        },
      ]
    : [];

/** The user and the call behind an event, and its time, which never goes back within a node, whatever the clock does. */
export const attributionOf = ({ updatedAt }: State, { userId, cause, now }: Sent): Attribution => ({
  userId,
  ...(cause?.requestId !== undefined && { requestId: cause.requestId }),
  updatedAt: Math.max(updatedAt, now),
});
