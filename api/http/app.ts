import Router from '@koa/router';
import Koa from 'koa';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { OpenRoute } from './open/open-route';
import type { CallState } from './pipeline/call-state';
import { catchProblems } from './pipeline/catch-problems';
import { countCalls } from './pipeline/count-calls';
import { endpoint, type EndpointPorts } from './pipeline/endpoint';
import { logCalls } from './pipeline/log-calls';
import { requestValidity } from './pipeline/request-validity';
import { nameCalls } from './pipeline/request-id';
import { traceCalls } from './pipeline/trace-calls';
import { notFound } from './pipeline/not-found';
import { delayErrors, type ErrorTurn } from './admission/error-answers';
import type { Route } from '../routes/route';

/** The dependencies of the application. */
export interface AppParts {
  readonly routes: ReadonlyArray<Route>;
  readonly openRoutes: ReadonlyArray<OpenRoute>;
  readonly ports: EndpointPorts;
  readonly log: Logger;
  readonly registry: Registry;
  readonly isStopping: () => boolean;
  /** The most header fields of a request. */
  readonly mostHeaders: number;
  readonly errorTurn: ErrorTurn;
}

/** The application. The order is the architecture: errors' turns, problems, request id, trace, log, metrics, route; then the endpoint's own. */
export const createApp = ({
  routes,
  openRoutes,
  ports,
  log,
  registry,
  isStopping,
  mostHeaders,
  errorTurn,
}: AppParts): Koa<CallState> => {
  const router = new Router<CallState>({ sensitive: true, strict: true });
  for (const route of routes) {
    const take = endpoint(route, ports);
    router.register(route.path, [route.method], (ctx) => {
      ctx.state.route = route.path;
      ctx.state.operation = route.id;
      return take(ctx);
    });
  }
  for (const route of openRoutes) {
    router.get(route.path, async (ctx) => {
      ctx.state.route = route.path;
      ctx.state.operation = route.id;
      ctx.state.isOpen = true;
      await route.answer(ctx);
    });
  }
  const app = new Koa<CallState>();
  app.on('error', (error: Error) => {
    log.info({ err: error }, 'connection lost');
  });
  app.use(async (ctx, next) => {
    await next();
    if (isStopping()) ctx.set('Connection', 'close'); // also for calls that began before
  });
  app.use(delayErrors(errorTurn));
  app.use(catchProblems(log));
  app.use(nameCalls);
  app.use(traceCalls);
  app.use(logCalls(log));
  app.use(countCalls(registry));
  app.use(requestValidity(mostHeaders));
  app.use(router.routes());
  app.use(notFound);
  return app;
};
