import type { Registry } from 'prom-client';
import type { Dependencies } from '../../process/dependencies';
import { singleFlight } from '../../process/single-flight';
import { VERSION } from '../../process/version';
import { described, object, oneOf, text } from '../../workflows/domain/codecs';
import { answerProblem, answerWith, type PageRoute } from './answer';
import { constantPage, docsRoutes } from './docs-page';
import { openApiDocument } from '../contract/openapi';
import { problemTypes } from '../contract/problems/catalogue';
import { explanationOf, invalidRequest, problem, type Problem } from '../contract/problems/problem';
import { jsonBody, type OpenOperation, type Route, withProblems } from '../contract/route';

const health = oneOf('HealthStatus', ['ok']);

export const HealthView = object('Health', {
  status: described(health, 'The process lives.'),
  version: described(text(64, 1), 'The version of the service, as in the OpenAPI document.'),
});

const ReadinessView = object('Readiness', { status: described(health, 'Every dependency answers.') });

type OpenRoute = OpenOperation & PageRoute;

/** The routes that need no token. */
export const openRoutesOf = (
  routes: ReadonlyArray<Route>,
  dependencies: Dependencies,
  isStopping: () => boolean,
  registry: Registry,
): ReadonlyArray<OpenRoute | PageRoute> => {
  const { names, unavailable } = dependencies;
  const measured = singleFlight(() => registry.metrics());
  const definitions: ReadonlyArray<OpenRoute> = [
    {
      id: 'health',
      summary: 'Whether the process lives',
      path: '/healthz',
      isProbe: true,
      answers: { 200: jsonBody('The process lives.', HealthView, { status: 'ok', version: VERSION }) },
      answer: (ctx) => answerWith(ctx, { status: 200, body: { status: 'ok', version: VERSION } }),
    },
    {
      id: 'readiness',
      summary: 'Whether the process should get calls',
      path: '/readyz',
      isProbe: true,
      parameters: {
        exclude: {
          description:
            'A dependency that need not answer. Without Redis calls still succeed; events wait in their nodes.',
          schema: { type: 'string', enum: names },
        },
      },
      answers: { 200: jsonBody('Every dependency of the service answers.', ReadinessView, { status: 'ok' }) },
      problems: ['unavailable'],
      answer: async (ctx) => {
        const excluded = ctx.query['exclude'];
        const known = names.find((name) => name === excluded);
        if (excluded !== undefined && known === undefined) {
          const reason = `must be one of ${names.join(', ')}`;
          return void answerProblem(ctx, invalidRequest([{ name: 'exclude', reason }]));
        }
        const silent = isStopping() ? [] : await unavailable(known);
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
      problems: ['unavailable'],
      answer: async (ctx) => {
        ctx.set('Content-Type', registry.contentType);
        ctx.body = await measured();
      },
    },
  ];
  const open = definitions.map((route) => withProblems(route, ['invalid-request', 'internal-server-error']));
  const document = constantPage('application/json', JSON.stringify(openApiDocument(routes, open)));
  const explanations = new Map<string, ReturnType<typeof constantPage>>(
    problemTypes.map((type) => [type, constantPage('text/plain; charset=utf-8', explanationOf(type))]),
  );
  return [
    ...open,
    { id: 'openapi', path: '/openapi.json', answer: document },
    ...docsRoutes(),
    {
      id: 'problemType',
      path: '/problems/:type',
      answer: (ctx) => {
        const explain = explanations.get(ctx.params['type'] ?? '');
        if (explain === undefined) answerProblem(ctx, problem('route-not-found', 'There is no such type of problem.'));
        else explain(ctx);
      },
    },
  ];
};

const notReady = (detail: string, dependencies: ReadonlyArray<string>): Problem =>
  problem('unavailable', detail, { mayHaveChanged: false, dependencies }, { 'Retry-After': '1' });
