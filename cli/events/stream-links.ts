import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisSettings } from '../../process/settings';
import type { StreamLinks } from '../../stream/connection';

const ANSWERS_WITHIN_MS = 3_000;

/** Where Redis is, for messages: without the password that a URL may hold. */
export const redisAt = ({ url, sentinels, clusterNodes }: RedisSettings): string => {
  const places = sentinels?.addresses ?? clusterNodes;
  if (places === undefined) return `Redis at ${new URL(url).host}`;
  return `Redis by ${places.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
};

/** Whether the partitions answer soon. */
export const answersSoon = async (links: StreamLinks, signal: AbortSignal): Promise<boolean> => {
  const end = performance.now() + ANSWERS_WITHIN_MS;
  while (!signal.aborted && performance.now() < end) {
    if (await links.answers()) return true;
    await sleep(50);
  }
  return false;
};
