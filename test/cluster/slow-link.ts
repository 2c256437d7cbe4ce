import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../../stack/child';
import type { Host } from './hosts/network';
import { findGoTool } from '../../stack/go-tool';
import type { Ground } from '../../stack/ground';
import { waitUntil } from '../../stack/running';
import { within } from '../../process/within';

/** Who connects to what. */
export interface SlowLink {
  readonly from: Host;
  readonly to: Host;
  readonly port: number;
}

/** `tools/toxiproxy/go.mod` pins the same. */
const VERSION = '2.5.0';
const PACKAGE = 'github.com/Shopify/toxiproxy/v2';
const PROXY_PORT = 20_000;
const CONTROL_PORT = 8_474;
/** The group of the proxy: its own connections are not sent to itself. */
const GROUP = 'nogroup';

/**
 * Delays all connections of a link, each way, by a proxy on the host that they come from. Those that are open are broken, so
 * that they come back through it. Resolves to what ends that, and says whether
 * any connection came through the proxy.
 */
export const slowDown = async (
  { from, to, port }: SlowLink,
  { latency, jitter }: { readonly latency: number; readonly jitter: number },
  { folder, ground }: { readonly folder: string; readonly ground: Ground },
): Promise<() => Promise<boolean>> => {
  const tool = { title: 'toxiproxy', version: VERSION, module: 'toxiproxy', package: `${PACKAGE}/cmd/server` };
  const flagged = { ...tool, linkFlags: `-X ${PACKAGE}.Version=${VERSION}` };
  const toxiproxy = await findGoTool(flagged, process.env, ground);
  const own = join(folder, `toxiproxy-${from.name}`);
  mkdirSync(own, { recursive: true });
  const config = join(own, 'proxies.json');
  const listen = `127.0.0.1:${PROXY_PORT}`;
  writeFileSync(config, JSON.stringify([{ name: 'link', listen, upstream: `${to.address}:${port}`, enabled: true }]));
  const as = [`--regid=${GROUP}`, '--clear-groups', '--'];
  const command = [...as, toxiproxy, '-host', from.address, '-config', config];
  const line = from.on({ command: 'setpriv', args: command });
  const log = join(folder, `toxiproxy-${from.name}.log`);
  const before = existsSync(log) ? readFileSync(log, 'utf8').length : 0;
  const proxy = await startChild({ name: 'toxiproxy', ...line, folder: own, env: process.env, log }, ground.watchdog);
  const toxics = `http://${from.address}:${CONTROL_PORT}/proxies/link/toxics`;
  const { signal } = ground;
  const reach = { what: 'toxiproxy', deadlineMs: 10_000, signal, child: proxy };
  for (const stream of ['upstream', 'downstream']) {
    const body = JSON.stringify({ name: stream, type: 'latency', stream, attributes: { latency, jitter } });
    await waitUntil(async () => {
      const { ok, status } = await within(2_000, fetch(toxics, { method: 'POST', body }));
      if (!ok) throw new Error(`it answers ${status}`);
    }, reach);
  }
  const breakOpen = `ss -K dst ${to.address} dport = ${port} 2>/dev/null || :`;
  const redirect = `ip daddr ${to.address} tcp dport ${port} meta skgid != "${GROUP}" redirect to :${PROXY_PORT}`;
  const chain = 'add chain ip slow output { type nat hook output priority -100; }';
  await from.run('nft', `add table ip slow; ${chain}; add rule ip slow output ${redirect}`);
  await from.run('sh', '-c', breakOpen);
  return async () => {
    await from.run('nft', 'delete table ip slow');
    const tookConnections = readFileSync(log, 'utf8').slice(before).includes('Accepted client');
    await proxy.stop(0);
    return tookConnections;
  };
};
