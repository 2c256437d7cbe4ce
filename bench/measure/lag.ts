import { createClient } from 'redis';
import { quantileOf } from '../load/recorder';
import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { inRounds, measure, shareOf } from './measure';
import { freshNodes, serviceTarget, withThresholds } from './prepare';
import type { Figures } from './row';

const CALLERS = 64;
const SHARE = 0.5;

/** How long a committed change takes into the stream, at half of the rate that the service can take. */
export const lag = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const [count = 1] = bench.options.scale.spread;
  const nodes = await withThresholds(bench, stack, freshNodes(count));
  const target = await serviceTarget('recordMeasurement', stack, nodes);
  const both = { section: 'lag', side: 'service', stack, target };
  const most = await measure(
    bench,
    { ...both, load: `${count} nodes, ${CALLERS} callers`, pace: { kind: 'closed', callers: CALLERS } },
    1,
  );
  const perSecond = shareOf(most, SHARE);
  const load = `${count} nodes, at half of that rate`;
  await inRounds(bench, [{ ...both, load, pace: { kind: 'paced', perSecond }, beside: () => watchLag(stack) }]);
};

/** From now on: ms from the time that an event bears, that of the workflow task that commits it, to that of its entry. */
const watchLag = async ({ redis, stream }: BenchStack): Promise<() => Promise<Figures>> => {
  const client = await createClient({ url: redis }).connect();
  const newest = (await client.xRevRange(stream, '+', '-', { COUNT: 1 }))?.[0];
  return async () => {
    const lags: number[] = [];
    for (let last = newest?.id ?? '0-0'; ;) {
      const page = (await client.xRange(stream, `(${last}`, '+', { COUNT: 1_000 })) ?? [];
      for (const { id, message } of page) {
        last = id;
        lags.push(Number.parseInt(id, 10) - Number(message['timestamp']));
      }
      if (page.length < 1_000) break;
    }
    client.destroy();
    const sorted = Float64Array.from(lags).sort();
    return {
      events: sorted.length,
      'lag p50': quantileOf(sorted, 0.5),
      'lag p99': quantileOf(sorted, 0.99),
      'lag max': quantileOf(sorted, 1),
    };
  };
};
