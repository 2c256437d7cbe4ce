import type { Registry } from 'prom-client';
import { documentOf } from '../../routes/openapi/document';
import type { ReadinessCheck } from '../../ports';
import type { Route } from '../../routes/route';
import { docsPage } from './docs/docs-page';
import { pageFile } from './docs/page-file';
import { health } from './health';
import { metrics } from './metrics';
import type { OpenRoute } from './open-route';
import { openapi } from './openapi';
import { problemType } from './problems/problem-type';
import { readiness } from './readiness';

/** The dependencies of the routes without a token. */
export interface OpenParts {
  readonly checks: ReadonlyArray<ReadinessCheck>;
  readonly isStopping: () => boolean;
  readonly registry: Registry;
}

/** The routes that need no token; the OpenAPI document covers these and `routes`. */
export const openRoutesOf = (routes: ReadonlyArray<Route>, parts: OpenParts): ReadonlyArray<OpenRoute> => {
  const all: ReadonlyArray<OpenRoute> = [
    health,
    readiness(parts.checks, parts.isStopping),
    metrics(parts.registry),
    openapi(() => documentOf(routes, all)),
    docsPage,
    pageFile(),
    problemType,
  ];
  return all;
};
