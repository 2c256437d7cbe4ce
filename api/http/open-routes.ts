import type { Registry } from 'prom-client';
import { unavailableOf, type Dependency } from '../../process/dependencies';
import { VERSION } from '../../process/version';
import { described, object, oneOf, text } from '../../workflows/domain/codecs';
import { answerProblem, answerWith } from './answer';
import { docsRoutes } from './docs-page';
import { documentOf } from './openapi';
import { isProblemType } from './problems/catalogue';
import { explanationOf, invalidRequest, problem, type Problem } from './problems/problem';
import { json, type OpenRoute, type PageRoute, type Route, withProblems } from './route';

const health = oneOf('HealthStatus', ['ok']);

export const HealthView = object('Health', {
  status: described(health, 'The process lives.'),
  version: described(text(64, 1), 'The version of the service, as in the OpenAPI document.'),
});

const ReadinessView = object('Readiness', { status: described(health, 'Every dependency answers.') });

/** The routes that need no token. */
export const openRoutesOf = (
  routes: ReadonlyArray<Route>,
  checks: ReadonlyArray<Dependency>,
  isStopping: () => boolean,
  registry: Registry,
): ReadonlyArray<OpenRoute | PageRoute> => {
  const dependencies = checks.map(({ dependency }) => dependency);
  const open: ReadonlyArray<OpenRoute> = [
    {
      id: 'health',
      summary: 'Whether the process lives',
      path: '/healthz',
      answers: { 200: json('The process lives.', HealthView, { status: 'ok', version: VERSION }) },
      answer: (ctx) => answerWith(ctx, { status: 200, body: { status: 'ok', version: VERSION } }),
    },
    {
      id: 'readiness',
      summary: 'Whether the process should get calls',
      path: '/readyz',
      parameters: {
        exclude: {
          description:
            'A dependency that need not answer. Without Redis calls still succeed; events wait in their nodes.',
          schema: { type: 'string', enum: dependencies },
        },
      },
      answers: { 200: json('Every dependency of the service answers.', ReadinessView, { status: 'ok' }) },
      problems: ['unavailable'],
      answer: async (ctx) => {
        const excluded = ctx.query['exclude'];
        if (excluded !== undefined && !dependencies.some((one) => one === excluded)) {
          const reason = `must be one of ${dependencies.join(', ')}`;
          return void answerProblem(ctx, invalidRequest([{ name: 'exclude', reason }]));
        }
        const asked = checks.filter(({ dependency }) => dependency !== excluded);
        const silent = isStopping() ? [] : await unavailableOf(asked);
        if (isStopping()) return void answerProblem(ctx, notReady('The process is stopping.', []));
        if (silent.length > 0)
          return void answerProblem(ctx, notReady(`No answer from: ${silent.join(', ')}.`, silent));
        answerWith(ctx, { status: 200, body: { status: 'ok' } });
      },
    },
    {
      id: 'metrics',
      summary: 'What the process measured',
      path: '/metrics',
      answers: {
        200: {
          description: "Prometheus' text format.",
          mediaType: 'text/plain',
          example: 'process_start_time_seconds 1769853600\n',
        },
      },
      answer: async (ctx) => {
        ctx.set('Content-Type', registry.contentType);
        ctx.body = await registry.metrics();
      },
    },
  ];
  const pages: ReadonlyArray<PageRoute> = [
    {
      id: 'openapi',
      path: '/openapi.json',
      answer: (ctx) => answerWith(ctx, { status: 200, body: documentOf(routes, all) }),
    },
    ...docsRoutes(),
    {
      id: 'problemType',
      path: '/problems/:type',
      answer: (ctx) => {
        const type = ctx.params['type'] ?? '';
        if (!isProblemType(type))
          return void answerProblem(ctx, problem('route-not-found', 'There is no such type of problem.'));
        ctx.set('Content-Type', 'text/plain; charset=utf-8');
        ctx.body = explanationOf(type);
      },
    },
  ];
  const all = [...open.map((route) => withProblems(route, ['invalid-request', 'internal-server-error'])), ...pages];
  return all;
};

const notReady = (detail: string, dependencies: ReadonlyArray<string>): Problem =>
  problem('unavailable', detail, { mayHaveChanged: false, dependencies }, { 'Retry-After': '1' });
