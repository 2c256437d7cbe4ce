import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { startBenchStack, type BenchStack } from '../../dev/bench/stack';
import { findRedis } from '../../dev/stack/find-commands';
import { findTemporal } from '../../dev/stack/temporal-command';
import { findServices } from '../cluster/hosts/find-services';
import { createNetwork } from '../cluster/hosts/network';
import { bringUpPostgres } from '../cluster/hosts/postgres';
import {
  bringUpTemporalHost,
  findTemporalServer,
  FRONTEND_PORT,
  makeDatabases,
  runComposeScript,
} from '../cluster/hosts/temporal-host';
import type { TestGround } from '../support/ground';

/**
 * The processes of Docker Compose without containers: one Temporal with all its services on PostgreSQL, Redis, and either one
 * API and one worker or the baseline with an idle API. PostgreSQL's files are in memory.
 */
export const startComposeLayout = async (side: 'service' | 'baseline', ground: TestGround): Promise<BenchStack> => {
  const { folder } = ground;
  await chmod(folder, 0o711); // PostgreSQL does not run as root
  const { postgres: bin } = await findServices(process.env, ground);
  const { server, sqlTool } = await findTemporalServer(process.env, ground);
  const commands = {
    temporal: ground.servers.commands?.temporal ?? (await findTemporal(process.env, ground)).path,
    redis: await findRedis(process.env, ground),
  };
  const network = await createNetwork(folder, ground);
  const database = await network.addHost('database');
  const host = await network.addHost('temporal');
  await bringUpPostgres({ bin, host: database, network, folder }, ground);
  await makeDatabases({ sqlTool, host: database, folder }, ground);
  const to = { postgres: database.address, balancer: host.address };
  await bringUpTemporalHost({ server, host, ...to, folder }, ground);
  const address = `${host.address}:${FRONTEND_PORT}`;
  const noProfiles = join(folder, 'profiles.toml');
  const env = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'default', RETENTION: '24h' };
  await runComposeScript('set-up-namespace', { commands, env, folder }, ground);
  const plan = side === 'service' ? {} : { workers: 0, baseline: true };
  const stack = await startBenchStack(
    {
      name: side,
      ...plan,
      keepRedis: 'synced-file',
      env: { TEMPORAL_ADDRESS: address, TEMPORAL_CONFIG_FILE: noProfiles },
    },
    { ...ground, commands },
  );
  return {
    ...stack,
    processes: {
      ...stack.processes,
      Temporal: host.processes(),
      // PostgreSQL starts a process for each connection, so its processes are looked up each time.
      get PostgreSQL() {
        return database.processes();
      },
    },
  };
};
