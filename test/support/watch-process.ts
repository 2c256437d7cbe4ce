import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { exchange } from './api/call';
import type { RunningProcess } from './run-node';

/** Watches an API process by what nobody may make it do. Its descriptors now are those that it has at rest. */
export const watchProcess = (api: RunningProcess, port: number) => {
  const descriptors = (): number => readdirSync(`/proc/${api.pid}/fd`).length;
  const atRest = descriptors();
  return {
    /** Expects it to be alive, well and quick to answer, and within `ms` without the descriptors that came since. */
    expectWell: async (ms: number): Promise<void> => {
      expect(api.isRunning(), api.said()).toBe(true);
      const began = performance.now();
      const { status } = await exchange({ port }, 'GET', '/healthz', {});
      expect([status, performance.now() - began < 1_000]).toEqual([200, true]);
      await expect.poll(descriptors, { timeout: ms, interval: 100 }).toBeLessThanOrEqual(atRest);
      expect(api.logged().filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
      expect(api.err()).toBe('');
    },
  };
};
