import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** How a well-behaved client fares: latencies of its calls in ms, and the statuses that it got. */
export interface Experience {
  readonly calls: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  readonly statuses: ReadonlySet<number>;
}

const PAUSE_MS = 5;

/** Calls `path` for `ms`, one call after the other on two connections, as a client does that means well. */
export const experience = async (port: number, path: string, token: string, ms: number): Promise<Experience> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  const taken: number[] = [];
  const statuses = new Set<number>();
  const end = performance.now() + ms;
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      const began = performance.now();
      statuses.add(await statusOf(agent, port, path, token));
      taken.push(performance.now() - began);
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all([one(), one()]);
  agent.destroy();
  taken.sort((a, b) => a - b);
  const at = (share: number): number => Number((taken[Math.floor(taken.length * share)] ?? NaN).toFixed(1));
  return {
    calls: taken.length,
    p50: at(0.5),
    p99: at(0.99),
    worst: Math.round(taken[taken.length - 1] ?? NaN),
    statuses,
  };
};

const statusOf = (agent: Agent, port: number, path: string, token: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { Authorization: token };
    const sent = request({ agent, host: '127.0.0.1', port, path, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end();
  });
