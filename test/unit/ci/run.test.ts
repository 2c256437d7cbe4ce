import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { folderOfTest } from '../../support/temporary-folder';

vi.setConfig({ testTimeout: 60_000 });

/** What one run of the tests leaves: its exit code, and the files of tests with how many passed and failed there. */
interface Run {
  readonly code: number;
  readonly files: Readonly<Record<string, readonly [passed: number, failed: number]>>;
  /** The runs of vitest that failed without a file, such as by their coverage. */
  readonly loose?: ReadonlyArray<string>;
}

const reportOf = ({ files }: Run, folder: string) => ({
  numPassedTests: Object.values(files).reduce((sum, [passed]) => sum + passed, 0),
  numFailedTests: Object.values(files).reduce((sum, [, failed]) => sum + failed, 0),
  testResults: Object.entries(files).map(([name, [passed, failed]]) => ({
    ...{ name: join(folder, name), status: failed > 0 ? 'failed' : 'passed', message: '' },
    assertionResults: [
      ...Array.from({ length: passed }, () => ({ status: 'passed', fullName: 'x', failureMessages: [] })),
      ...Array.from({ length: failed }, () => ({ status: 'failed', fullName: 'x', failureMessages: ['why'] })),
    ],
  })),
});

/** Runs `.ci/run` in a folder where `npm test` comes to each of `runs` in turn, then to a pass without a test. */
const ciRun = (...runs: ReadonlyArray<Run>) => {
  const folder = folderOfTest();
  const [bin, plans] = [join(folder, 'bin'), join(folder, 'plans')];
  for (const name of ['.ci', 'bin', 'plans', 'dev/stack/commands']) mkdirSync(join(folder, name), { recursive: true });
  cpSync(join(projectRoot, '.ci/run'), join(folder, '.ci/run'));
  writeFileSync(join(folder, 'dev/stack/commands/bootstrap.mjs'), '');
  runs.forEach((run, at) => {
    mkdirSync(join(plans, String(at)));
    writeFileSync(join(plans, String(at), 'vitest.json'), JSON.stringify(reportOf(run, folder)));
    for (const name of run.loose ?? []) writeFileSync(join(plans, String(at), `${name}.loose`), '');
    writeFileSync(join(plans, `${at}.code`), String(run.code));
  });
  const command = (name: string, text: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  command('npx', 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"');
  command('apt-get', 'exit 0');
  command(
    'npm',
    `[ "$1" = test ] || [ "$1 $2" = "run test:slow" ] || exit 0
     at=$(cat ${plans}/next 2>/dev/null || echo 0); echo $((at + 1)) > ${plans}/next
     mkdir -p reports; [ -d ${plans}/$at ] || exit 0
     cp ${plans}/$at/* reports/; exit $(cat ${plans}/$at.code)`,
  );
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
  const { status, stdout } = spawnSync(join(folder, '.ci/run'), { cwd: folder, env, encoding: 'utf8' });
  return { status, last: stdout.trim().split('\n').at(-1) };
};

const steady = { 'test/unit/a.test.ts': [500, 0] } as const;
const unsteady = { 'test/e2e/b.test.ts': [10, 1] } as const;
const again: Run = { code: 0, files: { 'test/e2e/b.test.ts': [11, 0] } };

test('all pass', () => {
  expect(ciRun({ code: 0, files: steady })).toEqual({ status: 0, last: '500 passed, 0 failed' });
});

test('an unsteady file runs once more, and none of its tests is counted twice', () => {
  expect(ciRun({ code: 1, files: { ...steady, ...unsteady } }, again)).toEqual({
    status: 0,
    last: '511 passed, 0 failed',
  });
});

test('a failure without a file, such as of coverage, is not hidden by an unsteady file beside it', () => {
  const run = { code: 1, files: { ...steady, ...unsteady }, loose: ['vitest-computing'] };
  expect(ciRun(run)).toEqual({ status: 1, last: '510 passed, 1 failed' });
});

test('a file that fails again has failed', () => {
  const failing = { code: 1, files: unsteady };
  expect(ciRun({ code: 1, files: { ...steady, ...unsteady } }, failing)).toEqual({
    ...{ status: 1, last: '510 passed, 1 failed' },
  });
});
