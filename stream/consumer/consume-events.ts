import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { Registry } from 'prom-client';
import { createLog } from '../../process/log';
import { counter, gauge } from '../../process/metrics';
import type { RedisSettings } from '../../process/settings/redis-settings';
import { withTimeout } from '../../process/timeout';
import type { StreamEvent } from '../../workflows/domain/node/events';
import { connectRedis } from '../connection';
import { outcomes, type Consumer, type Handle } from './consumer';
import { isKeyPart } from './effects';
import { createGapReporter } from './gaps';
import { CLAIM_AFTER_MS, keyPrefixOf, lagOf, leaveGroup, type Gap, type ConsumerGroup } from './group';
import { readEntries } from './read-entries';

/** A consumer of the stream: what it reads, and what it does with each event. */
export interface ConsumerOptions
  extends Pick<ConsumerGroup, 'stream' | 'group'>, Partial<Pick<ConsumerGroup, 'begin' | 'claimAfterMs'>> {
  readonly redis: RedisSettings;
  readonly handle: Handle;
  /** Called after this process has handled an event and its effect is stored, once per event. */
  readonly onHandled?: (event: StreamEvent) => void;
  /** Called for each gap, in one process of the group. The gap's events were missed; only republishing brings them again. */
  readonly onGap?: (gap: Gap) => void;
  /** Ends the consumer within five seconds: it begins no further event, and leaves unfinished events to other consumers. */
  readonly signal: AbortSignal;
  /** Receives one line of text about each fault. */
  readonly report?: (line: string) => void;
  /** Gets one consumer's metrics: lag, last gap, outcomes of events. A second consumer in one registry is refused. */
  readonly registry?: Registry;
}

/**
 * How the five seconds in which a consumer ends are divided (ms): `FINISH_MS` for the events that are being handled,
 * `SIGN_OFF_MS` for leaving the group, and as long again for closing the connections.
 */
const FINISH_MS = 4_000;
const SIGN_OFF_MS = 500;
/** Longest timer (ms) of Node.js. A longer timer fires at once, so every try to handle an event would fail. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Handles each event of the stream as one of the group's consumers, until its signal aborts (docs/consumer-typescript.md). Each
 * event takes effect once, and the events of a node in order. Entries of a dead consumer are taken over. An event that cannot
 * be handled goes to the stream `<stream>:<group>:aside`. Errors: rejects if the group's name is empty or has a colon, or if
 * `claimAfterMs` is not from 1 to `LONGEST_TIMER_MS`.
 */
export const consumeEvents = async (options: ConsumerOptions): Promise<void> => {
  const { redis, stream, group, handle, signal, begin = 'oldest', claimAfterMs = CLAIM_AFTER_MS } = options;
  const { registry = new Registry(), onHandled = () => undefined, report = () => undefined } = options;
  if (!isKeyPart(group)) throw new Error(`the group ${group} must have no colon in its name`);
  if (!(claimAfterMs >= 1 && claimAfterMs <= LONGEST_TIMER_MS))
    throw new Error(`claimAfterMs is ${claimAfterMs}, it must be a time of 1 to ${LONGEST_TIMER_MS} ms`);
  const connection = { ...redis, log: createLog({ level: 'silent', process: group }), name: group };
  const commands = connectRedis({ ...connection, unavailable: (reason) => report(`Redis: ${reason}`) }, stream);
  const reader = connectRedis(connection, stream);
  const named = { stream, group, keyPrefix: keyPrefixOf(stream, group), begin, claimAfterMs };
  const member: ConsumerGroup = { ...named, consumer: `${hostname()}-${randomUUID()}` };
  gauge(registry, 'point_alarm_consumer_lag', async () => {
    const entries = await lagOf(commands, member).catch(() => undefined);
    return entries === undefined ? [] : [[entries, { stream }]];
  });
  let gap: Gap | undefined;
  gauge(registry, 'point_alarm_consumer_gap_timestamp_seconds', () =>
    gap === undefined
      ? []
      : [
          [secondsOf(gap.from), { edge: 'from' }],
          [secondsOf(gap.to), { edge: 'to' }],
        ],
  );
  const onGap = (found: Gap): unknown => {
    gap = found;
    return options.onGap?.(found);
  };
  const counted = counter(registry, 'point_alarm_consumer_events_total');
  for (const outcome of outcomes) counted(0, { outcome });
  const count: Consumer['count'] = (outcome, events = 1) => counted(events, { outcome });
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // each node that waits adds a listener
  const parts = { ...member, commands, reader, handle, onHandled, onGap, report, count, signal: stopping.signal };
  const reading = readEntries({ ...parts, reportGaps: createGapReporter(parts) });
  await untilAborted(signal);
  stopping.abort();
  if (reader.client.isReady) reader.client.destroy(); // a blocking read may last for another second
  await withTimeout(FINISH_MS, reading, () => undefined);
  await withTimeout(SIGN_OFF_MS, leaveGroup(commands, member)).catch(() => undefined);
  const closed = Promise.all([commands.close(), reader.close()]);
  await withTimeout<unknown>(SIGN_OFF_MS, closed, () => undefined);
};

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** The time (epoch seconds) in the id of a stream entry. */
const secondsOf = (id: string): number => Number.parseInt(id, 10) / 1_000;
