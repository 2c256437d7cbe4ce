import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { folderOfTest } from '../../support/temporary-folder';

vi.setConfig({ testTimeout: 60_000 }); // of many processes

const SOURCES = 'activities api cli client dev/bench dev/stack process stream worker workflows'.split(' ');
const LOCK = JSON.stringify({ packages: { '': {}, 'node_modules/one': { version: '1.0.0' } } });

/** An npm whose `ci` writes its list, and whose build writes `dist`. */
const NPM = `
const { mkdirSync, writeFileSync } = require('node:fs');
if (process.argv[2] === 'ci') writeFileSync('node_modules/.package-lock.json', ${JSON.stringify(LOCK)});
else mkdirSync('dist', { recursive: true });
writeFileSync(process.argv[2], '');
`;

test.each([
  ['cut off', LOCK.slice(0, 30)],
  ['empty', ''],
  ['without packages', '{}'],
])("where npm's list of what it installed is %s, as on a full disk, it is installed anew", (_, list) => {
  const folder = folderOfTest();
  for (const name of [...SOURCES, 'dev/stack/commands', 'node_modules'])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ['dev/stack/commands/bootstrap.mjs', 'process/pid-lock.cjs'])
    cpSync(join(projectRoot, name), join(folder, name));
  for (const [name, text] of Object.entries({
    ...{ 'package.json': '{}', 'package-lock.json': LOCK, 'tsconfig.json': '{}', 'tsconfig.build.json': '{}' },
    ...{ 'npm.js': NPM, 'node_modules/.package-lock.json': list },
  }))
    writeFileSync(join(folder, name), text);
  const env = { ...process.env, npm_execpath: join(folder, 'npm.js') };
  const prepared = spawnSync(process.execPath, [join(folder, 'dev/stack/commands/bootstrap.mjs'), 'prepare'], {
    env,
    encoding: 'utf8',
  });
  expect(prepared).toMatchObject({ status: 0, stdout: '' });
  expect(existsSync(join(folder, 'ci'))).toBe(true);
});
