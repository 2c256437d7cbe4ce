import { expect, test } from 'vitest';
import type { Alert } from '../../../cli/forward/alertmanager/alert';
import { sendToAll } from '../../../cli/forward/alertmanager/alertmanager';
import { inParallel } from '../../../process/in-parallel';
import { peers, whole } from '../../support/peers/peers';
import { startPeers } from '../../support/peers/start-peers';
import { ofAlerts, type Fate } from '../../support/peers/ways';
import { anId } from '../../support/scenario';

const takes = whole('takes', 200);
const WITHIN_MS = 4_000;

const alertOf = (node: string): Alert => ({
  labels: { alertname: 'PointAlarm', node, part: 'overall', severity: 'danger' },
  annotations: {},
  startsAt: '2026-01-31T10:00:00.000Z',
  endsAt: '2026-01-31T10:10:00.000Z',
  generatorURL: 'http://ui/',
});

/** What came of a call with one alert: whether it counts, and how many were counted as refused. */
const fateOf = async (url: string, lines: string[]): Promise<Fate> => {
  let refused = 0;
  const send = sendToAll(
    [new URL(url)],
    (line) => lines.push(line),
    (alerts) => void (refused += alerts),
  );
  try {
    await send([alertOf(anId(1))], WITHIN_MS);
  } catch {
    return 'later';
  }
  return refused > 0 ? 'aside' : 'once';
};

test('an alert counts as delivered once Alertmanager itself said so, whatever else answers', async () => {
  const { url, asked } = await startPeers(({ path }) => peers[Number(path.split('/')[1])], takes);
  const found: Record<string, Fate> = {};
  const lines: string[] = [];
  await inParallel(peers.entries(), 32, async ([index, { name }]) => {
    found[name] = await fateOf(`${url}/${index}`, lines);
  });
  expect(found).toEqual(Object.fromEntries(peers.map((peer) => [peer.name, ofAlerts(peer)])));
  expect(asked.filter(({ path }) => path.includes('elsewhere'))).toEqual([]);
  const named = lines.filter((line) => line.includes(anId(1)));
  expect(named).toHaveLength(peers.filter((peer) => ofAlerts(peer) === 'aside').length);
}, 120_000);

test('a page that is too large for a proxy is sent in parts, and an invalid alert alone is set aside', async () => {
  const [invalid, mostBytes] = [anId(7), 20_000];
  const { url, asked } = await startPeers(({ body }) => {
    const text = JSON.stringify(body);
    if (text.length > mostBytes) return whole('too large', 413, 'page');
    return text.includes(invalid) ? whole('invalid', 422, 'problem') : undefined;
  }, takes);
  const lines: string[] = [];
  let refused = 0;
  const send = sendToAll(
    [new URL(url)],
    (line) => lines.push(line),
    (alerts) => void (refused += alerts),
  );
  const nodes = Array.from({ length: 600 }, (_, at) => anId(at));
  await send(nodes.map(alertOf), 60_000);
  const calls = asked.map(({ body }) => body as ReadonlyArray<Alert>);
  const taken = calls.filter((alerts) => JSON.stringify(alerts).length <= mostBytes);
  const nodesOf = (alerts: ReadonlyArray<Alert>) => alerts.map(({ labels }) => labels['node']);
  const delivered = taken
    .map(nodesOf)
    .filter((ids) => !ids.includes(invalid))
    .flat();
  expect(delivered.toSorted()).toEqual(nodes.filter((id) => id !== invalid).toSorted());
  expect(Math.max(...calls.map(({ length }) => length))).toBeLessThanOrEqual(256);
  expect([refused, lines]).toEqual([1, [expect.stringMatching(new RegExp(`^an alert of ${invalid} is .* 422`, 'u'))]]);
});
