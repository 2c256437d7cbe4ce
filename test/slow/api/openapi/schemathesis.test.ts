import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../../../dev/stack/project-root';
import { onPath } from '../../../../dev/stack/environment';
import { startService, type Service } from '../../../support/service';

/** What the run of half a minute may take on a busy machine. */
const MOST_MS = 180_000;

let folder: string;
let service: Service;
beforeAll(async () => {
  if (onPath('python3', process.env) === undefined)
    throw new Error('there is no python3 on PATH: install python3-venv');
  folder = mkdtempSync(join(tmpdir(), 'point-alarm-schemathesis-'));
  cpSync(join(projectRoot, 'test/slow/api/openapi'), folder, { recursive: true });
  execFileSync('bash', ['-c', 'python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What Schemathesis reports of the document at `url`, whether it finds faults or not; lines with whole bodies are cut. */
const reportOf = async (url: string): Promise<string> => {
  const run = promisify(execFile)('.venv/bin/st', ['run', url], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TOKEN: await service.token() },
    timeout: MOST_MS,
    maxBuffer: 64 * 1_024 * 1_024,
  });
  const report = await run.then(
    ({ stdout }) => stdout,
    (error: unknown) => (error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)),
  );
  return report.replaceAll(/^(.{1000}).+$/gmu, '$1…');
};

test('Schemathesis finds nothing on which the OpenAPI document and the service disagree', async () => {
  const report = await reportOf(`http://127.0.0.1:${service.api}/openapi.json`);
  const [, generated, passed] = /(\d+) generated, (\d+) passed/u.exec(report) ?? [];
  expect(Number(generated), report).toBeGreaterThan(1_000);
  expect(passed).toBe(generated);
  for (const phase of ['Examples', 'Coverage', 'Fuzzing', 'Stateful']) expect(report).toContain(`✅ ${phase}`);
  expect(report).not.toContain('WARNINGS');
});
