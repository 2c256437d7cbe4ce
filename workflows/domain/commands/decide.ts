import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { digest } from '../digest';
import type { State } from '../node/state';
import type { Command, Decision } from './command';
import { unchanged, type Rejection } from './rejections';

/**
 * What `command` does to a node: the events to commit, or why it is refused; `Unchanged` when there is nothing to do.
 *
 * A repeat under an idempotency key does nothing. A first write under one is remembered, whatever it changed, but not one that
 * is refused.
 * Pure:   the clock comes in as `command.now`.
 * Errors: IdempotencyConflict, and those of the command's own file. Shapes are the decoder's business.
 * Source: docs/decisions.md, "repeats".
 */
export const decide = (state: State, command: Command): Decision => {
  const { requestId, now: at } = command;
  if (requestId === undefined) return command.decide(state);
  const [key, request] = [digest(requestId), command.digest()];
  const known = state.writes.find((write) => write.key === key);
  if (known !== undefined) return E.left(known.request === request ? unchanged(known.revision) : idempotencyConflict);
  return pipe(
    command.decide(state),
    E.orElse((rejection) => (rejection._tag === 'Unchanged' ? E.right([]) : E.left(rejection))),
    E.map((events) => [...events, { _tag: 'WriteKeyed', write: { key, request, at } }]),
  );
};

const idempotencyConflict: Rejection = {
  _tag: 'IdempotencyConflict',
  reasons: [{ name: 'Idempotency-Key', reason: 'was used for another request to this node' }],
};
