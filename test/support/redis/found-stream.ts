import { expect, vi } from 'vitest';
import type { Place, RedisSettings } from '../../../process/settings';
import type { StreamSettings } from '../../../stream/append';
import { connectRedis, type RedisLink } from '../../../stream/connection';
import { recordedLog } from '../recorded-log';

/** The stream of a test, and the settings by which processes find it. */
export interface FoundStream {
  readonly events: StreamSettings;
  readonly link: RedisLink;
  readonly env: Readonly<Record<string, string>>;
}

const placesOf = (places: ReadonlyArray<Place>): string => places.map(({ host, port }) => `${host}:${port}`).join(',');

/** Connects to the stream by Sentinels or by the nodes of a Redis Cluster, once it answers. */
export const findStream = async (
  { sentinels, clusterNodes }: Pick<RedisSettings, 'sentinels' | 'clusterNodes'>,
  events: StreamSettings,
): Promise<FoundStream> => {
  const way = { ...(sentinels !== undefined && { sentinels }), ...(clusterNodes !== undefined && { clusterNodes }) };
  const link = connectRedis({ url: 'redis://nobody:1', ...way, log: recordedLog().log, name: 'test' }, events.stream);
  await vi.waitFor(async () => expect(await link.answers()).toBe(true), { timeout: 60_000, interval: 50 });
  return {
    events,
    link,
    env: {
      EVENT_STREAM: events.stream,
      ...(sentinels !== undefined && {
        REDIS_SENTINELS: placesOf(sentinels.addresses),
        REDIS_SENTINEL_MASTER: sentinels.master,
      }),
      ...(clusterNodes !== undefined && { REDIS_CLUSTER_NODES: placesOf(clusterNodes) }),
    },
  };
};
