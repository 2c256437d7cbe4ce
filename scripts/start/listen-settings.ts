import { setting, type Environment } from '../stack/environment';
import { fault } from '../stack/fault';

/** Where the API and the worker are wanted. */
export interface ListenSettings {
  readonly host: string;
  readonly port: number;
  readonly workerPort: number;
}

/** HOST, PORT and WORKER_PORT. Errors: a fault for what is no port, before anything is started. */
export const listenSettings = (env: Environment): ListenSettings => ({
  host: setting(env, 'HOST') ?? '127.0.0.1',
  port: portIn(env, 'PORT', 3000),
  workerPort: portIn(env, 'WORKER_PORT', 3001),
});

const portIn = (env: Environment, name: string, otherwise: number): number => {
  const text = setting(env, name);
  if (text === undefined) return otherwise;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw fault(`${name} is ${text}, it must be a port, 0 to 65535`);
};

/** The address at which a listener on `host` can be called from this machine. */
export const callable = (host: string, port: number): string => {
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`;
};
