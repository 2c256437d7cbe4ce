import type { RedisSettings } from '../process/settings';
import { openLink, type LinkSettings, type RedisLink } from './link';
import { partitionStreams, publishedKey, type Partitioned } from './partitions';
import { connectPrimaries } from './primaries';

export type { RedisLink } from './link';

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

/** The connections of a process to a stream. */
export interface StreamLinks {
  /** One for each partition, in their order. */
  readonly links: ReadonlyArray<RedisLink>;
  /** To the server that keeps how many partitions the stream has. */
  readonly root: RedisLink;
  /** Whether all partitions answer, within two seconds. */
  readonly answers: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** Connects to each partition of a stream, wherever it lies. */
export const connectStream = (settings: ConnectionSettings & Partitioned): StreamLinks => {
  const primaries = connectPrimaries(settings);
  const links = partitionStreams(settings).map((stream) => openLink(settings, primaries.finderOf(stream)));
  const [only] = links;
  const root =
    links.length === 1 && only !== undefined
      ? only
      : openLink(settings, primaries.finderOf(publishedKey(settings.stream)));
  return {
    links,
    root,
    answers: async () => (await Promise.all(links.map((link) => link.answers()))).every(Boolean),
    close: async () => {
      await Promise.all([...links, root, primaries].map((one) => one.close()));
    },
  };
};
