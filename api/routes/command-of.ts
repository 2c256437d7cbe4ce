import type { NodeCall } from '../route';

/** What every command carries of the call that asks for it. */
export const commandOf = ({
  userId,
  requestId,
  keyed,
  ifMatch,
  cause,
}: NodeCall): Readonly<Record<string, unknown>> => ({
  userId,
  requestId,
  cause,
  ...(keyed && { keyed }),
  ...(ifMatch !== undefined && { ifMatch }),
});
