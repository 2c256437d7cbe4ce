import { pipe } from 'fp-ts/function';
import * as O from 'fp-ts/Option';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isWarning, readLogLine, type LogLine } from '../../process/log';
import { withTimeout } from '../../process/timeout';
import { followLog, type Child, type ChildPlan } from './child';
import { AUDIENCE, developmentGrants, developmentKey, ISSUER } from './dev-auth';
import { setting, type Environment } from './environment';
import type { Ground } from './ground';
import { projectRoot } from './project-root';
import { startRunning } from './running';
import type { Servers } from './servers';

export type CommandLine = Pick<ChildPlan, 'command' | 'args'>;

/** The arguments with which `node` runs worker and API, relative to the project's folder. */
export type EntryPoints = Readonly<Record<'worker' | 'api', ReadonlyArray<string>>>;

export const entries: EntryPoints = {
  worker: ['--require', './dist/worker/lean-sandbox.js', 'dist/worker/main.js'],
  api: ['dist/api/main.js'],
};

/** A Node process of this project: the arguments of `node`, and the URL whose `/readyz` answers 200 once it is ready. */
interface NodeProcessPlan extends Omit<ChildPlan, 'command' | 'folder'> {
  readonly url: string;
  readonly port?: number;
  /** The checkout whose code the process runs; by default this one. */
  readonly checkout?: string;
  /** Turns the command line into one that runs elsewhere, such as in a network namespace; by default it runs here. */
  readonly on?: (line: CommandLine) => CommandLine;
}

/** Starts a Node process of this project. The warnings and errors that it logs are reported under its name. */
export const startNodeProcess = (
  { on, args, url, checkout = projectRoot, ...plan }: NodeProcessPlan,
  ground: Ground,
) => {
  const notice = (line: string): void => ground.report(plan.name, line);
  const probe = async (): Promise<void> => {
    const { ok, status } = await withTimeout(3_000, fetch(`${url}/readyz`));
    if (!ok) throw new Error(`${url}/readyz answers ${status}`);
  };
  const here = { command: process.execPath, args };
  const follow = (child: Child): void => {
    const { stop } = followLog(plan.log, (text) => {
      const warning = warningIn(text);
      if (warning !== undefined) notice(warning);
    });
    void child.exited.then(stop);
  };
  const what = `the ${plan.name}`;
  const line = on?.(here) ?? here;
  return startRunning({ ...plan, ...line, folder: checkout, url, probe, what, notice, onStart: follow }, ground);
};

/** The text that the terminal shows for a log line; undefined for records below a warning, and for lines of a stack trace. */
export const warningIn = (line: string): string | undefined =>
  pipe(
    readLogLine(line),
    O.match(
      () => (/^\s|^$|^node:|^Node\.js /.test(line) ? undefined : line),
      (record) => (isWarning(record) ? inWords(record) : undefined),
    ),
  );

const inWords = ({ level, msg, err, reason = err?.message }: LogLine): string =>
  `${level === 'warn' ? 'warning' : level}: ${msg}${reason === undefined ? '' : `: ${reason}`}`;

/** Debian has a folder of libraries for each architecture, with these names. Other systems have one for all. */
const debianNames: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: 'x86_64', arm64: 'aarch64' };
const folders = [`/usr/lib/${debianNames[process.arch] ?? process.arch}-linux-gnu`, '/usr/lib64', '/usr/lib'];

/** jemalloc, if it is installed: API and worker use it as their malloc (docs/deployment-hosts.md, "API and workers"). */
export const jemalloc = folders.map((folder) => join(folder, 'libjemalloc.so.2')).find((file) => existsSync(file));

/** The environment of worker and API: the user's settings, the servers, and a development key and grants if none are set. */
export const serviceEnvironment = async (env: Environment, servers: Servers, folder: string) => {
  const authFolder = join(folder, 'dev-auth');
  const takesDevelopmentTokens = (setting(env, 'AUTH_JWKS_URL') ?? setting(env, 'AUTH_JWKS_FILE')) === undefined;
  const allowsEverything = (setting(env, 'GRANTS_FILE') ?? setting(env, 'AUTHORIZER_URL')) === undefined;
  return {
    takesDevelopmentTokens,
    env: {
      DRAIN_MS: '0', // no load balancer has to notice that the API ends
      ...(jemalloc !== undefined && { LD_PRELOAD: jemalloc }),
      ...without(env, servers),
      // This file does not exist, so no profile of the user applies to the Temporal that was started here.
      ...(servers.temporal.own !== undefined && { TEMPORAL_CONFIG_FILE: join(folder, 'temporal', 'profiles.toml') }),
      TEMPORAL_ADDRESS: servers.temporal.address,
      TEMPORAL_NAMESPACE: servers.temporal.namespace,
      REDIS_URL: servers.redis.url,
      ...(takesDevelopmentTokens && {
        AUTH_JWKS_FILE: (await developmentKey(authFolder)).jwksFile,
        AUTH_ISSUER: ISSUER,
        AUTH_AUDIENCE: AUDIENCE,
      }),
      ...(allowsEverything && { GRANTS_FILE: developmentGrants(authFolder) }),
    },
  };
};

export type ServiceEnvironment = Awaited<ReturnType<typeof serviceEnvironment>>;

/** Leaves out settings of TLS and keys for a server that we started. It has neither: they are meant for another server. */
const without = (env: Environment, { temporal, redis }: Servers): Environment =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) =>
        !(temporal.own !== undefined && OF_ANOTHER_TEMPORAL.test(name)) &&
        !(redis.own !== undefined && OF_ANOTHER_REDIS.test(name)),
    ),
  );

const OF_ANOTHER_TEMPORAL = /^TEMPORAL_(TLS|API_KEY|PROFILE|CONFIG_FILE|GRPC_META|CODEC)/;
const OF_ANOTHER_REDIS = /^REDIS_TLS_/;
