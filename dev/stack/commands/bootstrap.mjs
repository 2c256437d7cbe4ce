// `node dev/stack/commands/bootstrap.mjs <name> [arguments]` installs the dependencies and builds the sources where needed.
// Then it runs the command <name> of `dist/dev/stack/commands/main.js` in this process. But `pas` runs `dist/cli/main.js` as it
// was built before, since a build would change the files under a running worker. This file is plain JavaScript without
// dependencies, because a fresh clone has none. It reports on standard error, because other programs read the output of some
// commands.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, lstatSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { knownProcess, takeLock } from '../../../process/pid-lock.cjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const at = (...names) => join(root, ...names);
const say = (line) => process.stderr.write(`${line}\n`);

class Fault extends Error {}

const checkNode = () => {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const serves = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  if (!serves)
    throw new Fault(`Node ${process.versions.node} does not serve: this project needs Node 20.19, or 22.12 or newer.`);
};

/** Runs a command to its end, and shows its output only if it fails. A signal to this process ends both. */
const run = async (doing, command, args) => {
  const begin = Date.now();
  const seconds = () => `${Math.round((Date.now() - begin) / 1000)} s`;
  say(`${doing} ...`);
  const env = { ...process.env, npm_config_loglevel: 'notice' }; // otherwise `npm run -s` would silence failures, too
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-8_000)));
  const timer = setInterval(() => say(`${doing}: ${seconds()}`), 5_000);
  const stop = (name) => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The command has ended already.
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

/** The packages that npm lists as installed; none if npm could not write its list to the end. */
const listedIn = (text) => {
  try {
    return JSON.parse(text).packages ?? {};
  } catch {
    return {};
  }
};

/** Whether the installed packages are those of the lock file. npm keeps its own list of what it installed. */
const isInstalled = () => {
  // If node_modules is a link, its packages belong to another checkout, and are not checked.
  if (lstatSync(at('node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return true;
  const list = contentOf(at('node_modules', '.package-lock.json'));
  if (list === undefined) return false;
  const wanted = JSON.parse(readFileSync(at('package-lock.json'), 'utf8')).packages;
  const present = listedIn(list);
  const same = ([path, { version, optional }]) => path === '' || optional || present[path]?.version === version;
  return Object.entries(wanted).every(same);
};

const install = () => {
  const args = ['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund'];
  return npm('installing the dependencies (npm ci)', ...args);
};

const SOURCES = 'activities api cli client dev/bench dev/stack process stream worker workflows'.split(' ');

const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const buildStamp = () => at('dist', '.point-alarm-build');

/** A hash of the sources, the compiler settings and the dependencies. */
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

/** Runs `work` in one process at a time. The other processes wait, and then find everything installed and built. */
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
  if (name === 'prepare') return;
  const line = name === 'pas' ? [pas] : [at('dist', 'dev', 'stack', 'commands', 'main.js'), name];
  process.argv = [process.argv[0], ...line, ...args];
  createRequire(import.meta.url)(line[0]);
};

main(process.argv.slice(2)).catch((error) => {
  const plain = error instanceof Fault || ['EACCES', 'EROFS', 'ENOTDIR', 'ENOSPC', 'EEXIST'].includes(error.code);
  say(plain ? error.message : error.stack);
  process.exitCode = 1;
});
