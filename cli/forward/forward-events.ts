import * as E from 'fp-ts/Either';
import { type Registry } from 'prom-client';
import { consumeEvents, type Handle } from '../../consumer';
import { pause } from '../../process/backoff';
import { createLog } from '../../process/log';
import { connectStream } from '../../stream/connection';
import { notReachable } from '../command-failure';
import { answersSoon, redisAt } from '../events/stream-links';
import { exitCodes, type ExitCode } from '../exit-codes';
import { printable } from '../printable';
import { failed, type Surroundings } from '../surroundings';
import { serveMetrics } from './serve-metrics';

/** Options that all forwarders have. */
export interface ForwardOptions {
  readonly group: string;
  readonly claimAfter: number;
  readonly metricsPort?: number;
  readonly catchUp: boolean;
}

interface Forwarding extends ForwardOptions {
  /** Where events go, for messages. */
  readonly to: string;
  readonly handle: Handle;
  /** Work beside the consumer, until the signal aborts: when the consumer has ended. It never rejects. */
  readonly beside?: (signal: AbortSignal) => Promise<void>;
  readonly registry: Registry;
}

const PROGRESS_MS = 5_000;
const LOOK_MS = 200;

/** Consumes the stream until Ctrl-C, or until all is handled. It reports progress while it is behind. */
export const forwardEvents = async (surroundings: Surroundings, forwarding: Forwarding): Promise<ExitCode> => {
  const { settings, interrupted, report } = surroundings;
  const { group, claimAfter, metricsPort, catchUp, to, handle, beside, registry } = forwarding;
  const { redis, stream, partitions } = settings;
  if (!(await isReachable(surroundings))) {
    if (interrupted.aborted) return exitCodes.done;
    return failed(surroundings, notReachable(redisAt(redis), 'no connection'));
  }
  const metrics = metricsPort === undefined ? E.right(undefined) : await serveMetrics(metricsPort, registry);
  if (E.isLeft(metrics)) return failed(surroundings, metrics.left);
  const ended = new AbortController();
  const signal = AbortSignal.any([interrupted, ended.signal]);
  report(`forwarding ${stream} to ${to} as the group ${group}, Ctrl-C ends it`);
  let handled = 0;
  const consuming = consumeEvents({
    ...{ redis, stream, partitions, group, claimAfterMs: claimAfter, handle, signal, registry },
    onHandled: () => {
      handled += 1;
    },
    report: onceInAWhile((line) => void report(printable(line))),
  });
  const watching = watchLag(registry, signal, (lag, isDue) => {
    if (isDue && lag !== undefined && lag > 0) report(`${handled} events handled, ${lag} to go`);
    if (catchUp && lag === 0) ended.abort();
  });
  const consumed = new AbortController();
  const working = beside?.(consumed.signal);
  try {
    await Promise.all([consuming, watching]);
    consumed.abort();
    await working;
  } finally {
    metrics.right?.close();
  }
  report(`${handled} events handled`);
  return exitCodes.done;
};

const isReachable = async ({ settings, interrupted }: Surroundings): Promise<boolean> => {
  const links = connectStream({
    ...settings.redis,
    ...settings,
    log: createLog({ level: 'silent', process: 'pas' }),
    name: 'pas',
  });
  try {
    return await answersSoon(links, interrupted);
  } finally {
    await links.close();
  }
};

/** Asks for the lag of all partitions together again and again; undefined where Redis does not know it. */
const watchLag = async (
  registry: Registry,
  signal: AbortSignal,
  see: (lag: number | undefined, isDue: boolean) => void,
): Promise<void> => {
  let shownAt = performance.now();
  while (!signal.aborted) {
    await pause(LOOK_MS, signal);
    const lag = await registry.getSingleMetric('point_alarm_consumer_lag')?.get();
    const isDue = performance.now() - shownAt >= PROGRESS_MS;
    if (isDue) shownAt = performance.now();
    see(
      lag === undefined || lag.values.length === 0 ? undefined : lag.values.reduce((sum, { value }) => sum + value, 0),
      isDue,
    );
  }
};

const QUIET_MS = 10_000;

/** Lines of one outage differ by their entries alone, and come by the hundred: one in ten seconds is shown. */
const onceInAWhile = (report: (line: string) => void): ((line: string) => void) => {
  const quietUntil = new Map<string, number>();
  return (line) => {
    const kind = line.replaceAll(/\d+-\d+/gu, '');
    if (performance.now() < (quietUntil.get(kind) ?? 0)) return;
    quietUntil.clear();
    quietUntil.set(kind, performance.now() + QUIET_MS);
    report(line);
  };
};
