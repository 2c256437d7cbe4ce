import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { stringify } from 'yaml';
import { createDependencies } from '../../process/dependencies';
import { documentOf } from '../../api/http/openapi';
import { openRoutesOf } from '../../api/http/open-routes';
import { catalogue, problemTypes } from '../../api/http/problems/catalogue';
import { explanationOf, jsonBlock, problemExample } from '../../api/http/problems/problem';
import { routesOf } from '../../api/routes';
import { metrics, type Metric } from '../../process/metrics';
import { apiSettings, workerSettings } from '../../process/settings';
import { envExample, settingsTables } from '../../process/settings/documents';
import { eventsOf } from '../../stream/append';
import { documentOf as asyncDocumentOf } from '../../stream/asyncapi';
import { knownBearingRows } from '../../workflows/domain/rating/vibration/bearings/known-bearings';
import { halConstants } from '../../workflows/domain/rating/vibration/hal/hal-constants';
import { meterLabels, nodeCounters } from '../../workflows/node-counters';
import { projectRoot } from '../project-root';
import { generate } from './generated-document';

const SCRIPT = 'stack/commands/documents.ts';

/** A page with `text` between its two markers, made of what stands there now. */
const withBetween =
  (marker: string, text: (present: string) => string) =>
  (page: string): string => {
    const [before, present, after, ...more] = page.split(marker);
    if (present === undefined || after === undefined || more.length > 0)
      throw new Error(`the page must hold the marker ${marker} twice`);
    return [before, text(present), after].join(marker);
  };

/** The metrics of the service, and of its consumers and forwarders. */
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
  return `${JSON.stringify(documentOf(routes, open), undefined, 2)}\n`;
};

const asyncApi = (): string => {
  const document = asyncDocumentOf(eventsOf(preset(workerSettings({}))));
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

/** Whether a HAL cannot tell an order from a multiple of the shaft. */
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
  { path: 'docs/configuration.md', text: withBetween('<!-- settings -->', settingsTables) },
  { path: '.env.example', text: () => envExample(readFileSync(join(projectRoot, 'docs/configuration.md'), 'utf8')) },
  { path: 'docs/metrics.md', text: withBetween('<!-- service -->', () => `\n${metricsTable()}\n`) },
  { path: 'docs/openapi.json', text: openApi },
  { path: 'docs/errors.md', text: errors },
  { path: 'docs/known-bearings.md', text: bearings },
  { path: 'docs/asyncapi.yaml', text: asyncApi },
]);
