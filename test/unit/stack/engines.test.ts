import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { folderWith } from '../../support/run-program';

/** What a command says under Node `version`, in a folder where nothing is built. */
const saidUnder = (version: string): string => {
  const versions = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const args = [
    '--import',
    `data:text/javascript,${versions}`,
    join(projectRoot, 'dev/stack/commands/bootstrap.mjs'),
    '-',
  ];
  return spawnSync(process.execPath, args, { cwd: folderWith({}), encoding: 'utf8', timeout: 30_000 }).stderr;
};

test.each(['18.20.8', '20.18.3', '21.7.3', '22.11.0'])('Node %s is refused by name', (version) =>
  expect(saidUnder(version)).toBe(
    `Node ${version} does not serve: this project needs Node 20.19, or 22.12 or newer.\n`,
  ),
);

test('npm refuses the same', () => {
  const { engines } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { engines: unknown };
  expect(engines).toEqual({ node: '^20.19 || >=22.12' });
});
