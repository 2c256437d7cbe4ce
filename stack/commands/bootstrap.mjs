// `node stack/commands/bootstrap.mjs <name> [arguments]`: makes sure that the dependencies are installed and the sources built,
// then runs that command of `dist/stack/commands/main.js` in this process. `pas` runs `dist/cli/main.js` as it was built: a build
// would change the files under a worker that runs. Plain JavaScript without dependencies: on a fresh clone there are none.
// It reports on standard error: the output of some names is for other programs.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, lstatSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { knownProcess, takeLock } from '../pid-lock.cjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const at = (...names) => join(root, ...names);
const say = (line) => process.stderr.write(`${line}\n`);

class Fault extends Error {}

const checkNode = () => {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const serves = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  if (!serves)
    throw new Fault(`Node ${process.versions.node} does not serve: this project needs Node 20.19, or 22.12 or newer.`);
};

/** Runs a command to its end, its output kept back unless it fails. A signal to us ends it, and then us. */
const run = async (doing, command, args) => {
  const begin = Date.now();
  const seconds = () => `${Math.round((Date.now() - begin) / 1000)} s`;
  say(`${doing} ...`);
  const env = { ...process.env, npm_config_loglevel: 'notice' }; // `npm run -s` would silence its failures too
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-8_000)));
  const timer = setInterval(() => say(`${doing}: ${seconds()}`), 5_000);
  const stop = (name) => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
    say(`stopped while ${doing}`);
    process.exit(128 + constants.signals[name]);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, stop);
  const [code] = await once(child, 'close').catch(({ message }) => {
    throw new Fault(`${doing} failed: ${message}`);
  });
  clearInterval(timer);
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(name, stop);
  if (code !== 0) throw new Fault(`${output.trimEnd()}\n${doing} failed with exit code ${code}`);
  say(`${doing}: done in ${seconds()}`);
};

const npm = (doing, ...args) => {
  const script = process.env.npm_execpath;
  return script?.endsWith('.js') ? run(doing, process.execPath, [script, ...args]) : run(doing, 'npm', args);
};

const contentOf = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

/** Whether what is installed is what the lock file wants; npm keeps its own list of what it installed. */
const isInstalled = () => {
  if (lstatSync(at('node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return true; // it belongs to another folder
  const list = contentOf(at('node_modules', '.package-lock.json'));
  if (list === undefined) return false;
  const wanted = JSON.parse(readFileSync(at('package-lock.json'), 'utf8')).packages;
  const present = JSON.parse(list).packages;
  const same = ([path, { version, optional }]) => path === '' || optional || present[path]?.version === version;
  return Object.entries(wanted).every(same);
};

const install = () => {
  const args = ['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund'];
  return npm('installing the dependencies (npm ci)', ...args);
};

const SOURCES = 'activities api bench cli client process stack stream worker workflows'.split(' ');

const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const buildStamp = () => at('dist', '.point-alarm-build');

/** Changes with the text of any source, compiler setting or dependency. */
const sourceHash = () => {
  const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) => at(name));
  for (const folder of SOURCES) files.push(...filesIn(at(folder)).sort());
  const hash = createHash('sha256');
  for (const file of files) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
};

const isBuilt = () => contentOf(buildStamp()) === sourceHash();

const build = async () => {
  const hash = sourceHash();
  rmSync(buildStamp(), { force: true });
  await npm('building', 'run', 'build');
  writeFileSync(buildStamp(), hash);
};

/** Only one process at a time installs or builds; the others wait, and find it done. */
const alone = async (work) => {
  const lock = at('.data', 'bootstrap.lock');
  const own = [knownProcess(process.pid)];
  for (let reported = false; ; reported = true) {
    const [holder] = takeLock(lock, own) ?? [];
    if (holder === undefined) break;
    if (!reported) say(`waiting for process ${holder.pid}, which prepares this folder`);
    await delay(250);
  }
  const release = () => rmSync(lock, { force: true });
  process.on('exit', release);
  await work();
  release();
  process.off('exit', release);
};

const prepare = async () => {
  if (isInstalled() && isBuilt()) return;
  await alone(async () => {
    if (!isInstalled()) await install();
    if (!isBuilt()) await build();
  });
};

const main = async ([name = '', ...args]) => {
  checkNode();
  process.chdir(root);
  const pas = at('dist', 'cli', 'main.js');
  if (name !== 'pas') await prepare();
  else if (!existsSync(pas)) throw new Fault('pas is not built yet: npm ci && npm run build');
  if (name === 'prepare') return; // where the others begin
  const line = name === 'pas' ? [pas] : [at('dist', 'stack', 'commands', 'main.js'), name];
  process.argv = [process.argv[0], ...line, ...args];
  createRequire(import.meta.url)(line[0]);
};

main(process.argv.slice(2)).catch((error) => {
  const plain = error instanceof Fault || ['EACCES', 'EROFS', 'ENOTDIR', 'ENOSPC', 'EEXIST'].includes(error.code);
  say(plain ? error.message : error.stack);
  process.exitCode = 1;
});
