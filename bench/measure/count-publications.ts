import { createClient } from 'redis';
import type { BenchStack } from '../stack/bench-stack';
import type { Figures } from './row';

/**
 * From now on: the events that came into the stream, and the publications of nodes, which take what the API did not push.
 * A node that publishes by itself mostly has one event to publish, so the rest was pushed.
 */
export const countPublications = async (stack: BenchStack): Promise<() => Promise<Figures>> => {
  const before = await countsOf(stack);
  return async () => {
    const after = await countsOf(stack);
    const [events, publications] = [after.events - before.events, after.publications - before.publications];
    return { events, publications, pushed: events === 0 ? 0 : 1 - Math.min(1, publications / events) };
  };
};

const countsOf = async ({ redis, stream, workers }: BenchStack) => {
  const client = await createClient({ url: redis }).connect();
  try {
    const metrics = await Promise.all(workers.map(async (url) => (await fetch(`${url}/metrics`)).text()));
    return { events: await client.xLen(stream), publications: metrics.reduce((sum, text) => sum + begunIn(text), 0) };
  } finally {
    client.destroy();
  }
};

/** The SDK counts how long activities waited to be begun, once each. */
const begunIn = (metrics: string): number =>
  [...metrics.matchAll(/^temporal_activity_schedule_to_start_latency\w*_count\{[^}]*\} (\d+)/gmu)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
