import { describe, expect, test } from 'vitest';
import { sharedReads } from '../../../../../api/nodes/temporal/shared-reads';

/** Reads that end when the test says so, each with its number. */
const started = () => {
  const ends: Array<() => Promise<void>> = [];
  const read = sharedReads(
    (key: string) =>
      new Promise<string>((resolve) => {
        const number = ends.length;
        ends.push(async () => {
          resolve(`${key}${number}`);
          await new Promise(setImmediate);
        });
      }),
  );
  return { ends, read };
};

describe('shared reads', () => {
  test('never join the one that is in flight: it may be older than a write acknowledged since', async () => {
    const { ends, read } = started();
    const [first, second, third] = [read('a'), read('a'), read('a')];
    expect(ends).toHaveLength(1);
    await ends[0]?.();
    expect(ends).toHaveLength(2);
    const fourth = read('a');
    await ends[1]?.();
    await ends[2]?.();
    expect(await Promise.all([first, second, third, fourth])).toEqual(['a0', 'a1', 'a1', 'a2']);
    expect(ends).toHaveLength(3);
  });

  test('of different keys have nothing to do with each other', async () => {
    const { ends, read } = started();
    const both = [read('a'), read('b')];
    expect(ends).toHaveLength(2);
    for (const end of ends) await end();
    expect(await Promise.all(both)).toEqual(['a0', 'b1']);
  });

  test('begin anew once nobody waits', async () => {
    const { ends, read } = started();
    const first = read('a');
    await ends[0]?.();
    const second = read('a');
    expect(ends).toHaveLength(2);
    await ends[1]?.();
    expect(await Promise.all([first, second])).toEqual(['a0', 'a1']);
  });
});
