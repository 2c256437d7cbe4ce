import { join } from 'node:path';
import type { Environment } from '../stack/environment';
import { portChooser } from '../stack/free-ports';
import type { Ground } from '../stack/ground';
import { startNodePart, type NodePart } from '../stack/node-part';
import { callable, type ListenSettings } from './listen-settings';
import type { Entries } from './entries';

/** The worker and the API, ready; `base` is the API's address. */
export interface Parts {
  readonly base: string;
}

/** What the parts are started with. */
export interface PartsPlan {
  readonly entries: Entries;
  readonly listen: ListenSettings;
  readonly env: Environment;
  readonly logs: string;
  readonly readyWithinMs: number;
  /** Called with each part as soon as it runs, ready or not. */
  readonly onStart: (part: NodePart) => void;
}

/** Starts both side by side and waits for both; a taken port is replaced by the next free one, which is reported. */
export const startParts = async (plan: PartsPlan, ground: Ground): Promise<Parts> => {
  const { host, port, workerPort } = plan.listen;
  const choosePort = portChooser(host);
  const choose = async (name: string, wanted: number): Promise<number> => {
    const chosen = await choosePort(wanted);
    if (chosen !== wanted && wanted !== 0) ground.report(name, `port ${wanted} is taken, it gets ${chosen}`);
    return chosen;
  };
  const ports = { api: await choose('api', port), worker: await choose('worker', workerPort) };
  const env = { ...plan.env, HOST: host, PORT: String(ports.api), WORKER_PORT: String(ports.worker) };
  const start = async (name: 'worker' | 'api'): Promise<NodePart> => {
    const log = join(plan.logs, `${name}.log`);
    const readyUrl = `${callable(host, ports[name])}/readyz`;
    const part = await startNodePart({ name, args: plan.entries[name], env, readyUrl, log }, ground);
    plan.onStart(part);
    return part;
  };
  const parts = [await start('worker'), await start('api')];
  await Promise.all(parts.map((part) => part.ready(plan.readyWithinMs)));
  return { base: callable(host, ports.api) };
};
