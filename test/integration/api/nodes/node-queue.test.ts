import { randomUUID } from 'node:crypto';
import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { createApiSide, upTo } from '../../../support/api-side';
import { startPlainTemporal } from '../../../support/plain-temporal';
import { queries } from '../../../../workflows/messages';
import { bringUpNodes } from '../../workflows/nodes';
import { evenLines } from '../../../support/packed-lines';
import { forFile } from '../../../support/for-file';

const temporal = forFile(startPlainTemporal, ({ stop }) => stop());
const nodes = forFile(
  () => bringUpNodes({ temporalAddress: temporal.address }),
  ({ stop }) => stop(),
);
const api = forFile(
  async () => createApiSide(temporal.address, nodes, 30_000), // the machine may be busy
  ({ close }) => close(),
);

const setFullScale = (nodeId: string, fullScale: number, more: object = {}) =>
  api.nodes.send(nodeId, { name: 'setThreshold', userId: 'tester', threshold: { fullScale }, ...more })();

describe('64 callers of one node, on a server with default limits', () => {
  test('stay whole and in order while the node continues as new', async () => {
    const nodeId = randomUUID();
    const revisions = new Map<number, number>();
    const began = Date.now();
    const callOn = async (caller: number): Promise<void> => {
      let last = 0;
      for (const call of upTo(24)) {
        const answer = await setFullScale(nodeId, caller * 100 + call + 1);
        if (E.isLeft(answer)) throw new Error(`caller ${caller}, call ${call}: ${JSON.stringify(answer.left)}`);
        const { revision } = answer.right;
        expect(revision).toBeGreaterThan(last);
        last = revision;
        expect(revisions.has(revision)).toBe(false);
        revisions.set(revision, caller);
      }
    };
    await Promise.all(upTo(64).map(callOn));
    console.info(`64 callers, one node: ${Math.round((64 * 24_000) / (Date.now() - began))} commands a second`);
    expect([...revisions.keys()].sort((one, other) => one - other)).toEqual(upTo(64 * 24).map((index) => index + 1));
    expect(await nodes.runs(nodeId)).toBeGreaterThan(2);
    expect(api.logged).toEqual([]);
  });

  test('of a group in which nothing is to be done are answered without a write', async () => {
    const nodeId = randomUUID();
    await setFullScale(nodeId, 1);
    const length = async (): Promise<number> => (await nodes.handle(nodeId).describe()).historyLength;
    await expect.poll(() => nodes.handle(nodeId).query(queries.pendingEvents)).toEqual([]);
    const before = await length();
    const answers = await Promise.all(
      upTo(32).map(() => api.nodes.send(nodeId, { name: 'recalculate', userId: 'tester' })()),
    );
    expect(answers).toEqual(upTo(32).map(() => E.right({ _tag: 'Unchanged', revision: 1 })));
    expect(await length()).toBe(before);
  });
});

test('reads of a node that was never touched, or was terminated, read nothing', async () => {
  const nodeId = randomUUID();
  const nothing = E.right({ value: { revision: 0, threshold: { nodeId, thresholdType: 0 } } });
  expect(await api.nodes.threshold(nodeId)()).toEqual(nothing);
  await setFullScale(nodeId, 1);
  await nodes.handle(nodeId).terminate();
  expect(await api.nodes.threshold(nodeId)()).toEqual(nothing);
  expect(await api.nodes.alarmStatus(nodeId)()).toEqual(E.right({ value: { nodeId, status: 0, updatedAt: 0 } }));
  expect(await setFullScale(nodeId, 2)).toEqual(E.right({ _tag: 'Applied', revision: 1 }));
});

test('large commands of 25,600 lines each pass, in groups that stay below the bound', async () => {
  const nodeId = randomUUID();
  const lines = evenLines(
    0,
    0.5,
    upTo(25_600).map((index) => Math.sin(index) + 2),
  );
  const began = Date.now();
  const answers = await Promise.all(
    upTo(6).map((index) =>
      api.nodes.send(nodeId, {
        name: 'recordMeasurement',
        userId: 'tester',
        measurement: {
          measurementId: randomUUID(),
          createdAt: new Date(Date.now() + index).toISOString(),
          contentType: 'SPECTRUM',
          spectrum: { speed: 1_500, xUnit: 'Hz', yUnit: 'g', lines },
        },
      })(),
    ),
  );
  console.info(`6 spectra of 25,600 lines, one node: ${Date.now() - began} ms`);
  expect(answers).toEqual(upTo(6).map(() => E.right({ _tag: 'Applied', revision: 0 })));
});
