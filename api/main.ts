import { setTimeout as sleep } from 'node:timers/promises';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { createLog, type Log } from '../process/log';
import { watchEventLoop } from '../process/event-loop';
import { counter, createMetrics, gauge } from '../process/metrics';
import { createDependencies } from '../process/dependencies';
import { connectRedis } from '../stream/connection';
import { apiSettings, settingsOrExit, textOf, type Environment } from '../process/settings';
import { stopInOrder } from '../process/stop';
import { openTemporalConnection } from './nodes/temporal/connection';
import { createApp } from './http/app';
import { createAuthenticator } from './auth/token';
import { createAuthorizer } from './auth/authorizer';
import { createGrants } from './auth/grants';
import { createHierarchy } from './auth/hierarchy';
import { createFileKeySet } from './auth/key-set';
import { createOwnBearings } from './nodes/bearings';
import { createErrorTurns } from './http/delay-errors';
import { createMemoryBudget } from './http/memory-budget';
import { createReadBody } from './http/body';
import { openRoutesOf } from './http/open-routes';
import { createRateLimiter } from './http/rate-limit';
import { routesOf } from './routes';
import { startNodes } from './nodes/nodes';
import { createHttpServer } from './http/server';

/** Part (ms) of the shutdown deadline that is reserved for the steps after the last call. */
const LAST_STEPS_MS = 1_000;

/** The faults of all files that `env` names. A process that cannot start reports them together with its settings' faults. */
const fileFaults = (env: Environment, log: Log): ReadonlyArray<string> => {
  const openers: ReadonlyArray<readonly [setting: string, open: (file: string) => E.Either<string, unknown>]> = [
    ['AUTH_JWKS_FILE', (file) => createFileKeySet(file, log)],
    ['HIERARCHY_FILE', (file) => createHierarchy(file, log)],
    ['GRANTS_FILE', (file) => createGrants(file, { parentOf: () => undefined }, log)],
    ['BEARINGS_FILE', (file) => createOwnBearings(file, log)],
  ];
  return openers.flatMap(([setting, open]) => {
    const file = textOf(env, setting);
    const opened = file === undefined ? E.right(undefined) : open(file);
    return E.isLeft(opened) ? [opened.left] : [];
  });
};

const main = async (): Promise<void> => {
  const withFiles = (faults: ReadonlyArray<string>): ReadonlyArray<string> => [
    ...faults,
    ...fileFaults(process.env, createLog({ level: 'silent', process: 'api' })),
  ];
  const settings = settingsOrExit('API', pipe(apiSettings(process.env), E.mapLeft(withFiles)));
  const log = createLog({ level: settings.LOG_LEVEL, process: 'api' });
  const registry = createMetrics({ process: 'api' });
  watchEventLoop(registry);

  const { authenticator, hierarchy, authorizer, bearings } = settingsOrExit(
    'API',
    pipe(
      E.Do,
      E.bind('authenticator', () => createAuthenticator(settings, log)),
      E.bind('hierarchy', () => createHierarchy(settings.HIERARCHY_FILE, log)),
      E.bind('authorizer', ({ hierarchy: nodes }) => createAuthorizer(settings, nodes, log, registry)),
      E.bind('bearings', () =>
        settings.BEARINGS_FILE === undefined ? E.right(undefined) : createOwnBearings(settings.BEARINGS_FILE, log),
      ),
      E.mapLeft((fault) => withFiles([fault])),
    ),
  );
  const temporal = openTemporalConnection({ ...settings.temporal, log });
  const connections = counter(registry, 'point_alarm_redis_connections_total');
  const connected = (): void => connections(1);
  const redis = connectRedis({ ...settings.redis, log, name: 'api', connected }, settings.EVENT_STREAM);
  const nodes = startNodes(settings, temporal, redis, bearings, registry, log);
  const checks = [temporal.readiness, { dependency: 'Redis', answers: redis.answers }];
  const dependencies = createDependencies(checks, registry);
  gauge(registry, 'point_alarm_key_set_age_seconds', () => [[authenticator.age()]]);

  let hasToStop = false;
  const isStopping = (): boolean => hasToStop;
  const routes = routesOf(settings, hierarchy);
  const openRoutes = openRoutesOf(routes, dependencies, isStopping, registry);
  const ports = {
    pointAlarms: nodes.pointAlarms,
    authenticator,
    authorizer,
    hierarchy,
    rateLimiter: createRateLimiter({ perSecond: settings.RATE_LIMIT_PER_SECOND, burst: settings.RATE_LIMIT_BURST }),
    memory: createMemoryBudget(settings.CALL_MEMORY_BYTES),
    readBody: createReadBody(),
  };
  const errorTurn = createErrorTurns();
  const app = createApp({ routes, openRoutes, ports, settings, log, registry, isStopping, errorTurn });
  const { verifiedUserOf: userOf } = authenticator;
  const server = createHttpServer({
    settings,
    openRoutes,
    userOf,
    errorTurn,
    registry,
    log,
    listener: app.callback(),
  });

  stopInOrder({
    log,
    deadlineMs: settings.SHUTDOWN_DEADLINE_MS,
    steps: {
      readiness: () => {
        hasToStop = true;
        return sleep(settings.DRAIN_MS);
      },
      calls: () => server.close(Math.max(0, settings.SHUTDOWN_DEADLINE_MS - settings.DRAIN_MS - LAST_STEPS_MS)),
      files: () => {
        for (const part of [authenticator, authorizer, hierarchy, bearings]) part?.close();
        return Promise.resolve();
      },
      nodes: nodes.close,
      redis: redis.close,
      temporal: temporal.close,
    },
  });

  const listening = await server.listen(settings);
  if (E.isLeft(listening)) {
    process.stderr.write(`The API ${listening.left}\n`);
    process.exit(1);
  }
  log.info({ host: listening.right.address, port: listening.right.port }, 'listening');
};

void main();
