import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PublishIntents } from '../../../../stream/publish-intents';
import { startSweep } from '../../../../api/nodes/relay';
import { recordedLog } from '../../../support/recorded-log';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Publish intents of a process that died, one a node. */
const intentsOf = (
  nodeIds: ReadonlyArray<string>,
): { readonly intents: PublishIntents; readonly left: () => ReadonlyArray<string> } => {
  const since = Date.now();
  let kept = nodeIds.map((nodeId) => ({
    text: `dead|${nodeId}|1`,
    nodeId,
  }));
  const intents: PublishIntents = {
    write: () => Promise.reject(new Error('nothing is sent here')),
    remove: (done) => {
      kept = kept.filter(({ text }) => !done.some((intent) => intent.text === text));
      return Promise.resolve();
    },
    orphan: () => undefined,
    stayAlive: () => Promise.resolve(),
    orphaned: (ms) => {
      const ageMs = Date.now() - since;
      return Promise.resolve(ageMs > ms ? kept.map((intent) => ({ ...intent, ageMs })) : []);
    },
  };
  return { intents, left: () => kept.map(({ nodeId }) => nodeId) };
};

test('passes that came due while nodes did not answer do not all begin once they do', async () => {
  const asked: string[] = [];
  let answer = (): void => undefined;
  const hanging = new Promise<boolean>((resolve) => {
    answer = () => {
      resolve(false);
    };
  });
  const { log } = recordedLog();
  const publishNow = (nodeId: string): Promise<boolean> => {
    asked.push(nodeId);
    return asked.length > 2 ? Promise.resolve(true) : hanging;
  };
  const sweep = startSweep({ intents: intentsOf(['one', 'other']).intents, publishNow, log });
  await vi.advanceTimersByTimeAsync(40_000); // Temporal hangs
  expect(asked).toEqual(['one', 'other']);
  answer();
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual(['one', 'other']);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked).toEqual(['one', 'other', 'one', 'other']);
  await sweep.close();
});

test('nodes are asked from the tenth second on, and intents go after a minute, once the nodes answered', async () => {
  const asked: string[] = [];
  const { log } = recordedLog();
  const { intents, left } = intentsOf(['one']);
  const publishNow = (nodeId: string): Promise<boolean> => {
    asked.push(nodeId);
    return Promise.resolve(true);
  };
  const sweep = startSweep({ intents, publishNow, log });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked).toEqual(['one']);
  await vi.advanceTimersByTimeAsync(46_000);
  expect(left()).toEqual(['one']);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(left()).toEqual([]);
  await sweep.close();
});
