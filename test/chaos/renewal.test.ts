import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { workflowIdOf } from '../../workflows/messages';
import { commandOf } from './command-of';
import type { Write } from './history';
import { runScenario, type Setting } from './scenario';
import { isLong, seed } from './seed';
import { withStack } from './with-stack';

const { stack, tail } = withStack({ temporalLimits: 'own' });

const HOT_MS = isLong ? 120_000 : 12_000;
/** Together about thirty signals a second. */
const SIGNALLERS = 3;
const PAUSE_MS = 150;

/** Sends signals to the hot node until `ended`; one that the server took is as good as acknowledged. */
const signalUntil = async (setting: Setting, ended: () => boolean): Promise<void> => {
  const { stack: of, asks, random, recorder, nodes } = setting;
  while (!ended()) {
    const nodeId = random.pick(nodes);
    const id = random.uuid();
    const asked = asks.any();
    const { name, ...payload } = commandOf(asked);
    const sentAt = performance.now();
    const answer: Write['answer'] = await of.client.workflow
      .getHandle(workflowIdOf(nodeId))
      .signal(name, { ...payload, userId: id, requestId: id })
      .then(
        () => 'acknowledged',
        () => 'unknown',
      );
    recorder.writes.push({ id, nodeId, asked, sentAt, answeredAt: Infinity, answer });
    await sleep(PAUSE_MS * random.draw());
  }
};

test('a hot node renews under 64 callers and signals, on the limits that a server has by itself', async () => {
  const { verdict, setting } = await runScenario(stack(), tail(), {
    name: 'hot node renews',
    seed,
    nodes: 1,
    callers: 64,
    pauseMs: 2,
    keyed: 0,
    fault: async (running) => {
      const until = performance.now() + HOT_MS;
      const ended = (): boolean => performance.now() > until;
      await Promise.all(Array.from({ length: SIGNALLERS }, () => signalUntil(running, ended)));
      return performance.now();
    },
  });
  expect(verdict.breaches).toEqual([]);
  expect(verdict.unknown).toBe(0);
  const [hot = ''] = setting.nodes;
  const { count } = await stack().client.workflow.count(`WorkflowId = "${workflowIdOf(hot)}"`);
  expect(count).toBeGreaterThan(2);
  const failed = setting.recorder.tries.filter(({ called: { status } }) => status === 0 || status >= 500);
  expect(failed.map(({ called }) => called)).toEqual([]);
});
