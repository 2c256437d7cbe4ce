import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Row } from '../../../dev/bench/measure';
import { projectRoot } from '../../../dev/stack/project-root';
import { folderOfTest } from '../../support/temporary-folder';

const reportOf = (...args: ReadonlyArray<string>) => {
  const folder = folderOfTest();
  const all = ['run', '-s', 'bench', '--', ...args, '--quick', '--out', folder];
  const tables = execFileSync('npm', all, { cwd: projectRoot, encoding: 'utf8' });
  const [file = ''] = readdirSync(folder);
  const { rows }: { readonly rows: ReadonlyArray<Row> } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  return { tables, rows };
};

test('the benchmark measures baseline and service, prints a table and keeps its figures', () => {
  const { tables, rows } = reportOf('--only', 'spread,lag');
  expect(tables).toMatch(/^\| 100 nodes, 64 callers \| baseline \|/mu);
  expect(tables).toMatch(/^\| 100 nodes, 64 callers \| service \|/mu);
  expect(tables).toMatch(/^\| 100 nodes, 64 callers \| flapping \|/mu);
  const sides = ['service', 'service', 'baseline', 'service', 'flapping', 'baseline, flapping', 'baseline, defaults'];
  expect(rows.map(({ side }) => side)).toEqual(sides);
  for (const { figures } of rows) {
    expect(figures['Calls/s']).toBeGreaterThan(0);
    expect(figures['failed']).toBeGreaterThanOrEqual(0); // how many is for a quiet machine to tell
  }
  expect(rows.find(({ load }) => load === '100 nodes, at half of that rate')?.figures['events']).toBeGreaterThan(0);
});
