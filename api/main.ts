import { setTimeout as sleep } from 'node:timers/promises';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { createLog } from '../process/log';
import { countConnections, createMetrics } from '../process/metrics';
import { exposeDependencies } from '../process/dependencies';
import { connectStream } from '../stream/connection';
import { apiSettings, orExit } from '../process/settings';
import { stopInOrder } from '../process/stop';
import { connect } from './nodes/temporal/connect';
import { createApp } from './http/app';
import { createAuthenticator, createAuthorizer, createHierarchy, exposeKeySetAge } from './auth';
import { fileFaults } from './file-faults';
import { createOwnBearings } from './nodes/bearings/own-bearings';
import { createBodyReader } from './http/body/body-reader';
import { openRoutesOf } from './http/open';
import { createRateLimiter } from './http/rate/rate-limiter';
import { createErrorThrottle } from './http/rate/error-throttle';
import { routesOf } from './routes';
import { startNodes } from './nodes/start-nodes';
import { closeServer, createHttpServer, listen, countMalformed } from './http/server';

/** Share of the shutdown deadline (ms) reserved for the steps after the calls. */
const LAST_STEPS_MS = 1_000;

/** The API process: the composition root. */
const main = async (): Promise<void> => {
  const withFiles = (faults: ReadonlyArray<string>): ReadonlyArray<string> => [
    ...faults,
    ...fileFaults(process.env, createLog({ level: 'silent', process: 'api' })),
  ];
  const settings = orExit('API', pipe(apiSettings(process.env), E.mapLeft(withFiles)));
  const log = createLog({ level: settings.logLevel, process: 'api' });
  const registry = createMetrics({ process: 'api' });

  const { authenticator, hierarchy, authorizer, bearings } = orExit(
    'API',
    pipe(
      E.Do,
      E.bind('authenticator', () => createAuthenticator({ ...settings.auth, log })),
      E.bind('hierarchy', () =>
        createHierarchy({ ...(settings.hierarchyFile !== undefined && { file: settings.hierarchyFile }), log }),
      ),
      E.bind('authorizer', ({ hierarchy: nodes }) =>
        createAuthorizer({ grants: settings.grants, hierarchy: nodes, log, registry }),
      ),
      E.bind('bearings', () =>
        settings.bearingsFile === undefined
          ? E.right(undefined)
          : createOwnBearings({ file: settings.bearingsFile, log }),
      ),
      E.mapLeft((fault) => withFiles([fault])),
    ),
  );
  const temporal = connect({ ...settings.temporal, log });
  const redis = connectStream({
    ...settings.redis,
    ...settings.events,
    log,
    name: 'api',
    connected: countConnections(registry),
  });
  const nodes = startNodes({ settings, temporal, redis, bearings, registry, log });
  const checks = [temporal.readiness, { dependency: 'Redis', answers: redis.answers }];
  exposeDependencies(checks, registry);
  exposeKeySetAge(authenticator, registry);

  let isStopping = false;
  const routes = routesOf(settings.limits, hierarchy, settings.callDeadlineMs, settings.events.bandThresholdName);
  const openRoutes = openRoutesOf(routes, {
    checks,
    isStopping: () => isStopping,
    registry,
  });
  const ports = {
    pointAlarms: nodes.pointAlarms,
    authenticator,
    authorizer,
    hierarchy,
    rateLimiter: createRateLimiter(settings.rate),
    readBody: createBodyReader(settings.http.bodiesBytes),
  };
  const errorThrottle = createErrorThrottle(settings.rate.errorsPerSecond);
  const app = createApp({
    routes,
    openRoutes,
    ports,
    log,
    registry,
    isStopping: () => isStopping,
    mostHeaders: settings.http.headers,
    errorThrottle,
  });
  const malformed = countMalformed(registry);
  const server = createHttpServer({
    http: settings.http,
    listener: app.callback(),
    errorThrottle,
    malformed: (status) => {
      malformed.inc({ status: String(status) });
      log.info({ status }, 'malformed');
    },
  });

  stopInOrder({
    log,
    deadlineMs: settings.shutdownDeadlineMs,
    steps: [
      {
        name: 'readiness',
        run: () => {
          isStopping = true;
          return sleep(settings.drainMs);
        },
      },
      {
        name: 'calls',
        run: () => closeServer(server, Math.max(0, settings.shutdownDeadlineMs - settings.drainMs - LAST_STEPS_MS)),
      },
      {
        name: 'files',
        run: () => {
          for (const part of [authenticator, authorizer, hierarchy, bearings]) part?.close();
          return Promise.resolve();
        },
      },
      { name: 'nodes', run: nodes.close },
      { name: 'redis', run: redis.close },
      { name: 'temporal', run: temporal.close },
    ],
  });

  const listening = await listen(server, settings.http);
  if (E.isLeft(listening)) {
    process.stderr.write(`The API ${listening.left}\n`);
    process.exit(1);
  }
  log.info({ host: listening.right.address, port: listening.right.port }, 'listening');
};

void main();
