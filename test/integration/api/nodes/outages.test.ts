import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { createApiSide, upTo, type ApiSide } from '../../../support/api-side';
import { startPlainTemporal } from '../../../support/plain-temporal';
import { bringUpNodes } from '../../workflows/nodes';
import { forFile } from '../../../support/for-file';

const DEADLINE_MS = 4_000;

/** By then the server has refused a query that no worker fetched. */
const NO_POLLER_MS = 2_500;

const temporal = forFile(startPlainTemporal, ({ stop }) => stop());
const nodes = forFile(
  () => bringUpNodes({ temporalAddress: temporal.address }),
  ({ stop }) => stop(),
);
const api = forFile(
  async () => createApiSide(temporal.address, nodes, DEADLINE_MS),
  ({ close }) => close(),
);

const unavailable = { _tag: 'Unavailable', dependency: 'Temporal', retryAfter: 1, mayHaveChanged: false };

const setFullScale = (nodeId: string, fullScale: number, side: ApiSide = api) =>
  side.nodes.send(nodeId, {
    name: 'setThreshold',
    userId: 'tester',
    idempotencyKey: randomUUID(),
    threshold: { fullScale },
  })();

const timed = async <A>(promise: Promise<A>): Promise<readonly [A, number]> => {
  const began = Date.now();
  return [await promise, Date.now() - began];
};

/** Calls until it succeeds, for at most 30 s. Returns the answer, because a server that has just started may refuse the next call. */
const untilBack = async <A>(call: () => Promise<E.Either<unknown, A>>): Promise<A> => {
  const began = Date.now();
  for (;;) {
    const answer = await call();
    if (E.isRight(answer)) return answer.right;
    if (Date.now() - began > 30_000) throw new Error(`it did not come back: ${JSON.stringify(answer.left)}`);
    await sleep(100); // a call that is refused at once would leave no turn to others
  }
};

test('while Temporal is killed each call is answered within seconds; processes old and new come back by themselves, and nothing acknowledged is lost', async () => {
  const nodeId = randomUUID();
  expect(await setFullScale(nodeId, 1)).toEqual(E.right({ _tag: 'Applied', revision: 1 }));
  await temporal.kill();
  const answers = await Promise.all(upTo(20).map((index) => timed(setFullScale(nodeId, index + 2))));
  for (const [answer, took] of answers) {
    expect(answer).toMatchObject(E.left({ _tag: 'Unavailable' }));
    expect(took).toBeLessThan(DEADLINE_MS + 500);
  }
  const [later, took] = await timed(setFullScale(nodeId, 99));
  expect(later).toEqual(E.left(unavailable));
  expect(took).toBeLessThan(DEADLINE_MS);
  expect(await api.nodes.threshold(nodeId)()).toEqual(E.left(unavailable));
  expect(await api.readiness.answers()).toBe(false);
  const younger = createApiSide(temporal.address, nodes, DEADLINE_MS);
  expect(await setFullScale(nodeId, 99, younger)).toEqual(E.left(unavailable));

  await temporal.restart();
  for (const side of [younger, api])
    expect(await untilBack(() => side.nodes.threshold(nodeId)())).toMatchObject({
      value: { revision: 1, threshold: { fullScale: 1 } },
    });
  await younger.close();
  await untilBack(() => setFullScale(nodeId, 5));
  await untilBack(async () => ((await api.readiness.answers()) ? E.right('ready') : E.left('not yet')));
});

describe('while no worker runs', () => {
  test('one group waits in the server and the others here, so that none overtakes it when a worker comes', async () => {
    const nodeId = randomUUID();
    const taskQueue = `nodes-${randomUUID()}`;
    const side = createApiSide(temporal.address, { taskQueue }, DEADLINE_MS);
    // Connected first: what could not even be sent before its deadline is another answer.
    await untilBack(() => side.nodes.threshold(randomUUID())());
    expect(await setFullScale(nodeId, 1, side)).toEqual(E.left({ _tag: 'TimedOut' }));
    const began = Date.now();
    expect(await setFullScale(nodeId, 2, side)).toMatchObject(E.left({ _tag: 'Unavailable', dependency: 'The node' }));
    expect(Date.now() - began).toBeLessThan(DEADLINE_MS / 2); // at once: the one before it takes too long already
    const worker = await bringUpNodes({ temporalAddress: temporal.address, taskQueue });
    await untilBack(() => setFullScale(nodeId, 3, side));
    const set = E.right({ value: { revision: 2, threshold: { nodeId, fullScale: 3 } } });
    expect(await side.nodes.threshold(nodeId)()).toEqual(set);
    const entries = await worker.entriesOnce(nodeId, 2);
    expect(entries.map(({ data = '' }) => (JSON.parse(data) as { threshold?: unknown }).threshold)).toMatchObject([
      { nodeId, fullScale: 1 },
      { nodeId, fullScale: 3 },
    ]);
    await worker.stop();
    await side.close();
  });

  test('reads wait for one when the server has started again and has seen none yet', async () => {
    const nodeIds = upTo(12).map(() => randomUUID()); // of all partitions of the task queue
    const taskQueue = `nodes-${randomUUID()}`;
    const side = createApiSide(temporal.address, { taskQueue }, 20_000);
    const plan = { temporalAddress: temporal.address, taskQueue };
    const before = await bringUpNodes(plan);
    for (const nodeId of nodeIds)
      expect(await setFullScale(nodeId, 1, side)).toEqual(E.right({ _tag: 'Applied', revision: 1 }));
    await before.stop();
    await temporal.kill();
    await temporal.restart();
    const asked = Promise.all(nodeIds.map((nodeId) => side.nodes.threshold(nodeId)()));
    await sleep(NO_POLLER_MS);
    const after = await bringUpNodes(plan);
    for (const answer of await asked) expect(answer).toMatchObject(E.right({ value: { threshold: { fullScale: 1 } } }));
    await after.stop();
    await side.close();
  });
});
