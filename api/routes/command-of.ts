import type { NodeCall } from './route';

/** The members of every command that come from its call. */
export const commandOf = ({
  userId,
  idempotencyKey,
  ifMatch,
  ifNoneMatch,
  cause,
}: NodeCall): Readonly<Record<string, unknown>> => ({
  userId,
  cause,
  ...(idempotencyKey !== undefined && { requestId: idempotencyKey }),
  ...(ifMatch !== undefined && { ifMatch }),
  ...(ifNoneMatch !== undefined && { ifNoneMatch }),
});
