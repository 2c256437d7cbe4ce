import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Note, Notes } from '../../../api/push/notes';
import { startSweep } from '../../../api/push/sweep';
import { recordedLog } from '../../recorded-log';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Notes of a process that died, one a node. */
const notesOf = (
  nodeIds: ReadonlyArray<string>,
): { readonly notes: Notes; readonly left: () => ReadonlyArray<string> } => {
  let kept: ReadonlyArray<Note> = nodeIds.map((nodeId) => ({ text: `dead|${nodeId}|1`, nodeId, since: Date.now() }));
  const notes: Notes = {
    write: () => Promise.reject(new Error('nothing is sent here')),
    remove: (done) => {
      kept = kept.filter((note) => !done.includes(note));
      return Promise.resolve();
    },
    forsake: () => undefined,
    stayAlive: () => Promise.resolve(),
    forsaken: (ms) => Promise.resolve(kept.filter(({ since }) => Date.now() - since > ms)),
  };
  return { notes, left: () => kept.map(({ nodeId }) => nodeId) };
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
  const sweep = startSweep({ notes: notesOf(['one', 'other']).notes, publishNow, log });
  await vi.advanceTimersByTimeAsync(40_000); // Temporal hangs
  expect(asked).toEqual(['one', 'other']);
  answer();
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual(['one', 'other']);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked).toEqual(['one', 'other', 'one', 'other']);
  await sweep.close();
});

test('nodes are asked from the tenth second on, and notes go after a minute, once the nodes answered', async () => {
  const asked: string[] = [];
  const { log } = recordedLog();
  const { notes, left } = notesOf(['one']);
  const publishNow = (nodeId: string): Promise<boolean> => {
    asked.push(nodeId);
    return Promise.resolve(true);
  };
  const sweep = startSweep({ notes, publishNow, log });
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
