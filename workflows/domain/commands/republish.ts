import * as E from 'fp-ts/Either';
import { object } from '../codecs';
import { defineCommand, optional, required } from './command';
import { unchanged } from './rejections';
import { attributionOf } from './update-status';

/**
 * Publishes the present threshold and status again, as ordinary events: for consumers whose stream lost data, and for new
 * ones. Errors: Unchanged, where the node was never touched.
 */
export const republish = defineCommand({
  description: 'Publishes the present threshold and status again: {"userId": "..."}; optional requestId.',
  payload: object('republish', required, optional),
  asks: () => ({}),
  decide: (state, sent) =>
    state.updatedAt === 0
      ? E.left(unchanged(state.revision))
      : E.right([{ _tag: 'Republished', ...attributionOf(state, sent) }]),
});
