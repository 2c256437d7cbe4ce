import { pause } from '../process/backoff';
import type { HostPort, RedisSettings } from '../process/settings';
import { withTimeout } from '../process/timeout';
import { inPairs } from './entry';
import {
  openRedisConnection,
  urlAt,
  type RedisConnectionSettings,
  type Primaries,
  type RedisClient,
  type RedisConnection,
} from './redis-connection';

export type { RedisConnection } from './redis-connection';

type ConnectionSettings = RedisSettings & RedisConnectionSettings;

/** Connects to the primary that keeps `key`: the server of the URL, or the one that sentinels or cluster nodes name. */
export const connectRedis = (settings: ConnectionSettings, key = ''): RedisConnection =>
  openRedisConnection(settings, connectPrimaries(settings, key));

/** Connects, and waits until Redis answers. After `withinMs`, or if `signal` aborts, closes the link and returns undefined. */
export const connectAnswering = async (
  settings: ConnectionSettings,
  withinMs: number,
  key = '',
  signal?: AbortSignal,
) => {
  const link = connectRedis(settings, key);
  const end = performance.now() + withinMs;
  while (signal?.aborted !== true && performance.now() < end) {
    if (await link.answers()) return link;
    await pause(50, signal);
  }
  await link.close();
  return undefined;
};

/** The primary that a sentinel or cluster node reports. If reports differ, the one with the highest epoch is the newest. */
interface ReportedPrimary extends HostPort {
  readonly epoch: number;
}

/** Time (ms) that a sentinel or cluster node has to answer: one that hangs must not delay a failover that the rest report. */
const ANSWER_MS = 500;

/**
 * Keeps a connection to each sentinel or cluster node, and asks all of them where the primary is. A sentinel or node that is
 * cut off still names the old primary, so the report with the highest epoch counts. Undefined if the settings name only a URL.
 */
const connectPrimaries = (settings: ConnectionSettings, key: string): Primaries | undefined => {
  const { url, sentinels, clusterNodes } = settings;
  if (sentinels !== undefined) {
    const { addresses, master, password } = sentinels;
    const user = password === undefined ? '' : `:${encodeURIComponent(password)}@`;
    const { ask, close } = openDiscovery(settings, addresses, `${new URL(url).protocol}//${user}sentinel`);
    const reports = async () => (await ask((client) => primaryBySentinel(client, master))).flat();
    return { find: async () => newestPrimary(await reports(), `no sentinel knows ${master}`), close };
  }
  if (clusterNodes === undefined) return undefined;
  const { ask, close } = openDiscovery(settings, clusterNodes, url);
  let known: number | undefined;
  const find = async (): Promise<HostPort> => {
    const slot = (known ??= (await ask((client) => client.clusterKeySlot(key)))[0]);
    if (slot === undefined) throw new Error('no node of the cluster answers');
    const views = await ask((client) => client.clusterNodes());
    const reports = views.flatMap((view) => primariesOfSlot(view, slot, settings.tls !== undefined));
    return newestPrimary(reports, `no node of the cluster knows who keeps slot ${slot}`);
  };
  return { find, close };
};

const newestPrimary = (reports: ReadonlyArray<ReportedPrimary>, otherwise: string): HostPort => {
  const [first, ...others] = reports;
  if (first === undefined) throw new Error(otherwise);
  const { host, port } = others.reduce((best, report) => (report.epoch > best.epoch ? report : best), first);
  return { host, port };
};

/** Opens a connection to each sentinel or cluster node in `places`, by `url` with the host and port of the place. */
const openDiscovery = ({ tls, log, name }: RedisConnectionSettings, places: ReadonlyArray<HostPort>, url: string) => {
  const links = places.map((place) =>
    openRedisConnection({
      url: urlAt(url, place),
      name,
      log: log.child({ asks: new URL(urlAt(url, place)).host }),
      ...(tls !== undefined && { tls }),
    }),
  );
  return {
    ask: async <A>(question: (client: RedisClient) => Promise<A>): Promise<ReadonlyArray<A>> => {
      const answers = await Promise.allSettled(links.map((link) => withTimeout(ANSWER_MS, question(link.client))));
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    },
    close: () => Promise.all(links.map((link) => link.close())),
  };
};

/**
 * The primary that a sentinel reports, if it knows one. During a failover, GET-MASTER-ADDR-BY-NAME already returns the new
 * address while MASTER still describes the old primary. Only MASTER returns the epoch, in a map or a list of names and values.
 */
const primaryBySentinel = async (client: RedisClient, master: string): Promise<ReadonlyArray<ReportedPrimary>> => {
  const [address, details] = await Promise.all([
    client.sendCommand<unknown>(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master]),
    client.sendCommand<unknown>(['SENTINEL', 'MASTER', master]),
  ]);
  if (!Array.isArray(address)) return [];
  const fields: Readonly<Record<string, unknown>> = Array.isArray(details)
    ? inPairs<unknown>(details)
    : { ...(details as object) };
  return [{ host: String(address[0]), port: Number(address[1]), epoch: Number(fields['config-epoch']) }];
};

/**
 * The primary that keeps `slot`, as one node reports it in lines of `id address flags primary ping pong epoch state slots...`.
 * An address is `ip:port@bus[,hostname]`. With TLS the hostname is used, because the certificate names it.
 */
const primariesOfSlot = (view: string, slot: number, byName: boolean): ReadonlyArray<ReportedPrimary> =>
  view.split('\n').flatMap((line) => {
    const [, address = '', flags = '', , , , epoch, , ...slots] = line.split(' ');
    if (!flags.includes('master') || !slots.some((range) => coversSlot(range, slot))) return [];
    const [ipAndPort = '', name = ''] = address.split(',');
    const [, ip = '', port] = /^(.*):(\d+)(?:@\d+)?$/u.exec(ipAndPort) ?? [];
    const host = byName && name !== '' ? name : ip;
    return host === '' ? [] : [{ host, port: Number(port), epoch: Number(epoch) }];
  });

/**
 * Whether `range` (`5` or `5-9`) contains `slot`. A range in brackets does not count: it marks a slot that is moving. Until
 * that slot has moved, its owner also lists it in a range without brackets.
 */
const coversSlot = (range: string, slot: number): boolean => {
  const [first, last] = range.split('-').map(Number);
  return first !== undefined && slot >= first && slot <= (last ?? first);
};
