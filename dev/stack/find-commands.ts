import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChild } from './child';
import { type Environment, isExecutable, onPath, outputOf, pathOf, setting } from './environment';
import { Fault, reportedFault, lineOf, withProgress } from './report';
import type { Ground } from './ground';

/**
 * One way to get a program, such as a setting, PATH or a download. Errors: `find` throws a `Fault` to end the whole search, and
 * any other error to say why this way does not work, so that the next way is tried.
 */
export interface CommandSource<A> {
  readonly name: string;
  readonly find: () => A | Promise<A>;
}

export const rejectSource = (why: string): never => {
  throw new Error(why);
};

/** Tries the ways in order until one works. Errors: one `Fault` that lists all ways, each with why it did not work. */
export const findInSources = async <A>(what: string, ways: ReadonlyArray<CommandSource<A>>, { signal }: Ground) => {
  const refused: Array<string> = [];
  for (const { name, find } of ways) {
    try {
      return { way: name, value: await find() };
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof Fault) throw thrown;
      refused.push(`  - ${name}: ${lineOf(thrown)}`);
    }
  }
  throw reportedFault(`${what} was not found. Any one of these helps:\n${refused.join('\n')}`);
};

/**
 * Makes a function that finds a command in the first way that works: the ways that `named` returns, such as a setting; each of
 * `commands` on PATH; installing the Debian package with the name of the first command. Errors: a `Fault`.
 */
export const createFinder =
  (
    what: string,
    commands: readonly [string, ...string[]],
    named: (env: Environment) => ReadonlyArray<CommandSource<string>>,
  ) =>
  async (env: Environment, ground: Ground): Promise<string> => {
    const name = what.toLowerCase();
    const look = (command: string, otherwise: string): string => onPath(command, env) ?? rejectSource(otherwise);
    const [first] = commands;
    const apt = { name, debianPackage: first };
    const ways = [
      ...named(env),
      ...commands.map((one) => ({ name: `${one} on PATH`, find: () => look(one, 'there is none') })),
      aptSource(apt, env, ground, () => look(first, `it put no ${first} on PATH`)),
    ];
    const { way, value } = await findInSources(what, ways, ground);
    ground.report(name, `${value} (${way})`);
    return value;
  };

export const findRedis = createFinder('Redis', ['redis-server', 'valkey-server'], (env) => [
  { name: 'REDIS_URL', find: () => rejectSource('set it to the address of a server, redis://host:port') },
  { name: 'REDIS_SERVER', find: () => namedRedis(env) },
]);

const namedRedis = (env: Environment): string => {
  const named = setting(env, 'REDIS_SERVER') ?? rejectSource('set it to a command, for example valkey-server');
  const path = pathOf(named, env);
  if (!isExecutable(path)) throw reportedFault(`REDIS_SERVER does not serve: ${named} is not an executable file`);
  return path;
};

export const findPrometheus = createFinder('Prometheus', ['prometheus'], () => []);

/** Locales in which the C library does not order text by its bytes. */
const LOCALES = ['cs_CZ.UTF-8', 'da_DK.UTF-8'];

/** Finds or installs the locales in which tests run Redis: our scripts must not depend on the locale. Errors: a `Fault`. */
export const findLocales = async (env: Environment, ground: Ground): Promise<void> => {
  const ways = [
    { name: `${LOCALES.join(' and ')} on this machine`, find: () => checkLocales(env) },
    aptSource({ name: 'locales', debianPackage: 'locales-all' }, env, ground, () => checkLocales(env)),
  ];
  const { way } = await findInSources('A locale', ways, ground);
  ground.report('locales', `${LOCALES.join(', ')} (${way})`);
};

const checkLocales = async (env: Environment): Promise<void> => {
  const names = (await outputOf('locale', ['-a'], env).catch(() => '')).split('\n').map(plain);
  const missing = LOCALES.filter((locale) => !names.includes(plain(locale)));
  if (missing.length > 0) rejectSource(`\`locale -a\` does not name ${missing.join(' and ')}`);
};

/** A locale in one spelling, such as `cs_cz.utf8`: systems spell the same locale in several ways. */
const plain = (locale: string): string => locale.trim().toLowerCase().replace('utf-8', 'utf8');

export const aptSource = <A>(
  wanted: Wanted,
  env: Environment,
  ground: Ground,
  look: CommandSource<A>['find'],
): CommandSource<A> => ({
  name: `apt-get install ${wanted.debianPackage}`,
  find: async () => {
    await aptInstall(wanted, env, ground);
    return look();
  },
});

/** A Debian package, and the name that it has in reports. */
interface Wanted {
  readonly name: string;
  readonly debianPackage: string;
}

/**
 * Installs a package with apt-get, on Debian and systems derived from it. Meanwhile the file `policy` keeps the package from
 * starting a service.
 *
 * Decision: only root installs packages; sudo is never used.
 */
export const aptInstall = async (
  { name, debianPackage }: Wanted,
  env: Environment,
  ground: Ground,
  { policy, isRoot } = { policy: '/usr/sbin/policy-rc.d', isRoot: process.getuid?.() === 0 },
): Promise<void> => {
  const command = onPath('apt-get', env) ?? rejectSource('there is no apt-get on PATH');
  if (!isRoot) rejectSource('only root may do that');
  const folder = mkdtempSync(join(tmpdir(), 'point-alarm-apt-'));
  ground.watchdog.remove(folder);
  const allowServices = forbidServices(policy, ground);
  const plan = { name: 'apt-get', command, folder, log: join(folder, 'apt.log') };
  const aptEnv = { ...env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await withProgress(ground.report, [name, `installing ${debianPackage} by apt-get`], async () => {
      const install = ['-q', '-y', '--no-install-recommends', 'install', debianPackage];
      for (const args of [['-q', 'update'], install]) await runChild({ ...plan, args, env: aptEnv }, ground);
    });
  } finally {
    allowServices();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Unless the machine has a policy, writes one that lets no service start. Returns a function that removes it again. */
const forbidServices = (policy: string, { watchdog }: Ground): (() => void) => {
  if (existsSync(policy)) return () => undefined;
  watchdog.remove(policy);
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return () => {
    rmSync(policy, { force: true });
    watchdog.forget(policy);
  };
};
