import type { Registry } from 'prom-client';
import * as E from 'fp-ts/Either';
import type { Log } from '../../process/log';
import type { AuthorizerSettings, GrantsSource } from '../settings';
import type { Authorizer } from '../ports';
import { createAsk, createDecisionMetrics } from './pdp';
import { createKeptDecisions } from './decisions';
import { createHttpClient } from './pdp-client';
import { createGrants } from './grants';
import type { NodeHierarchy } from './hierarchy';

/** Decides by asking a policy decision point (PDP), which need not be available yet. */
export const createPdp = ({
  log,
  registry,
  ...settings
}: AuthorizerSettings & { readonly log: Log; readonly registry: Registry }): Authorizer & {
  readonly close: () => void;
} => {
  const metrics = createDecisionMetrics(registry);
  const httpClient = createHttpClient(settings);
  const ask = createAsk(httpClient, metrics, log);
  return { violations: createKeptDecisions(ask, settings.cacheMs, metrics), close: httpClient.close };
};

/**
 * Decides by the grants of a file, or by a policy decision point (PDP).
 *
 * Errors: the file's, as in createGrants. A PDP may be unavailable at the start.
 */
export const createAuthorizer = (options: {
  readonly grants: GrantsSource;
  readonly hierarchy: Pick<NodeHierarchy, 'parentOf'>;
  readonly log: Log;
  readonly registry: Registry;
}): E.Either<string, Authorizer & { readonly close: () => void }> =>
  'file' in options.grants
    ? createGrants({ ...options, grantsFile: options.grants.file })
    : E.right(createPdp({ ...options, ...options.grants.authorizer }));
