import { createColors } from 'picocolors';
import { createClient } from 'redis';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { runProgram } from '../../../cli/program';
import type { Screen } from '../../../cli/command-context';
import { cliSettings } from '../../../process/settings';
import { fieldNames, fieldTexts } from '../../../stream/entry';
import { rightOf } from '../../support/either';
import { eventSettings } from '../../support/redis/event-settings';
import { redisGround, type RedisGround, type RedisProcess } from '../../support/redis/servers';
import { eventOf } from '../../support/redis/stream-load';
import { anId } from '../../support/scenario';

const soon = { timeout: 30_000, interval: 20 };
const STREAM = 'point-alarm-events';

let ground: RedisGround;
let server: RedisProcess;
beforeAll(async () => {
  ground = await redisGround();
  server = await ground.server();
});
afterAll(() => ground.stop());
beforeEach(() => server.ask('FLUSHALL'));

/** Appends `count` events of so many bytes, each of a node of its own from `first` on. */
const fill = async (count: number, { bytes = 0, first = 0 } = {}): Promise<void> => {
  const client = await createClient({ url: server.url }).connect();
  const names = fieldNames('Vendor.Hierarchy');
  const adding = Array.from({ length: count }, (_, at) => {
    const [node, event] = [anId(first + at), eventOf(anId(first + at), at)];
    const texts = fieldTexts(node, { ...event, data: { ...event.data, more: 'x'.repeat(bytes) } }, eventSettings());
    return client.xAdd(STREAM, '*', Object.fromEntries(names.map((name, n) => [name, texts[n] ?? ''])));
  });
  await Promise.all(adding);
  client.destroy();
};

/** Runs `pas`, until it ends by itself or by `stop`. */
const pas = (args: ReadonlyArray<string>, screen?: Screen) => {
  const [out, err, stopping]: [string[], string[], AbortController] = [[], [], new AbortController()];
  const report = (line: string): void => void err.push(line);
  const settings = rightOf(cliSettings({ REDIS_URL: server.url, EVENT_STREAM: STREAM }));
  const context = {
    ...{ settings, report, screen, reportScreen: undefined, folder: '/', interrupted: stopping.signal },
    outputClosed: new AbortController().signal,
    ...{ colors: createColors(false), print: (line: string) => void out.push(line) },
    temporal: () => expect.unreachable(),
  };
  const code = runProgram(args, () => context, report);
  onTestFinished(() => stopping.abort());
  return { out, err, code, stop: () => stopping.abort() };
};

/** The numbers of entries that commands ask for from now on. */
const counted = async (): Promise<ReadonlyArray<number>> => {
  const client = await createClient({ url: server.url }).connect();
  onTestFinished(() => client.destroy());
  const counts: number[] = [];
  await client.monitor((line) => {
    const [, count] = /"(?:XREVRANGE|XRANGE|XREAD)".*"COUNT" "(\d+)"/iu.exec(line) ?? [];
    if (count !== undefined) counts.push(Number(count));
  });
  return counts;
};

test.each([
  ['top', '--once', '--last', '100000'],
  ['watch', '--once', '--last', '2400'],
  ['watch', '--once', '--from', '0'],
  ['watch', '--once', '--since', '1h'],
])('`pas %s %s %s %s` reads by pages of at most 100 entries or 1 MiB', async (...args) => {
  await fill(2_500, { bytes: 8_000 });
  const counts = await counted();
  expect(await pas(args).code).toBe(0);
  const most = Math.max(...counts);
  expect(most).toBeLessThanOrEqual(1_048_576 / 8_000);
  expect(most).toBeGreaterThan(50); // and not by single entries
});

test('`pas top` shows the newest state of each node, and says that the stream has older entries', async () => {
  await fill(300);
  await fill(50, { first: 1_000 });
  const { code, out, err } = pas(['top', '--once', '--last', '60']);
  expect(await code).toBe(0);
  expect(out[0]).toBe('60 nodes: 60 DANGER');
  expect(err).toEqual(['of the newest 60 entries; the stream has older ones']);
  const all = pas(['top', '--once', '--last', '350']);
  expect(await all.code).toBe(0);
  expect([all.out[0], all.err]).toEqual(['350 nodes: 350 DANGER', []]);
});

test('`pas watch --last` prints just the newest entries, the oldest of them first, and says that there are older ones', async () => {
  await fill(40);
  const { code, out, err } = pas(['watch', '--once', '--last', '3', '--json']);
  expect(await code).toBe(0);
  expect(out.map((line) => JSON.parse(line).aggregateId)).toEqual([anId(37), anId(38), anId(39)]);
  expect(err).toContain('begins with the newest 3; the stream has older entries');
});

test('`pas watch` goes on when its Redis becomes a replica, and a primary again', async () => {
  await fill(1);
  const other = await ground.server();
  const { err, out, stop, code } = pas(['watch']);
  await vi.waitFor(() => expect(err.join()).toContain('following'), soon);
  await server.ask('REPLICAOF', other.host, String(other.port));
  await vi.waitFor(async () => expect(String(await server.ask('INFO', 'replication'))).toContain('status:up'), soon);
  await server.ask('REPLICAOF', 'NO', 'ONE');
  await fill(1, { first: 7 });
  await vi.waitFor(() => expect(out.join()).toContain(anId(7)), soon);
  stop();
  expect(await code).toBe(0);
});

test('the board of `pas top` says since when Redis does not answer, and no more once it does', async () => {
  await fill(3);
  let shown = '';
  const screen = { size: () => ({ rows: 20, columns: 300 }), write: (text: string) => void (shown = text) };
  const { stop, code } = pas(['top', '--refresh', '1'], screen);
  await vi.waitFor(() => expect(shown).toContain('3 nodes'), soon);
  server.freeze();
  try {
    await vi.waitFor(() => expect(shown).toMatch(/3 nodes.*as of 20.*: Redis does not answer/su), soon);
  } finally {
    server.thaw();
  }
  await fill(1, { first: 9 });
  await vi.waitFor(() => expect(shown).toContain('4 nodes'), soon);
  expect(shown).not.toContain('does not answer');
  stop();
  expect(await code).toBe(0);
});
