import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { apiSettings, workerSettings } from '../../../process/settings';
import { namesOf } from '../../../process/settings/read';
import type { Environment } from '../../../process/settings';

interface Service {
  readonly environment: Readonly<Record<string, string | number | null>>;
  readonly volumes?: ReadonlyArray<string>;
  readonly ports?: ReadonlyArray<{ readonly host_ip: string; readonly published: string; readonly target: number }>;
}

const read = (name: string): string => readFileSync(join(__dirname, '../../..', name), 'utf8');
const compose: { readonly services: Readonly<Record<'api' | 'worker' | 'pas', Service>> } = parse(
  read('docker-compose.yml'),
  { merge: true },
);

const processes = ['api', 'worker'] as const;
type Process = (typeof processes)[number];

/** What Compose makes of `${NAME}`, `${NAME-otherwise}` and `${NAME:-otherwise}` in a text, `given` being its shell and `.env`. */
const interpolated = (text: string, given: Environment): string =>
  text.replace(
    /\$(?:\{([A-Z_]+)(?:(:?-)([^${}]*))?\}|.?)/gu,
    (form, name?: string, operator?: string, otherwise = '') => {
      if (name === undefined) throw new Error(`this test does not know ${form}`);
      const value = given[name];
      return value === undefined || (value === '' && operator === ':-') ? otherwise : value;
    },
  );

/** The environment of a container: a name without a value is passed on where it is given, and only there. */
const environmentOf = (process: Process | 'pas', given: Environment): Environment =>
  Object.fromEntries(
    Object.entries(compose.services[process].environment).flatMap(([name, value]) => {
      const passed = value === null ? given[name] : interpolated(String(value), given);
      return passed === undefined ? [] : [[name, passed]];
    }),
  );

/** Where a process listens in its container is fixed; these say where it is published. */
const PUBLISHED = { api: ['HOST', 'PORT'], worker: ['HOST', 'WORKER_PORT'] };

describe.each(processes)('the container of the %s', (process) => {
  test.each(namesOf(process).filter((name) => !PUBLISHED[process].includes(name)))('is reached by %s', (name) => {
    expect(environmentOf(process, { [name]: 'as-given' })[name]).toBe('as-given');
  });

  test('gets no settings that it does not look at', () => {
    const others = Object.keys(compose.services[process].environment).filter(
      (name) => !namesOf(process).includes(name),
    );
    expect(others).toEqual(process === 'api' ? ['NODE_EXTRA_CA_CERTS'] : []);
  });

  test('can reach the files that settings name, by the same relative path as npm start', () => {
    expect(namesOf(process).filter((name) => /_(?:FILE|PATH)$/u.test(name))).not.toEqual([]);
    expect(read('Dockerfile')).toContain('\nWORKDIR /app\n');
    expect(compose.services[process].volumes).toContain('./deploy/config:/app/deploy/config:ro');
  });
});

test('the command pas in a container finds the API by its name, and is reached by every other setting that it looks at', () => {
  const names = [...namesOf('pas'), ...namesOf('pas with Temporal')].filter((name) => name !== 'POINT_ALARM_URL');
  const given = Object.fromEntries(names.map((name) => [name, 'as-given']));
  const environment = environmentOf('pas', { ...given, POINT_ALARM_URL: 'http://127.0.0.1:3000' });
  expect(environment).toMatchObject({ ...given, POINT_ALARM_URL: 'http://api:3000' });
});

/** What the processes are set to where Compose is `given` this. */
const settingsOf = (given: Environment) => ({
  api: apiSettings(environmentOf('api', given)),
  worker: workerSettings(environmentOf('worker', given)),
});
const faultsOf = (given: Environment): ReadonlyArray<string> =>
  Object.values(settingsOf(given)).flatMap((settings: E.Either<ReadonlyArray<string>, unknown>) =>
    E.isLeft(settings) ? settings.left : [],
  );

describe('the composed settings', () => {
  test('are valid where nothing is given, and where all is given as empty', () => {
    expect(faultsOf({})).toEqual([]);
    const empty = Object.fromEntries(processes.flatMap(namesOf).map((name) => [name, '']));
    // an empty one of these takes away what is for development
    const { AUTH_JWKS_FILE: _, GRANTS_FILE: __, AUTH_ISSUER: ___, AUTH_AUDIENCE: ____, ...others } = empty;
    expect(faultsOf(others)).toEqual([]);
    expect(settingsOf(others)).toEqual(settingsOf({}));
  });

  test('are the defaults but for where the containers find and publish things, and for the development key', () => {
    const given = (process: Process, names: ReadonlyArray<string>) =>
      Object.fromEntries(Object.entries(environmentOf(process, {})).filter(([name]) => names.includes(name)));
    const own = [
      'HOST',
      'TEMPORAL_ADDRESS',
      'REDIS_URL',
      'AUTH_JWKS_FILE',
      'AUTH_ISSUER',
      'AUTH_AUDIENCE',
      'GRANTS_FILE',
    ];
    expect(settingsOf({})).toEqual({
      api: apiSettings(given('api', own)),
      worker: workerSettings(given('worker', own)),
    });
  });

  test('encrypt in both processes as soon as PAYLOAD_KEY is given', () => {
    const { api, worker } = settingsOf({ PAYLOAD_KEY: `k1:${Buffer.alloc(32).toString('base64')}` });
    expect([api, worker]).toMatchObject(
      Array(2).fill({ right: { temporal: { payloadKeys: { encrypts: { id: 'k1' } } } } }),
    );
  });

  test('take keys and a decision point of your own in place of those of development', () => {
    const own = { AUTH_JWKS_FILE: '', AUTH_JWKS_URL: 'https://a/', GRANTS_FILE: '', AUTHORIZER_URL: 'https://b/' };
    expect(settingsOf(own).api).toMatchObject({ right: { AUTH_JWKS_URL: 'https://a/', AUTHORIZER_URL: 'https://b/' } });
  });
});

describe('ports', () => {
  const published = (process: Process, given: Environment) =>
    compose.services[process].ports?.map(({ host_ip, published: port, target }) => [
      interpolated(host_ip, given),
      interpolated(port, given),
      target,
    ]);

  test('HOST and PORT say where the API is published', () => {
    expect(published('api', {})).toEqual([['127.0.0.1', '3000', 3000]]);
    expect(published('api', { HOST: '0.0.0.0', PORT: '80' })).toEqual([['0.0.0.0', '80', 3000]]);
    expect(environmentOf('api', { HOST: '1.2.3.4', PORT: '80' })).toMatchObject({ HOST: '0.0.0.0', PORT: '3000' });
  });

  test('WORKER_PORT says where the worker is published, on this machine alone, as prometheus.yml scrapes it', () => {
    expect(published('worker', {})).toEqual([['127.0.0.1', '3001', 3001]]);
    expect(published('worker', { HOST: '0.0.0.0', WORKER_PORT: '4001' })).toEqual([['127.0.0.1', '4001', 3001]]);
    expect(environmentOf('worker', { WORKER_PORT: '4001' })).toMatchObject({ WORKER_PORT: '3001' });
    expect(read('deploy/prometheus/prometheus.yml')).toContain("'127.0.0.1:3001'");
  });
});
