import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Report } from '../../bench/report/report';
import { projectRoot } from '../../scripts/stack/project-root';

test('the benchmark measures floor and service, prints a table and keeps its figures', () => {
  const folder = mkdtempSync(join(tmpdir(), 'point-alarm-bench-test-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const args = ['--quick', '--rounds', '1', '--seconds', '4', '--only', 'spread', '--out', folder];
  const table = execFileSync('npm', ['run', '-s', 'bench', '--', ...args], { cwd: projectRoot, encoding: 'utf8' });
  expect(table).toMatch(/^\| 100 nodes, 64 callers \| floor \|/mu);
  expect(table).toMatch(/^\| 100 nodes, 64 callers \| service \|/mu);
  const { rows }: Report = JSON.parse(readFileSync(join(folder, 'bench.json'), 'utf8'));
  expect(rows.map(({ side }) => side)).toEqual(['floor', 'service']);
  for (const { figures } of rows) {
    expect(figures['perSecond']).toBeGreaterThan(0);
    expect(figures['failed']).toBe(0);
  }
  expect(rows[1]?.figures['events']).toBeGreaterThan(0);
});

test('it refuses what it does not know', () => {
  const run = (): string =>
    execFileSync('npm', ['run', '-s', 'bench', '--', '--rounds', 'many'], {
      cwd: projectRoot,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  expect(run).toThrow(/usage: npm run bench/u);
});
