import type { NodeCall } from '../route';

/** What every command carries of the call that asks for it. */
export const commandOf = ({ userId, requestId, keyed, ifMatch }: NodeCall): Readonly<Record<string, unknown>> => ({
  userId,
  requestId,
  ...(keyed && { keyed }),
  ...(ifMatch !== undefined && { ifMatch }),
});
