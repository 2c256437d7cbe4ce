import { expect, vi } from 'vitest';
import type { EventSettings, Place, RedisSettings } from '../../../process/settings';
import { connectStream, type StreamLinks } from '../../../stream/connection';
import { recordedLog } from '../recorded-log';

/** The stream of a test, and the settings by which processes find it. */
export interface FoundStream {
  readonly events: EventSettings;
  readonly links: StreamLinks;
  readonly env: Readonly<Record<string, string>>;
}

const placesOf = (places: ReadonlyArray<Place>): string => places.map(({ host, port }) => `${host}:${port}`).join(',');

/** Connects to the stream by Sentinels or by the nodes of a Redis Cluster, once it answers. */
export const findStream = async (
  { sentinels, clusterNodes }: Pick<RedisSettings, 'sentinels' | 'clusterNodes'>,
  events: EventSettings,
): Promise<FoundStream> => {
  const way = { ...(sentinels !== undefined && { sentinels }), ...(clusterNodes !== undefined && { clusterNodes }) };
  const links = connectStream({ url: 'redis://nobody:1', ...way, ...events, log: recordedLog().log, name: 'test' });
  await vi.waitFor(async () => expect(await links.answers()).toBe(true), { timeout: 60_000, interval: 50 });
  return {
    events,
    links,
    env: {
      EVENT_STREAM: events.stream,
      EVENT_STREAM_PARTITIONS: String(events.partitions),
      ...(sentinels !== undefined && {
        REDIS_SENTINELS: placesOf(sentinels.addresses),
        REDIS_SENTINEL_MASTER: sentinels.master,
      }),
      ...(clusterNodes !== undefined && { REDIS_CLUSTER_NODES: placesOf(clusterNodes) }),
    },
  };
};
