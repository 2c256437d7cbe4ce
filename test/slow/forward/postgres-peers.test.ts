import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../../dev/stack/free-ports';
import { createPublisher } from '../../../stream/append';
import { forFile } from '../../support/for-file';
import { journalRows, readJournal, type JournalRow } from '../../support/forward/journal-rows';
import { startNodeLoad } from '../../support/forward/node-load';
import { startOwnPostgres, type OwnPostgres } from '../../support/forward/own-postgres';
import { runPas } from '../../support/forward/run-pas';
import { eventSettings } from '../../support/redis/event-settings';
import { sharedRedis } from '../../support/redis/shared-redis';
import type { RunningProcess } from '../../support/run-node';
import { anId } from '../../support/scenario';

const soon = { timeout: 90_000, interval: 100 };
const redis = sharedRedis();
const shared = forFile(startOwnPostgres, ({ stop }) => stop());

/** The node to which a row does something, and how many there are. */
const [VICTIM, NODES] = [anId(0), 6];

/** A forwarder with a stream and an empty database of its own, while a load publishes. */
interface Journal {
  readonly postgres: OwnPostgres;
  readonly stream: string;
  readonly forwarder: RunningProcess;
  /** Starts another forwarder of the group. */
  readonly forward: (...more: ReadonlyArray<string>) => RunningProcess;
  /** How many status changes the journal holds, of all nodes or without one. */
  readonly count: (without?: string) => Promise<number>;
  /** How many entries came to each outcome in the first forwarder. */
  readonly outcomes: () => Promise<Readonly<Record<string, number>>>;
  /** Stops the load, and gives what the journal has to hold. */
  readonly expected: () => Promise<ReadonlyArray<JournalRow>>;
}

const openJournal = async (postgres: OwnPostgres = shared, everyMs = 100): Promise<Journal> => {
  const [stream, port] = [`journal-${randomUUID()}`, await freePort()];
  await postgres.ask('DROP SCHEMA IF EXISTS point_alarm CASCADE');
  const forward: Journal['forward'] = (...more) => {
    const args = ['forward', 'postgres', '--url', postgres.url, '--claim-after', '4s', ...more];
    const running = runPas(args, { REDIS_URL: inject('redisUrl'), EVENT_STREAM: stream });
    onTestFinished(() => running.stop());
    return running;
  };
  const forwarder = forward('--metrics-port', String(port));
  const count: Journal['count'] = async (without = randomUUID()) => {
    const asked = 'SELECT count(*)::int AS count FROM point_alarm.status_change WHERE node <> $1';
    return (await postgres.ask<{ count: number }>(asked, [without]))[0]?.count ?? 0;
  };
  const load = startNodeLoad(NODES, everyMs, createPublisher({ client: redis }, eventSettings({ stream })));
  let stopped: ReturnType<typeof load.stop> | undefined;
  const stop = () => (stopped ??= load.stop());
  onTestFinished(async () => void (await stop()));
  await vi.waitFor(async () => expect(await count(), forwarder.said()).toBeGreaterThan(NODES), soon);
  return {
    ...{ postgres, stream, forwarder, forward, count },
    outcomes: async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const found = text.matchAll(/^point_alarm_consumer_events_total\{outcome="(\w+)"\} (\d+)$/gmu);
      return Object.fromEntries([...found].map(([, outcome = '', times]) => [outcome, Number(times)]));
    },
    expected: async () => journalRows(await stop()),
  };
};

/** The most tries that an event in hand has used up. */
const mostTries = async (stream: string): Promise<number> =>
  Math.max(0, ...(await redis.hVals(`${stream}:point-alarm-journal:attempts`)).map(Number));

/** Ends the connections of forwarders that are in a state, again and again for some seconds. */
const terminate =
  (state: string): Row['hurt'] =>
  async ({ postgres }) => {
    let count = 0;
    for (const end = performance.now() + 6_000; performance.now() < end;) {
      const terminated = await postgres.ask(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pas forward' AND ${state}`,
      );
      count += terminated.length;
      await sleep(20);
    }
    expect(count).toBeGreaterThan(3);
  };

/** Runs statements in a transaction of somebody else, and has it open while `meanwhile` runs. */
const holding = async (
  { postgres }: Pick<Journal, 'postgres'>,
  sql: string,
  meanwhile: () => Promise<unknown>,
): Promise<void> => {
  const other = new Client({ connectionString: postgres.url });
  await other.connect();
  try {
    await other.query(`BEGIN; ${sql}`);
    await meanwhile();
  } finally {
    await other.end();
  }
};

const lockOf = (node: string): string => `SELECT FROM point_alarm.place WHERE node = '${node}' FOR UPDATE`;

const isPostponed = ({ outcomes }: Journal) =>
  vi.waitFor(async () => expect((await outcomes())['postponed']).toBeGreaterThan(0), soon);

const says = ({ forwarder }: Journal, what: RegExp) =>
  vi.waitFor(() => expect(forwarder.said()).toMatch(what), { ...soon, interval: 20 });

interface Row {
  readonly peer: string;
  /** Does the harm, sees what is to be seen meanwhile, and undoes it. */
  readonly hurt: (journal: Journal) => Promise<unknown>;
  /** The pause of a node between commands (ms). */
  readonly everyMs?: number;
  readonly start?: () => Promise<OwnPostgres>;
}

const peers: ReadonlyArray<Row> = [
  { peer: 'ends idle connections', everyMs: 700, hurt: terminate(`state = 'idle'`) },
  { peer: 'ends connections in use', everyMs: 20, hurt: terminate(`state <> 'idle'`) },
  {
    peer: 'restarts in a loop',
    hurt: async ({ postgres, forwarder }) => {
      for (let restarts = 0; restarts < 12; restarts += 1) {
        await postgres.kill();
        await postgres.restart();
        await sleep(300);
      }
      expect(forwarder.isRunning()).toBe(true);
    },
  },
  {
    peer: 'hangs, with its connections open',
    hurt: async (journal) => {
      journal.postgres.freeze();
      await says(journal, /waits: PostgreSQL did not answer within/u).finally(journal.postgres.thaw);
    },
  },
  {
    peer: 'has a locked row',
    hurt: (journal) =>
      holding(journal, lockOf(VICTIM), async () => {
        await says(journal, /waits: canceling statement due to lock timeout/u);
        await sleep(5_000);
      }),
  },
  {
    peer: 'has a locked table',
    hurt: (journal) =>
      holding(journal, 'LOCK TABLE point_alarm.part IN ACCESS EXCLUSIVE MODE', () =>
        says(journal, /waits: canceling statement due to lock timeout/u),
      ),
  },
  {
    peer: 'is read-only',
    hurt: async (journal) => {
      const { postgres, forward } = journal;
      const set = async (mode: string): Promise<void> => {
        await postgres.ask(`ALTER SYSTEM SET default_transaction_read_only = ${mode}`);
        await postgres.ask('SELECT pg_reload_conf()');
      };
      await set('on');
      try {
        await says(journal, /waits: cannot execute INSERT in a read-only transaction/u);
        const late = forward();
        await vi.waitFor(() => expect(late.isRunning()).toBe(false), soon);
        expect([await late.exited, late.said()]).toEqual([3, expect.stringContaining('takes no writes')]);
      } finally {
        await set('off');
      }
    },
  },
  {
    peer: 'has a full disk',
    start: () => startOwnPostgres({ diskMib: 160 }),
    hurt: async (journal) => {
      const filling = join(journal.postgres.data, '..', 'filling');
      expect(() => writeFileSync(filling, Buffer.alloc(200 << 20))).toThrow('ENOSPC');
      await says(journal, /waits: .*No space left on device/u);
      rmSync(filling);
      await journal.postgres.startIfGone(); // it ends itself where it cannot write its log
    },
  },
];

describe.each(peers)('a PostgreSQL that $peer', ({ hurt, everyMs, start }) => {
  test('gets each change once, in time or later; no event uses up a try, and no process ends', async () => {
    const own = await start?.();
    if (own !== undefined) onTestFinished(own.stop);
    const journal = await openJournal(own, everyMs);
    const { postgres, forwarder, outcomes, stream } = journal;
    await hurt(journal);
    expect(await mostTries(stream)).toBeLessThan(2);
    const expected = await journal.expected();
    await vi.waitFor(async () => expect(await journal.count()).toBeGreaterThanOrEqual(expected.length), soon);
    expect(await readJournal(postgres)).toEqual(expected);
    expect(await outcomes()).toMatchObject({ failed: 0, aside: 0, lost: 0 });
    forwarder.signal('SIGTERM');
    expect([await forwarder.exited, forwarder.said()]).toEqual([0, expect.stringContaining('events handled')]);
  });
});

/** The sessions of forwarders that a PostgreSQL still has. */
const sessions = ({ ask }: OwnPostgres) =>
  ask<{ pid: number; state: string }>(`SELECT pid, state FROM pg_stat_activity WHERE application_name = 'pas forward'`);

test('a locked row holds up no other node', async () => {
  const journal = await openJournal();
  await holding(journal, lockOf(VICTIM), async () => {
    await isPostponed(journal);
    const before = await journal.count(VICTIM);
    await vi.waitFor(async () => expect(await journal.count(VICTIM)).toBeGreaterThan(before + 100), soon);
  });
});

test('forwarders that were killed while they wait for a lock leave no session behind', async () => {
  const journal = await openJournal();
  await holding(journal, lockOf(VICTIM), async () => {
    await isPostponed(journal);
    await journal.forwarder.stop();
    await vi.waitFor(async () => expect(await sessions(journal.postgres)).toEqual([]), { timeout: 10_000 });
  });
});

test('a forwarder that vanished in a transaction leaves its locks to others after a time; when it is back, it writes nothing twice', async () => {
  const journal = await openJournal(shared, 20);
  const { postgres, forwarder, forward } = journal;
  const isInTransaction = async (): Promise<boolean> =>
    (await sessions(postgres)).some(({ state }) => state === 'idle in transaction');
  await vi.waitFor(
    async () => {
      forwarder.signal('SIGSTOP');
      const isCaught = await isInTransaction();
      if (!isCaught) forwarder.signal('SIGCONT');
      expect(isCaught).toBe(true);
    },
    { ...soon, interval: 10 },
  );
  const second = forward();
  const expected = await journal.expected();
  await vi.waitFor(async () => expect(await journal.count()).toBeGreaterThanOrEqual(expected.length), soon);
  forwarder.signal('SIGCONT');
  await vi.waitFor(async () => expect(await isInTransaction()).toBe(false), soon);
  expect(await readJournal(postgres)).toEqual(expected);
  for (const one of [forwarder, second]) {
    one.signal('SIGTERM');
    expect([await one.exited, one.said()]).toEqual([0, expect.any(String)]);
  }
});

test('an event that PostgreSQL refuses for good is set aside by its name and counted; --catch-up then ends with 1', async () => {
  const journal = await openJournal();
  const { postgres, stream, outcomes, forward } = journal;
  await postgres.ask(`ALTER TABLE point_alarm.status_change ADD CHECK (node <> '${VICTIM}') NOT VALID`);
  await vi.waitFor(async () => expect((await outcomes())['aside']).toBeGreaterThan(0), soon);
  const expected = (await journal.expected()).filter(({ node }) => node !== VICTIM);
  await vi.waitFor(async () => expect(await journal.count(VICTIM)).toBe(expected.length), soon);
  expect((await readJournal(postgres)).filter(({ node }) => node !== VICTIM)).toEqual(expected);
  const aside = (await redis.xRange(`${stream}:point-alarm-journal:aside`, '-', '+')) ?? [];
  expect(new Set(aside.map(({ message }) => message['aggregateId']))).toEqual(new Set([VICTIM]));
  expect(journal.forwarder.said()).toMatch(/^\d+-\d+ is set aside/mu);
  // An event without a change may move the node's place on, and then the refused ones before it count as repeats.
  await journal.forwarder.stop();
  await postgres.ask(`DELETE FROM point_alarm.place WHERE node = '${VICTIM}'`);
  const again = forward('--catch-up', '--group', 'another');
  expect([await again.exited, again.said()]).toEqual([1, expect.stringMatching(/\d+ events were set aside or lost/u)]);
});
