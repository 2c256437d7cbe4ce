import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallResult, Caller } from '../chaos/load/call';

/** How somebody fares who has nothing to do with what else is sent. */
export interface Fare {
  readonly writes: number;
  /** The share of the writes that were done within 1.5 s. */
  readonly servedShare: number;
  /** The time (ms) within which 98 of 100 were done; infinite where as many were not. */
  readonly p98: number;
  /** The slowest answer of `/healthz` (ms). */
  readonly healthMs: number;
  readonly refused: ReadonlyArray<string>;
}

const EVERY_MS = 50;
const NODES = 10;
const HEALTH_EVERY_MS = 200;
const WITHIN_MS = 1_500;

/** Writes 20 values a second to nodes of its own, and asks whether the process lives, until it is asked how it fared. */
export const startBystander = async (caller: Caller, url: string, token: string): Promise<() => Promise<Fare>> => {
  const nodes = Array.from({ length: NODES }, () => randomUUID());
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const write = (at: number): Promise<CallResult> => {
    const path = `/v1/alarm-status/${nodes[at % NODES]}/status/external`;
    return caller.call(url, { method: 'PUT', path, headers, body: JSON.stringify({ status: at % 5 }) });
  };
  await Promise.all(nodes.map((_, at) => write(at)));
  const writes: Array<Promise<CallResult>> = [];
  const health: Array<Promise<CallResult>> = [];
  let isOver = false;
  const repeated = async (everyMs: number, send: (at: number) => void): Promise<void> => {
    const began = performance.now();
    for (let at = 0; !isOver; at += 1) {
      send(at);
      await sleep(Math.max(0, began + (at + 1) * everyMs - performance.now()));
    }
  };
  const both = Promise.all([
    repeated(EVERY_MS, (at) => writes.push(write(at))),
    repeated(HEALTH_EVERY_MS, () => health.push(caller.call(url, { method: 'GET', path: '/healthz', headers: {} }))),
  ]);
  return async () => {
    isOver = true;
    await both;
    const [done, asked] = [await Promise.all(writes), await Promise.all(health)];
    const times = done.map(({ status, ms }) => (status === 204 ? ms : Infinity)).sort((one, other) => one - other);
    return {
      writes: times.length,
      servedShare: times.filter((ms) => ms <= WITHIN_MS).length / times.length,
      p98: times[Math.ceil(times.length * 0.98) - 1] ?? Infinity,
      healthMs: Math.max(...asked.map(({ status, ms }) => (status === 200 ? ms : Infinity))),
      refused: [
        ...new Set(
          done.filter(({ status }) => status !== 204).map(({ status, body, fault }) => `${status} ${fault ?? body}`),
        ),
      ],
    };
  };
};
