import * as E from 'fp-ts/Either';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from './environment';
import { lineOf } from './fault';
import type { Ground } from './ground';
import { withProgress } from './report';
import { runChild } from './run-child';
import { onPath } from './run-command';

/** What matters of the machine: the file that Debian's package scripts ask whether they may start a service, and who we are. */
interface Debian {
  readonly policy: string;
  readonly isRoot: boolean;
}

/** A package whose command has its name, and the part of the stack that it is for. */
interface Package {
  readonly part: string;
  readonly name: string;
}

/**
 * Installs a package by apt-get, as root on Debian and its kin, and says where its command is; a service of its own is not
 * started.
 *
 * Decision: without root it is not tried; sudo is never used.
 */
export const aptInstall = async (
  { part, name }: Package,
  env: Environment,
  ground: Ground,
  { policy, isRoot }: Debian = { policy: '/usr/sbin/policy-rc.d', isRoot: process.getuid?.() === 0 },
): Promise<E.Either<string, string>> => {
  const command = onPath('apt-get', env);
  if (command === undefined) return E.left('there is no apt-get on PATH');
  if (!isRoot) return E.left('only root may do that');
  const folder = mkdtempSync(join(tmpdir(), 'point-alarm-apt-'));
  ground.watchdog.remove(folder);
  const allowServices = forbidServices(policy, ground);
  const plan = { name: 'apt-get', command, folder, log: join(folder, 'apt.log') };
  const install = async (): Promise<void> => {
    for (const args of [UPDATE, [...INSTALL, name]])
      await runChild({ ...plan, args, env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } }, ground);
  };
  try {
    await withProgress(
      (line) => {
        ground.report(part, line);
      },
      `installing ${name} by apt-get`,
      install,
    );
    return E.fromNullable(`it put no ${name} on PATH`)(onPath(name, env));
  } catch (thrown) {
    ground.signal.throwIfAborted();
    return E.left(lineOf(thrown));
  } finally {
    allowServices();
    rmSync(folder, { recursive: true, force: true });
  }
};

const UPDATE = ['-q', 'update'];
const INSTALL = ['-q', '-y', '--no-install-recommends', 'install'];

/** A policy that lets no service start, for as long as we install, unless the machine has one of its own. */
const forbidServices = (policy: string, { watchdog }: Ground): (() => void) => {
  if (existsSync(policy)) return () => undefined;
  watchdog.remove(policy);
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return () => {
    rmSync(policy, { force: true });
    watchdog.forget(policy);
  };
};
