import { setTimeout as sleep } from 'node:timers/promises';
import { DANGER_EVERY, httpCalls } from '../load/http-calls';
import { nodeId, type Nodes } from '../load/job';
import { quantilesOf } from '../load/recorder';
import type { BenchStack } from '../stack/bench-stack';
import { withWorkflows } from '../stack/with-workflows';
import type { Bench } from './bench';
import { now } from './clock';
import { atHalfLoad } from './half-load';
import { freshNodes, measuredNodes, serviceTarget, warmBy } from './prepare';
import { lastTaskOf } from './task-times';

const POLL_MS = 1;
const PATIENCE_MS = 10_000;

/**
 * How old answers from memory are: measurements go through one API, and another one with `READS=memory`, which knows nothing
 * of them but by the stream, is asked for the node's status all the while.
 */
export const staleness = (bench: Bench, stack: BenchStack): Promise<void> =>
  stack.withApi({ READS: 'memory' }, async (reader) => {
    const nodes = await measuredNodes(bench, stack, freshNodes(bench.options.scale.followed));
    await warmBy(bench, reader, await serviceTarget('alarmStatus', reader, nodes));
    await atHalfLoad(bench, stack, async (perSecond) => {
      const ages = await agesOf(stack, reader, nodes);
      bench.note({
        ...{ section: 'staleness', load: `beside ${perSecond} measurements a second`, side: 'READS=memory', round: 1 },
        figures: { changes: ages.length, ...quantilesOf(ages) },
      });
    });
  });

/** Changes the status of each node once; ms for which `reader` told the old one. */
const agesOf = async (stack: BenchStack, reader: BenchStack, nodes: Nodes): Promise<ReadonlyArray<number>> => {
  const write = httpCalls(await serviceTarget('recordMeasurement', stack, nodes), { kind: 'closed', callers: 1 });
  const headers = { Authorization: `Bearer ${await stack.token('bench')}` };
  const ages: number[] = [];
  await withWorkflows(stack, async (workflows) => {
    for (let place = 0; place < nodes.count; place += 1) {
      const number = place * DANGER_EVERY;
      const node = nodeId(nodes.set, number % nodes.count);
      const url = `${reader.api}/v1/alarm-status/${node}`;
      const written = async (): Promise<void> => {
        const fault = await write(number);
        if (fault !== '') throw new Error(`a measurement whose way was to be followed failed: ${fault}`);
      };
      const [asked] = await Promise.all([lastOldAnswer(async () => (await fetch(url, { headers })).text()), written()]);
      ages.push(Math.max(0, asked - (await lastTaskOf(workflows, node)).committed));
    }
  });
  return ages;
};

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
