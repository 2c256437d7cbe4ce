import { createClient } from 'redis';
import { quantilesOf } from '../load/recorder';
import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { inRounds } from './measure';
import type { Figures } from './row';
import { shareOfGreatest } from './share-of-greatest';

const SHARE = 0.5;

/** How long a committed change takes into the stream, at half of the rate that the service can take. */
export const lag = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const [count = 1] = bench.options.scale.spread;
  const section = 'lag';
  const half = await shareOfGreatest(bench, stack, { section, count, share: SHARE });
  const load = `${count} nodes, at half of that rate`;
  await inRounds(bench, [{ ...half, section, load, side: 'service', stack, beside: () => watchLag(stack) }]);
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
    const { p50, p99, max } = quantilesOf(lags);
    return { events: lags.length, 'lag p50': p50, 'lag p99': p99, 'lag max': max };
  };
};
