import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { onTestFinished } from 'vitest';
import { createApp } from '../../../api/http/app';
import { createAuthenticator } from '../../../api/auth/token';
import { createAuthorizer } from '../../../api/auth/authorizer';
import { createHierarchy } from '../../../api/auth/hierarchy';
import { openRoutesOf } from '../../../api/http/open-routes';
import type { EndpointPorts } from '../../../api/http/app';
import { createDependencies, type Dependency } from '../../../process/dependencies';
import { createReadBody } from '../../../api/http/body';
import { createMemoryBudget } from '../../../api/http/memory-budget';
import { createRateLimiter } from '../../../api/http/rate-limit';
import type { ErrorTurn } from '../../../api/http/delay-errors';
import type { Route } from '../../../api/contract/route';
import { routesOf } from '../../../api/routes';
import { createHttpServer, type HttpServer } from '../../../api/http/server';
import { createLog } from '../../../process/log';
import type { ApiSettings } from '../../../process/settings';
import { rightOf } from '../either';
import { createCallers, type Callers } from './callers';
import { createMemoryNodes, type MemoryNodes } from './memory-point-alarms';
import { settingsWith } from './settings';

const noLimit = createRateLimiter({ perSecond: 0, burst: 1 });

/** Times of this tier: its tests wait for their end. */
const times = {
  CALL_DEADLINE_MS: 1_000,
  HEADERS_TIMEOUT_MS: 1_000,
  REQUEST_TIMEOUT_MS: 2_000,
  SOCKET_TIMEOUT_MS: 6_000, // above the request's and an interval of the check, or it would be first
};

export interface Api {
  readonly port: number;
  readonly nodes: MemoryNodes;
  readonly callers: Callers;
  readonly routes: ReadonlyArray<Route>;
  readonly logged: ReadonlyArray<string>;
  readonly stopping: (isStopping: boolean) => void;
  readonly close: () => Promise<void>;
}

export interface ApiChanges {
  readonly ports?: Partial<EndpointPorts>;
  readonly checks?: ReadonlyArray<Dependency>;
  readonly callers?: Callers;
  /** Absent: none waits. */
  readonly errorTurn?: ErrorTurn;
  /** Others are the presets, but for times and for the callers' files. */
  readonly settings?: Partial<ApiSettings>;
}

/** The API in this process on a port of its own: everything is real but the nodes, which live in memory. */
export const startApi = async (changes: ApiChanges = {}): Promise<Api> => {
  const { ports = {}, checks = [], callers = await createCallers() } = changes;
  const { errorTurn = () => Promise.resolve() } = changes;
  const nodes = createMemoryNodes();
  const logged: string[] = [];
  const log = createLog({ level: 'info', process: 'test' }, { write: (line) => logged.push(line) });
  const files = { AUTH_JWKS_FILE: callers.jwksFile, GRANTS_FILE: callers.grantsFile };
  const settings = settingsWith({ ...times, ...files, ...changes.settings });
  const authenticator = rightOf(createAuthenticator(settings, log));
  const hierarchy = rightOf(createHierarchy(callers.hierarchyFile, log));
  const registry = new Registry();
  const authorizer = rightOf(createAuthorizer(settings, hierarchy, log, registry));
  let isStopping = false;
  const routes = routesOf(settings, ports.hierarchy ?? hierarchy);
  const openRoutes = openRoutesOf(routes, createDependencies(checks, registry), () => isStopping, registry);
  const ofSettings = { memory: createMemoryBudget(settings.CALL_MEMORY_BYTES), readBody: createReadBody() };
  const ofFilesAndNodes = { pointAlarms: nodes.port, authenticator, authorizer, hierarchy, rateLimiter: noLimit };
  const app = createApp({
    routes,
    openRoutes,
    ports: { ...ofFilesAndNodes, ...ofSettings, ...ports },
    settings,
    log,
    registry,
    isStopping: () => isStopping,
    errorTurn,
  });
  const { verifiedUserOf: userOf } = authenticator;
  const server = createHttpServer({
    ...{ settings, openRoutes, userOf, errorTurn, registry, log },
    listener: app.callback(),
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
      await server.close(100);
      await callers.remove();
    },
  };
};

/** The same for one test, which it ends with. */
export const apiOfTest = async (changes?: ApiChanges): Promise<Api> => {
  const api = await startApi(changes);
  onTestFinished(api.close);
  return api;
};

/** Takes a free port from 15000 to 29999, below those that clients are given. */
const listenSomewhere = async (server: HttpServer): Promise<number> => {
  for (let tries = 0; tries < 50; tries += 1) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const listening = await server.listen({ HOST: '127.0.0.1', PORT: port });
    if (E.isRight(listening)) return port;
  }
  throw new Error('no free port');
};
