import type { Registry } from 'prom-client';
import * as E from 'fp-ts/Either';
import type { Log } from '../../process/log';
import type { ApiSettings } from '../../process/settings';
import type { Authorizer } from '../ports';
import { createAsk } from './pdp';
import { createKeptDecisions } from './decisions';
import { createHttpClient } from './pdp-client';
import { createGrants } from './grants';
import type { NodeHierarchy } from './hierarchy';

/** Whom to ask, how long (ms) to wait for an answer, and how long one holds. */
type PdpSettings = Pick<
  ApiSettings,
  'AUTHORIZER_TOKEN' | 'AUTHORIZER_TIMEOUT_MS' | 'AUTHORIZER_CACHE_MS' | 'CALL_DEADLINE_MS'
> & { readonly AUTHORIZER_URL: string };

type ClosableAuthorizer = Authorizer & { readonly close: () => void };

/** Decides by asking a policy decision point (PDP), which need not be available yet. A question never outlasts its call. */
export const createPdp = (settings: PdpSettings, log: Log, registry: Registry): ClosableAuthorizer => {
  const { AUTHORIZER_URL: url, AUTHORIZER_TOKEN: token } = settings;
  const httpClient = createHttpClient({
    url,
    ...(token !== undefined && { token }),
    timeoutMs: Math.min(settings.AUTHORIZER_TIMEOUT_MS, settings.CALL_DEADLINE_MS),
  });
  const ask = createAsk(httpClient, registry, log);
  return { violations: createKeptDecisions(ask, settings.AUTHORIZER_CACHE_MS, registry), close: httpClient.close };
};

/**
 * Decides by the grants of a file, or by a policy decision point (PDP).
 *
 * Errors: the file's, as in createGrants. A PDP may be unavailable at the start.
 */
export const createAuthorizer = (
  settings: ApiSettings,
  hierarchy: Pick<NodeHierarchy, 'parentOf'>,
  log: Log,
  registry: Registry,
): E.Either<string, ClosableAuthorizer> => {
  const { AUTHORIZER_URL, GRANTS_FILE: grantsFile = '' } = settings; // one of them is set
  return AUTHORIZER_URL === undefined
    ? createGrants({ grantsFile, hierarchy, log })
    : E.right(createPdp({ ...settings, AUTHORIZER_URL }, log, registry));
};
