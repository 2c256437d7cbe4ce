import type { RedisSettings } from '../process/settings';
import { openLink, type LinkSettings, type RedisLink } from './link';
import { connectPrimaries } from './primaries';

export type { RedisClient, RedisLink } from './link';

export type ConnectionSettings = RedisSettings & LinkSettings;

/** Connects to Redis, by the URL, the sentinels or the cluster that the settings name: to the primary that keeps `key`. */
export const connectRedis = (settings: ConnectionSettings, key = ''): RedisLink => {
  const primaries = connectPrimaries(settings);
  const link = openLink(settings, primaries.finderOf(key));
  return {
    get client() {
      return link.client;
    },
    answers: link.answers,
    close: async () => {
      await Promise.all([link.close(), primaries.close()]);
    },
  };
};
