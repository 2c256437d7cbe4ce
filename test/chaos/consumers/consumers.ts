import { execFile, execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../../dev/stack/project-root';
import type { ChildPlan } from '../../../dev/stack/child';
import type { RedisConnection } from '../../../stream/redis-connection';
import { readJournal } from '../../support/forward/journal-rows';
import type { OwnAlertmanager } from '../../support/forward/own-alertmanager';
import type { OwnPostgres } from '../../support/forward/own-postgres';
import type { AnsweringServer } from '../../support/answering-server';
import * as effects from './effects';

/** One of the ways by which events have an effect. */
export interface Consumer {
  readonly name: string;
  /** One of its processes. Settings that all consumers share are added. */
  readonly plan: (number: number) => Pick<ChildPlan, 'command' | 'args' | 'env' | 'folder'>;
  /** The ends by itself that are right: what it needs is away. */
  readonly mayEndWith: ReadonlyArray<string>;
  /** How it ends by SIGTERM. */
  readonly stopsWith: string;
  readonly expected: (events: effects.Events) => effects.Effects;
  readonly found: () => Promise<effects.Effects>;
}

/** What the consumers write to. */
export interface Targets {
  readonly alertmanager: OwnAlertmanager;
  readonly postgres: OwnPostgres;
  /** The maintenance system of the readers. */
  readonly orders: AnsweringServer;
  /** Of the publisher. */
  readonly link: RedisConnection;
  readonly stream: string;
  /** Where the readers are built, and have their files. */
  readonly folder: string;
}

const CLAIM_AFTER_S = 3;
const CLAIM_AFTER_MS = String(CLAIM_AFTER_S * 1_000);
const DONE = 'exit code 0';
/** The exit code of `pas` where a server does not answer as it starts. */
const UNAVAILABLE = 'exit code 3';
/** A reader ends by any error (docs/consumer-python-go.md), and does not hear SIGTERM. */
const READERS = { mayEndWith: ['exit code 1'], stopsWith: 'signal SIGTERM' };

/** Builds the readers by the commands of their page, and gives the five. */
export const fiveConsumers = async (targets: Targets): Promise<ReadonlyArray<Consumer>> => {
  const { alertmanager, postgres, orders, link, stream, folder } = targets;
  cpSync(join(projectRoot, 'docs/examples'), folder, { recursive: true });
  const python = 'python3 -m venv .venv && .venv/bin/pip install -q -r python/requirements.txt';
  for (const build of [python, 'go build -C go -o ../go-reader .'])
    execFileSync('sh', ['-ec', build], { cwd: folder, env: GO, stdio: ['ignore', 'ignore', 'inherit'] });
  const effectsFile = join(folder, 'effects.db');
  const forward = (to: string, url: string, ...more: ReadonlyArray<string>): Consumer['plan'] => {
    const claiming = ['--claim-after', `${CLAIM_AFTER_S}s`];
    return () => ({ ...node('dist/cli/main.js', 'forward', to, '--url', url, ...claiming, ...more), env: {} });
  };
  const reader = (language: string, command: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => ({
    ...{ ...READERS, name: `reader in ${language}`, expected: effects.expectedOfReader },
    plan: (number: number) => {
      const own = { CONSUMER_GROUP: language, CONSUMER_NAME: `${language}-${number}`, CLAIM_AFTER_MS };
      const [program = '', ...args] = command;
      return { command: program, args, folder, env: { ...own, ...env, ORDERS_URL: `${orders.url}/${language}` } };
    },
  });
  /** A repeated key is one order, as in a maintenance system that keeps keys. */
  const ordersOf = (language: string): effects.Effects => [
    ...new Set(
      orders.asked
        .filter(({ path }) => path === `/${language}`)
        .map(({ headers, body }) => {
          const { order } = body as { readonly order: string };
          return `${order.split('/')[0] ?? ''} ${String(headers['idempotency-key'])}`;
        }),
    ),
  ];
  const COUNTS = `SELECT node || ' ' || events || ' events' AS line FROM status`;
  return [
    {
      ...{ name: 'Alertmanager', mayEndWith: [UNAVAILABLE], stopsWith: DONE },
      plan: forward('alertmanager', alertmanager.url, '--resend', '1s'),
      expected: effects.lastingAlarms,
      found: async () => effects.activeAlarms(await alertmanager.active()),
    },
    {
      ...{ name: 'PostgreSQL', mayEndWith: [UNAVAILABLE], stopsWith: DONE },
      plan: forward('postgres', postgres.url),
      expected: effects.expectedJournal,
      found: async () => effects.journalLines(await readJournal(postgres)),
    },
    {
      ...{ name: 'TypeScript', mayEndWith: [], stopsWith: DONE },
      plan: () => ({ ...node('--import', 'tsx', 'docs/examples/consume-events.ts'), env: { CLAIM_AFTER_MS } }),
      expected: effects.allEvents,
      found: async () => {
        const lines = await link.client.lRange(`${stream}:trail:trail`, 0, -1);
        return lines.map((line) => {
          const { aggregateId, sequenceId } = JSON.parse(line) as Readonly<Record<string, string>>;
          return `${aggregateId ?? ''} ${sequenceId ?? ''}`;
        });
      },
    },
    {
      ...reader('python', ['.venv/bin/python', 'python/reader.py'], { EFFECTS_URL: postgres.url }),
      found: async () => {
        const counts = await postgres.ask<{ line: string }>(COUNTS);
        return [...counts.map(({ line }) => line), ...ordersOf('python')];
      },
    },
    {
      ...reader('go', ['./go-reader'], { EFFECTS_FILE: effectsFile }),
      found: async () => {
        const command = ['-readonly', '-cmd', '.timeout 10000', effectsFile, COUNTS];
        const { stdout } = await promisify(execFile)('sqlite3', command);
        return [...stdout.trim().split('\n'), ...ordersOf('go')];
      },
    },
  ];
};

const GO = { ...process.env, GOFLAGS: '-mod=readonly', GOWORK: 'off' };
const node = (...args: ReadonlyArray<string>) => ({ command: process.execPath, args, folder: projectRoot });
