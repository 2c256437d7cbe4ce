import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../dev/stack/free-ports';
import { entries } from '../../../dev/stack/service';
import { call } from '../../support/api/call';
import { createCallers, POINT } from '../../support/api/callers';
import { expectProblem } from '../../support/api/expect-problem';
import { eventually } from '../../integration/workflows/nodes';
import { startService } from '../../support/service';
import { runPas } from '../../support/forward/run-pas';
import { runNode, type RunningProcess } from '../../support/run-node';
import {
  startTlsEndpoints,
  type ClientCertificate,
  type TlsEndpoints,
  type Env,
  type ServerCertificate,
} from './tls-endpoints';
import { forFile } from '../../support/for-file';

const tls = forFile(startTlsEndpoints, ({ close }) => close());
const callers = forFile(createCallers, ({ remove }) => remove());

const threshold = { thresholdType: 2, overall: { unit: 'C', innerHigh: 50 } };

test('a write goes through both doors, and its event comes out: API, worker, read cache and pas show their certificates', async () => {
  const { temporal, redis, env } = tls.endpoints.good;
  const service = await startService({ ...env, ...tls.settings.ours, READS: 'cache' });
  onTestFinished(service.stop);
  const nodeId = randomUUID();
  const written = await service.call({ method: 'PUT', path: `/v1/point-alarm-threshold/${nodeId}`, body: threshold });
  expect(written.status, written.text).toBe(204);
  const [entry] = await eventually(
    () => redis.entries(service.stream),
    (found) => found.length > 0,
  );
  expect(entry).toMatchObject({ aggregateId: nodeId });
  expect(temporal.connections()).toBeGreaterThanOrEqual(2);
  expect(await redis.clients()).toEqual(expect.arrayContaining(['api', 'api-read-cache', 'point-alarm-worker']));

  const watch = runPas(['watch', '--from', '0', '--count', '1', '--json'], {
    ...env,
    ...tls.settings.ours,
    EVENT_STREAM: service.stream,
  });
  onTestFinished(watch.stop);
  expect(await watch.exited, watch.said()).toBe(0);
  expect(watch.said()).toContain(nodeId);
});

interface Row {
  readonly what: string;
  readonly server: ServerCertificate;
  readonly client: ClientCertificate;
  /** What the API and the worker say of Temporal, and both of Redis. */
  readonly api: RegExp;
  readonly worker: RegExp;
  readonly redis: RegExp;
}

const rows: ReadonlyArray<Row> = [
  {
    what: 'no client certificate',
    server: 'good',
    client: 'none',
    // A server that refuses hangs up, which may overtake what it says.
    api: /certificate required|No connection established/u,
    worker: /CertificateRequired|transport error|Failed to call GetSystemInfo/u,
    redis: /certificate required|ECONNRESET|EPIPE/u,
  },
  {
    what: 'a client certificate of another authority',
    server: 'good',
    client: 'of another authority',
    api: /UNAVAILABLE: No connection established/u,
    worker: /transport error|Failed to call GetSystemInfo/u,
    redis: /unknown ca|ECONNRESET|EPIPE/u,
  },
  {
    what: 'a server certificate of another authority',
    server: 'of another authority',
    client: 'ours',
    api: /unable to verify the first certificate/u,
    worker: /UnknownIssuer/u,
    redis: /unable to verify the first certificate/u,
  },
  {
    what: 'a server certificate of another name',
    server: 'of another name',
    client: 'ours',
    api: /localhost. is not in the cert's altnames: DNS:elsewhere\.example/u,
    worker: /NotValidForName/u,
    redis: /localhost. is not in the cert's altnames: DNS:elsewhere\.example/u,
  },
  {
    what: 'a server certificate that expired',
    server: 'expired',
    client: 'ours',
    api: /certificate has expired/u,
    worker: /Expired/u,
    redis: /certificate has expired/u,
  },
];

describe('nothing gets through, and the processes say why, with', { timeout: 180_000 }, () => {
  test.each(rows)('$what', async ({ server, client, api: ofApi, worker: ofWorker, redis: ofRedis }) => {
    const endpoints = tls.endpoints[server];
    const passedBefore = endpoints.temporal.connections();
    const { api, worker, ports } = await startRefused(endpoints, tls.settings[client]);
    const [apiPort, workerPort] = ports;
    const answered = (port: number) =>
      eventually(
        () => ready(port),
        ({ status }) => status !== 0,
        60_000,
      );
    expect(await answered(apiPort)).toMatchObject({ status: 503, body: { dependencies: ['Temporal', 'Redis'] } });
    const ofIt = { dependencies: ['Temporal', 'Redis', 'worker'] };
    expect(await answered(workerPort)).toMatchObject({ status: 503, body: ofIt });
    const write = { method: 'PUT', path: `/v1/point-alarm-threshold/${POINT}`, body: threshold };
    expectProblem(await call({ port: apiPort, callers }, write), { status: 503, type: 'unavailable' });
    expect(await reasonOf(api, 'temporal is unavailable')).toMatch(ofApi);
    expect(await reasonOf(worker, 'temporal is unavailable')).toMatch(ofWorker);
    for (const process of [api, worker]) expect(await reasonOf(process, 'redis is unavailable')).toMatch(ofRedis);

    expect(endpoints.temporal.connections()).toBe(passedBefore);
    expect(await endpoints.redis.clients()).toEqual([]);
    expect((await endpoints.redis.keys()).filter((key) => key.startsWith('refused'))).toEqual([]);
  });
});

/** The built processes, since there are many of them. */
const startRefused = async ({ env }: Pick<TlsEndpoints, 'env'>, settings: Env) => {
  const ports = [await freePort(), await freePort()] as const;
  const shared = {
    PATH: process.env['PATH'],
    HOME: '/nowhere',
    ...env,
    ...settings,
    EVENT_STREAM: 'refused',
    CALL_DEADLINE_MS: '4000',
    AUTH_JWKS_FILE: callers.jwksFile,
    GRANTS_FILE: callers.grantsFile,
    PORT: String(ports[0]),
    WORKER_PORT: String(ports[1]),
  };
  const [api, worker] = [runNode(entries.api, shared), runNode(entries.worker, shared)];
  onTestFinished(async () => {
    await Promise.all([api.stop(), worker.stop()]);
  });
  return { api, worker, ports };
};

const ready = async (port: number): Promise<{ readonly status: number; readonly body?: unknown }> => {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(10_000) });
    return { status: answer.status, body: await answer.json() };
  } catch {
    return { status: 0 };
  }
};

const reasonOf = (process: RunningProcess, msg: string): Promise<string> =>
  eventually(
    () => Promise.resolve(process.logged().find((record) => record.msg === msg)?.['reason']),
    (reason) => typeof reason === 'string',
  ).then(String);
