import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { createLog } from '../../../process/log';
import type { RedisSettings } from '../../../process/settings';
import { connectRedis, type RedisConnection } from '../../../stream/connection';
import type { Entry } from '../history';
import { eventually } from '../probe';

/** A consumer of the stream that outlives every outage. */
export interface StreamTail {
  /** What came so far, in order. */
  readonly entries: ReadonlyArray<Entry>;
  /** When the last entry caused by a user came, in ms of `performance`. */
  readonly arrivals: ReadonlyMap<string, number>;
  readonly read: () => Promise<ReadonlyArray<Entry>>;
  readonly close: () => Promise<void>;
}

const EVERY_MS = 50;
const PAGE = 2_000;
const BACK_WITHIN_MS = 30_000;

/** Follows the stream by the settings of now: passwords and authorities may change meanwhile. */
export const followStream = (settingsOfNow: () => RedisSettings, stream: string): StreamTail => {
  const connect = (settings: RedisSettings) => ({
    settings,
    link: connectRedis({ ...settings, log: createLog({ level: 'silent', process: 'chaos' }), name: 'chaos' }),
  });
  let connected = connect(settingsOfNow());
  const redis = (): RedisConnection => {
    const settings = settingsOfNow();
    if (!isDeepStrictEqual(settings, connected.settings)) {
      void connected.link.close();
      connected = connect(settings);
    }
    return connected.link;
  };
  const entries: Entry[] = [];
  const arrivals = new Map<string, number>();
  let closed = false;
  const pageAfter = async (last: string) => {
    const page = await redis().client.xRange(stream, last === '' ? '-' : `(${last}`, '+', { COUNT: PAGE });
    return page as ReadonlyArray<{ readonly id: string; readonly message: Entry }>;
  };
  const follow = async (): Promise<void> => {
    let last = '';
    while (!closed) {
      const page = await pageAfter(last).catch(() => []);
      for (const { id, message } of page) {
        last = id;
        entries.push(message);
        arrivals.set(String(message['userId']), performance.now());
      }
      if (page.length < PAGE) await sleep(EVERY_MS);
    }
  };
  const following = follow();
  return {
    entries,
    arrivals,
    read: async () => {
      // After an outage this connection may come back a moment later than those of the service.
      await eventually(
        () => redis().answers(),
        (answers) => answers,
        BACK_WITHIN_MS,
      );
      const all: Entry[] = [];
      for (let last = ''; ;) {
        const page = await pageAfter(last);
        all.push(...page.map(({ message }) => message));
        last = page[page.length - 1]?.id ?? '';
        if (page.length < PAGE) return all;
      }
    },
    close: async () => {
      closed = true;
      await following;
      await connected.link.close();
    },
  };
};
