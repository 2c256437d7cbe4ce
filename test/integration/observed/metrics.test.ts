import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../../stack/project-root';
import { shown, startBusyService } from './busy-service';
import { dashboardExpressions, metricsIn } from '../../support/ops/observed-metrics';
import type { Family } from '../../support/exposition';
import type { Service } from '../../support/service';

let service: Service;
let api: ReadonlyMap<string, Family>;
let worker: ReadonlyMap<string, Family>;
beforeAll(async () => {
  service = await startBusyService();
  [api, worker] = [await shown(service.api), await shown(service.worker)];
}, 180_000);
afterAll(() => service.stop());

const file = join(projectRoot, 'docs/metrics.md');
const document = (): string => readFileSync(file, 'utf8');

const tableOf = (belongs: (name: string) => boolean): string => {
  const names = [...new Set([...api.keys(), ...worker.keys()])].filter(belongs).sort();
  const rows = names.map((name) => {
    const [inApi, inWorker] = [api.get(name), worker.get(name)];
    const where = inApi === undefined ? 'worker' : inWorker === undefined ? 'API' : 'both';
    const { type, help } = inApi ?? inWorker!;
    const labels = [...new Set([...(inApi?.labels ?? []), ...(inWorker?.labels ?? [])])];
    return `| \`${name}\` | ${where} | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`;
  });
  return ['| Metric | In | Type | Labels | Meaning |', '|---|---|---|---|---|', ...rows].join('\n');
};

/** `markdown` with `table` between its two marks; `WRITE_METRICS=1` puts it there. */
const withTable = (markdown: string, mark: string, table: string): string => {
  const [before, , after] = markdown.split(`<!-- ${mark} -->`);
  return [before, `\n${table}\n`, after].join(`<!-- ${mark} -->`);
};

test.each([
  ['service', (name: string) => name.startsWith('point_alarm_')],
  [
    'runtime',
    (name: string) => metricsIn(dashboardExpressions().join('\n')).includes(name) && !/^(?:point|temporal)/u.test(name),
  ],
])("the document's table of the %s is what the processes show", (mark, belongs) => {
  const expected = withTable(document(), mark, tableOf(belongs));
  if (process.env['WRITE_METRICS'] !== undefined) writeFileSync(file, expected);
  expect(document()).toBe(expected);
});

test("what the document says of Temporal's SDK is what a worker shows", () => {
  const rows = [...document().matchAll(/^\| `(temporal_\w+)` \| (\w+) \|/gmu)].map(([, name, type]) => ({
    name,
    type,
  }));
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.map(({ name = '' }) => ({ name, type: worker.get(name)?.type }))).toEqual(rows);
});

test('no metric names a node', async () => {
  for (const port of [service.api, service.worker]) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?<!observed-.{36})/u);
  }
});
