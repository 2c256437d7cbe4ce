import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { createApp } from '../../../api/http/call';
import { createAuthenticator } from '../../../api/auth/authenticator';
import { createAuthorizer } from '../../../api/auth/authorizer';
import { createHierarchy } from '../../../api/auth/hierarchy';
import { openRoutesOf } from '../../../api/http/open-routes';
import type { EndpointPorts } from '../../../api/http/call';
import type { Dependency } from '../../../process/dependencies';
import { createReadBody } from '../../../api/http/body';
import { createRateLimiter } from '../../../api/http/rate-limit';
import type { ErrorTurn } from '../../../api/http/admission/error-answers';
import type { Route } from '../../../api/http/route';
import { routesOf } from '../../../api/routes';
import { closeServer, createHttpServer, listen } from '../../../api/http/server';
import { createLog } from '../../../process/log';
import type { GrantsSource, RequestLimits } from '../../../api/settings';
import { hardLimits } from '../../../workflows/domain/limits';
import type { BandThresholdName } from '../../../workflows/domain/threshold/band';
import { createCallers, type Callers } from './callers';
import { createMemoryNodes, type MemoryNodes } from './memory-point-alarms';

export const limits: RequestLimits = {
  ...hardLimits,
  bodyBytes: 1_048_576,
  patchBytes: 65_536,
  patchOperations: 100,
  batchNodes: 1_000,
  waitingCalls: 256,
};

const CALL_DEADLINE_MS = 1_000;

const noLimit = createRateLimiter({ perSecond: 0, burst: 1 });

const settings = {
  HEADERS_TIMEOUT_MS: 1_000,
  REQUEST_TIMEOUT_MS: 2_000,
  KEEP_ALIVE_TIMEOUT_MS: 5_000,
  SOCKET_TIMEOUT_MS: 6_000, // above the request's and an interval of the check, or it would be first
  MAX_CONNECTIONS: 1_000,
  MAX_HEADER_BYTES: 16_384,
  MAX_HEADERS: 100,
};
const MAX_BODIES = 64;

const readBody = createReadBody(MAX_BODIES * limits.bodyBytes);

export interface Api {
  readonly port: number;
  readonly nodes: MemoryNodes;
  readonly callers: Callers;
  readonly routes: ReadonlyArray<Route>;
  /** The lines of the log. */
  readonly logged: ReadonlyArray<string>;
  readonly stopping: (isStopping: boolean) => void;
  readonly close: () => Promise<void>;
}

export interface ApiChanges {
  readonly ports?: Partial<EndpointPorts>;
  readonly checks?: ReadonlyArray<Dependency>;
  /** Who says who may do what; without it the callers' grants. */
  readonly grants?: GrantsSource;
  readonly callers?: Callers;
  /** Absent: none waits. */
  readonly errorTurn?: ErrorTurn;
  /** Absent: the preset. */
  readonly limits?: RequestLimits;
  /** Absent: the preset. */
  readonly bandThresholdName?: BandThresholdName;
  /** How long a request may take to come (ms). Absent: two seconds, for tests that wait for its end. */
  readonly requestTimeoutMs?: number;
}

/** The API in this process on a port of its own: everything is real but the nodes, which live in memory. */
export const startApi = async (changes: ApiChanges = {}): Promise<Api> => {
  const { ports = {}, checks = [], callers = await createCallers() } = changes;
  const { errorTurn = () => Promise.resolve() } = changes;
  const nodes = createMemoryNodes();
  const logged: string[] = [];
  const log = createLog({ level: 'info', process: 'test' }, { write: (line) => logged.push(line) });
  const auth = { jwks: { file: callers.jwksFile }, userClaim: 'sub', requireExpiry: true, log };
  const authenticator = orThrow(createAuthenticator(auth));
  const hierarchy = orThrow(createHierarchy({ file: callers.hierarchyFile, log }));
  const registry = new Registry();
  const { grants = { file: callers.grantsFile } } = changes;
  const authorizer = orThrow(createAuthorizer({ grants, hierarchy, log, registry }));
  let isStopping = false;
  const routes = routesOf(
    changes.limits ?? limits,
    ports.hierarchy ?? hierarchy,
    CALL_DEADLINE_MS,
    changes.bandThresholdName,
  );
  const openRoutes = openRoutesOf(routes, { checks, isStopping: () => isStopping, registry });
  const app = createApp({
    routes,
    openRoutes,
    ports: { pointAlarms: nodes.port, authenticator, authorizer, hierarchy, rateLimiter: noLimit, readBody, ...ports },
    log,
    registry,
    isStopping: () => isStopping,
    mostHeaders: settings.MAX_HEADERS,
    errorTurn,
  });
  const server = createHttpServer({
    settings: { ...settings, REQUEST_TIMEOUT_MS: changes.requestTimeoutMs ?? settings.REQUEST_TIMEOUT_MS },
    ...{ listener: app.callback(), errorTurn, malformed: () => undefined },
  });
  return {
    port: await listenSomewhere(server),
    nodes,
    callers,
    routes,
    logged,
    stopping: (value) => {
      isStopping = value;
    },
    close: async () => {
      for (const part of [authenticator, hierarchy, authorizer]) part.close();
      await closeServer(server, 100);
      await callers.remove();
    },
  };
};

const orThrow = <A>(made: E.Either<string, A>): A => {
  if (E.isLeft(made)) throw new Error(made.left);
  return made.right;
};

/** Takes a free port from 15000 to 29999, below those that clients are given. */
const listenSomewhere = async (server: Parameters<typeof listen>[0]): Promise<number> => {
  for (let tries = 0; tries < 50; tries += 1) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const listening = await listen(server, { HOST: '127.0.0.1', PORT: port });
    if (E.isRight(listening)) return port;
  }
  throw new Error('no free port');
};
