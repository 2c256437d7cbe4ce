import { Client, Connection } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { DANGER_EVERY, httpCalls } from '../load/http-calls';
import { nodeId } from '../load/job';
import { quantileOf } from '../load/recorder';
import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { now } from './clock';
import { atHalfLoad } from './half-load';
import { freshNodes, once, serviceTarget, withThresholds } from './prepare';
import { lastTaskOf } from './task-times';

const POLL_MS = 1;
const PATIENCE_MS = 10_000;

/**
 * How old answers from memory are: measurements go through one API, and another one with `READS=memory`, which knows nothing
 * of them but by the stream, is asked for the node's status all the while.
 */
export const staleness = (bench: Bench, stack: BenchStack): Promise<void> =>
  atHalfLoad(bench, stack, async (perSecond) => {
    const reader = await stack.withApi({ READS: 'memory' });
    const nodes = await withThresholds(bench, stack, freshNodes(bench.options.scale.followed));
    await once(bench, reader, await serviceTarget('alarmStatus', reader, nodes));
    const write = httpCalls(await serviceTarget('recordMeasurement', stack, nodes), { kind: 'closed', callers: 1 });
    const headers = { Authorization: `Bearer ${await stack.token('bench')}` };
    const connection = await Connection.connect({ address: stack.temporal });
    const { workflow } = new Client({ connection });
    const ages: number[] = [];
    try {
      for (let place = 0; place < nodes.count; place += 1) {
        const number = place * DANGER_EVERY;
        const node = nodeId(nodes.set, number % nodes.count);
        const url = `${reader.api}/v1/alarm-status/${node}`;
        const seen = lastOldAnswer(async () => (await fetch(url, { headers })).text());
        const fault = await write(number);
        if (fault !== '') throw new Error(`a measurement whose way was to be followed failed: ${fault}`);
        const asked = await seen;
        ages.push(Math.max(0, asked - (await lastTaskOf(workflow, node)).committed));
      }
    } finally {
      await connection.close();
    }
    const sorted = Float64Array.from(ages).sort();
    bench.note({
      ...{ section: 'staleness', load: `beside ${perSecond} measurements a second`, side: 'READS=memory', round: 1 },
      figures: {
        changes: sorted.length,
        p50: quantileOf(sorted, 0.5),
        p99: quantileOf(sorted, 0.99),
        max: quantileOf(sorted, 1),
      },
    });
  });

/** When the last question was asked whose answer was still the first one. Errors: it stays so. */
const lastOldAnswer = async (ask: () => Promise<string>): Promise<number> => {
  const begin = now();
  const first = await ask();
  for (let last = begin; last < begin + PATIENCE_MS;) {
    const asked = now();
    if ((await ask()) !== first) return last;
    last = asked;
    await sleep(POLL_MS);
  }
  throw new Error(`a change was not seen within ${PATIENCE_MS} ms`);
};
