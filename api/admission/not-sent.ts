import type { Outage } from '../ports';

/**
 * Why a call was refused before it was sent.
 *
 * overload: nobody's call could be served in time. share: others' could, the user has too many waiting. node: too many wait
 * for the node. late: its deadline passed. gone: its caller disconnected.
 */
export const reasons = ['overload', 'share', 'node', 'late', 'gone'] as const;
export type NotSent = (typeof reasons)[number];

/** The outage behind a call that was not sent. */
export const outageOf = (why: NotSent, retryAfter: number): Outage => {
  switch (why) {
    case 'overload':
    case 'share':
      return { _tag: 'Overloaded', retryAfter, isOwnShare: why === 'share' };
    case 'node':
      return { _tag: 'QueueFull', retryAfter };
    case 'late':
    case 'gone':
      return { _tag: 'Unavailable', dependency: 'The node', retryAfter, mayHaveChanged: false };
  }
};
