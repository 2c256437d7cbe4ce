import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../../stack/project-root';
import { startService } from '../../support/service';

test('a client that openapi-python-client generates by its defaults sets, measures, reads, and reads a problem', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'point-alarm-generated-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const run = (command: string): string =>
    execFileSync('bash', ['-c', `set -e; ${command}`], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  run('python3 -m venv .venv; .venv/bin/pip install -q openapi-python-client==0.29.1');
  const document = join(projectRoot, 'docs/openapi.json');
  const said = run(`PATH=$PWD/.venv/bin:$PATH openapi-python-client generate --path '${document}' 2>&1`);
  expect(said.trim()).toMatch(/^Generating \S+\/point-alarm-service-client$/u); // and no warning

  const service = await startService();
  onTestFinished(service.stop);
  const env = {
    PYTHONPATH: join(folder, 'point-alarm-service-client'),
    URL: `http://127.0.0.1:${service.api}`,
    TOKEN: await service.token(),
  };
  const script = join(projectRoot, 'test/slow/docs/generated_client.py');
  await promisify(execFile)(join(folder, '.venv/bin/python'), [script], { env });
});
