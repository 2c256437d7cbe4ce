import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withTimeout } from '../../../process/timeout';
import { runChild } from '../../../dev/stack/child';
import type { Environment } from '../../../dev/stack/environment';
import { findGoTool } from './find-go-tool';
import type { Ground } from '../../../dev/stack/ground';
import { projectRoot } from '../../../dev/stack/project-root';
import { startServer, type Running } from '../../../dev/stack/running';
import type { Host } from './network';
import { POSTGRES_PASSWORD, POSTGRES_PORT, POSTGRES_USER } from './postgres';

/** `dev/tools/temporal-server/go.mod` pins the same, and so does the command of `dev/tools/temporal`. */
const VERSION = '1.31.2';

/** The commands of a Temporal cluster of one's own. */
export interface TemporalServer {
  readonly server: string;
  /** Makes and upgrades the schema of its databases. */
  readonly sqlTool: string;
}

/** Both commands, kept from before or built with Go. Errors: a fault when neither way serves. */
export const findTemporalServer = async (env: Environment, ground: Ground): Promise<TemporalServer> => {
  const find = (name: string, command: string): Promise<string> => {
    const source = { module: 'temporal-server', package: `go.temporal.io/server/${command}`, linkFlags: '' };
    return findGoTool({ title: name, version: VERSION, ...source }, env, ground);
  };
  return {
    server: await find('temporal-server', 'cmd/server'),
    sqlTool: await find('temporal-sql-tool', 'cmd/tools/sql'),
  };
};

/** The scripts by which Docker Compose sets up a server of Temporal. */
type Script = 'set-up-schema' | 'set-up-namespace';

/** Commands by the name that the scripts have for them. */
export type Commands = Readonly<Record<string, string>>;

/** Runs a script of `deploy/compose` with such commands and settings, twice: they say that a repeat does no harm. */
export const runComposeScript = async (
  script: Script,
  { commands, env, folder }: { readonly commands: Commands; readonly env: Environment; readonly folder: string },
  ground: Ground,
): Promise<void> => {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const [name, path] of Object.entries(commands))
    if (!existsSync(join(bin, name))) symlinkSync(path, join(bin, name));
  const path = `${bin}:${process.env['PATH'] ?? ''}`;
  const line = { command: 'sh', args: [join(projectRoot, 'deploy/compose', `${script}.sh`)] };
  const log = join(folder, `${script}.log`);
  for (let run = 0; run < 2; run += 1)
    await runChild(
      { name: script, ...line, folder, env: { HOME: process.env['HOME'], ...env, PATH: path }, log },
      ground,
    );
};

/** The databases of a Temporal cluster, by the folder of their schema. */
export const DATABASES = { temporal: 'temporal', visibility: 'temporal_visibility' } as const;

/** Makes Temporal's two databases on PostgreSQL, each with its schema of the server's version. */
export const makeDatabases = (
  { sqlTool, host, folder }: { readonly sqlTool: string; readonly host: Host; readonly folder: string },
  ground: Ground,
): Promise<void> => {
  const env = {
    SQL_PLUGIN: 'postgres12_pgx',
    SQL_HOST: host.address,
    SQL_PORT: String(POSTGRES_PORT),
    SQL_USER: POSTGRES_USER,
    SQL_PASSWORD: POSTGRES_PASSWORD,
  };
  return runComposeScript('set-up-schema', { commands: { 'temporal-sql-tool': sqlTool }, env, folder }, ground);
};

/** A host with all four services of Temporal. */
export type TemporalHost = { readonly host: Host; readonly own: Running };

export const FRONTEND_PORT = 7233;
/** Where a frontend answers by HTTP, which a balancer can ask. */
const FRONTEND_HTTP_PORT = 7243;
const HEALTH_PATH = '/api/v1/system-info';

export interface TemporalHostPlan {
  readonly server: string;
  readonly host: Host;
  /** The address of PostgreSQL as this host reaches it, and of the balancer of all frontends. */
  readonly postgres: string;
  readonly balancer: string;
  readonly folder: string;
}

/** Brings up Temporal on `host`, one of several hosts on the same databases. */
export const bringUpTemporalHost = async (plan: TemporalHostPlan, ground: Ground): Promise<TemporalHost> => {
  const { server, host } = plan;
  const folder = join(plan.folder, host.name);
  mkdirSync(folder, { recursive: true });
  const dynamic = join(folder, 'dynamic-config.yaml');
  writeFileSync(dynamic, DYNAMIC_CONFIG.map(deployed).join(''));
  const config = join(folder, 'temporal.yaml');
  writeFileSync(config, configOf(plan, dynamic));
  const address = `${host.address}:${FRONTEND_PORT}`;
  const answers = async (): Promise<void> => {
    const { ok, status } = await withTimeout(
      2_000,
      fetch(`http://${host.address}:${FRONTEND_HTTP_PORT}${HEALTH_PATH}`),
    );
    if (!ok) throw new Error(`${address} answers ${status}`);
  };
  const line = host.on({ command: server, args: ['--config-file', config, '--allow-no-auth', 'start'] });
  const { name } = host;
  const log = join(plan.folder, `${name}.log`);
  const env = { ...process.env, HOST_ADDRESS: host.address, POSTGRES_PASSWORD };
  const child = { name, ...line, folder, env, log, url: address, probe: answers };
  return { host, own: await startServer(() => Promise.resolve(child), ground) };
};

/** A file of `deploy`. */
export const deployed = (file: string): string => readFileSync(join(projectRoot, 'deploy', file), 'utf8');

/** What one machine has, and what several need beside it. */
const DYNAMIC_CONFIG = ['compose/dynamic-config.yaml', 'hosts/dynamic-config.yaml'];

/** The file of `docs/deployment-hosts.md`, for these hosts. */
const configOf = ({ postgres, balancer }: TemporalHostPlan, dynamic: string): string =>
  deployed('hosts/temporal.yaml')
    .replace('10.0.0.2:5432', `${postgres}:${POSTGRES_PORT}`)
    .replace('10.0.0.3:7233', `${balancer}:${FRONTEND_PORT}`)
    .replace('/etc/temporal/dynamic-config.yaml', dynamic);
