import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { stringify } from 'yaml';
import { createDependencies } from '../../../process/dependencies';
import { openApiDocument } from '../../../api/contract/openapi';
import { openRoutesOf } from '../../../api/http/open-routes';
import { catalogue, problemTypes } from '../../../api/contract/problems/catalogue';
import { explanationOf, jsonBlock, problemExample } from '../../../api/contract/problems/problem';
import { routesOf } from '../../../api/routes';
import { metrics, type Metric } from '../../../process/metrics';
import { apiSettings, workerSettings } from '../../../process/settings';
import { envExample, settingsTables } from '../../../process/settings/documents';
import { eventsOf } from '../../../stream/append';
import { asyncApiDocument } from '../../../stream/asyncapi';
import { knownBearingRows } from '../../../workflows/domain/rating/vibration/bearings/known-bearings';
import { halConstants } from '../../../workflows/domain/rating/vibration/hal/hal-constants';
import { meterLabels, nodeCounters } from '../../../workflows/node-counters';
import { projectRoot } from '../project-root';
import { generate } from './generated-document';

const SCRIPT = 'dev/stack/commands/documents.ts';

/** Replaces what stands between two occurrences of `marker` in a page; `text` makes the new text from the present one. */
const withBetween =
  (marker: string, text: (present: string) => string) =>
  (page: string): string => {
    const [before, present, after, ...more] = page.split(marker);
    if (present === undefined || after === undefined || more.length > 0)
      throw new Error(`the page must hold the marker ${marker} twice`);
    return [before, text(present), after].join(marker);
  };

/** The table of docs/metrics.md: the metrics of the service, of consumers of its stream, and of forwarders to Alertmanager. */
const metricsTable = (): string => {
  const ofNodes = Object.values(nodeCounters).map(({ name, labels, help }): readonly [string, Metric] => [
    `${name}_total`,
    { in: 'worker', type: 'counter', labels: [...labels, ...meterLabels], help },
  ]);
  const rows = [...Object.entries<Metric>(metrics), ...ofNodes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { in: where, type, labels = [], help }]) => {
      const names = [...labels].sort().map((label) => `\`${label}\``);
      return `| \`${name}\` | ${where} | ${type} | ${names.join(', ')} | ${help} |`;
    });
  return ['| Metric | In | Type | Labels | Meaning |', '|---|---|---|---|---|', ...rows].join('\n');
};

/** The table of folders, with what each may import by the names of the rules in `.dependency-cruiser.cjs`. */
const foldersTable = (present: string): string => {
  const config: unknown = createRequire(join(projectRoot, 'package.json'))('./.dependency-cruiser.cjs');
  const { forbidden } = config as { readonly forbidden: ReadonlyArray<{ readonly name: string }> };
  const imports = new Map(
    forbidden.flatMap(({ name }) => {
      const [, room, allowed] = /^(\S+) imports (.+)$/u.exec(name) ?? [];
      return room === undefined || allowed === undefined ? [] : [[room, allowed] as const];
    }),
  );
  const shown = new Set<string>();
  const table = present.replace(/^\| `([\w./]+)` \| (.+?) \| .*\|$/gmu, (_, folder: string, holds: string) => {
    const room = folder.replace(/\/$/u, '');
    shown.add(room);
    return `| \`${folder}\` | ${holds} | ${imports.get(room)?.replaceAll(' ', ', ') ?? ''} |`;
  });
  for (const room of imports.keys()) if (!shown.has(room)) throw new Error(`no row is about ${room}`);
  return table;
};

const preset = <A>(settings: E.Either<ReadonlyArray<string>, A>): A => {
  if (E.isLeft(settings)) throw new Error(settings.left.join('; '));
  return settings.right;
};

const openApi = (): string => {
  const settings = preset(apiSettings({ AUTH_JWKS_FILE: 'keys', GRANTS_FILE: 'grants' }));
  const routes = routesOf(settings, { kindOf: () => 'measurement_point' });
  const checks = ['Temporal', 'Redis'].map((dependency) => ({ dependency, answers: () => Promise.resolve(true) }));
  const registry = new Registry();
  const open = openRoutesOf(routes, createDependencies(checks, registry), () => false, registry);
  const operations = open.filter((route) => 'answers' in route);
  return `${JSON.stringify(openApiDocument(routes, operations), undefined, 2)}\n`;
};

const asyncApi = (): string => {
  const document = asyncApiDocument(eventsOf(preset(workerSettings({}))));
  const yaml = stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
  return `# Written by ${SCRIPT} from the codecs of the events.\n${yaml}`;
};

const errors = (): string =>
  [
    '# Errors',
    '',
    'Every 4xx and 5xx of the service is `application/problem+json` (RFC 9457); those of a proxy may differ. Programs go by `type`, which stays; titles and details may change. [A table](calls.md#which-answers-to-repeat) says which calls to repeat. A running service explains each type at its address (`/problems/timeout`).',
    '',
    ...jsonBlock(problemExample('unavailable')),
    '| Member | Holds |',
    '|---|---|',
    '| `type` | the address of the type |',
    '| `title`, `status` | the type in words, and its HTTP status |',
    '| `detail` | what happened in this call |',
    '| `instance` | the address that was called |',
    '| `requestId` | the name of the call, as in `X-Request-Id` and in the log |',
    '| others | by the type, below |',
    '',
    '| Status | Types |',
    '|---|---|',
    ...[...new Set(problemTypes.map((type) => catalogue[type].status))].map((status) => {
      const types = problemTypes.filter((type) => catalogue[type].status === status);
      return `| ${status} | ${types.map((type) => `[${type}](#${type})`).join(', ')} |`;
    }),
    '',
    ...problemTypes.map(explanationOf),
  ].join('\n');

/** Whether a HAL (harmonic alarm) cannot tell a fault of this order from a multiple of the shaft's frequency. */
const isOnShaft = (order: number): boolean => {
  const whole = Math.max(Math.round(order), 1);
  return Math.abs(order - whole) < halConstants.onShaft * whole;
};

const bearings = (): string => {
  const sources = [...new Set(knownBearingRows.map(({ source }) => source))];
  return [
    '# Known bearings',
    '',
    'The service knows these bearings. The table shows the [orders](bearings.md#defect-orders) of their faults, each from a public document. An order with * [cannot be told from a multiple of the shaft](hal.md#what-it-cannot-do). You can [add your own](bearings.md#add-your-own).',
    '',
    '| Manufacturer | Model | Elements | FTF | BSF | BPFO | BPFI | Source |',
    '|---|---|---|---|---|---|---|---|',
    ...knownBearingRows.map(({ manufacturer, modelNumber, elements, source, orders: { ftf, bsf, bpfo, bpfi } }) => {
      const orders = [ftf, bsf, bpfo, bpfi].map((order) => `${order.toFixed(4)}${isOnShaft(order) ? '*' : ''}`);
      return `| ${[manufacturer, modelNumber, elements, ...orders, sources.indexOf(source) + 1].join(' | ')} |`;
    }),
    '',
    "Timken names its wide inner ring ball bearings by the size of the outer ring: 206K has the size of a 6206, 307K of a 6307. Such a bearing may [stand in](bearings.md#how-a-name-is-matched) for another maker's bearing of this size with as many balls. But the BSF of 204K is 3.6 % below that of LDK UER204. The source of the Timken rows prints BPFO and BSF; BPFI and FTF follow from them. Timken 305K, Timken 306K and the bearing of the FEMTO-ST PRONOSTIA data set are left out, because their documents contradict themselves or each other.",
    '',
    'Sources:',
    '',
    ...sources.map((source, at) => `${at + 1}. ${source}`),
    '',
  ].join('\n');
};

void generate(SCRIPT, [
  { path: 'CONTRIBUTING.md', text: withBetween('<!-- folders -->', foldersTable) },
  { path: 'docs/configuration.md', text: withBetween('<!-- settings -->', settingsTables) },
  { path: '.env.example', text: () => envExample(readFileSync(join(projectRoot, 'docs/configuration.md'), 'utf8')) },
  { path: 'docs/metrics.md', text: withBetween('<!-- service -->', () => `\n${metricsTable()}\n`) },
  { path: 'docs/openapi.json', text: openApi },
  { path: 'docs/errors.md', text: errors },
  { path: 'docs/known-bearings.md', text: bearings },
  { path: 'docs/asyncapi.yaml', text: asyncApi },
]);
