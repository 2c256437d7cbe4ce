import { VERSION } from '../../../process/version';
import type { OpenRoute } from '../../http/open/open-route';
import type { Route } from '../route';
import { headers, parameters, securitySchemes } from './components';
import { operationOf, openOperationOf } from './operation';
import { problemExamples } from './problem-examples';
import { responses } from './responses';
import { schemasOf } from './schemas';

/** The OpenAPI 3.1 document of the routes: made from the values that route and decode. */
export const documentOf = (
  routes: ReadonlyArray<Route>,
  openRoutes: ReadonlyArray<OpenRoute>,
): Readonly<Record<string, unknown>> => ({
  openapi: '3.1.0',
  info: {
    title: 'Point Alarm Service',
    version: VERSION,
    summary: 'Alarm thresholds and alarm statuses of measurement points.',
    description:
      'Unknown properties are refused, and `null` on an optional property means that it is absent. Every 4xx and 5xx is a problem by RFC 9457; its `type` is the address of what it means.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/' }],
  security: [{ token: [] }],
  tags: [
    { name: 'thresholds', description: 'The alarm threshold of a node.' },
    { name: 'statuses', description: 'The alarm status of a node.' },
    { name: 'process', description: 'Health, metrics and documents. No token is needed.' },
  ],
  paths: pathsOf([
    ...routes.map((route) => [route.path, route.method, operationOf(route)] as const),
    ...openRoutes.map((route) => [route.path, 'GET', openOperationOf(route)] as const),
  ]),
  components: {
    schemas: schemasOf(routes, openRoutes),
    responses,
    headers,
    parameters,
    examples: problemExamples,
    securitySchemes,
  },
});

const pathsOf = (
  operations: ReadonlyArray<readonly [string, string, unknown]>,
): Readonly<Record<string, Readonly<Record<string, unknown>>>> => {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [path, method, operation] of operations) {
    const template = path.replaceAll(/:(\w+)/gu, '{$1}');
    paths[template] = { ...paths[template], [method.toLowerCase()]: operation };
  }
  return paths;
};
