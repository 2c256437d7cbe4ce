import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withStackOf } from '../chaos/with-stack';
import { startClusterStack, type ClusterStack, type ServedMachine } from './cluster-stack';
import { expectNothingLost, runOnCluster } from './on-cluster';

const { stack, tail } = withStackOf(() => startClusterStack());

/** Between two restarts: the balancer and the other hosts must have seen the one that is back. */
const PAUSE_MS = 5_000;
/** Calls that the balancer sent to a host before it was drained are over by then. */
const DRAINED_MS = 2_000;
/** A host hands over for some seconds before it stops. */
const STOPS_WITHIN_MS = 60_000;

const restarted = async (one: ServedMachine): Promise<void> => {
  expect(await one.terminate()).toMatchObject({ exit: 'exit code 0' });
  await one.start();
  await one.ready();
};

const apiRestarted = async ({ cluster: { balancer }, apis }: ClusterStack, at: 0 | 1): Promise<void> => {
  const { host } = apis[at].machine;
  await balancer.drain(host, true);
  await sleep(DRAINED_MS);
  await restarted(apis[at]);
  await balancer.drain(host, false);
  await sleep(PAUSE_MS);
};

/** What docs/deployment-hosts.md, "Restart one host at a time", describes. */
const temporalRestarted = async ({ cluster: { balancer } }: ClusterStack, at: 0 | 1): Promise<void> => {
  const { host, own } = stack().cluster.temporal[at];
  await balancer.drain(host, true);
  await sleep(DRAINED_MS);
  await own.stop(STOPS_WITHIN_MS);
  await own.restart();
  await balancer.drain(host, false);
  await sleep(PAUSE_MS);
};

test('no call fails while APIs, workers and Temporal hosts are restarted in turn', async () => {
  const { verdict, setting } = await runOnCluster(stack(), tail(), {
    name: 'a rolling restart of APIs, workers and Temporal hosts',
    callers: 8,
    keyed: 0, // each call counts: none is sent again
    fault: async ({ stack: of }) => {
      for (const at of [0, 1] as const) await apiRestarted(of, at);
      for (const one of of.workers) {
        await restarted(one);
        await sleep(PAUSE_MS);
      }
      for (const at of [0, 1] as const) await temporalRestarted(of, at);
      return performance.now();
    },
  });
  const failed = setting.recorder.tries
    .filter(({ called: { status } }) => status === 0 || status >= 500 || status === 429)
    .map(({ nodeId, called: { status, fault, body, ms } }) => ({ nodeId, status, fault, body, ms }));
  expect(failed).toEqual([]);
  expectNothingLost(verdict);
  expect(verdict.unknown).toBe(0);
});
