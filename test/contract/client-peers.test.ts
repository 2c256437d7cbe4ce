import * as E from 'fp-ts/Either';
import { expect, test } from 'vitest';
import { createPointAlarmClient, type Failure } from '../../client';
import { inParallel } from '../../process/in-parallel';
import { peers, whole } from '../support/peers/peers';
import { startPeers } from '../support/peers/start-peers';
import { ofWrites, type Fate } from '../support/peers/ways';
import { anId } from '../support/scenario';

const peerAt = (path: string) => peers[Number(path.split('/')[1])];

test('a write counts once the service itself said 204; what passes is repeated by one key, the rest is given back by name', async () => {
  const tries = new Map<string, ReadonlyArray<unknown>>();
  const { url, asked } = await startPeers(
    ({ path, headers }) => {
      const keys = [...(tries.get(path) ?? []), headers['idempotency-key']];
      tries.set(path, keys);
      return keys.length === 1 ? peerAt(path) : undefined;
    },
    whole('takes', 204),
  );
  const found: Record<string, Fate> = {};
  const strange: Record<string, Failure> = {};
  await inParallel(peers.entries(), 32, async ([index, { name }]) => {
    const client = createPointAlarmClient({
      ...{ baseUrl: `${url}/${index}`, token: 'a.b.c', tryMs: 4_000, deadlineMs: 20_000, retryForMs: 19_000 },
    });
    const result = await client.setExternalAlarm(anId(1), { status: 3 });
    if (E.isLeft(result)) strange[name] = result.left;
    const sent = asked.filter(({ path }) => path.startsWith(`/${index}/`)).length;
    found[name] = E.isLeft(result) ? 'aside' : sent === 1 ? 'once' : 'later';
  });
  // By its standard, fetch takes 407 for a broken connection, and repeats a call after 421 itself.
  const fates = Object.fromEntries(peers.map((peer) => [peer.name, ofWrites(peer)]));
  expect(found).toEqual({ ...fates, 407: 'later', 421: 'later' });
  for (const keys of tries.values()) expect([new Set(keys).size, typeof keys[0]]).toEqual([1, 'string']);
  expect(asked.filter(({ path }) => path.includes('elsewhere'))).toEqual([]);
  for (const { name, status } of peers)
    if (status !== undefined && status < 400 && status !== 204)
      expect(strange[name], name).toMatchObject({ _tag: 'StrangeAnswer', status, mayHaveChanged: true });
}, 60_000);
