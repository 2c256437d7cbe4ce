import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { object } from '../codecs';
import { hardLimits } from '../limits';
import { thresholdInput } from '../threshold/threshold';
import { defineCommand, required } from './command';
import { atRevision, ofSetting, replaceThreshold } from './replace-threshold';

/** Replaces the threshold as a whole. Errors: PreconditionFailed. */
export const setThreshold = defineCommand({
  description:
    'Sets the threshold: {"threshold": {...}, "userId": "..."}; optional ifMatch and ifNoneMatch (revisions; 0: never set), requestId.',
  payload: object('setThreshold', { ...required, threshold: thresholdInput(hardLimits) }, ofSetting),
  asks: ({ threshold }) => threshold,
  namesNode: { member: 'threshold.nodeId', in: ({ threshold }) => threshold.nodeId },
  decide: (state, payload) => {
    const { nodeId: _, origin, ...threshold } = payload.threshold;
    return pipe(
      atRevision(state, payload),
      E.map(() => replaceThreshold(state, threshold, payload, origin)),
    );
  },
});
