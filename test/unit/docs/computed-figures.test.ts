import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { workerSettings } from '../../../process/settings';
import { projectRoot } from '../../../dev/stack/project-root';
import { rightOf } from '../../support/either';

const textOf = (page: string): string => readFileSync(join(projectRoot, 'docs', page), 'utf8');

/** A text without its links and emphasis. */
const plain = (text: string): string => text.replace(/\[([^\]]*)\]\([^)]*\)/gu, '$1').replace(/[*`]/gu, '');

/** The cells of each row of the tables below a heading, by the first cell; of two rows of one name the first counts. */
const rowsOf = (page: string, heading: string): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    [
      ...(
        textOf(page)
          .split(/^#+ /mu)
          .find((part) => part.startsWith(`${heading}\n`)) ?? ''
      ).matchAll(/^\|(.+)\|$/gmu),
    ]
      .map(([, row = '']) => row.split('|').map((cell) => plain(cell).trim()))
      .reverse()
      .map(([name = '', ...cells]) => [name, cells]),
  );

const TABLES = 'contributing/benchmarks-tables.md';
const costs = rowsOf(TABLES, 'On a cluster');
/**
 * Processor time (ms) of a value, by process; `ms` is that of all. At this pace the machine of the measurement was about as busy
 * as the plan has its machines.
 */
const cost = (name: string): number => Number(costs.get('60 per second')?.[costs.get('Load')?.indexOf(name) ?? -1]);
const databaseCosts = rowsOf(TABLES, 'Rows and log of PostgreSQL');
const databaseCost = (name: string): number => Number(databaseCosts.get(name)?.[0]);
const factors = rowsOf('contributing/cluster-capacity.md', 'Factors');
/** A factor's first number. */
const factor = (name: string): number => Number(/[\d.]+/u.exec(factors.get(name)?.[0] ?? '')?.[0]);

const TEMPORAL = cost('Temporal');
const OWN = cost('API') + cost('worker') + factor("a worker's additional time per value") + cost('HAProxy');
const BESIDE_TEMPORAL = OWN + cost('Redis');
const BUSY_MS = 600;
/** Of twelve cores Temporal has four, and what is beside it and PostgreSQL has six. */
const PER_CORE = Math.floor((BUSY_MS * Math.min(4 / TEMPORAL, 6 / BESIDE_TEMPORAL)) / 12);

const COST_ON_CLOUD = 'Cost on Temporal Cloud';
/** The price list: how many million actions, each at how much. */
const prices = rowsOf('capacity.md', COST_ON_CLOUD);
const PRICE_LIST = (prices.get('$ per million') ?? []).slice(0, -1).map(Number);
const PRICE_STEPS = (prices.get('Million actions') ?? []).map((cell) =>
  Number(/next (\d+)|first (\d+)/u.exec(cell)?.[0].split(' ')[1]),
);
const CONTRACT = 25;
const INCLUDED = { million: 2.5, runningGb: 2.5, closedGb: 100 };
const STORAGE = { running: 0.042 * 720, closed: 0.00105 * 720 };

const grouped = (value: number): string => value.toLocaleString('en-US');
const cells = (values: ReadonlyArray<string | number>): ReadonlyArray<string> =>
  values.map((value) => (typeof value === 'number' ? grouped(value) : value));
const dollars = (value: number): string => {
  const step = value < 2_000 ? 10 : 100;
  return `$${grouped(Math.round(value / step) * step)}`;
};
const gb = (value: number): string => `${value} GB`;

/** By the number of a point's writes in 90 minutes. */
const actionsPerWrite = (w: number): number => 1 + 3 / 96 + 2 / w;
const storedGb = (points: number, perDay: number) => ({
  running: (points * factor('disk of PostgreSQL')) / 1_000,
  closed: (points * perDay * databaseCost('growth, KB')) / 1e6,
});

const cloud = (points: number, perDay: number) => {
  const million = (points * perDay * 30 * actionsPerWrite(Math.ceil(perDay / 16))) / 1e6;
  const billed = million - INCLUDED.million;
  let [rest, actions] = [billed, 0];
  PRICE_LIST.forEach((price, at) => {
    const here = Math.min(rest, PRICE_STEPS[at] ?? 0);
    actions += here * price;
    rest -= here;
  });
  const { running, closed } = storedGb(points, perDay);
  const storage =
    Math.max(0, running - INCLUDED.runningGb) * STORAGE.running +
    Math.max(0, closed - INCLUDED.closedGb) * STORAGE.closed;
  const used = actions + rest * CONTRACT + storage;
  const developer = (million * 50 + running * STORAGE.running + closed * STORAGE.closed) * 1.1;
  return { million, byContract: rest, actions: used - storage, business: used + Math.max(500, used / 10), developer };
};

const sizes = [1_000, 5_000, 20_000, 50_000].map((points) => {
  const rate = points / 60;
  const aloneOf = (cores: number): number => (rate * TEMPORAL) / 1_000 / cores;
  const cores = [2, 4, 6, 8, 12, 16].find((each) => 6 * each * PER_CORE >= rate && aloneOf(each) <= 0.9) ?? 0;
  const workers = points > 5_000 ? points / 2_500 + 2 : 2;
  const apis = Math.max(2, Math.ceil((rate * cost('API')) / BUSY_MS));
  // Of three machines the two with Redis get no more than a third; where two have workers, each holds all nodes.
  const perMachine = Math.max(1, Math.floor(workers / 3));
  const nodes = workers === 2 ? points : points / 2;
  const memory =
    ((perMachine * factor('memory of a worker') + (nodes * 0.2) / 1_000) * 4) / 3 +
    Math.max(1, Math.floor(apis / 3)) * 0.5 +
    2.4 +
    1;
  return { points, rate, alone: aloneOf(cores), aloneOf, cores, workers, apis, memory, ...cloud(points, 1_440) };
});
const archive = (rate: number): number => (rate * 86_400 * databaseCost('log (WAL), KB')) / 1e6;
const { EVENT_STREAM_MAXLEN: streamLength } = rightOf(workerSettings({}));
const lasts = (rate: number): string => {
  const minutes = Math.round(streamLength / rate / 60);
  return minutes < 60 ? `${minutes} minutes` : `${(minutes / 60).toFixed(1)} hours`;
};
const of = (value: (size: (typeof sizes)[number]) => string | number) => cells(sizes.map(value));
const list = (values: ReadonlyArray<string | number>): string =>
  `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;

test.each(['As with Docker Compose', 'On a cluster'])('the page of capacity says what a value costs: %s', (layout) => {
  const rows = rowsOf(TABLES, layout);
  const at = rows.get('Load')?.indexOf('ms') ?? -1;
  const sums = ['idle', '10 per second', '40 per second', '60 per second', '100 per second'].map(
    (load) => rows.get(load)?.[at],
  );
  expect(rowsOf('contributing/cluster-capacity.md', 'What a value costs').get(layout)).toEqual(sums);
});

describe('the table of four sizes follows from its factors', () => {
  const table = rowsOf('capacity.md', 'Four sizes');
  test.each([
    ['', of(({ points }) => `${grouped(points)} points`)],
    ['values per second', of(({ rate }) => Math.round(rate))],
    [`cores needed in all (values per second ÷ ${PER_CORE})`, of(({ rate }) => Math.ceil(rate / PER_CORE))],
    ['machines', of(() => 6)],
    ['cores of each machine', of(({ cores }) => cores)],
    ['core hours in 30 days', of(({ cores }) => 6 * cores * 720)],
    ["memory of PostgreSQL's machine (a guess)", of(({ points }) => gb(Math.max(4, (0.8 * points) / 1_000)))],
    [
      "memory of each of Temporal's two machines",
      of(({ points }) => gb(Math.ceil(factor('memory of a Temporal host') + Math.max(20_000, 1.2 * points) / 10_000))),
    ],
    ['memory of each of the three others', of(({ memory }) => gb(2 ** Math.ceil(Math.log2(memory))))],
    [
      "disk of PostgreSQL's machine, 15 % of it free",
      of(({ points }) => gb(Math.ceil(Object.values(storedGb(points, 1_440)).reduce((a, b) => a + b) / 0.85))),
    ],
    ['archive of PostgreSQL, per day', of(({ rate }) => gb(Math.round(archive(rate))))],
    ['the default stream lasts', of(({ rate }) => lasts(rate))],
    ['Temporal Cloud, million actions in 30 days', of(({ million }) => Math.round(million))],
    ['of these priced by contract', of(({ byContract }) => (byContract === 0 ? 'none' : Math.round(byContract)))],
    ['its price in 30 days, with $25 per million assumed by contract', of(({ business }) => dollars(business))],
    ['cores of your own beside it', of(({ rate }) => Math.ceil((rate * BESIDE_TEMPORAL) / BUSY_MS))],
  ])('%s', (name, expected) => expect(table.get(name)).toEqual(expected));

  test('the sentences beside it say the same', () => {
    expect(textOf('capacity.md')).toContain(
      `at most ${PER_CORE} single values per second for each core**: ${12 * PER_CORE} with two cores each`,
    );
    expect(readFileSync(join(projectRoot, 'README.md'), 'utf8')).toContain(`[${PER_CORE} per second for each core](`);
    const [, , of20000, of50000] = sizes;
    const busy = sizes.map(({ alone }) => Math.round(100 * alone));
    const percent = (share: number | undefined): string => `${Math.round(100 * (share ?? NaN))} %`;
    expect(textOf('capacity.md')).toContain(`the other is ${list(busy)} % busy`);
    const way = plain(textOf('contributing/cluster-capacity.md'));
    for (const said of [
      `Temporal takes ${TEMPORAL.toFixed(1)} ms of the ${cost('ms').toFixed(1)} ms`,
      `0.6 s ÷ ${(cost('ms') + 1).toFixed(1)} ms = ${Math.floor(BUSY_MS / (cost('ms') + 1))} values per second`,
      `${percent(of20000?.alone)} with 20,000 on four.`,
      `with ${Math.floor((BUSY_MS * 4) / TEMPORAL)} values per second, which is ${PER_CORE} for each`,
      `on eight it would be ${percent(of50000?.aloneOf(8))} busy, on twelve it is ${percent(of50000?.alone)}`,
      `need ${(((of20000?.rate ?? NaN) * (cost('ms') + 1)) / BUSY_MS).toFixed(1)} cores`,
      `${list(sizes.map(({ workers }) => workers))} workers and ${list(sizes.map(({ apis }) => apis))} APIs`,
      `takes at most ${list(sizes.map(({ memory }) => memory.toFixed(1)))} GB`,
    ])
      expect(way).toContain(said);
  });
});

test.each([
  ['every minute', 1_440],
  ['every ten minutes', 144],
  ['every hour', 24],
])('5,000 points, measured %s, cost on Temporal Cloud what the page says', (name, perDay) => {
  const { million, business, developer } = cloud(5_000, perDay);
  const w = Math.ceil(perDay / 16);
  const shown = million < 10 ? million.toFixed(1) : million.toFixed(0);
  expect(rowsOf('capacity.md', COST_ON_CLOUD).get(name)).toEqual([
    ...[String(w), actionsPerWrite(w).toFixed(2), shown, dollars(business), dollars(developer)],
  ]);
});

test('the bill of 5,000 points follows from the price list', () => {
  const { million, actions } = cloud(5_000, 1_440);
  const ten = (value: number): string => `$${grouped(Math.round(value / 10) * 10)}`;
  const page = textOf('capacity.md');
  expect(page).toContain(
    `216 million writes × ${actionsPerWrite(90).toFixed(4)} = ${million.toFixed(0)} million actions`,
  );
  expect(page).toContain(`cost ${ten(actions)}, and the plan ${ten(actions / 10)}`);
});

test('the load of PostgreSQL with 50,000 points follows from its costs', () => {
  const of50000 = sizes[3]?.rate ?? NaN;
  const transactions = Math.round((of50000 * databaseCost('transactions, reads among them')) / 1_000) * 1_000;
  const log = Math.round((of50000 * databaseCost('log (WAL), KB')) / 1_000);
  expect(textOf('capacity.md')).toContain(
    `about ${grouped(transactions)} transactions and ${log} MB of log per second`,
  );
});

describe('the table of what dies has the longest times of the cluster', () => {
  const measured = [...rowsOf('contributing/tested-cluster.md', 'On a cluster')];
  const shown = rowsOf('guarantees.md', 'How long a fault is felt');
  const seconds = (cell = ''): number => Number(cell.replace(' s', ''));

  test.each([
    ['a Temporal host: killed, frozen or cut off', /^(?:kill -9|a freeze|a partition) of Temporal host/u, 6],
    ["a worker's host, likewise", /^(?:kill -9|a freeze|a partition) of a worker host/u, 3],
    ["an API's host, likewise", /^(?:kill -9|a freeze|a partition) of an API host/u, 3],
    ["Redis' primary, likewise", /^(?:kill -9|a freeze|a partition) of Redis' primary/u, 3],
    ["Redis' replica: killed", /^kill -9 of Redis' replica/u, 1],
    ['PostgreSQL: frozen; no spare', /^a freeze of PostgreSQL/u, 1],
    ['the balancer: frozen; no spare', /^a freeze of the balancer/u, 1],
    ['everything: killed, and started again', /^a cold start of everything/u, 1],
    ['each host in turn: a rolling restart', /^a rolling restart/u, 1],
  ])('%s', (name, scenarios, count) => {
    const rows = measured.filter(([scenario]) => scenarios.test(scenario));
    expect(rows).toHaveLength(count);
    // Writes, lost, repeated, silence, longest wait, p99, recovery.
    const longest = [3, 4, 6].map((at) => `${Math.ceil(Math.max(...rows.map(([, cells]) => seconds(cells[at]))))} s`);
    expect(shown.get(name)?.slice(1)).toEqual(longest);
  });
});
