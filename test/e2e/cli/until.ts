import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until `is` says yes, at most `ms`. */
export const until = async (what: string, is: () => boolean | Promise<boolean>, ms = 30_000): Promise<void> => {
  const end = performance.now() + ms;
  while (!(await is())) {
    if (performance.now() > end) throw new Error(`waited ${ms} ms in vain for ${what}`);
    await sleep(25);
  }
};
