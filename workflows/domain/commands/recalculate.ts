import * as E from 'fp-ts/Either';
import { object } from '../codecs';
import { defineCommand, optional, required } from './command';
import { rateAnew } from './rate-anew';
import { unchanged } from './rejections';
import { updateStatus } from './update-status';

/** Rates all parts again by the newest measurements. Errors: Unchanged, where the node holds no part. */
export const recalculate = defineCommand({
  description: 'Rates the latest measurements again: {"userId": "..."}; optional requestId.',
  payload: object('recalculate', required, optional),
  asks: () => ({}),
  decide: (state, sent) => {
    const events = updateStatus(state, rateAnew(state), sent);
    return events.length === 0 ? E.left(unchanged(state.revision)) : E.right([{ _tag: 'RatedAnew' }, ...events]);
  },
});
