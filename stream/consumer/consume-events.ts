import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { Registry } from 'prom-client';
import { createLog } from '../../process/log';
import { counter, gauge } from '../../process/metrics';
import type { RedisSettings } from '../../process/settings/redis-settings';
import { within } from '../../process/within';
import type { StreamEvent } from '../../workflows/domain/node/events';
import { connectRedis } from '../connection';
import { outcomes, type Consumer, type Handle } from './consumer';
import { isKeyPart } from './effects';
import { gapReporter } from './gaps';
import { keepOf, lagOf, leaveGroup, type Gap, type Group } from './group';
import { readEntries } from './read-entries';

/** A consumer of the stream: what it reads, and what it does with each event. */
export interface ConsumerOptions
  extends Pick<Group, 'stream' | 'group'>, Partial<Pick<Group, 'begin' | 'claimAfterMs'>> {
  readonly redis: RedisSettings;
  readonly handle: Handle;
  /** Called once for each event whose effect was kept, in this process. */
  readonly onHandled?: (event: StreamEvent) => void;
  /** Called for each gap, in one process of the group: what it missed comes again only where somebody has it republished. */
  readonly onGap?: (gap: Gap) => void;
  /** Ends it within five seconds: no event is begun, and those in hand that are not done by then are left to others. */
  readonly signal: AbortSignal;
  /** Receives a line about what is not as it should be. */
  readonly report?: (line: string) => void;
  /** Gets the lag of the group, its gaps, and what becomes of events. It holds the metrics of one consumer; a second one is refused. */
  readonly registry?: Registry;
}

/** Of the five seconds: for the events in hand, and for signing off. */
const FINISH_MS = 4_000;
const SIGN_OFF_MS = 500;

/**
 * Handles each event of the stream as one of the group's consumers, until its signal aborts (docs/consumer-typescript.md): each event
 * has its effect once, those of a node in order, and what a dead consumer had is taken over. An event that cannot be handled
 * goes to the stream `<keep>:aside`. Errors: a group's name has no colon.
 */
export const consumeEvents = async (options: ConsumerOptions): Promise<void> => {
  const { redis, stream, group, handle, signal, begin = 'oldest', claimAfterMs = 30_000 } = options;
  const { registry = new Registry(), onHandled = () => undefined, report = () => undefined } = options;
  if (!isKeyPart(group)) throw new Error(`the group ${group} must have no colon in its name`);
  const connection = { ...redis, log: createLog({ level: 'silent', process: group }), name: group };
  const commands = connectRedis({ ...connection, unavailable: (reason) => report(`Redis: ${reason}`) }, stream);
  const reader = connectRedis(connection, stream);
  const named = { stream, group, keep: keepOf(stream, group), begin, claimAfterMs };
  const member: Group = { ...named, consumer: `${hostname()}-${randomUUID()}` };
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
  setMaxListeners(0, stopping.signal); // each node that waits has one
  const of = { ...member, commands, reader, handle, onHandled, onGap, report, count, signal: stopping.signal };
  const reading = readEntries({ ...of, reportGaps: gapReporter(of) });
  await aborted(signal);
  stopping.abort();
  if (reader.client.isReady) reader.client.destroy(); // it may block for another second
  await within(FINISH_MS, reading, () => undefined);
  await within(SIGN_OFF_MS, leaveGroup(commands, member)).catch(() => undefined);
  const closed = Promise.all([commands.close(), reader.close()]);
  await within<unknown>(SIGN_OFF_MS, closed, () => undefined);
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** The time in an id of the stream. */
const secondsOf = (id: string): number => Number.parseInt(id, 10) / 1_000;
