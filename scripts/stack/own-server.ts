import type { Child } from './child';

/** A server that we started. It may be killed by its child, and started again with the same port and state. */
export interface OwnServer {
  readonly child: () => Child;
  readonly startAgain: () => Promise<Child>;
}

/** Keeps the newest child of `start`. */
export const ownServer = (first: Child, start: () => Promise<Child>): OwnServer => {
  let child = first;
  return {
    child: () => child,
    startAgain: async () => {
      await child.stop(8_000);
      child = await start();
      return child;
    },
  };
};
