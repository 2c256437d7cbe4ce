import { pipe } from 'fp-ts/function';
import * as O from 'fp-ts/Option';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isWarning, readLogLine, type LogLine } from '../process/log';
import { within } from '../process/within';
import { followLog, type Child, type ChildPlan } from './child';
import { AUDIENCE, developmentGrants, developmentKey, ISSUER } from './dev-auth';
import { setting, type Environment } from './environment';
import type { Ground } from './ground';
import { projectRoot } from './project-root';
import { startRunning } from './running';
import type { Servers } from './servers';

export type CommandLine = Pick<ChildPlan, 'command' | 'args'>;

/** What Node is given to run our own processes, relative to the project's folder. */
export type Entries = Readonly<Record<'worker' | 'api', ReadonlyArray<string>>>;

export const entries: Entries = {
  worker: ['--require', './dist/worker/lean-sandbox.js', 'dist/worker/main.js'],
  api: ['dist/api/main.js'],
};

/** A Node process of this project: Node's arguments, and where it answers 200 at `/readyz` once it is ready. */
interface NodeProcessPlan extends Omit<ChildPlan, 'command' | 'folder'> {
  readonly url: string;
  readonly port?: number;
  /** Where it runs, when not here: its command line as it is run there. */
  readonly on?: (line: CommandLine) => CommandLine;
}

/** Starts a process; the warnings and errors that it logs are reported under its name. */
export const startNodeProcess = ({ on, args, url, ...plan }: NodeProcessPlan, ground: Ground) => {
  const notice = (line: string): void => ground.report(plan.name, line);
  const probe = async (): Promise<void> => {
    const { ok, status } = await within(3_000, fetch(`${url}/readyz`));
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
  return startRunning({ ...plan, ...line, folder: projectRoot, url, probe, what, notice, onStart: follow }, ground);
};

/** The text of a log line for the terminal; undefined for a record below a warning, and for the frames of a stack. */
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

/** Debian has a folder for each architecture, others one for all. */
const debianNames: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: 'x86_64', arm64: 'aarch64' };
const folders = [`/usr/lib/${debianNames[process.arch] ?? process.arch}-linux-gnu`, '/usr/lib64', '/usr/lib'];

/** Where jemalloc is, which API and worker are given instead of the system's malloc where it is installed (docs/deployment-hosts.md, "API and workers"). */
export const jemalloc = folders.map((folder) => join(folder, 'libjemalloc.so.2')).find((file) => existsSync(file));

/** The user's settings, the servers that were brought up, and a key and grants for development where none are set. */
export const serviceEnvironment = async (env: Environment, servers: Servers, folder: string) => {
  const authFolder = join(folder, 'dev-auth');
  const takesDevelopmentTokens = (setting(env, 'AUTH_JWKS_URL') ?? setting(env, 'AUTH_JWKS_FILE')) === undefined;
  const allowsEverything = (setting(env, 'GRANTS_FILE') ?? setting(env, 'AUTHORIZER_URL')) === undefined;
  return {
    takesDevelopmentTokens,
    env: {
      DRAIN_MS: '0', // nobody balances calls here
      ...(jemalloc !== undefined && { LD_PRELOAD: jemalloc }),
      ...without(env, servers),
      ...(servers.temporal.own !== undefined && { TEMPORAL_CONFIG_FILE: join(folder, 'temporal', 'profiles.toml') }), // there is none
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

/** Our own servers have neither TLS nor keys: what is set, or kept in a profile, for another one must not reach them. */
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
