import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { onPath } from '../../../dev/stack/environment';
import { cacheFolder } from '../../../dev/stack/go-tool';

/** The generators, and what their clients need beside what their own lists of dependencies pin. */
export const pins = {
  pypi: [
    'openapi-generator-cli==7.26.0',
    'openapi-python-client==0.29.1',
    'pydantic==2.14.4',
    'python-dateutil==2.9.0',
    'urllib3==2.7.0',
  ],
  npm: ['@asyncapi/modelina@5.10.1', 'openapi-fetch@0.17.0', 'openapi-typescript@7.13.0', 'typescript@5.9.3'],
  go: ['github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'],
};
export const GO_RUNTIME = 'github.com/oapi-codegen/runtime@v1.9.0';

/** How each registry's client fetches `$@` into the present folder. */
const fetching = {
  pypi: 'python3 -m venv . && bin/pip install -q "$@"',
  npm: 'npm install --silent --no-audit --no-fund --ignore-scripts --prefix . "$@"',
  go: 'GOBIN=$PWD GOWORK=off go install "$@"',
};

/** What `command` prints, run by bash in `folder` with the arguments `args`. Errors: anything but exit code 0. */
export const shell = (folder: string, command: string, ...args: ReadonlyArray<string>): string => {
  const missing = ['python3', 'npm', 'go', 'java', 'mvn'].filter((name) => onPath(name, process.env) === undefined);
  if (missing.length > 0) throw new Error(`generated clients need ${missing.join(', ')} on PATH`);
  return execFileSync('bash', ['-ec', command, 'bash', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
};

/** The folder with the tools of a registry: kept in the user's cache by their versions, fetched where it is not there. */
export const toolsFrom = (registry: keyof typeof pins): string => {
  const names = pins[registry].map((pin) => basename(pin).replaceAll('==', '-').replaceAll('@', '-'));
  const kept = join(cacheFolder(process.env), `client-generators-${registry}-${names.join('-')}`);
  if (existsSync(kept)) return kept;
  mkdirSync(dirname(kept), { recursive: true });
  const folder = mkdtempSync(`${kept}-`);
  try {
    shell(folder, fetching[registry], ...pins[registry]);
    if (!existsSync(kept)) renameSync(folder, kept);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return kept;
};
