import type { NodeCall } from './route';

/** What every command carries of the call that asks for it. */
export const commandOf = ({ userId, idempotencyKey, ifMatch, cause }: NodeCall): Readonly<Record<string, unknown>> => ({
  userId,
  cause,
  ...(idempotencyKey !== undefined && { requestId: idempotencyKey }),
  ...(ifMatch !== undefined && { ifMatch }),
});
